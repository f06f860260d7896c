import { isUtf8 } from 'node:buffer';
import { addAbortSignal } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import { anyOf } from '../signals.ts';
import type { Console } from './console.ts';

/**
 * What is asked, as it stands in a sentence, and the flag that gives it without a terminal:
 * `--base-url URL`.
 */
interface Question {
  readonly what: string;
  readonly flag: string;

  /** Answers that could be given, which stand beside the question. */
  readonly example?: string;

  /**
   * Throws a `UsageError` that says what is wrong with an answer; the question is then asked again.
   */
  readonly check?: (answer: string) => void;
  readonly default?: string | undefined;
}

/** One answer to choose, and what it is called. */
interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
}

/**
 * Asks on stderr, so that stdout carries results only. Every method throws `InterruptedError` on
 * Ctrl-C, the signal's reason once that is aborted, and `UsageError`, which names the flag, where
 * there is no terminal.
 */
export class Prompt {
  readonly #stdin: NodeJS.ReadStream;
  readonly #console: Console;
  readonly #signal: AbortSignal;

  constructor(stdin: NodeJS.ReadStream, console: Console, signal: AbortSignal) {
    this.#stdin = stdin;
    this.#console = console;
    this.#signal = signal;
  }

  /** A line of text, trimmed. */
  async ask(question: Question): Promise<string> {
    const answer = await this.#put(question, { type: 'input' });
    return String(answer).trim();
  }

  /** A secret, never shown, and hidden in everything that is written from then on. */
  async askSecret(question: Question): Promise<string> {
    const secret = String(await this.#put(question, { type: 'password', toggleMask: false }));
    this.#console.hide(secret);
    return secret;
  }

  async choose<Value>(question: Question, choices: readonly Choice<Value>[]): Promise<Value> {
    return (await this.#put(question, { type: 'select', choices })) as Value;
  }

  /**
   * Puts a question to whoever sits at the terminal; `kind` is what inquirer calls it, with what
   * that needs.
   */
  async #put(question: Question, kind: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { what, flag } = question;
    if (!this.#console.isInteractive) {
      const message = `No ${what} was given, and there is no terminal to ask on.`;
      throw new UsageError(message, { hint: `Give it with ${flag}.` });
    }

    const { default: inquirer } = await import('inquirer');
    const inputEnded = new AbortController();
    const ask = inquirer.createPromptModule({
      input: this.#stdin,
      output: this.#console.err.stream,
      signal: anyOf(this.#signal, inputEnded.signal),
    });
    // Ctrl-D closes the input, and inquirer would wait for it for ever.
    const onPause = (): void => void setImmediate(() => inputEnded.abort());
    this.#stdin.once('pause', onPause);
    try {
      const answers = await ask<{ answer: unknown }>({
        ...kind,
        name: 'answer',
        theme: themeFor(this.#console),
        message: messageOf(question, this.#console),
        default: question.default,
        validate: (answer: string) => validate(question, answer.trim()),
      });
      return answers.answer;
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw isGivenUp(error) ? new InterruptedError(130) : error;
    } finally {
      this.#stdin.off('pause', onPause);
    }
  }
}

/** The question with its example: `Period (e.g. last-week, 2026-10):`. */
function messageOf({ what, example }: Question, { err }: Console): string {
  const text = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  return example === undefined ? `${text}:` : `${text} ${err.style.dim(`(e.g. ${example})`)}:`;
}

/** Whether an answer can be taken, else the sentence that says why not. */
function validate({ what, check }: Question, answer: string): true | string {
  if (answer === '') return `Please give the ${what}.`;
  try {
    check?.(answer);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function isGivenUp(error: unknown): boolean {
  // By name: the classes are those of a package inside inquirer.
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/**
 * Inquirer colours by its own rules, which know neither stderr nor `--no-color`; these are the
 * rules of stderr.
 */
function themeFor({ err: { style, showsUnicode } }: Console): object {
  const { bold, cyan, dim, green, red } = style;
  return {
    prefix: { idle: cyan('?'), done: green(showsUnicode ? '✔' : '*') },
    style: {
      message: (text: string) => bold(text),
      answer: cyan,
      error: red,
      highlight: cyan,
      help: dim,
      description: dim,
      defaultAnswer: (text: string) => dim(`(${text})`),
      keysHelpTip: () => '',
    },
  };
}

/** No password or token is longer; an endless stream must not fill the memory. */
const secretBytesAtMost = 4 * 1024;

/** A secret that is piped in. */
interface PipedSecret {
  readonly stdin: NodeJS.ReadStream;
  readonly console: Console;

  /** The flag that says so, for the messages: `--token-stdin`. */
  readonly flag: string;
  readonly signal: AbortSignal;
}

/**
 * The first line of stdin, hidden in everything that is written from then on. Throws `UsageError`,
 * naming the flag, if stdin is a terminal, or holds nothing, no text, or more than 4 kB.
 */
export async function readSecret({ stdin, console, flag, signal }: PipedSecret): Promise<string> {
  if (stdin.isTTY) {
    const hint = `Pipe the secret in, as in: adreport login … ${flag} < FILE`;
    throw new UsageError(`${flag} reads from a pipe or a file, and stdin is a terminal.`, { hint });
  }

  const line = await readFirstLine(stdin, signal);
  // PowerShell writes a byte order mark into pipes.
  const secret = line.toString().replace(/^\uFEFF|\r$/g, '');
  if (secret.trim() === '') {
    const hint = 'The variable or file that should hold the secret may be empty.';
    throw new UsageError(`${flag} found nothing on the first line of stdin.`, { hint });
  }
  if (line.length > secretBytesAtMost || !isUtf8(line)) {
    throw new UsageError(`${flag} found no UTF-8 text of at most 4 kB on stdin.`);
  }
  console.hide(secret);
  return secret;
}

/** The first line of a stream, or of its first bytes somewhat more than a secret has. */
async function readFirstLine(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of addAbortSignal(signal, stdin)) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.includes('\n') || bytes.length > secretBytesAtMost) break;
  }
  const end = bytes.indexOf('\n');
  return end === -1 ? bytes : bytes.subarray(0, end);
}
