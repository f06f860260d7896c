import { UsageError } from '../errors.ts';

/** One thing that is wrong with a command, as sentences: what it is, and what to write instead. */
export interface Mistake {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A value of a flag as the user wrote it, with the flag's name (`--since`) for the messages about it. */
export interface FlagValue {
  readonly flag: string;
  readonly text: string;
}

const lengthAtMost = 60;

/** Text of the user as it stands in a message: bare where nothing can be misread, else quoted; cut when long. */
export function quoteIfNeeded(text: string): string {
  const cut = text.length > lengthAtMost ? `${text.slice(0, lengthAtMost)}…` : text;
  return /^[\w+.:/@…-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** The hint that names what was probably meant. */
export function didYouMean(text: string): string {
  return `Did you mean ${text}?`;
}

/** The error for a flag's value; `problem` has no full stop: `--period 2026-02-30: 2026-02 has 28 days.` */
export function refuse({ flag, text }: FlagValue, problem: string, hint?: string): UsageError {
  return usageError([{ message: `${flag} ${quoteIfNeeded(text)}: ${problem}.`, hint }]);
}

/** One error for all the mistakes of a command, of which there is at least one. */
export function usageError(mistakes: readonly Mistake[]): UsageError {
  const [first, ...others] = mistakes;
  if (first && others.length === 0) {
    return new UsageError(first.message, first.hint === undefined ? {} : { hint: first.hint });
  }
  const lines = mistakes.map(({ message, hint }) => `  - ${message}${hint === undefined ? '' : ` ${hint}`}`);
  return new UsageError([`${mistakes.length} things are wrong:`, ...lines].join('\n'));
}

/** The result of `check`, or `undefined` with its `UsageError` added to `mistakes`; any other error is thrown on. */
export function collectMistakes<T>(mistakes: Mistake[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    mistakes.push({ message: error.message, hint: error.hint });
    return undefined;
  }
}
