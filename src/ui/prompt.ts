import { addAbortSignal } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import { anySignal } from '../signals.ts';
import { decodeUtf8 } from '../text/utf8.ts';
import type { Console } from './console.ts';

interface PromptQuestion {
  /** Noun with an article, if it needs one: `the base URL`. */
  readonly noun: string;

  /** The question itself. Default: the noun. */
  readonly title?: string;

  /** Flag that provides the value without a terminal: `--base-url URL`. */
  readonly flag: string;

  /** Examples of an answer, shown next to the question. */
  readonly example?: string;

  /** Throws `UsageError` for an invalid answer. The question is then repeated. */
  readonly check?: (answer: string) => void;
  readonly default?: string | undefined;
}

interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
}

/**
 * Prompts on stderr. Each method throws `InterruptedError` on Ctrl-C, `signal.reason` if aborted,
 * and a `UsageError` that mentions the flag if there is no terminal.
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

  /** Asks for a line, which is trimmed. */
  async ask(question: PromptQuestion): Promise<string> {
    const answer = await this.#prompt(question, { type: 'input' });
    return String(answer).trim();
  }

  /** Asks for a secret, which all later output hides. */
  async askSecret(question: PromptQuestion): Promise<string> {
    const secret = String(await this.#prompt(question, { type: 'password', toggleMask: false }));
    this.#console.hide(secret);
    return secret;
  }

  async choose<Value>(question: PromptQuestion, choices: readonly Choice<Value>[]): Promise<Value> {
    return (await this.#prompt(question, { type: 'select', choices })) as Value;
  }

  /** @param kind type of inquirer's prompt, with the options of that type */
  async #prompt(
    question: PromptQuestion,
    kind: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const { noun, flag } = question;
    if (!this.#console.isInteractive) {
      const stream = this.#stdin.isTTY ? 'stderr' : 'stdin';
      const message = `Cannot ask for ${noun}: ${stream} is not a terminal.`;
      throw new UsageError(message, { hint: `Add ${flag}.` });
    }

    const { default: inquirer } = await import('inquirer');
    const inputEnded = new AbortController();
    const ask = inquirer.createPromptModule({
      input: this.#stdin,
      output: this.#console.err.stream,
      signal: anySignal(this.#signal, inputEnded.signal),
    });
    // Ctrl-D closes the input, after which inquirer would wait forever.
    const onPause = (): void => void setImmediate(() => inputEnded.abort());
    this.#stdin.once('pause', onPause);
    try {
      const answers = await ask<{ answer: unknown }>({
        ...kind,
        name: 'answer',
        theme: createTheme(this.#console),
        message: formatMessage(question, this.#console),
        default: question.default,
        validate: (answer: string) => validate(question, answer.trim()),
      });
      return answers.answer;
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw isCancelled(error) ? new InterruptedError(130) : error;
    } finally {
      this.#stdin.off('pause', onPause);
    }
  }
}

/** Formats the question with its example: `Period (e.g. last-week, 2026-10):`. */
function formatMessage({ noun, title, example }: PromptQuestion, { err }: Console): string {
  const value = noun.replace(/^the /, '');
  const text = title ?? `${value.charAt(0).toUpperCase()}${value.slice(1)}`;
  return example === undefined ? `${text}:` : `${text} ${err.style.dim(`(e.g. ${example})`)}:`;
}

/** Returns the message to show for an invalid answer, otherwise true. */
function validate({ noun, check }: PromptQuestion, answer: string): true | string {
  if (answer === '') return `Enter ${noun}.`;
  try {
    check?.(answer);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} ${error.hint ?? ''}`.trim();
    throw error;
  }
}

function isCancelled(error: unknown): boolean {
  // Recognized by name, because inquirer does not export its classes.
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/** Creates a theme with the colors of stderr. By default, inquirer ignores `--no-color`. */
function createTheme({ err: { style } }: Console): object {
  const { bold, cyan, dim, green, red } = style;
  return {
    prefix: { idle: cyan('?'), done: green('✔') },
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

/** No password or token is longer. The limit protects against endless streams. */
const maxSecretBytes = 4 * 1024;

interface PipedSecret {
  readonly stdin: NodeJS.ReadStream;
  readonly console: Console;

  /** Flag to mention in messages: `--token-stdin`. */
  readonly flag: string;
  readonly signal: AbortSignal;
}

/**
 * Reads a secret from the first line of stdin, and hides it in all later output. Throws a
 * `UsageError` that mentions the flag if stdin is a terminal, or if the line is empty, too long or
 * not valid UTF-8.
 */
export async function readSecret({ stdin, console, flag, signal }: PipedSecret): Promise<string> {
  if (stdin.isTTY) {
    const hint = 'Add < FILE to the command: the secret is the first line of FILE.';
    throw new UsageError(`${flag} reads a pipe or a file, but stdin is a terminal.`, { hint });
  }

  const line = await readFirstLine(stdin, signal);
  const secret = decodeSecret(line, flag).replace(/\r$/, '');
  if (secret.trim() === '') {
    const hint = 'The variable or file with the secret may be empty.';
    throw new UsageError(`${flag}: the first line of stdin is empty.`, { hint });
  }
  console.hide(secret);
  return secret;
}

/** Throws `UsageError` if a line is too long or not valid UTF-8. */
function decodeSecret(line: Buffer, flag: string): string {
  if (line.length > maxSecretBytes) {
    throw new UsageError(`${flag}: the first line of stdin is longer than 4 kB.`, {
      hint: 'Pipe in only the secret.',
    });
  }
  try {
    const secret = decodeUtf8(line);
    if (!secret.includes('\0')) return secret;
    throw new Error('it has a NUL character');
  } catch (error) {
    throw new UsageError(`${flag}: cannot read the secret: ${(error as Error).message}.`, {
      hint: 'In PowerShell, write the file with Set-Content -Encoding utf8.',
    });
  }
}

/** Reads the first line of a stream. Stops early if the line is too long. */
async function readFirstLine(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of addAbortSignal(signal, stdin)) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.includes('\n') || bytes.length > maxSecretBytes) break;
  }
  const end = bytes.indexOf('\n');
  return end === -1 ? bytes : bytes.subarray(0, end);
}
