import { AdreportError, OutputError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { createSecrets } from './secrets.ts';
import { canDraw, plainStyle, type Style, showsUnicode, styleFrom, wantsColor } from './style.ts';
import { visibleJson } from './visible-json.ts';

export interface ConsoleFlags {
  readonly quiet?: boolean;
  /** How often `-v` was given. */
  readonly verbose: number;
  /** False for `--no-color`. */
  readonly color: boolean;
  /** Errors as one line of JSON. */
  readonly json?: boolean;
}

export interface ConsoleOptions {
  /** Asked for only when somebody wants to know whether questions can be asked: Node opens it then. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConsoleFlags;
}

/** What one of the two output streams can show. */
interface Side {
  readonly stream: NodeJS.WriteStream;
  readonly isTerminal: boolean;
  /** A terminal that understands escape sequences. */
  readonly canDraw: boolean;
  readonly showsUnicode: boolean;
  /** Width in character cells: `COLUMNS`, else the terminal's, else 80. */
  readonly columns: number;
  readonly style: Style;
}

/** What is drawn at the bottom of the terminal. */
interface Bars {
  /** Writes a line above the bars. */
  log(line: string): void;
  /** Takes the bars away. */
  clear(): void;
}

/** The program's voice: results on stdout, everything else on stderr (`cli.md`, Streams). */
export interface Console {
  readonly out: Side;
  readonly err: Side;
  /** Whether questions can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  readonly isQuiet: boolean;
  /** How often `-v` was given; 0 when quiet. */
  readonly verbosity: number;
  /** Whether the reader of stdout has gone. */
  readonly isClosed: boolean;
  /** Writes a result to stdout, with a line end if it has none. Throws as `write`. */
  result(text: string): Promise<void>;
  /** Writes bytes to stdout, resolving once they are taken. Throws `ClosedPipeError`, or `OutputError`. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** A line of information on stderr. */
  note(text: string): void;
  /** A line on stderr about something that is probably not wanted. */
  warn(text: string): void;
  /** A line on stderr that `-q` does not silence. */
  error(text: string): void;
  /** A line on stderr if `-v` was given at least `level` times. */
  trace(level: 1 | 2, text: string): void;
  /** A line of JSON on stderr. */
  event(value: object): void;
  /** Says an error on stderr: for people, or with `--json` as one line; a closed pipe is no error. */
  renderError(error: unknown): void;
  /** Keeps a secret out of everything that is written to stderr from now on. */
  hide(secret: string): void;
  /** A text without the secrets that are hidden by now: for a result that quotes what somebody else said. */
  redact(text: string): string;
  /** Tells which bars are shown now, `undefined` for none: while they are, lines are written above them. */
  showBars(bars: Bars | undefined): void;
}

/** Whoever read our stdout has gone (`| head`): the program ends at once, quietly, and with success. */
export class ClosedPipeError extends AdreportError {
  readonly exitCode = 0;
  constructor() {
    super('Nobody reads the output any more.', 'CLOSED_PIPE');
  }
}

/** Makes the program's voice. Chalk is loaded only where a stream shows colour. */
export async function createConsole(options: ConsoleOptions): Promise<Console> {
  const { stdout, stderr, flags } = options;
  const secrets = createSecrets();
  const [out, err] = await Promise.all([createSide(stdout, options), createSide(stderr, options)]);
  const isQuiet = flags.quiet === true;
  const verbosity = isQuiet ? 0 : flags.verbose;
  let bars: Bars | undefined;
  let failure: AdreportError | undefined;
  const fail = (error: NodeJS.ErrnoException): AdreportError => {
    failure ??= stdoutError(error);
    return failure;
  };
  // Without a listener the error of a closed pipe would end the process with a stack trace.
  stdout.on('error', fail);
  // There is nobody to tell when stderr itself is gone (`2>&1 | head`).
  stderr.on('error', () => {});

  const putLine = (text: string): void => {
    const line = secrets.redact(text);
    if (bars) bars.log(line);
    else stderr.write(`${line}\n`);
  };
  const say = (text: string): void => putLine(safeText(text, err.style !== plainStyle));
  const write = (bytes: Uint8Array | string): Promise<void> => {
    // Results that go to the terminal show by themselves how far it has come.
    if (out.isTerminal) bars?.clear();
    return new Promise((resolve, reject) => {
      if (failure) reject(failure);
      else stdout.write(bytes, (error) => (error ? reject(fail(error)) : resolve()));
    });
  };

  return {
    out,
    err,
    get isInteractive() {
      return err.isTerminal && options.stdin.isTTY === true;
    },
    isQuiet,
    verbosity,
    get isClosed() {
      return failure instanceof ClosedPipeError;
    },
    write,
    result: (text) => write(text.endsWith('\n') ? text : `${text}\n`),
    note: (text) => {
      if (!isQuiet) say(text);
    },
    warn: (text) => {
      if (!isQuiet) say(`${err.style.yellow('Warning:')} ${text}`);
    },
    error: say,
    trace: (level, text) => {
      if (verbosity >= level) say(err.style.dim(text));
    },
    event: (value) => putLine(visibleJson(value)),
    renderError: (error) => {
      if (error instanceof ClosedPipeError) return;
      const described = describeError(error);
      if (flags.json) return putLine(visibleJson({ error: described }));
      say(errorText(described, err.style));
      if (verbosity >= 2 && described.code === 'BUG' && error instanceof Error) say(err.style.dim(error.stack ?? ''));
    },
    hide: secrets.hide,
    redact: secrets.redact,
    showBars: (shown) => {
      bars = shown;
    },
  };
}

async function createSide(stream: NodeJS.WriteStream, { env, flags }: ConsoleOptions): Promise<Side> {
  return {
    stream,
    isTerminal: stream.isTTY === true,
    canDraw: canDraw(stream, env),
    showsUnicode: showsUnicode(env, process.platform),
    get columns() {
      const forced = Number(env.COLUMNS);
      return Number.isInteger(forced) && forced > 0 ? forced : stream.columns || 80;
    },
    style: wantsColor(stream, env, flags.color) ? await loadStyle() : plainStyle,
  };
}

async function loadStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  // Sixteen colours are all that we use, and the terminal's owner chose what they look like.
  const chalk = new Chalk({ level: 1 });
  return styleFrom((name) => (text) => chalk[name](text));
}

/** What a write says when its reader is gone: on a pipe, on Windows, on a socket, and every write after the first. */
const closedCodes = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function stdoutError(error: NodeJS.ErrnoException): AdreportError {
  if (closedCodes.has(error.code ?? '')) return new ClosedPipeError();
  // `ENOSPC: no space left on device, write`: only the middle is for people.
  const reason = /^\w+: (.*), \w+$/.exec(error.message)?.[1] ?? error.message;
  return new OutputError(`stdout could not be written: ${reason}.`, { cause: error });
}

const bugHint =
  'This is a bug in adreport. Please report it, with the command that led here; -vv shows where it happened.';

/** An error for programs, every member present; what is not ours is a bug here (exit code 1). */
function describeError(error: unknown) {
  if (error instanceof AdreportError) {
    const { code, message, hint, retryable, exitCode, reportId } = error;
    return { code, message, hint: hint ?? null, retryable, exitCode, reportId: reportId ?? null };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'BUG', message, hint: bugHint, retryable: false, exitCode: 1, reportId: null };
}

/** An error for people: `adreport: what. why`, and what to do next on a line of its own. */
function errorText({ message, hint }: ReturnType<typeof describeError>, style: Style): string {
  // A message may quote the service, whose lines must not look like ours.
  const indented = (text: string): string => text.split('\n').map(printable).join('\n  ');
  const first = `${style.red(style.bold('adreport:'))} ${indented(message)}`;
  return hint ? `${first}\n  ${indented(hint)}` : first;
}

// The attributes that our own styles use, and nothing that could hide text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const styling = /(\u001b\[(?:0|1|2|22|31|32|33|36|39)m)/;

/**
 * Text as it may stand on stderr, whoever wrote it: line breaks stay, our own styling stays where the stream shows
 * colour, every other control character is made visible.
 */
function safeText(text: string, keepStyling: boolean): string {
  // `split` with a capture puts the separators at the odd places.
  const safeLine = (line: string): string =>
    keepStyling
      ? line
          .split(styling)
          .map((part, index) => (index % 2 === 1 ? part : printable(part)))
          .join('')
      : printable(line);
  return text.split('\n').map(safeLine).join('\n');
}
