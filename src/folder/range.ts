import { maxUnitSeconds } from './finality.ts';
import type { FolderSpec } from './history.ts';
import { isSameJob, type Series } from './series.ts';
import { windowOf } from './spec-window.ts';
import { endAfter, type FolderUnit, folderUnitsIn, oneUnitBefore } from './units.ts';

/** Unit that a folder should contain. */
export interface RangeUnit extends FolderUnit {
  /** Set once it has been over for one more unit, so that a job had time to download it. */
  readonly isExpected: boolean;
}

/**
 * Returns the units that a series should contain now, in time order, without those that have not
 * begun: those of its standing job, and the windows of other runs that brought a file.
 *
 * @param now in unix seconds
 */
export function unitsInRange(series: Series, now: number): RangeUnit[] {
  const spans = [...standingSpans(series, now), ...otherSpans(series)];
  const expected = merged(
    spans.map(({ since, expectedUntil }) => ({ since, until: expectedUntil })),
  );

  const { spec } = series.current;
  const units: RangeUnit[] = [];
  for (const { since, until } of merged(spans)) {
    for (const unit of calendarUnits(spec, { since, until: Math.min(until, now) })) {
      if (unit.start <= (units.at(-1)?.start ?? -1)) continue;
      const { since: first, until: last, start, over } = unit;
      const isDue = isExpected(unit, { spec, expected, now });
      units.push({ since: first, until: last, start, over, isExpected: isDue });
    }
  }
  return units;
}

/** First and last second, inclusive. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** Span with the end of the part that should have been downloaded. */
interface WindowSpan extends Span {
  readonly expectedUntil: number;
}

/**
 * Returns the span of the standing job, which all standing lines of its content and account are
 * part of. A typed beginning counts as of now; a period that rolls covers everything since the
 * first run.
 */
function standingSpans({ standing, specs }: Series, now: number): WindowSpan[] {
  if (!standing) return [];

  const { spec } = standing;
  const lines = specs.filter((line) => line.isStanding && isSameJob(line, standing));
  const firstAt = Math.min(now, ...lines.map(({ at }) => at));
  const firstWindow = windowOf(spec, firstAt * 1_000);
  const window = windowOf(spec, now * 1_000);
  const begin = spec.since === undefined ? firstWindow : window;
  if (!window || !begin) return [];

  // Of a window that has just moved, the next run downloads the last unit.
  const earlier = windowOf(spec, oneUnitBefore(now, spec.split, spec.timezone) * 1_000);
  const lastRequested = Math.max(...lines.map((line) => line.window.until));
  const expectedUntil = Math.max(lastRequested, earlier?.until ?? 0);
  const { since } = begin;
  return [{ since, until: Math.max(window.until, begin.until), expectedUntil }];
}

/** Returns the windows of other runs that brought a file, and that of the last run. */
function otherSpans({ current, specs, fileTimes }: Series): WindowSpan[] {
  const spans: WindowSpan[] = [];
  for (const line of specs) {
    if (line.isStanding) continue;
    const { since, until } = line.window;
    const first =
      fileTimes[firstIndex(fileTimes.length, (index) => (fileTimes[index] ?? 0) >= since)];
    const hasFile = first !== undefined && first <= until;
    if (hasFile || line === current) spans.push({ since, until, expectedUntil: until });
  }
  return spans;
}

/** Returns the first index for which a condition holds that holds for all later ones too. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sorts spans, and joins those that overlap or touch. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { since, until } of [...spans].sort((one, other) => one.since - other.since)) {
    const last = result.at(-1);
    if (last && since <= last.until + 1) {
      result.splice(-1, 1, { since: last.since, until: Math.max(last.until, until) });
    } else if (since <= until) result.push({ since, until });
  }
  return result;
}

/** Kept for the next series, whose days are usually the same: a day takes 20 µs to compute. */
let lastCalendar: (Pick<FolderSpec, 'split' | 'timezone'> & { units: FolderUnit[] }) | undefined;

/** Returns the units that overlap a span, in time order. */
export function calendarUnits(
  { split, timezone }: Pick<FolderSpec, 'split' | 'timezone'>,
  { since, until }: Span,
): FolderUnit[] {
  if (since > until) return [];

  const isSame = lastCalendar?.split === split && lastCalendar.timezone === timezone;
  const known = isSame && lastCalendar ? lastCalendar.units : [];
  const first = Math.min(since, known[0]?.start ?? since);
  const over = Math.max(until + 1, known.at(-1)?.over ?? until + 1);
  const isCovered = known[0]?.start === first && known.at(-1)?.over === over;
  const units = isCovered
    ? known
    : [...folderUnitsIn({ since: first, until: over - 1, zone: timezone }, split)];
  lastCalendar = { split, timezone, units };

  const begin = firstIndex(units.length, (index) => (units[index]?.over ?? 0) > since);
  const end = firstIndex(units.length, (index) => (units[index]?.start ?? 0) > until);
  return units.slice(begin, end);
}

function isExpected(
  unit: FolderUnit,
  { spec, expected, now }: { spec: FolderSpec; expected: readonly Span[]; now: number },
): boolean {
  const calendar = { unit: spec.split, zone: spec.timezone };
  const isInWindow = expected.some(({ since, until }) => since < unit.over && unit.start <= until);
  // A shortcut without calendar arithmetic, enough for most units of a long history.
  const isLongOver = unit.over + maxUnitSeconds[spec.split] + 2 * 86_400 < now;
  return isInWindow && (isLongOver || endAfter(unit, 1, calendar) <= now);
}
