import { hasFixedBeginning, windowOf } from '../report/spec-window.ts';
import { type CalendarUnit, calendarUnitsIn, oneUnitBefore, overAfter } from '../report/window.ts';
import { longestUnitSeconds } from './finality.ts';
import type { FolderSpec, SpecLine } from './history.ts';
import { isAlike, type Series } from './series.ts';

/** A unit that a folder should contain. */
export interface RangeUnit extends CalendarUnit {
  /** True once it has been over for one more unit, so that a job had time to download it. */
  readonly isExpected: boolean;
}

/**
 * The units that a series should contain now, in time order, without those that have not begun: the
 * units of the current window if it has a fixed beginning, otherwise those of all windows of the
 * job and its backfills.
 *
 * @param now the current time, in unix seconds
 */
export function unitsInRange({ current, specs }: Pick<Series, 'current' | 'specs'>, now: number) {
  const isOfJob = (line: SpecLine): boolean => line === current || isAlike(line, current);
  const lines = hasBeginning(current, now) ? [current] : specs.filter(isOfJob);
  const spans = lines.flatMap((line) => spanOf(line, now) ?? []);

  const { split, timezone: zone } = current.spec;
  const expected = merged(
    spans.map(({ since, expectedUntil }) => ({ since, until: expectedUntil })),
  );
  const units: RangeUnit[] = [];
  for (const span of merged(spans)) {
    const until = Math.min(span.until, now);
    for (const unit of calendarUnitsIn({ since: span.since, until, zone }, split)) {
      if (unit.start <= (units.at(-1)?.start ?? -1)) continue;
      units.push({ ...unit, isExpected: isExpected(unit, { spec: current.spec, expected, now }) });
    }
  }
  return units;
}

/** First and last second, inclusive. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** The window of a spec line, and the end of the part that should have been downloaded. */
interface WindowSpan extends Span {
  readonly expectedUntil: number;
}

function spanOf(line: SpecLine, now: number): WindowSpan | undefined {
  const { spec } = line;
  const window = windowOf(spec, now * 1_000);
  if (hasBeginning(line, now)) return window && { ...window, expectedUntil: window.until };

  // A rolling window covers everything since its first run. The next run downloads the last unit.
  const first = windowOf(spec, Math.min(line.at, now) * 1_000);
  const before = windowOf(spec, oneUnitBefore(now, spec.split, spec.timezone) * 1_000);
  if (!window || !first) return undefined;

  const { since } = first;
  const expectedUntil = Math.max(first.until, before?.until ?? 0);
  return { since, until: Math.max(first.until, window.until), expectedUntil };
}

/** True for a `--since` (also `-90d`), fixed dates and a fixed `--period`. */
function hasBeginning({ spec }: SpecLine, now: number): boolean {
  return spec.since !== undefined || hasFixedBeginning(spec, now * 1_000);
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

interface Expectations {
  readonly spec: FolderSpec;
  readonly expected: readonly Span[];
  readonly now: number;
}

function isExpected(unit: CalendarUnit, { spec, expected, now }: Expectations): boolean {
  const calendar = { unit: spec.split, zone: spec.timezone };
  const isOfWindow = expected.some(({ since, until }) => since < unit.over && unit.start <= until);
  // A shortcut without calendar arithmetic, enough for most units of a long history.
  const isLongOver = unit.over + longestUnitSeconds[spec.split] + 2 * 86_400 < now;
  return isOfWindow && (isLongOver || overAfter(unit, 1, calendar) <= now);
}
