import { type ParsedTime, parseTimestamp, readTime } from '../contract/values.ts';
import type { Group } from './grouped-totals.ts';

/** Builds a comparator by a value. Items without a value come last in either direction. */
export function byValue<Item, Value>(
  readValue: (item: Item) => Value | undefined,
  compare: (a: Value, b: Value) => number,
): (a: Item, b: Item) => number {
  return (a, b) => {
    const one = readValue(a);
    const other = readValue(b);
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one === undefined) - Number(other === undefined);
  };
}

/** Created on first use, because that is slow. */
let collator: Intl.Collator | undefined;

/** Compares names in natural order: `Ad 9` before `Ad 10`. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}

/** Compares times by instant, other strings alphabetically. */
export function compareTimes(a: string, b: string): number {
  const first = parseTimestamp(a)?.instantMs ?? Date.parse(a);
  const second = parseTimestamp(b)?.instantMs ?? Date.parse(b);
  return first - second || Number(a > b) - Number(a < b);
}

/** Group whose key begins with a time. */
export interface TimedGroup extends Group, ParsedTime {
  readonly time: string;
}

/**
 * Returns the groups with a time in chronological order. When clocks go back, 02:00+0200 precedes
 * 02:00+0100.
 */
export function sortByTime(groups: Iterable<Group>): TimedGroup[] {
  const timed: TimedGroup[] = [];
  for (const { key, sums } of groups) {
    const time = key[0] ?? '';
    // The value may not be a time, such as an empty string or `total`.
    const written = readTime(time);
    if (written) timed.push({ key, sums, time, ...written });
  }
  return timed.sort((a, b) => (a.instantMs ?? a.wallMs) - (b.instantMs ?? b.wallMs));
}
