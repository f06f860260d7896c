import {
  type CountableTimeInterval,
  type TimeInterval,
  utcDay,
  utcHour,
  utcMonday,
  utcMonth,
  utcYear,
} from 'd3-time';
import { utcFormat } from 'd3-time-format';
import { type ParsedTime, readTime } from '../contract/values.ts';
import { findInstants, toWallTime, wallAt } from '../query/calendar.ts';
import type { Comparison } from './comparison.ts';
import type { DateUnit } from './group-keys.ts';
import type { Group } from './grouped-totals.ts';
import { sortByTime, type TimedGroup } from './sorting.ts';

/** Equal time steps from the first step with rows to the last, including empty steps. */
export interface TimeAxis {
  readonly step: Step;

  /** Number of the first step since 1970. */
  readonly first: number;

  /** Label of each step: `Thu 1 Oct 2026`. */
  readonly labels: readonly string[];

  /** Labels below the axis. */
  readonly ticks: readonly AxisTick[];

  /** Groups of each step. */
  readonly slots: readonly (readonly TimedGroup[])[];
}

/** Length of a step on an axis, or of a row's time. */
export type Step = 'hour' | Exclude<DateUnit, 'window'>;

/** A short label below an axis, at the index of a step. */
export interface AxisTick {
  readonly index: number;
  readonly text: string;
}

/**
 * Maximum number of slots, about the width of a chart in pixels. A longer axis gets longer steps.
 */
const maxSlots = 800;

/** From the shortest to the longest. */
const steps: readonly Step[] = ['hour', 'day', 'week', 'month'];

/**
 * Places groups whose keys begin with a `date` or an `hour` on an axis. Returns `undefined` if no
 * group has a time, or if the axis is too long even in months.
 *
 * @param dateUnit period that a `date` represents
 */
export function layOutTime(groups: Iterable<Group>, dateUnit: DateUnit): TimeAxis | undefined {
  const timed = sortByTime(groups);
  const start = timed[0];
  const end = timed.at(-1);
  if (!start || !end) return undefined;

  const dateStep = dateUnit === 'window' ? 'day' : dateUnit;
  const finest: Step = timed.some(({ isDay }) => isDay) ? dateStep : 'hour';
  for (const step of steps.slice(steps.indexOf(finest))) {
    const first = stepNumber(start, step);
    const count = stepNumber(end, step) - first + 1;
    if (count <= maxSlots) return buildAxis(step, first, fillSlots(timed, step, { first, count }));
  }
  return undefined;
}

/**
 * Aligns the groups of an earlier report with an axis. Each group keeps its distance from the start
 * of its period, and each slot has a label from the earlier period.
 */
export function alignEarlier(
  { step, slots, first }: TimeAxis,
  groups: Iterable<Group>,
  windows: Pick<Comparison, 'now' | 'before'>,
): { readonly slots: TimeAxis['slots']; readonly labels: readonly string[] } {
  const earlier = slots.map((): TimedGroup[] => []);
  for (const group of sortByTime(groups)) {
    const moved = moveTime(group, step, windows);
    if (moved) earlier[stepNumber(moved, step) - first]?.push(group);
  }

  const firstBefore = first - countStepsBetween(windows, step);
  const labels = earlier.map(([group], i) => {
    if (step !== 'hour') return stepLabel(stepTime(firstBefore + i, step), step);
    // The local time of an hour without rows is unknown.
    return group ? stepLabel(new Date(group.wallMs), step) : '';
  });
  return { slots: earlier, labels };
}

/**
 * Moves a time of the earlier report to its place in this report. Days and longer steps keep their
 * distance from the beginning of the window, hours their wall time. If clocks go back, the first
 * 02:00 corresponds to the first 02:00, and the second one to the second. Returns `undefined` if
 * the day in this report has no such hour.
 */
export function moveTime(
  time: ParsedTime,
  step: Step,
  windows: Pick<Comparison, 'now' | 'before'>,
): ParsedTime | undefined {
  if (step !== 'hour') {
    const number = stepNumber(time, step) + countStepsBetween(windows, step);
    return { wallMs: stepTime(number, step).getTime(), isDay: true };
  }

  const { now, before } = windows;
  const distance = toWallTime(now.since, now.zone).diff(toWallTime(before.since, before.zone));
  if (time.instantMs === undefined) return { ...time, wallMs: time.wallMs + distance.toMillis() };

  const instant = time.instantMs / 1_000;
  const earlierWall = wallAt(instant, before.zone);
  const isSecond = instant > findInstants(earlierWall, before.zone).first;
  const wall = earlierWall.plus(distance);
  const { first, last, isSkipped } = findInstants(wall, now.zone);
  if (isSkipped || (isSecond && first === last)) return undefined;
  return { wallMs: wall.toMillis(), instantMs: 1_000 * (isSecond ? last : first), isDay: false };
}

/** Assigns groups to slots. Groups before the first slot or after the last are dropped. */
function fillSlots(
  groups: readonly TimedGroup[],
  step: Step,
  { first, count }: { readonly first: number; readonly count: number },
): TimedGroup[][] {
  const slots = Array.from({ length: count }, (): TimedGroup[] => []);
  for (const group of groups) slots[stepNumber(group, step) - first]?.push(group);
  return slots;
}

function buildAxis(step: Step, first: number, slots: TimeAxis['slots']): TimeAxis {
  const isHourly = step === 'hour';
  const times = isHourly ? listHours(slots) : slots.map((_, i) => stepTime(first + i, step));
  const labels = times.map((time) => stepLabel(time, step));
  return {
    step,
    first,
    slots,
    labels: addOffsets(
      labels,
      slots.map(([group]) => group?.time ?? ''),
    ),
    ticks: chooseTicks(times, step),
  };
}

/** Returns the wall times of slots. A slot without rows is one hour after the slot before it. */
function listHours(slots: TimeAxis['slots']): Date[] {
  let time = new Date(0);
  return slots.map(([group]) => {
    time = group ? new Date(group.wallMs) : utcHour.offset(time);
    return time;
  });
}

/**
 * Formats days and hours for readers: `Thu 1 Oct 2026`, `October 2026`, `Sun 25 Oct 2026, 03:00`.
 * Other strings are omitted.
 *
 * @param cells in time order
 */
export function formatTimeLabels(
  cells: Iterable<string>,
  dateUnit: DateUnit,
): ReadonlyMap<string, string> {
  const dateStep = dateUnit === 'month' ? 'month' : 'day';
  const times: string[] = [];
  const labels: string[] = [];
  for (const cell of new Set(cells)) {
    const time = readTime(cell);
    if (!time) continue;
    times.push(cell);
    labels.push(stepLabel(new Date(time.wallMs), time.isDay ? dateStep : 'hour'));
  }
  const names = addOffsets(labels, times);
  return new Map(times.map((text, i) => [text, names[i] ?? text]));
}

/**
 * Adds the offset to hours with the same label, which occur when clocks go back.
 *
 * @param times as written in the report; empty for a slot without a time
 */
function addOffsets(labels: readonly string[], times: readonly string[]): string[] {
  let offset = '';
  return labels.map((label, i) => {
    offset = /[+-]\d\d:?\d\d$/.exec(times[i] ?? '')?.[0].replace(':', '') ?? offset;
    const isAmbiguous = labels[i - 1] === label || labels[i + 1] === label;
    return isAmbiguous ? `${label} (${offset})` : label;
  });
}

const intervals: Readonly<Record<Step, CountableTimeInterval>> = {
  hour: utcHour,
  day: utcDay,
  week: utcMonday,
  month: utcMonth,
};

const epoch = new Date(0);

/** Counts the steps from 1970: hours by instants, days and longer steps by the calendar. */
export function stepNumber({ wallMs, instantMs = wallMs }: ParsedTime, step: Step): number {
  return intervals[step].count(epoch, new Date(step === 'hour' ? instantMs : wallMs));
}

/** Returns the number of the step that contains an instant in unix seconds. */
export function stepAt(instant: number, zone: string, step: Step): number {
  const wallMs = wallAt(instant, zone).toMillis();
  return stepNumber({ wallMs, instantMs: 1_000 * instant, isDay: false }, step);
}

/**
 * Counts the days, weeks or months from the start of the earlier period to the start of this
 * period.
 */
function countStepsBetween(
  { now, before }: Pick<Comparison, 'now' | 'before'>,
  step: Step,
): number {
  return stepAt(now.since, now.zone, step) - stepAt(before.since, before.zone, step);
}

/** Returns the beginning of a step as wall time in UTC. */
function stepTime(number: number, step: Step): Date {
  const interval = intervals[step];
  return interval.offset(interval.floor(epoch), number);
}

function stepLabel(time: Date, step: Step): string {
  if (step === 'hour') return `${axisDay(time)}, ${hourFormat(time)}`;
  if (step === 'month') return axisMonth(time);
  return step === 'week' ? `Week of ${axisDay(time)}` : axisDay(time);
}

/** Maximum number of labels, so that they fit even on a phone. */
const maxTicks = 7;

type TimeFormat = (time: Date) => string;

const hourFormat = utcFormat('%H:%M');
const dayFormat = utcFormat('%-d %b');
const monthFormat = utcFormat('%b');
const yearFormat = utcFormat('%Y');

/** Formats the UTC day of a time: `Thu 1 Oct 2026`. */
const axisDay: TimeFormat = utcFormat('%a %-d %b %Y');

/** Formats the UTC month of a time: `October 2026`. */
const axisMonth: TimeFormat = utcFormat('%B %Y');

/** Formats an hour as `14:00`, midnight as the day. */
const tickHour: TimeFormat = (time) => {
  return time.getUTCHours() === 0 ? dayFormat(time) : hourFormat(time);
};

/** Formats a month as `Oct`, January as the year. */
const tickMonth: TimeFormat = (time) => {
  return time.getUTCMonth() === 0 ? yearFormat(time) : monthFormat(time);
};

/** Distances between ticks, shortest first. Ticks are placed at round times. */
const tickIntervals: readonly (TimeInterval | null)[] = [
  ...[utcHour, utcHour.every(3), utcHour.every(6), utcHour.every(12)],
  ...[utcDay, utcDay.every(2), utcMonday, utcMonday.every(2)],
  ...[utcMonth, utcMonth.every(2), utcMonth.every(3), utcMonth.every(6)],
  ...[utcYear, utcYear.every(2), utcYear.every(5), utcYear.every(10)],
];

/** One format for every four intervals: hours, days, months and years. */
const tickFormats: readonly TimeFormat[] = [tickHour, dayFormat, tickMonth, yearFormat];

/** Index of the shortest interval for each step. */
const firstInterval: Readonly<Record<Step, number>> = { hour: 0, day: 4, week: 6, month: 8 };

/** Places as many labels as fit, at round times. */
function chooseTicks(times: readonly Date[], step: Step): AxisTick[] {
  for (let index = firstInterval[step]; index < tickIntervals.length; index++) {
    const format = tickFormats[Math.floor(index / 4)] ?? yearFormat;
    const ticks: AxisTick[] = [];
    for (const [slot, time] of times.entries()) {
      const isRound = tickIntervals[index]?.floor(time).getTime() === time.getTime();
      // An hour that a clock change repeats gets only one tick.
      const isRepeated = times[slot - 1]?.getTime() === time.getTime();
      if (isRound && !isRepeated) ticks.push({ index: slot, text: format(time) });
    }
    if (ticks.length > 0 && ticks.length <= maxTicks) return ticks;
  }
  return [];
}
