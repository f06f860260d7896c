import type { ReportRequest, ReportSummary } from '../contract/messages.ts';
import { dayOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { ReportMember, ReportTail, RowBatches } from '../rows/row-batch.ts';
import { formatDate, formatInstant, type SplitUnit, unitsIn, type Window } from './calendar.ts';
import { type ReportPlan, requestFor } from './request.ts';
import { alternatives } from './typed-name.ts';

/** Part of a window in one calendar unit, with the first second of the unit and after it. */
interface UnitWindow extends Window {
  readonly unitSince: number;
  readonly unitOver: number;
}

/** Parts of a run: half a century of days. More is probably a typo. */
export const maxParts = 20_000;

/** Splits a window at the calendar units of its zone. Throws `UsageError` for too many parts. */
function splitWindow(window: Window, unit: SplitUnit): UnitWindow[] {
  const { zone } = window;
  const parts: UnitWindow[] = [];
  for (const found of unitsIn(window, unit)) {
    if (parts.length === maxParts) {
      throw new UsageError(
        `--split ${unit} would request more than 20,000 reports for this period.`,
        { about: { flag: '--split' }, hint: 'Use a shorter period, or a longer --split.' },
      );
    }
    const since = Math.max(found.since, window.since);
    const until = Math.min(found.end - 1, window.until);
    const { since: unitSince, end: unitOver } = found;
    parts.push({ since, until, end: until + 1, zone, unitSince, unitOver });
  }
  return parts;
}

/** Throws `UsageError` for a window that has not begun; `now` is in unix seconds. */
export function requireBegun({ since, zone }: Window, now: number, flag = '--since'): void {
  if (since <= now) return;
  const begin = formatInstant(since, zone);
  throw new UsageError(`The period has not begun: it begins at ${begin}.`, {
    about: { flag },
    hint: 'Choose an earlier period, for example --period yesterday.',
  });
}

/** One report of a run: the whole window, or with `--split` a calendar unit. */
export interface Part {
  readonly window: Window;
  readonly request: ReportRequest;

  /** First and last local day, `2026-11-01`; of the whole unit, even if the part ends earlier. */
  readonly since: string;
  readonly until: string;

  /** First unix second after its end. */
  readonly overAt: number;

  /** With `--missing`, why it is downloaded, as a clause. */
  readonly reason?: string;
}

/**
 * Splits a plan into parts in time order: one per calendar unit in the report's zone, or a single
 * part without `unit`. With `now` (unix seconds) the parts have to be whole units, except that the
 * last may end now: then files never overlap, and a name always means the same days. Throws
 * `UsageError` with the nearest whole period if the window cuts a unit.
 */
export function splitPlan(plan: ReportPlan, unit: SplitUnit | undefined, now?: number): Part[] {
  const { window, request } = plan;
  if (!unit) {
    const since = formatDate(window.since, window.zone);
    const until = formatDate(window.until, window.zone);
    return [{ window, request, since, until, overAt: window.end }];
  }

  const units = splitWindow(window, unit);
  if (now !== undefined) {
    const subject = plan.isWeekly ? '--by WEEKLY' : `--split ${unit} with one file per ${unit}`;
    expectWholeUnits(plan, unit, { now, subject });
  }
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

/**
 * Throws `UsageError` if a window cuts a unit; only the last one may still be running.
 *
 * @param now in unix seconds
 * @param subject of the message: it needs whole units
 */
export function expectWholeUnits(
  { window }: Pick<ReportPlan, 'window'>,
  unit: SplitUnit,
  { now, subject, flag = '--split' }: { now: number; subject: string; flag?: string },
): void {
  const units = plannedUnits({ window }, unit);
  if (units.some((part) => isCut(part, now))) throw cutUnits(units, unit, { subject, flag });
}

/** The window must consist of several whole units; the last may end at `now` (unix seconds). */
export function canSplit(plan: ReportPlan, unit: SplitUnit, now: number): boolean {
  const units = plannedUnits(plan, unit);
  return units.length > 1 && !units.some((part) => isCut(part, now));
}

/** Splits a requested window, which may end in the future. */
function plannedUnits({ window }: Pick<ReportPlan, 'window'>, unit: SplitUnit): UnitWindow[] {
  return splitWindow({ ...window, until: window.end - 1 }, unit);
}

/** Checks whether the window cuts a unit, apart from time that is not over. */
function isCut({ since, until, unitSince, unitOver }: UnitWindow, now: number): boolean {
  const beginsLate = since > unitSince;
  const endsEarly = until < unitOver - 1 && until < now;
  return beginsLate || endsEarly;
}

function cutUnits(
  units: readonly UnitWindow[],
  unit: SplitUnit,
  { subject, flag }: { readonly subject: string; readonly flag: string },
): UsageError {
  const first = units[0];
  const last = units.at(-1);
  if (!first || !last) throw new Error('A window has one part at least.');

  const { zone } = first;
  const window = `${formatInstant(first.since, zone)} to ${formatInstant(last.until, zone)}`;
  const message = `${subject} needs full ${unit}s, but the period ${window} includes a partial ${unit}.`;
  const whole = `--period ${nearestWholeDays(first, last)}`;
  const hint = `The nearest full period is ${whole}. Only the current ${unit} may be incomplete.`;
  return new UsageError(message, { hint, about: { flag } });
}

/** Returns the whole units nearest to a window, in the form of `--period`. */
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

/** Returns the days of a part in the form of `--period`: `2026-11-01`, `2026-11-02..2026-11-08`. */
export function daysOf({ since, until }: Part): string {
  return since === until ? since : `${since}..${until}`;
}

/** Returns the time breakdowns whose rows never span two parts. */
function mergeableBreakdowns(unit: SplitUnit): BreakdownName[] {
  return unit === 'month' ? ['DAILY', 'HOURLY', 'RANGE', 'MONTHLY'] : ['DAILY', 'HOURLY', 'RANGE'];
}

/** Merging concatenates the rows of the parts. */
export function canMerge(breakdowns: readonly BreakdownName[], unit: SplitUnit): boolean {
  return breakdowns.some((name) => mergeableBreakdowns(unit).includes(name));
}

/**
 * Throws `UsageError` for parts that cannot be merged by concatenation, because their rows would
 * have to be added up. That needs a time breakdown at least as fine as the parts, or RANGE, which
 * dates each row with the first day of its part.
 */
export function checkMergeable(breakdowns: readonly BreakdownName[], unit: SplitUnit): void {
  if (canMerge(breakdowns, unit)) return;

  const why = breakdowns.includes('MONTHLY')
    ? `MONTHLY rows span several ${unit}s`
    : `the rows have no date`;
  const message = `--split ${unit}: the reports cannot be merged into one output, because ${why}.`;
  const finest = mergeableBreakdowns(unit).filter((name) => name !== 'RANGE');
  const hint = `Add ${alternatives(finest)} to --by, or write one file per ${unit} with {date}, {since} or {until} in -o.`;
  throw new UsageError(message, { hint, about: { flag: '--split' } });
}

/**
 * Selects the parts of one machine, `K/N` of `--shard`: those whose calendar number divided by N
 * leaves K − 1, so that a date belongs to the same shard in every run. K is taken modulo N, so it
 * may count from 0 (Kubernetes' job index) or from 1 (GNU parallel's `{#}`). Throws `UsageError`
 * for a value that is not a shard.
 */
export function takeShard(parts: readonly Part[], shard: string, unit: SplitUnit): Part[] {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(shard.trim());
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (!match || count === 0 || index > count) {
    const hint = 'Use K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).';
    throw new UsageError(`Cannot read --shard ${shard}.`, { hint });
  }
  const remainder = (index + count - 1) % count;
  return parts.filter(({ since }) => unitNumber(since, unit) % count === remainder);
}

/** Counts units from 1970-01-01 to the one that contains a day. */
function unitNumber(day: string, unit: SplitUnit): number {
  const days = dayOf(day) ?? 0;
  if (unit === 'day') return days;
  // 1970-01-01 was a Thursday.
  if (unit === 'week') return Math.floor((days + 3) / 7);

  const [year, month] = day.split('-').map(Number);
  return 12 * ((year ?? 1_970) - 1_970) + (month ?? 1) - 1;
}

/**
 * Concatenates the rows of several reports; each report is read when the previous one is done. The
 * summary covers the whole time, and other members are kept if they are the same in all reports.
 * With `isWeekly`, the summary has WEEKLY instead of RANGE.
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
      // After an error, this stops the download.
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

/** Replaces some members of a summary. */
function withChange({ name, json }: ReportMember, change: Partial<ReportSummary>): ReportMember {
  const summary = { ...JSON.parse(json.toString()), ...change };
  return { name, json: Buffer.from(JSON.stringify(summary)) };
}
