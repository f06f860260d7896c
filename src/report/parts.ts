import type { ReportRequest } from '../contract/messages.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { ReportMember, ReportTail, RowBatches } from '../rows/row-batch.ts';
import { type ReportPlan, requestFor } from './request.ts';
import {
  formatDate,
  formatInstant,
  type SplitUnit,
  splitWindow,
  type UnitWindow,
  type Window,
} from './window.ts';

/** One report of a run: the whole of what was asked for, or with `--split` a calendar unit of it. */
export interface Part {
  readonly window: Window;
  readonly request: ReportRequest;
  /** Its first and last local day, `2026-11-01`; the unit's last one, where the part ends within it. */
  readonly since: string;
  readonly until: string;
  /** The first second (unix) at which nothing can be added to it any more. */
  readonly overAt: number;
}

/**
 * The parts of a plan in time order: one a calendar unit of the report's zone, or the plan itself. With `now` (unix
 * seconds) each part has a file of its own and holds a whole unit, so that files never overlap and a name means the same
 * days in every run; only the last may end now. Throws `UsageError`, with the nearest whole period, for a part that is cut.
 */
export function partsOf(plan: ReportPlan, unit: SplitUnit | undefined, now?: number): Part[] {
  const { window: whole, request } = plan;
  const { since, until, zone } = whole;
  const dateOf = (instant: number): string => formatDate(instant, zone);
  if (!unit)
    return [
      { window: whole, request, since: dateOf(since), until: dateOf(until), overAt: until + 1 },
    ];
  const windows = splitWindow(whole, unit);
  const isCut = (part: UnitWindow): boolean =>
    part.since > part.unitSince || (part.until < part.unitOver - 1 && part.until < (now ?? 0));
  if (now !== undefined && windows.some(isCut)) throw cutUnits(windows, unit);
  return windows.map((window) => ({
    window,
    request: requestFor(plan, window),
    since: dateOf(window.since),
    until: dateOf(now === undefined ? window.until : window.unitOver - 1),
    overAt: window.unitOver,
  }));
}

function cutUnits(windows: readonly UnitWindow[], unit: SplitUnit): UsageError {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) throw new Error('A window has one part at least.');
  const nearer = (instant: number, { unitSince, unitOver }: UnitWindow): number =>
    instant - unitSince <= unitOver - instant ? unitSince : unitOver;
  const { zone } = first;
  const [since, over] = [nearer(first.since, first), nearer(last.until + 1, last)];
  const [from, to] = since < over ? [since, over] : [first.unitSince, last.unitOver];
  const asked = `${formatInstant(first.since, zone)} to ${formatInstant(last.until, zone)}`;
  const hint = `The nearest whole period is --period ${formatDate(from, zone)}..${formatDate(to - 1, zone)}. Only the last ${unit} may end now.`;
  return new UsageError(
    `--split ${unit} with a file a part needs whole ${unit}s, and ${asked} cuts one.`,
    { hint },
  );
}

/**
 * The parts that have begun and have no file yet, or one that is not final. No state is kept but the files: one that was
 * written before its unit was over holds the beginning of it only, and one that was written while its part was among the
 * last `lookback` holds numbers that were still to change. So an outage, however long, leaves nothing stale behind.
 * @param writtenAt when a part's file was written, in unix seconds as `now`; `undefined` where there is none
 */
export function stillToFetch(
  all: readonly Part[],
  now: number,
  lookback: number,
  writtenAt: (part: Part) => number | undefined,
): Part[] {
  const begun = all.filter(({ window }) => window.since <= now);
  return begun.filter((part, position) => {
    // The numbers of a part are final when the last of the parts that are looked back from is over.
    const finalAt = all[position + Math.max(0, lookback - 1)]?.overAt ?? Number.POSITIVE_INFINITY;
    return position >= begun.length - lookback || (writtenAt(part) ?? 0) < finalAt;
  });
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
  const fitting = ['DAILY', 'HOURLY', ...(unit === 'month' ? ['MONTHLY'] : [])];
  if (breakdowns.some((name) => fitting.includes(name))) return;
  const found = breakdowns.find((name) => name === 'MONTHLY' || name === 'RANGE');
  const why = found
    ? `${found} rows reach over the ${unit}s`
    : 'no row says which of them it is of';
  const hint = `Add ${fitting.join(' or ')} to --by, or write a file a part: -o with {date}, {since} or {until} in the name.`;
  throw new UsageError(
    `--split ${unit}: the parts cannot be merged into one output, because ${why}.`,
    { hint },
  );
}

/**
 * One machine's share of the parts, `K/N` of `--shard`: every N-th part. K may count from 0 (Kubernetes' job index) or
 * from 1 (GNU parallel's `{#}`): it is taken modulo N, so any N neighbouring numbers share the parts out whole.
 * Throws `UsageError`.
 */
export function takeShard<T>(parts: readonly T[], shard: string): T[] {
  const [, index = Number.NaN, count = 0] =
    /^(\d{1,6})\/(\d{1,6})$/.exec(shard.trim())?.map(Number) ?? [];
  if (index <= count && count > 0)
    return parts.filter((_, position) => position % count === index % count);
  const hint = 'Give K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).';
  throw new UsageError(`--shard ${shard}: this is no shard.`, { hint });
}

/**
 * The rows of several reports, one after the other, as those of one report; each report is asked for when its turn has
 * come. The tail is that of a report over the whole time: its summary runs from the first's `since` to the last's
 * `until`; of the other members those stay which all parts agree on.
 */
export async function* mergeReports(reports: AsyncIterable<RowBatches>): RowBatches {
  let merged: ReportTail = { rowCount: 0, fields: [], summary: undefined, members: [] };
  let isFirst = true;
  for await (const batches of reports) {
    try {
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        yield { ...next.value, firstRow: merged.rowCount + next.value.firstRow };
      }
      merged = isFirst ? next.value : joinTails(merged, next.value);
      isFirst = false;
    } finally {
      // After an error the download behind them stops.
      await batches.return?.();
    }
  }
  return merged;
}

function joinTails(first: ReportTail, second: ReportTail): ReportTail {
  const { summary } = second;
  const isEqual = ({ name, json }: ReportMember): boolean =>
    second.members.some((other) => other.name === name && other.json.equals(json));
  return {
    rowCount: first.rowCount + second.rowCount,
    fields: [...new Set([...first.fields, ...second.fields])],
    summary: first.summary && summary && { ...first.summary, until: summary.until },
    members: first.members.flatMap((member) => {
      if (member.name !== 'summary' || !summary) return isEqual(member) ? [member] : [];
      const joined = { ...JSON.parse(member.json.toString()), until: summary.until };
      return [{ name: 'summary', json: Buffer.from(JSON.stringify(joined)) }];
    }),
  };
}
