import type { ReportRequest, ReportSummary } from '../contract/messages.ts';
import { dayOf } from '../contract/values.ts';
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

/**
 * One report of a run: the whole of what was asked for, or with `--split` a calendar unit of it.
 */
export interface Part {
  readonly window: Window;
  readonly request: ReportRequest;

  /**
   * Its first and last local day, `2026-11-01`; the unit's last one, where the part ends within it.
   */
  readonly since: string;
  readonly until: string;

  /** The first second (unix) at which nothing can be added to it any more. */
  readonly overAt: number;

  /** Why it is fetched, as a clause, where `--missing` asked. */
  readonly reason?: string;
}

/**
 * The parts of a plan in time order: one a calendar unit of the report's zone, or the plan itself.
 * With `now` (unix seconds) each part has a file or a row of its own and holds a whole unit, so
 * that files never overlap and a name means the same days in every run; only the last may end now.
 * Throws `UsageError`, with the nearest whole period, for a part that is cut.
 */
export function partsOf(plan: ReportPlan, unit: SplitUnit | undefined, now?: number): Part[] {
  const { window, request } = plan;
  if (!unit) {
    const since = formatDate(window.since, window.zone);
    const until = formatDate(window.until, window.zone);
    const { plannedUntil = window.until } = window;
    return [{ window, request, since, until, overAt: plannedUntil + 1 }];
  }

  const units = splitWindow(window, unit);
  if (now !== undefined) expectWholeUnits(plan, unit, now);
  return units.map((part) => {
    const last = now === undefined ? part.until : part.unitOver - 1;
    return {
      window: part,
      request: requestFor(plan, part),
      since: formatDate(part.since, part.zone),
      until: formatDate(last, part.zone),
      overAt: part.unitOver,
    };
  });
}

/** Throws `UsageError` where a window, as it was asked for, cuts off a piece of a unit. */
function expectWholeUnits(plan: ReportPlan, unit: SplitUnit, now: number): void {
  const units = plannedUnits(plan, unit);
  if (!units.some((part) => isCut(part, now))) return;
  throw cutUnits(units, unit, plan.isWeekly ? '--by WEEKLY' : `--split ${unit} with a file a part`);
}

/** Whether a window is several whole units, of which the last may end now, in unix seconds. */
export function canSplit(plan: ReportPlan, unit: SplitUnit, now: number): boolean {
  const units = plannedUnits(plan, unit);
  return units.length > 1 && !units.some((part) => isCut(part, now));
}

/** The units of a window as it was asked for, which may have an end that is still to come. */
function plannedUnits({ window }: ReportPlan, unit: SplitUnit): UnitWindow[] {
  const { plannedUntil = window.until } = window;
  return splitWindow({ ...window, until: plannedUntil }, unit);
}

/** Whether the window cuts off a piece of a part's unit that has been. */
function isCut({ since, until, unitSince, unitOver }: UnitWindow, now: number): boolean {
  const beginsLate = since > unitSince;
  const endsEarly = until < unitOver - 1 && until < now;
  return beginsLate || endsEarly;
}

/** @param flags what needs whole units */
function cutUnits(units: readonly UnitWindow[], unit: SplitUnit, flags: string): UsageError {
  const first = units[0];
  const last = units.at(-1);
  if (!first || !last) throw new Error('A window has one part at least.');

  const { zone } = first;
  const asked = `${formatInstant(first.since, zone)} to ${formatInstant(last.until, zone)}`;
  const message = `${flags} needs whole ${unit}s, and ${asked} cuts one.`;
  const whole = `--period ${nearestWholeDays(first, last)}`;
  const hint = `The nearest whole period is ${whole}. Only the last ${unit} may end now.`;
  return new UsageError(message, { hint, about: { flag: '--split' } });
}

/** The whole units that are nearest to a window, as days that `--period` takes. */
function nearestWholeDays(first: UnitWindow, last: UnitWindow): string {
  const { zone } = first;
  const since = nearestEdge(first, first.since);
  const over = nearestEdge(last, last.until + 1);
  const daysFrom = (from: number, to: number): string =>
    `${formatDate(from, zone)}..${formatDate(to - 1, zone)}`;
  return since < over ? daysFrom(since, over) : daysFrom(first.unitSince, last.unitOver);
}

function nearestEdge({ unitSince, unitOver }: UnitWindow, instant: number): number {
  return instant - unitSince <= unitOver - instant ? unitSince : unitOver;
}

/** A part's days, as `--period` takes them: `2026-11-01`, `2026-11-02..2026-11-08`. */
export function daysOf({ since, until }: Part): string {
  return since === until ? since : `${since}..${until}`;
}

/** The breakdowns of time that keep the rows of parts apart. */
function breakdownsApart(unit: SplitUnit): BreakdownName[] {
  return unit === 'month' ? ['DAILY', 'HOURLY', 'RANGE', 'MONTHLY'] : ['DAILY', 'HOURLY', 'RANGE'];
}

/** Whether the rows of the parts of a report can be put one after the other, and stay apart. */
export function canMerge(breakdowns: readonly BreakdownName[], unit: SplitUnit): boolean {
  return breakdowns.some((name) => breakdownsApart(unit).includes(name));
}

/**
 * Refuses to merge parts whose rows would have to be added up, rather than put one after the other:
 * only a time breakdown that is as fine as the parts, or finer, keeps them apart; RANGE dates each
 * row with the first day of its part. Throws `UsageError`.
 */
export function checkMergeable(breakdowns: readonly BreakdownName[], unit: SplitUnit): void {
  if (canMerge(breakdowns, unit)) return;

  const why = breakdowns.includes('MONTHLY')
    ? `MONTHLY rows reach over the ${unit}s`
    : 'no row says which of them it is of';
  const message = `--split ${unit}: the parts cannot be merged into one output, because ${why}.`;
  const hint = `Add ${breakdownsApart(unit).join(', ')} to --by, or write a file a part: -o with {date}, {since} or {until} in the name.`;
  throw new UsageError(message, { hint, about: { flag: '--split' } });
}

/**
 * One machine's share of the parts, `K/N` of `--shard`: those whose number in the calendar leaves
 * the remainder K − 1 when divided by N, so that a date is of the same shard in every run. K may
 * count from 0 (Kubernetes' job index) or from 1 (GNU parallel's `{#}`): it is taken modulo N, so
 * any N neighbouring numbers share the parts out whole. Throws `UsageError`.
 */
export function takeShard(parts: readonly Part[], shard: string, unit: SplitUnit): Part[] {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(shard.trim());
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (!match || count === 0 || index > count) {
    const hint = 'Give K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).';
    throw new UsageError(`--shard ${shard}: this is no shard.`, { hint });
  }
  const remainder = (index + count - 1) % count;
  return parts.filter(({ since }) => unitNumber(since, unit) % count === remainder);
}

/** The number of the unit of a day, counted from that of 1970-01-01. */
function unitNumber(day: string, unit: SplitUnit): number {
  const days = dayOf(day) ?? 0;
  if (unit === 'day') return days;
  // 1970-01-01 was a Thursday.
  if (unit === 'week') return Math.floor((days + 3) / 7);

  const [year, month] = day.split('-').map(Number);
  return 12 * ((year ?? 1_970) - 1_970) + (month ?? 1) - 1;
}

/**
 * The rows of several reports, one after the other, as those of one report; each report is asked
 * for when its turn has come. The tail is that of a report over the whole time: its summary runs
 * from the first's `since` to the last's `until`; of the other members those stay which all parts
 * agree on. The summary of weeks says that they are some.
 */
export async function* mergeReports(
  reports: AsyncIterable<RowBatches>,
  { isWeekly }: Pick<ReportPlan, 'isWeekly'>,
): RowBatches {
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
  return isWeekly ? asWeekly(merged) : merged;
}

function asWeekly(tail: ReportTail): ReportTail {
  const { summary } = tail;
  if (!summary) return tail;

  const breakdowns = summary.breakdowns.map((name) => (name === 'RANGE' ? 'WEEKLY' : name));
  const members = tail.members.map((member) =>
    member.name === 'summary' ? withChange(member, { breakdowns }) : member,
  );
  return { ...tail, summary: { ...summary, breakdowns }, members };
}

function joinTails(first: ReportTail, second: ReportTail): ReportTail {
  const { summary } = second;
  const members: ReportMember[] = [];
  for (const member of first.members) {
    if (member.name === 'summary' && summary) {
      members.push(withChange(member, { until: summary.until }));
    } else if (hasSame(second.members, member)) members.push(member);
  }
  return {
    rowCount: first.rowCount + second.rowCount,
    fields: [...new Set([...first.fields, ...second.fields])],
    summary: first.summary && summary && { ...first.summary, until: summary.until },
    members,
  };
}

function hasSame(members: readonly ReportMember[], { name, json }: ReportMember): boolean {
  return members.some((member) => member.name === name && member.json.equals(json));
}

/** The summary with other values in some of its members. */
function withChange({ name, json }: ReportMember, change: Partial<ReportSummary>): ReportMember {
  const summary = { ...JSON.parse(json.toString()), ...change };
  return { name, json: Buffer.from(JSON.stringify(summary)) };
}
