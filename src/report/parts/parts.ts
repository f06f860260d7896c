import type { ReportRequest } from '../../contract/messages.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { type ReportPlan, requestFor } from '../request/plan.ts';
import { plusUnits, startOfUnit, type Window, ZoneClock } from '../window/window.ts';

/** The values of `--split`. */
export const splitUnits = ['day', 'week', 'month'] as const;

export type SplitUnit = (typeof splitUnits)[number];

/**
 * The window in parts, one a calendar unit of its zone (weeks begin on Monday), in time order. The parts tile it:
 * each begins one second after the one before ends; the first and the last are cut where the window is.
 */
export function splitWindow(window: Window, unit: SplitUnit): Window[] {
  const clock = new ZoneClock(window.zone);
  const parts: Window[] = [];
  let since = window.since;
  for (let wall = startOfUnit(clock.wallAt(since), unit); since <= window.until; ) {
    wall = plusUnits(wall, 1, unit);
    const next = clock.startOfDay(wall);
    // A day that the calendar skipped has no seconds, and a clock that went back over midnight repeats a boundary.
    if (next <= since) continue;
    const until = Math.min(next - 1, window.until);
    parts.push({ since, until, zone: window.zone, notes: [] });
    since = next;
  }
  return parts;
}

/** One report of a run: the whole of what was asked for, or with `--split` a calendar unit of it. */
export interface Part {
  readonly window: Window;
  readonly request: ReportRequest;
  /** Its first and last local day, `2026-11-01`. */
  readonly since: string;
  readonly until: string;
}

/** The parts of a plan in time order: one a calendar unit of the report's zone, or the plan itself. */
export function partsOf({ window: whole, request }: ReportPlan, unit: SplitUnit | undefined): Part[] {
  const clock = new ZoneClock(whole.zone);
  const windows = unit === undefined ? [whole] : splitWindow(whole, unit);
  return windows.map((window) => ({
    window,
    request: requestFor(request, window),
    since: clock.dateAt(window.since),
    until: clock.dateAt(window.until),
  }));
}

/** A part's days, as `--period` takes them: `2026-11-01`, `2026-11-02..2026-11-08`. */
export function daysOf({ since, until }: Part): string {
  return since === until ? since : `${since}..${until}`;
}

/**
 * Refuses to merge parts whose rows would have to be added up, rather than put one after the other: only a time
 * breakdown that is as fine as the parts, or finer, keeps them apart. Throws `UsageError`.
 */
export function checkMergeable(breakdowns: readonly BreakdownName[], unit: SplitUnit): void {
  const fits = breakdowns.some(
    (name) => name === 'DAILY' || name === 'HOURLY' || (name === 'MONTHLY' && unit === 'month'),
  );
  if (fits) return;
  const found = breakdowns.find((name) => name === 'MONTHLY' || name === 'RANGE');
  const why = found ? `${found} rows reach over the ${unit}s` : 'no row says which of them it is of';
  throw new UsageError(`--split ${unit}: the parts cannot be merged into one output, because ${why}.`, {
    hint:
      `Add DAILY or HOURLY to --by${unit === 'month' ? ' (or MONTHLY)' : ''}, ` +
      'or write a file a part: -o with {date}, {since} or {until} in the name.',
  });
}

/** One machine's share of the parts of a run, `K/N`. */
export interface Shard {
  /** K as it was given: 0 and N are the same share. */
  readonly index: number;
  readonly count: number;
}

/**
 * `K/N` of `--shard`. K may count from 0 (Kubernetes' job index) or from 1 (GNU parallel's `{#}`): it is taken modulo
 * N, so any N neighbouring numbers share the parts out whole. Throws `UsageError`.
 */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim());
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || count < 1 || index > count) {
    throw new UsageError(`--shard ${text}: this is no shard.`, {
      hint: 'Give K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).',
    });
  }
  return { index, count };
}

/** Every N-th part, beginning so that the shards of all K share the parts out without overlap. */
export function takeShard<T>(parts: readonly T[], { index, count }: Shard): T[] {
  return parts.filter((_, position) => position % count === index % count);
}
