import { bugTrace, errorJson, errorText } from './error-text.ts';
import { createLines, type Overlay } from './lines.ts';
import { ClosedPipeError, createResultStream } from './result-stream.ts';
import { safeText } from './safe-text.ts';
import { createSecrets } from './secrets.ts';
import { canDraw, plainStyle, type Style, showsUnicode, styleFrom, wantsColor } from './style.ts';
import { visibleJson } from './visible-json.ts';

export { ClosedPipeError };

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
export interface Side {
  readonly stream: NodeJS.WriteStream;
  readonly isTerminal: boolean;
  /** A terminal that understands escape sequences. */
  readonly canDraw: boolean;
  readonly showsUnicode: boolean;
  /** Width in character cells: `COLUMNS`, else the terminal's, else 80. */
  readonly columns: number;
  readonly style: Style;
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
  /** Lets something be drawn below the lines; returns the function that ends it. */
  attach(overlay: Overlay): () => void;
}

/** Makes the program's voice. Chalk is loaded only where a stream shows colour: it costs 7 ms. */
export async function createConsole(options: ConsoleOptions): Promise<Console> {
  const { stdout, stderr, flags } = options;
  const secrets = createSecrets();
  const results = createResultStream(stdout);
  const lines = createLines(stderr);
  const [out, err] = await Promise.all([createSide(stdout, options), createSide(stderr, options)]);
  const isQuiet = flags.quiet === true;
  const verbosity = isQuiet ? 0 : flags.verbose;

  const putLine = (text: string): void => lines.put(secrets.redact(text));
  const say = (text: string): void => putLine(safeText(text, err.style !== plainStyle));
  const write = (bytes: Uint8Array | string): Promise<void> =>
    out.isTerminal ? lines.withoutOverlay(() => results.write(bytes)) : results.write(bytes);

  return {
    out,
    err,
    get isInteractive() {
      return err.isTerminal && options.stdin.isTTY === true;
    },
    isQuiet,
    verbosity,
    get isClosed() {
      return results.isClosed;
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
      if (flags.json) return putLine(errorJson(error));
      say(errorText(error, err.style));
      const trace = verbosity >= 2 ? bugTrace(error) : undefined;
      if (trace) say(err.style.dim(trace));
    },
    hide: secrets.hide,
    redact: secrets.redact,
    attach: lines.attach,
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
