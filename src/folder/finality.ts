import { type CalendarUnit, endAfterUnits } from '../query/calendar.ts';
import type { Declaration } from './declaration.ts';
import type { FileLine } from './history-schema.ts';

/** A file is stale this many parts after it should have been final. */
const partsUntilStale = 2;

/**
 * Returns true if a file is final: the report covered the whole part, and it was requested at least
 * `lookback` parts after the part was over.
 */
export function isFinal(line: FileLine, part: CalendarUnit, declaration: Declaration): boolean {
  const createdAt = Date.parse(line.created) / 1_000;
  return (
    coversPart(line, part) && createdAt >= endAfterParts(part, declaration.lookback, declaration)
  );
}

/**
 * Returns true if a file should have been final two parts ago.
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
 * Returns true once a further day, week or month has passed, so the nightly job has had its chance.
 *
 * @param now in unix seconds
 */
export function isExpected(part: CalendarUnit, declaration: Declaration, now: number): boolean {
  return now >= endAfterParts(part, 1, declaration);
}

/** Returns the reason as a clause. */
export function explainNotFinal(
  line: FileLine,
  part: CalendarUnit,
  { lookback, split }: Declaration,
): string {
  if (!coversPart(line, part)) return `its report covers only ${line.since} to ${line.until}`;
  const later = lookback === 0 ? '' : ` plus ${lookback} (lookback)`;
  return `its report was requested at ${line.created}, before the ${split}${later} was over`;
}

function coversPart(line: FileLine, { since, end }: CalendarUnit): boolean {
  return Date.parse(line.since) / 1_000 <= since && Date.parse(line.until) / 1_000 >= end - 1;
}

/** Returns the instant at which a part has been over for `count` parts, in unix seconds. */
function endAfterParts(
  part: CalendarUnit,
  count: number,
  { split, timezone }: Declaration,
): number {
  return count === 0 ? part.end : endAfterUnits(part, count, { unit: split, zone: timezone });
}
