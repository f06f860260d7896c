import { InvalidArgumentError } from 'commander';
import { nearest } from '../../text/nearest.ts';
import { parseDuration } from '../../text/quantity.ts';

// What reads the value of a flag. Each throws Commander's `InvalidArgumentError`, which ends in
// exit 2.

/** One of the words, in any case. */
export function readWord(text: string, words: readonly string[]): string {
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return word;

  const guess = nearest(text, words);
  const question = guess ? `Did you mean ${guess}? ` : '';
  throw new InvalidArgumentError(`${question}Allowed choices are ${words.join(', ')}.`);
}

/** The columns of a comma list, or `all`. */
export function readColumns(text: string): readonly string[] | 'all' {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) {
    throw new InvalidArgumentError('A name is empty. For example: date,campaignName,clicks');
  }

  const isAll = names.length === 1 && names[0]?.toLowerCase() === 'all';
  return isAll ? 'all' : names;
}

/** `500ms`, `30s`, `5m`, `2h`, `1d` or `0`, in milliseconds. */
export function readDuration(text: string): number {
  return readDurationFrom(0, text);
}

/** A duration that is not 0, which would mean to wait for ever, in milliseconds. */
export function readTimeout(text: string): number {
  return readDurationFrom(1, text);
}

/** `auto`, or a duration of 100 ms at least, in milliseconds. */
export function readPollInterval(text: string): number | 'auto' {
  return text === 'auto' ? text : readDurationFrom(100, text);
}

function readDurationFrom(leastMs: number, text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined) {
    throw new InvalidArgumentError('Give a number with a unit: 500ms, 30s, 5m or 2h.');
  }
  if (durationMs < leastMs) throw new InvalidArgumentError(`The shortest is ${leastMs}ms.`);
  return durationMs;
}

/** A whole number from 0 to 999,999. */
export function readCount(text: string): number {
  return readWholeNumber(text, { least: 0 });
}

/** A whole number from 1 to 999,999. */
export function readPositive(text: string): number {
  return readWholeNumber(text, { least: 1 });
}

/** A whole number within bounds, both included. */
export function readWholeNumber(
  text: string,
  { least = 0, most = 999_999 }: { readonly least?: number; readonly most?: number },
): number {
  if (!/^\d+$/.test(text) || Number(text) < least) {
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  }
  if (Number(text) > most) throw new InvalidArgumentError(`The highest number is ${most}.`);
  return Number(text);
}
