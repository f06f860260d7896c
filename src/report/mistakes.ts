import { UsageError } from '../errors.ts';

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

/** The hint that names what was probably meant, or else `otherwise`. */
export function didYouMean(text: string | undefined, otherwise = ''): string {
  return text === undefined ? otherwise : `Did you mean ${text}?`;
}

/** The error for a flag's value; `problem` has no full stop: `--period soon: this is no period.` */
export function refuse({ flag, text }: FlagValue, problem: string, hint?: string): UsageError {
  return new UsageError(`${flag} ${quoteIfNeeded(text)}: ${problem}.`, hint === undefined ? {} : { hint });
}
