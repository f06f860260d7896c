import { isUtf8 } from 'node:buffer';
import { addAbortSignal } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import type { Console } from './console.ts';

/** What is asked, as it stands in a sentence, and the flag that gives it without a terminal: `--base-url URL`. */
interface Question {
  readonly what: string;
  readonly flag: string;
  /** Throws a `UsageError` that says what is wrong with an answer; the question is then asked again. */
  readonly check?: (answer: string) => void;
  readonly default?: string | undefined;
}

export type Prompt = ReturnType<typeof createPrompt>;

/**
 * Asks on stderr, so that stdout carries results only. Every function throws `InterruptedError` on Ctrl-C, the signal's
 * reason once that is aborted, and `UsageError`, which names the flag, where there is no terminal.
 */
export function createPrompt(stdin: NodeJS.ReadStream, console: Console, signal: AbortSignal) {
  const put = async (
    question: Question,
    details: Readonly<Record<string, unknown>>,
  ): Promise<unknown> => {
    const { what, flag } = question;
    if (!console.isInteractive) {
      const hint = `Give it with ${flag}.`;
      throw new UsageError(`No ${what} was given, and there is no terminal to ask on.`, { hint });
    }
    const { default: inquirer } = await import('inquirer');
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const ask = inquirer.createPromptModule({
      input: stdin,
      output: console.err.stream,
      signal: either,
    });
    // Ctrl-D closes the input, and inquirer would wait for it for ever.
    const onPause = (): void => void setImmediate(() => ended.abort());
    stdin.once('pause', onPause);
    try {
      const answers = await ask<{ answer: unknown }>({
        ...details,
        name: 'answer',
        theme: themeFor(console),
        message: `${what.charAt(0).toUpperCase()}${what.slice(1)}:`,
        default: question.default,
        validate: (given: string) => {
          if (given.trim() === '') return `Please give the ${what}.`;
          try {
            question.check?.(given.trim());
            return true;
          } catch (error) {
            if (error instanceof UsageError) return error.message;
            throw error;
          }
        },
      });
      return answers.answer;
    } catch (error) {
      // By name: the classes are those of a package inside inquirer.
      const isGivenUp =
        error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
      throw signal.aborted ? signal.reason : isGivenUp ? new InterruptedError(130) : error;
    } finally {
      stdin.off('pause', onPause);
    }
  };

  return {
    /** A line of text, trimmed. */
    ask: async (question: Question): Promise<string> =>
      String(await put(question, { type: 'input' })).trim(),
    /** A secret, never shown, and hidden in everything that is written from then on. */
    askSecret: async (question: Question): Promise<string> => {
      const secret = String(await put(question, { type: 'password', toggleMask: false }));
      console.hide(secret);
      return secret;
    },
    choose: async <Value>(
      question: Question,
      choices: readonly { value: Value; name: string }[],
    ): Promise<Value> => (await put(question, { type: 'select', choices })) as Value,
  };
}

/** Inquirer colours by its own rules, which know neither stderr nor `--no-color`; these are the rules of stderr. */
function themeFor({ err: { style, showsUnicode } }: Console) {
  const { cyan, dim, red } = style;
  const prefix = { idle: cyan('?'), done: style.green(showsUnicode ? '✔' : '*') };
  const message = (text: string) => style.bold(text);
  const defaultAnswer = (text: string) => dim(`(${text})`);
  const texts = {
    message,
    answer: cyan,
    error: red,
    highlight: cyan,
    help: dim,
    description: dim,
    defaultAnswer,
  };
  return { prefix, style: { ...texts, keysHelpTip: () => '' } };
}

/** No password or token is longer; an endless stream must not fill the memory. */
const secretAtMostBytes = 4 * 1024;

/**
 * The first line of stdin, hidden in everything that is written from then on. Throws `UsageError`, naming the flag, if stdin
 * is a terminal, or holds nothing, no text, or more than 4 kB.
 */
export async function readSecret(
  stdin: NodeJS.ReadStream,
  console: Console,
  flag: string,
  signal: AbortSignal,
) {
  if (stdin.isTTY) {
    const hint = `Pipe the secret in, as in: adreport login … ${flag} < FILE`;
    throw new UsageError(`${flag} reads from a pipe or a file, and stdin is a terminal.`, { hint });
  }
  let bytes = Buffer.alloc(0);
  for await (const chunk of addAbortSignal(signal, stdin)) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.includes('\n') || bytes.length > secretAtMostBytes) break;
  }
  const line = bytes.subarray(0, bytes.includes('\n') ? bytes.indexOf('\n') : undefined);
  // PowerShell writes a byte order mark into pipes.
  const secret = line.toString().replace(/^\uFEFF|\r$/g, '');
  const hint = 'The variable or file that should hold the secret may be empty.';
  if (secret.trim() === '')
    throw new UsageError(`${flag} found nothing on the first line of stdin.`, { hint });
  if (line.length > secretAtMostBytes || !isUtf8(line)) {
    throw new UsageError(`${flag} found no UTF-8 text of at most 4 kB on stdin.`);
  }
  console.hide(secret);
  return secret;
}
