import { UsageError } from '../../errors.ts';

/** One thing that is wrong with a command: what it is, and what to write instead. */
export interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A value of a flag, with the flag's name for the messages about it. */
export interface FlagValue {
  readonly flag: string;
  readonly text: string;
}

const shownLength = 60;

/** Text of the user as it stands in a message: bare where nothing can be misread, else quoted; cut when long. */
export function shown(text: string): string {
  const cut = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  return /^[\w+.:/@…-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** The error for a flag's value: `--period 2026-02-30: February 2026 has 28 days.` */
export function refuse({ flag, text }: FlagValue, problem: string, hint?: string): UsageError {
  return usageError([{ message: `${flag} ${shown(text)}: ${problem}.`, hint }]);
}

/** One error for all the faults of a command: the fault itself where there is one, a list where there are several. */
export function usageError(faults: readonly Fault[]): UsageError {
  const [first, ...others] = faults;
  if (first && others.length === 0) {
    return new UsageError(first.message, first.hint === undefined ? {} : { hint: first.hint });
  }
  const lines = faults.map(({ message, hint }) => `  - ${message}${hint === undefined ? '' : ` ${hint}`}`);
  return new UsageError([`${faults.length} things are wrong:`, ...lines].join('\n'));
}

/** The result of `check`, or `undefined` with its `UsageError` added to `faults`; any other error is thrown on. */
export function collectFaults<T>(faults: Fault[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.push({ message: error.message, hint: error.hint });
    return undefined;
  }
}
