import { Chalk, type ChalkInstance } from 'chalk';
import { AdreportError, OutputError } from '../errors.ts';
import { printable, visibleJson } from '../text/printable.ts';

/** Dresses a text for one stream; returns it unchanged where the stream shows no colour. */
export type Style = ChalkInstance;

export const plainStyle: Style = new Chalk({ level: 0 });

interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

export interface ConsoleFlags {
  readonly quiet?: boolean;
  readonly verbose: number;
  readonly color: boolean;
  readonly json?: boolean;
}

/** What is drawn at the bottom of the terminal: `log` writes a line above the bars, `clear` takes them away. */
interface Bars {
  log(line: string): void;
  clear(): void;
}

/** Whoever read our stdout has gone (`| head`): the program ends at once, quietly, and with success. */
export class ClosedPipeError extends AdreportError {
  readonly exitCode = 0;
  constructor() {
    super('Nobody reads the output any more.', { code: 'CLOSED_PIPE' });
  }
}

export type Console = ReturnType<typeof createConsole>;

/** The program's voice: results on stdout, everything else on stderr (`cli.md`, Streams). */
export function createConsole(streams: ConsoleStreams, flags: ConsoleFlags) {
  const { stdout, stderr, env } = streams;
  const secrets = createSecrets();
  const out = sideOf(stdout, env, flags.color);
  const err = sideOf(stderr, env, flags.color);
  const isQuiet = flags.quiet === true;
  const verbosity = isQuiet ? 0 : flags.verbose;
  let bars: Bars | undefined;
  let failure: AdreportError | undefined;
  const fail = (error: NodeJS.ErrnoException): void => {
    // The stream says something else the second time.
    failure ??= stdoutError(error);
  };
  // Without a listener the error of a closed pipe, stderr's too (`2>&1 | head`), would end the process with a stack trace.
  stdout.on('error', fail);
  stderr.on('error', () => {});

  const putLine = (text: string): void => {
    const line = secrets.redact(text);
    if (bars) bars.log(line);
    else stderr.write(`${line}\n`);
  };
  const say = (text: string): void => putLine(safeText(text, err.style.level > 0));
  const write = (bytes: Uint8Array | string): Promise<void> => {
    // Results that go to the terminal show by themselves how far it has come.
    if (out.isTerminal) bars?.clear();
    return new Promise((resolve, reject) => {
      stdout.write(bytes, (error) => {
        if (error) fail(error);
        if (failure) reject(failure);
        else resolve();
      });
    });
  };

  return {
    out,
    err,
    isQuiet,
    verbosity,
    get isInteractive() {
      return err.isTerminal && streams.stdin.isTTY === true;
    },
    /** Writes bytes to stdout, resolving once they are taken. Throws `ClosedPipeError`, or `OutputError`. */
    write,
    /** Writes a result to stdout, with a line end if it has none. Throws as `write`. */
    result: (text: string): Promise<void> => write(text.endsWith('\n') ? text : `${text}\n`),
    note: (text: string): void => {
      if (!isQuiet) say(text);
    },
    warn: (text: string): void => {
      if (!isQuiet) say(`${err.style.yellow('Warning:')} ${text}`);
    },
    /** A line on stderr that `-q` does not silence. */
    error: say,
    /** A line on stderr if `-v` was given at least `level` times. */
    trace: (level: 1 | 2, text: string): void => {
      if (verbosity >= level) say(err.style.dim(text));
    },
    event: (value: object): void => putLine(visibleJson(value)),
    /** Says an error on stderr: for people `adreport: what. why`, and what to do next on a line of its own, or as JSON. */
    renderError: (error: unknown) => {
      const described = describeError(error);
      if (flags.json) return putLine(visibleJson({ error: described }));
      // A message may quote the service, whose lines must not look like ours.
      const indented = (text: string): string => text.split('\n').map(printable).join('\n  ');
      const { message, hint } = described;
      say(
        `${err.style.red.bold('adreport:')} ${indented(message)}${hint ? `\n  ${indented(hint)}` : ''}`,
      );
      if (verbosity >= 2 && described.code === 'BUG' && error instanceof Error)
        say(err.style.dim(error.stack ?? ''));
    },
    /** Keeps a secret out of everything that is written to stderr from now on. */
    hide: secrets.hide,
    /** A text without the secrets that are hidden by now: for a result that quotes what somebody else said. */
    redact: secrets.redact,
    /** Tells which bars are shown now, `undefined` for none: while they are, lines are written above them. */
    showBars: (shown: Bars | undefined): void => {
      bars = shown;
    },
  };
}

function sideOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, colorFlag: boolean) {
  return {
    stream,
    isTerminal: stream.isTTY === true,
    canDraw: canDraw(stream, env),
    showsUnicode: showsUnicode(env, process.platform),
    /** Width in character cells: `COLUMNS`, else the terminal's, else 80. */
    get width() {
      const forced = Number(env.COLUMNS);
      return Number.isInteger(forced) && forced > 0 ? forced : stream.columns || 80;
    },
    // Sixteen colours are all that we use, and the terminal's owner chose what they look like.
    style: wantsColor(stream, env, colorFlag) ? new Chalk({ level: 1 }) : plainStyle,
  };
}

/** Whether a stream gets colour: `--no-color`, `FORCE_COLOR` and `NO_COLOR`, the strongest first, then what the stream is. */
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

/** Whether line drawing and braille are likely to be shown: not on the bare Linux console, nor in a locale that is not UTF-8. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return env.WT_SESSION !== undefined || env.TERM_PROGRAM !== undefined;
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}

function stdoutError(error: NodeJS.ErrnoException): AdreportError {
  // The reader is gone: of a pipe, on Windows, of a socket, and at every write after the first.
  const isClosed = /^(EPIPE|EOF|ECONNRESET|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/.test(
    error.code ?? '',
  );
  if (isClosed) return new ClosedPipeError();
  // `ENOSPC: no space left on device, write`: only the middle is for people.
  const reason = /^\w+: (.*), \w+$/.exec(error.message)?.[1] ?? error.message;
  return new OutputError(`stdout could not be written: ${reason}.`, { cause: error });
}

/** An error for programs, every member present; what is not ours is a bug here (exit code 1). */
function describeError(error: unknown) {
  if (error instanceof AdreportError) {
    const { code, message, hint = null, retryable, exitCode, reportId = null } = error;
    return { code, message, hint, retryable, exitCode, reportId };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const hint =
    'This is a bug in adreport. Please report it, with the command line; -vv shows where it happened.';
  return { code: 'BUG', message, hint, retryable: false, exitCode: 1, reportId: null };
}

/** Text with every control character made visible but line breaks and, where the stream shows colour, our own styling. */
function safeText(text: string, keepsStyling: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the attributes that our own styles use, and nothing that hides text
  const kept = keepsStyling ? /(\n|\u001b\[(?:0|1|2|22|31|32|33|36|39)m)/ : /(\n)/;
  // `split` with a capture puts the separators at the odd places.
  const parts = text.split(kept);
  return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('');
}

/** Keeps known secrets out of text. */
export function createSecrets() {
  let known: readonly string[] = [];
  return {
    /** Makes a value known as secret, in each spelling in which a request or an error could carry it. */
    hide(secret: string): void {
      // Shorter values would be found inside ordinary words, and so give themselves away.
      if (secret.length < 4) return;
      // Longest first: a secret that begins with another one must not leave its end behind.
      known = [...new Set([...known, ...spellings(secret)])].sort((a, b) => b.length - a.length);
    },
    /** The text with `[hidden]` in the place of each. */
    redact: (text: string): string => known.reduce(redactOne, text),
  };
}

/** As it is, made printable, in JSON (twice, where one text of JSON quotes another), in a URL, in a form. */
function spellings(secret: string): string[] {
  // A lone surrogate, which no encoding can carry, is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);
  const inJson = [visibleJson, JSON.stringify].flatMap((write) => {
    const once = write(secret).slice(1, -1);
    return [once, write(once).slice(1, -1)];
  });
  return [secret, printable(secret), ...inJson, encodeURIComponent(wellFormed), inForm];
}

function redactOne(text: string, secret: string): string {
  const replacement = '[hidden]';
  // Shorter ones are hidden only where they stand as a word: `pass` must not make `[hidden]word` of `password`.
  if (secret.length >= 12) return text.replaceAll(secret, replacement);
  const isWord = (character = ''): boolean => /[\p{L}\p{N}]/u.test(character);
  return text.replaceAll(secret, (found: string, at: number) => {
    const end = at + found.length;
    const isInWord =
      (isWord(text[at - 1]) && isWord(text[at])) || (isWord(text[end - 1]) && isWord(text[end]));
    return isInWord ? found : replacement;
  });
}
