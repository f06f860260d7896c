import { type CalendarUnit, endAfterUnits } from '../query/calendar.ts';
import type { Declaration } from './declaration.ts';
import type { FileLine } from './history-schema.ts';

/** How many parts late a file must be to count as stale. */
const partsUntilStale = 2;

/**
 * A file is final if its report covered the whole part, and was requested at least `lookback` parts
 * after the part had ended.
 */
export function isFinal(line: FileLine, part: CalendarUnit, declaration: Declaration): boolean {
  const coversBegin = toSeconds(line.since) <= part.since;
  const coversEnd = toSeconds(line.until) >= part.end - 1;
  const finalAt = endAfterParts(part, declaration.lookback, declaration);
  return coversBegin && coversEnd && toSeconds(line.created) >= finalAt;
}

function toSeconds(time: string): number {
  return Date.parse(time) / 1_000;
}

/**
 * Whether a file should have become final at least two parts ago.
 *
 * @param now in unix seconds
 */
export function isStale(
  line: FileLine,
  part: CalendarUnit,
  { declaration, now }: { readonly declaration: Declaration; readonly now: number },
): boolean {
  if (isFinal(line, part, declaration)) return false;
  return now >= endAfterParts(part, declaration.lookback + partsUntilStale, declaration);
}

/**
 * A file is expected once one more day, week or month has passed, so that the nightly job has had
 * time to run.
 *
 * @param now in unix seconds
 */
export function isExpected(part: CalendarUnit, declaration: Declaration, now: number): boolean {
  return now >= endAfterParts(part, 1, declaration);
}

/** Returns the end of the part `count` parts later, in unix seconds. */
function endAfterParts(
  part: CalendarUnit,
  count: number,
  { split, timezone }: Declaration,
): number {
  return count === 0 ? part.end : endAfterUnits(part, count, { unit: split, zone: timezone });
}
