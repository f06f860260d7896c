import { Chalk, type ChalkInstance } from 'chalk';
import { AdreportError, ClosedPipeError, OutputError } from '../errors.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { Secrets } from '../text/secrets.ts';

/** Colors and weights of text. */
export type Style = ChalkInstance;

export const plainStyle: Style = new Chalk({ level: 0 });

/** Streams of the program, and the environment that determines colors and widths. */
interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Flags that control what is printed, and how. */
export interface ConsoleFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color: boolean;
  readonly json?: boolean;
}

/** A progress bar at the bottom of the terminal. */
interface Bar {
  /** Writes a line above the bar. */
  log(line: string): void;
  clear(): void;
}

/** Output of the program: results on stdout, everything else on stderr (`cli.md`, Streams). */
export class Console {
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly isQuiet: boolean;

  /** Whether `-v` was given without `-q`. */
  readonly isVerbose: boolean;
  readonly #stdin: NodeJS.ReadStream;
  readonly #speaksJson: boolean;
  readonly #secrets = new Secrets();
  #bar: Bar | undefined;
  #failure: AdreportError | undefined;

  constructor({ stdin, stdout, stderr, env }: ConsoleStreams, { color, ...flags }: ConsoleFlags) {
    this.out = new OutputStream(stdout, { env, color });
    this.err = new OutputStream(stderr, { env, color });
    this.isQuiet = flags.quiet === true;
    this.isVerbose = flags.verbose === true && !this.isQuiet;
    this.#stdin = stdin;
    this.#speaksJson = flags.json === true;
    // Without listeners, a closed pipe would end the process with a stack trace. Stderr may be such
    // a pipe too: `2>&1 | head`.
    stdout.on('error', (error) => this.#fail(error));
    stderr.on('error', () => {});
  }

  /** Whether both stdin and stderr are terminals. */
  get isInteractive(): boolean {
    return this.err.isTerminal && this.#stdin.isTTY === true;
  }

  /** Writes bytes to stdout and waits for them. Throws `ClosedPipeError` or `OutputError`. */
  write(bytes: Uint8Array | string): Promise<void> {
    // The bar is not needed once results appear on the terminal.
    if (this.out.isTerminal) this.#bar?.clear();
    return new Promise((resolve, reject) => {
      this.out.stream.write(bytes, (error) => {
        if (error) this.#fail(error);
        if (this.#failure) reject(this.#failure);
        else resolve();
      });
    });
  }

  /** Writes a result to stdout, with a final line break. Throws like `write`. */
  result(text: string): Promise<void> {
    return this.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  // These four are arrow functions, because they are passed around without the console.

  /** Prints a line on stderr unless `-q`: progress, hints and notes. */
  readonly note = (text: string): void => {
    if (!this.isQuiet) this.error(text);
  };

  /** Prints a warning on stderr, even with `-q`. */
  readonly warn = (text: string): void => {
    this.error(`${this.err.style.yellow('Warning:')} ${text}`);
  };

  /** Hides a secret in everything written to stderr from now on. */
  readonly hide = (secret: string): void => this.#secrets.hide(secret);

  /** Hides secrets in results that quote the service. */
  readonly redact = (text: string): string => this.#secrets.redact(text);

  /** Prints a line on stderr, even with `-q`. */
  error(text: string): void {
    // A secret may contain control characters, so it is hidden before these are replaced.
    this.#putLine(makePrintable(this.redact(text), this.err.style.level > 0));
  }

  /** Prints a line on stderr with `-v`. */
  trace(text: string): void {
    if (this.isVerbose) this.error(this.err.style.dim(text));
  }

  /** Prints a line of JSON on stderr. */
  event(value: object): void {
    this.#putLine(visibleJson(value));
  }

  /**
   * Prints an error on stderr: `adreport: `, its message and its hint. With `--json`, prints JSON
   * instead.
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
    if (this.isVerbose && code === 'BUG' && error instanceof Error) {
      this.error(style.dim(error.stack ?? ''));
    }
  }

  /** Sets the bar that is being drawn. Lines are written above it. */
  showBar(bar: Bar | undefined): void {
    this.#bar = bar;
  }

  #putLine(text: string): void {
    const line = this.redact(text);
    if (this.#bar) this.#bar.log(line);
    else this.err.stream.write(`${line}\n`);
  }

  #fail(error: NodeJS.ErrnoException): void {
    // Later errors of the stream are less specific.
    this.#failure ??= stdoutError(error);
  }
}

/**
 * Indents the lines of a message, so that a line quoted from the service cannot pass for one of
 * adreport's own.
 */
function indent(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}

interface TableLook {
  /** In terminal cells. `undefined` if there is no limit. */
  readonly width: number | undefined;
  readonly style: Style;
}

class OutputStream {
  readonly stream: NodeJS.WriteStream;
  readonly isTerminal: boolean;

  /** Whether lines can be redrawn. */
  readonly canDraw: boolean;
  readonly style: Style;
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    stream: NodeJS.WriteStream,
    { env, color }: { env: NodeJS.ProcessEnv; color: boolean },
  ) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.canDraw = canDraw(stream, env);
    // Users choose in their terminal how the basic sixteen colors look.
    this.style = wantsColor(stream, env, color) ? new Chalk({ level: 1 }) : plainStyle;
    this.#env = env;
  }

  /** Width of a line in terminal cells. */
  get width(): number {
    return terminalWidth(this.stream, this.#env);
  }

  /** Layout of tables. Their width is limited by the terminal, or by `COLUMNS` in a pipe. */
  get look(): TableLook {
    const { isTerminal, style } = this;
    const hasWidth = isTerminal || Boolean(this.#env.COLUMNS);
    return { width: hasWidth ? this.width : undefined, style };
  }
}

/** Returns the width of a line in terminal cells: `COLUMNS`, the width of the terminal, or 80. */
export function terminalWidth(
  { columns }: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const forced = Number(env.COLUMNS);
  if (Number.isInteger(forced) && forced > 0) return forced;
  return columns || 80;
}

/** Decides by `--no-color`, `FORCE_COLOR`, `NO_COLOR` and the kind of stream, in this order. */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv,
  colorFlag: boolean,
): boolean {
  if (!colorFlag) return false;
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  // An empty NO_COLOR has no effect (no-color.org).
  return !env.NO_COLOR && canDraw(stream, env);
}

function canDraw(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

function stdoutError(error: NodeJS.ErrnoException): AdreportError {
  // A closed pipe has other codes on Windows, for sockets, and for later writes.
  const closedCodes = /^(EPIPE|EOF|ECONNRESET|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/;
  if (closedCodes.test(error.code ?? '')) return new ClosedPipeError();
  // Only the middle part of `ENOSPC: no space left on device, write` is for users.
  const reason = /^\w+: (.*), \w+$/.exec(error.message)?.[1] ?? error.message;
  return new OutputError(`Cannot write to stdout: ${reason}.`, { cause: error });
}

/** An error as `--json` prints it. */
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
  return {
    code: 'BUG',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    hint: 'This is a bug in adreport. Report it with the command, its output with -v, and adreport doctor --json. They contain no secrets.',
    retryable: false,
    exitCode: 1,
    reportId: null,
  };
}

/** Matches line breaks, and the escape sequences of the styles above. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: none of these hides text
const breaksAndStyling = /\n|\u001b\[(?:0|1|2|22|31|32|33|36|39)m/g;

/** Makes all control characters visible, except for line breaks and, if kept, styles. */
function makePrintable(text: string, keepsStyling: boolean): string {
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
