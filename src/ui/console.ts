import { Chalk, type ChalkInstance } from 'chalk';
import { AdreportError, OutputError } from '../errors.ts';
import { wrapLines } from '../text/cell-width.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { Secrets } from './secrets.ts';

/** Dresses a text for one stream; returns it unchanged where the stream shows no colour. */
export type Style = ChalkInstance;

export const plainStyle: Style = new Chalk({ level: 0 });

/** The streams of the program, and the environment that says how they may be used. */
interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** The flags that say how much is printed, and how. */
export interface ConsoleFlags {
  readonly quiet?: boolean;

  /** How often `-v` was given. */
  readonly verbose: number;
  readonly color: boolean;
  readonly json?: boolean;
}

/**
 * What is drawn at the bottom of the terminal: `log` writes a line above the bars, `clear` takes
 * them away.
 */
interface Bars {
  log(line: string): void;
  clear(): void;
}

/**
 * Whoever read our stdout has gone (`| head`): the program ends at once, quietly, and with success.
 */
export class ClosedPipeError extends AdreportError {
  readonly exitCode = 0;

  constructor() {
    super('Nobody reads the output any more.', { code: 'CLOSED_PIPE' });
  }
}

/** The program's voice: results on stdout, everything else on stderr (`cli.md`, Streams). */
export class Console {
  readonly out: ConsoleSide;
  readonly err: ConsoleSide;
  readonly isQuiet: boolean;

  /** How often `-v` was given; none with `-q`. */
  readonly verbosity: number;
  readonly #stdin: NodeJS.ReadStream;
  readonly #platform: NodeJS.Platform;
  readonly #speaksJson: boolean;
  readonly #secrets = new Secrets();
  #bars: Bars | undefined;
  #failure: AdreportError | undefined;

  constructor(
    { stdin, stdout, stderr, env, platform }: ConsoleStreams,
    { color, ...flags }: ConsoleFlags,
  ) {
    this.out = new ConsoleSide(stdout, { env, platform, color });
    this.err = new ConsoleSide(stderr, { env, platform, color });
    this.#platform = platform;
    this.isQuiet = flags.quiet === true;
    this.verbosity = this.isQuiet ? 0 : flags.verbose;
    this.#stdin = stdin;
    this.#speaksJson = flags.json === true;
    // Without a listener the error of a closed pipe, stderr's too (`2>&1 | head`), would end the
    // process with a stack trace.
    stdout.on('error', (error) => this.#fail(error));
    stderr.on('error', () => {});
  }

  /** Whether somebody can be asked. */
  get isInteractive(): boolean {
    return this.err.isTerminal && this.#stdin.isTTY === true;
  }

  /**
   * Writes bytes to stdout, resolving once they are taken. Throws `ClosedPipeError`, or
   * `OutputError`.
   */
  write(bytes: Uint8Array | string): Promise<void> {
    // Results that go to the terminal show by themselves how far it has come.
    if (this.out.isTerminal) this.#bars?.clear();
    return new Promise((resolve, reject) => {
      this.out.stream.write(bytes, (error) => {
        if (error) this.#fail(error);
        if (this.#failure) reject(this.#failure);
        else resolve();
      });
    });
  }

  /** Writes a result to stdout, with a line end if it has none. Throws as `write`. */
  result(text: string): Promise<void> {
    return this.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  // These four are fields, because others are handed them without the console.

  /** A line on stderr that may be missed: progress, hints and notes. `-q` leaves it out. */
  readonly note = (text: string): void => {
    if (!this.isQuiet) this.error(text);
  };

  /**
   * A warning, with `-q` too: what came is not what was asked for, or something needs mending. It
   * names its file.
   */
  readonly warn = (text: string): void => {
    this.error(`${this.err.style.yellow('Warning:')} ${text}`);
  };

  /**
   * Keeps a secret, and each piece of it, out of everything that is written to stderr from now on.
   */
  readonly hide = (secret: string): void => this.#secrets.hide(secret);

  /**
   * A text without the secrets that are hidden by now: for a result that quotes what somebody else
   * said.
   */
  readonly redact = (text: string): string => this.#secrets.redact(text);

  /** Keeps an address out of stderr as a whole: a piece of it may be the name of a host. */
  hideWhole(text: string): void {
    this.#secrets.hideWhole(text);
  }

  /** A line on stderr, with `-q` too. */
  error(text: string): void {
    const { isTerminal, width, style } = this.err;
    // A secret is found as long as no line break is in it.
    const line = safeText(this.redact(text), style.level > 0);
    this.#putLine(isTerminal ? wrapLines(line, width, this.#platform !== 'win32') : line);
  }

  /** A line on stderr if `-v` was given at least `level` times. */
  trace(level: 1 | 2, text: string): void {
    if (this.verbosity >= level) this.error(this.err.style.dim(text));
  }

  /** A line of JSON on stderr. */
  event(value: object): void {
    this.#putLine(visibleJson(value));
  }

  /**
   * Says an error on stderr: for people `adreport: what. why`, and what to do next on a line of its
   * own, or as JSON.
   */
  renderError(error: unknown): void {
    const description = describeError(error);
    if (this.#speaksJson) {
      this.event({ error: description });
      return;
    }
    const { style } = this.err;
    const { code, message, hint } = description;
    const hintLine = hint ? `\n  ${indent(hint)}` : '';
    this.error(`${style.red.bold('adreport:')} ${indent(message)}${hintLine}`);
    if (this.verbosity >= 2 && code === 'BUG' && error instanceof Error) {
      this.error(style.dim(error.stack ?? ''));
    }
  }

  /**
   * Tells which bars are drawn now, `undefined` for none: while they are, lines are written above
   * them.
   */
  showBars(bars: Bars | undefined): void {
    this.#bars = bars;
  }

  #putLine(text: string): void {
    const line = this.redact(text);
    if (this.#bars) this.#bars.log(line);
    else this.err.stream.write(`${line}\n`);
  }

  #fail(error: NodeJS.ErrnoException): void {
    // The stream says something else the second time.
    this.#failure ??= stdoutError(error);
  }
}

/** The lines of a message, which may quote the service, whose lines must not look like ours. */
function indent(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}

/** What the look of a stream follows from. */
interface ConsoleLook {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;

  /** Whether colour is allowed. */
  readonly color: boolean;
}

/** One of the two streams that the program writes to, and what it can show. */
class ConsoleSide {
  readonly stream: NodeJS.WriteStream;
  readonly isTerminal: boolean;

  /** Whether lines can be drawn and drawn over. */
  readonly canDraw: boolean;
  readonly showsUnicode: boolean;
  readonly style: Style;
  readonly #env: NodeJS.ProcessEnv;

  constructor(stream: NodeJS.WriteStream, { env, platform, color }: ConsoleLook) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.canDraw = canDraw(stream, env);
    this.showsUnicode = showsUnicode(env, platform);
    // Sixteen colours are all that we use, and the terminal's owner chose what they look like.
    this.style = wantsColor(stream, env, color) ? new Chalk({ level: 1 }) : plainStyle;
    this.#env = env;
  }

  /** In character cells: `COLUMNS`, else the terminal's, else 80. */
  get width(): number {
    return terminalWidth(this.stream, this.#env);
  }
}

/** How many cells a line has: as many as `COLUMNS` says, else those of the terminal, else 80. */
export function terminalWidth(
  { columns }: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const forced = Number(env.COLUMNS);
  if (Number.isInteger(forced) && forced > 0) return forced;
  return columns || 80;
}

/**
 * Whether a stream gets colour: `--no-color`, `FORCE_COLOR` and `NO_COLOR`, the strongest first,
 * then what the stream is.
 */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv,
  colorFlag: boolean,
): boolean {
  if (!colorFlag) return false;
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  // An empty NO_COLOR means nothing (no-color.org).
  return !env.NO_COLOR && canDraw(stream, env);
}

function canDraw(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/**
 * Whether line drawing and braille are likely to be shown: not on the bare Linux console, nor in a
 * locale that is not UTF-8.
 */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return env.WT_SESSION !== undefined || env.TERM_PROGRAM !== undefined;
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}

function stdoutError(error: NodeJS.ErrnoException): AdreportError {
  // The reader is gone: of a pipe, on Windows, of a socket, and at every write after the first.
  const closedCodes = /^(EPIPE|EOF|ECONNRESET|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/;
  if (closedCodes.test(error.code ?? '')) return new ClosedPipeError();
  // `ENOSPC: no space left on device, write`: only the middle is for people.
  const reason = /^\w+: (.*), \w+$/.exec(error.message)?.[1] ?? error.message;
  return new OutputError(`stdout could not be written: ${reason}.`, { cause: error });
}

/** An error for programs, every member present. */
interface ErrorDescription {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly exitCode: number;
  readonly reportId: string | null;
}

function describeError(error: unknown): ErrorDescription {
  if (error instanceof AdreportError) {
    const { code, message, hint = null, retryable, exitCode, reportId = null } = error;
    return { code, message, hint, retryable, exitCode, reportId };
  }
  // What is not ours is a bug here.
  return {
    code: 'BUG',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    hint: 'This is a bug in adreport. Please report it, with the command line; -vv shows where it happened.',
    retryable: false,
    exitCode: 1,
    reportId: null,
  };
}

/** Line breaks, and the attributes that our own styles use. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: nothing among these hides text
const breaksAndStyling = /\n|\u001b\[(?:0|1|2|22|31|32|33|36|39)m/g;

/**
 * Text with every control character made visible but line breaks and, where the stream shows
 * colour, our own styling.
 */
function safeText(text: string, keepsStyling: boolean): string {
  const keptMarks = keepsStyling ? breaksAndStyling : /\n/g;
  let safe = '';
  let end = 0;
  for (const match of text.matchAll(keptMarks)) {
    const [mark] = match;
    safe += printable(text.slice(end, match.index)) + mark;
    end = match.index + mark.length;
  }
  return safe + printable(text.slice(end));
}
