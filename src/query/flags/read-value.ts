import { InvalidArgumentError } from 'commander';
import { nearest } from '../../text/nearest.ts';
import { parseDuration } from '../../text/quantity.ts';

// Readers of flag values. They throw Commander's `InvalidArgumentError`, which is exit 2.

/** Accepts a word in any case. */
export function readWord(text: string, words: readonly string[]): string {
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return word;

  const guess = nearest(text, words);
  const question = guess ? `Did you mean ${guess}? ` : '';
  throw new InvalidArgumentError(`${question}Choose from ${words.join(', ')}.`);
}

/** Reads a comma list of columns, or `all`. */
export function readColumns(text: string): readonly string[] | 'all' {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) {
    throw new InvalidArgumentError('A name is empty. Example: date,campaignName,clicks.');
  }

  const isAll = names.length === 1 && names[0]?.toLowerCase() === 'all';
  return isAll ? 'all' : names;
}

/** Reads `500ms`, `30s`, `5m`, `2h`, `1d` or `0` as milliseconds. */
export function readDuration(text: string): number {
  return readDurationFrom(0, text);
}

/** Reads a duration of at most 24 h as milliseconds. */
export function readWaitTimeout(text: string): number {
  return expectOneDay(readDurationFrom(0, text));
}

/** Reads a duration of at most 24 h as milliseconds, but not 0, which would disable the timeout. */
export function readTimeout(text: string): number {
  return expectOneDay(readDurationFrom(1, text));
}

/** Reads `auto`, or a duration from 100 ms to 24 h, as milliseconds. */
export function readPollInterval(text: string): number | 'auto' {
  return text === 'auto' ? text : expectOneDay(readDurationFrom(100, text));
}

function expectOneDay(durationMs: number): number {
  if (durationMs > 24 * 3_600_000) throw new InvalidArgumentError('The maximum is 24h.');
  return durationMs;
}

function readDurationFrom(minMs: number, text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined) {
    throw new InvalidArgumentError('Use a number with a unit: 500ms, 30s, 5m or 2h.');
  }
  if (durationMs < minMs) throw new InvalidArgumentError(`The minimum is ${minMs}ms.`);
  return durationMs;
}

/** Reads a whole number from 0 to 999,999. */
export function readCount(text: string): number {
  return readWholeNumber(text, { least: 0 });
}

/** Reads a whole number from 1 to 999,999. */
export function readPositive(text: string): number {
  return readWholeNumber(text, { least: 1 });
}

/** Reads a whole number within bounds, both included. */
export function readWholeNumber(
  text: string,
  { least = 0, most = 999_999 }: { readonly least?: number; readonly most?: number },
): number {
  if (!/^\d+$/.test(text) || Number(text) < least) {
    throw new InvalidArgumentError(`Use a whole number, ${least} or more.`);
  }
  if (Number(text) > most) throw new InvalidArgumentError(`The maximum is ${most}.`);
  return Number(text);
}
