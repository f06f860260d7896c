import { isUtf8 } from 'node:buffer';
import { addAbortSignal } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import type { Console } from './console.ts';

/** What is asked, and how it could have been given instead. */
interface Question {
  /** As it stands in a sentence: `base URL`. */
  readonly what: string;
  /** The flag that gives it without a terminal: `--base-url URL`. */
  readonly flag: string;
  /** Throws a `UsageError` whose message says what is wrong with an answer; the question is then asked again. */
  readonly check?: (answer: string) => void;
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
}

/** Asks on stderr, so that stdout carries results only. Every function throws `InterruptedError` on Ctrl-C. */
export interface Prompt {
  /** A line of text, trimmed. Throws `UsageError`, which names the flag, where there is no terminal. */
  ask(question: Question & { readonly default?: string }): Promise<string>;
  /** A secret, never shown, and hidden in everything that is written from then on. Throws as `ask`. */
  askSecret(question: Question): Promise<string>;
  /** One of several. Throws as `ask`. */
  choose<Value extends string>(
    question: Omit<Question, 'check'> & { readonly choices: readonly Choice<Value>[]; readonly default?: Value },
  ): Promise<Value>;
}

export interface PromptOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly console: Console;
  /** Ends a question, with its reason. */
  readonly signal: AbortSignal;
}

/** Makes the asking part of the program. Inquirer is loaded with the first question. */
export function createPrompt({ stdin, console, signal }: PromptOptions): Prompt {
  const put = async (details: Readonly<Record<string, unknown>>, question: Question): Promise<unknown> => {
    if (!console.isInteractive) throw missing(question);
    const { default: inquirer } = await import('inquirer');
    const ended = new AbortController();
    const ask = inquirer.createPromptModule({
      input: stdin,
      output: console.err.stream,
      signal: AbortSignal.any([signal, ended.signal]),
    });
    const message = `${question.what.charAt(0).toUpperCase()}${question.what.slice(1)}:`;
    // Ctrl-D closes the input, and inquirer would wait for it for ever.
    const onPause = (): void => void setImmediate(() => ended.abort());
    stdin.once('pause', onPause);
    try {
      const theme = themeFor(console);
      const validate = (answer: string) => complaint(question, answer);
      return (await ask<{ answer: unknown }>({ ...details, name: 'answer', message, theme, validate })).answer;
    } catch (error) {
      throw signal.aborted ? signal.reason : isGivenUp(error) ? new InterruptedError('SIGINT') : error;
    } finally {
      stdin.off('pause', onPause);
    }
  };

  return {
    async ask({ default: preset, ...question }) {
      return String(await put({ type: 'input', default: preset }, question)).trim();
    },
    async askSecret(question) {
      const secret = String(await put({ type: 'password', toggleMask: false }, question));
      console.hide(secret);
      return secret;
    },
    async choose({ choices, default: preset, ...question }) {
      return (await put({ type: 'select', choices, default: preset }, question)) as (typeof choices)[number]['value'];
    },
  };
}

/** The error for a value that would have been asked for, had there been a terminal. */
function missing({ what, flag }: Question): UsageError {
  return new UsageError(`No ${what} was given, and there is no terminal to ask on.`, { hint: `Give it with ${flag}.` });
}

function complaint({ what, check }: Question, answer: string): string | true {
  if (answer.trim() === '') return `Please give the ${what}.`;
  try {
    check?.(answer.trim());
    return true;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

// By name: the classes are those of a package inside inquirer.
function isGivenUp(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/** Inquirer colours by its own rules, which look at stdout; these are the rules of stderr. */
function themeFor({ err: { style, showsUnicode } }: Console) {
  const { cyan, dim, red } = style;
  const prefix = { idle: cyan('?'), done: style.green(showsUnicode ? '✔' : '*') };
  const texts = { answer: cyan, message: style.bold, error: red, highlight: cyan, help: dim, description: dim };
  return {
    prefix,
    style: { ...texts, defaultAnswer: (text: string) => dim(`(${text})`), keysHelpTip: () => '' },
  };
}

/** No password or token is longer; an endless stream must not fill the memory. */
const secretAtMostBytes = 4 * 1024;

/**
 * The first line of stdin, without its line end: how a secret arrives from a pipe or a file.
 * It is hidden in everything that is written from then on. Throws `UsageError`, naming the flag (`--password-stdin`),
 * if stdin is a terminal, or holds nothing, no text, or more than 4 kB.
 *
 * @param signal ends the reading of a stdin that nothing comes through
 */
export async function readSecret(
  stdin: NodeJS.ReadStream,
  console: Console,
  flag: string,
  signal: AbortSignal,
): Promise<string> {
  if (stdin.isTTY) {
    throw new UsageError(`${flag} reads from a pipe or a file, and stdin is a terminal.`, {
      hint: `Pipe the secret in, as in: adreport login … ${flag} < FILE`,
    });
  }
  const bytes = await readFirstLine(addAbortSignal(signal, stdin));
  if (bytes.length > secretAtMostBytes) throw new UsageError(`${flag}: no secret is longer than 4 kB.`);
  if (!isUtf8(bytes)) throw new UsageError(`${flag} found no UTF-8 text on stdin.`);
  // PowerShell writes a byte order mark into pipes.
  const line = bytes.toString().replace(/^\uFEFF|\r$/g, '');
  if (line.trim() === '') {
    throw new UsageError(`${flag} found nothing on the first line of stdin.`, {
      hint: 'The variable or file that should hold the secret may be empty.',
    });
  }
  console.hide(line);
  return line;
}

async function readFirstLine(stdin: NodeJS.ReadStream): Promise<Buffer> {
  let line = Buffer.alloc(0);
  for await (const chunk of stdin) {
    line = Buffer.concat([line, Buffer.from(chunk)]);
    const end = line.indexOf('\n');
    if (end >= 0) return line.subarray(0, end);
    if (line.length > secretAtMostBytes) break;
  }
  return line;
}
