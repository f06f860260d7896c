import { type ParsedTime, parseTimestamp, readTime } from '../contract/values.ts';
import type { Group } from './grouped-totals.ts';

/** Returns a comparison by a value. Items without one come last in either direction. */
export function byValue<Item, Value>(
  readValue: (item: Item) => Value | undefined,
  compare: (one: Value, other: Value) => number,
): (one: Item, other: Item) => number {
  return (a, b) => {
    const one = readValue(a);
    const other = readValue(b);
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one === undefined) - Number(other === undefined);
  };
}

/** Created on first use, because it is slow to create. */
let collator: Intl.Collator | undefined;

/** Sorts names as people do, with digits as numbers. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}

/** Compares times by their instants, other strings alphabetically. */
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
    // An empty value, or `total`, is no time.
    const written = readTime(time);
    if (written) timed.push({ key, sums, time, ...written });
  }
  return timed.sort((a, b) => (a.instantMs ?? a.wallMs) - (b.instantMs ?? b.wallMs));
}
