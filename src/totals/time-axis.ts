import { type TimeInterval, utcDay, utcHour, utcMonday, utcMonth, utcYear } from 'd3-time';
import { utcFormat } from 'd3-time-format';
import { parseDay, parseTimestamp } from '../contract/values.ts';
import type { DateUnit } from './group-keys.ts';
import type { Group } from './grouped-totals.ts';
import type { Comparison } from './report-metrics.ts';

/** Equal time steps from the first with rows to the last, including empty steps in between. */
export interface TimeAxis {
  readonly step: Step;

  /** Number of the first step, counted from 1970. */
  readonly first: number;

  /** For each step: `Thu 1 Oct 2026`. */
  readonly labels: readonly string[];

  /** Labels below the axis. */
  readonly ticks: readonly AxisTick[];

  /** Groups in each step. */
  readonly slots: readonly (readonly Group[])[];
}

/** Unit of an axis, or of a row's time. */
export type Step = 'hour' | Exclude<DateUnit, 'window'>;

/** Short text below an axis, at the index of a step. */
export interface AxisTick {
  readonly index: number;
  readonly text: string;
}

/**
 * An axis with more slots than pixels gains nothing; beyond this, hours become days and days
 * months.
 */
const maxSlots = 800;
const maxMonths = 20 * maxSlots;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** In days since 1970. */
const firstMonday = 4;

/**
 * Lays out groups whose keys begin with a `date` or an `hour`; `undefined` if no group has a time
 * or the range is too long even in months.
 *
 * @param dateUnit the unit that dates represent
 */
export function layOutTime(groups: Iterable<Group>, dateUnit: DateUnit): TimeAxis | undefined {
  const dated = datedGroups(groups);
  if (dated.length === 0) return undefined;

  for (const step of possibleSteps(dated, dateUnit)) {
    const axis = buildAxis(dated, step);
    if (axis) return axis;
  }
  return undefined;
}

/**
 * Aligns the groups of an earlier report with an axis, each at its distance from the beginning of
 * its window. Each slot has a label in the earlier window.
 */
export function earlierSlots(
  axis: TimeAxis,
  groups: Iterable<Group>,
  windows: Comparison['windows'],
): { readonly slots: TimeAxis['slots']; readonly labels: readonly string[] } {
  const { step, slots, first } = axis;
  const shift = stepsBetween(windows, step);

  const earlier = slots.map((): Group[] => []);
  for (const group of datedGroups(groups)) {
    earlier[stepNumber(readTime(group), step) + shift - first]?.push(group);
  }
  const labels = earlier.map((slot, i) => {
    if (step === 'hour') return hourLabel(slot[0]);
    return stepLabel(stepTime(first + i - shift, step), step);
  });
  return { slots: earlier, labels };
}

/** Labels an hour with rows; empty for an hour without rows, whose local time is unknown. */
function hourLabel(group: Group | undefined): string {
  const wallMs = group && parseTimestamp(readTime(group))?.wallMs;
  return wallMs === undefined ? '' : wallLabel(new Date(wallMs));
}

function wallLabel(time: Date): string {
  return `${axisDay(time)}, ${hourFormat(time)}`;
}

function stepLabel(time: Date, step: DateUnit): string {
  if (step === 'month') return axisMonth(time);
  return step === 'week' ? `Week of ${axisDay(time)}` : axisDay(time);
}

function datedGroups(groups: Iterable<Group>): Group[] {
  return [...groups].filter((group) => {
    return parseDay(readTime(group)) !== undefined || parseTimestamp(readTime(group)) !== undefined;
  });
}

function readTime({ key }: Group): string {
  return key[0] ?? '';
}

/** Returns steps from the finest. */
function possibleSteps(groups: readonly Group[], dateUnit: DateUnit): Step[] {
  if (dateUnit === 'month') return ['month'];
  if (dateUnit === 'week') return ['week', 'month'];
  const isHourly = groups.every((group) => parseTimestamp(readTime(group)));
  return isHourly ? ['hour', 'day', 'month'] : ['day', 'month'];
}

/** Expects groups that all have a time; returns `undefined` if there would be too many steps. */
function buildAxis(groups: readonly Group[], step: Step): TimeAxis | undefined {
  const numbers = groups.map((group) => stepNumber(readTime(group), step));
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    first = Math.min(first, number);
    last = Math.max(last, number);
  }
  const count = last - first + 1;
  if (count > (step === 'month' ? maxMonths : maxSlots)) return undefined;

  const slots = Array.from({ length: count }, (): Group[] => []);
  for (const [i, group] of groups.entries()) slots[(numbers[i] ?? 0) - first]?.push(group);

  if (step === 'hour') return hourAxis(first, slots);

  const times = slots.map((_, i) => stepTime(first + i, step));
  const labels = times.map((time) => stepLabel(time, step));
  return { step, first, slots, labels, ticks: chooseTicks(times, step) };
}

/** Counts the steps from 1970 to a day or hour. */
export function stepNumber(text: string, step: Step): number {
  if (step === 'hour') return Math.floor((parseTimestamp(text)?.instantMs ?? 0) / hourMs);
  const day = Date.parse(text.slice(0, 10)) / dayMs;
  if (step === 'day') return day;
  if (step === 'week') return Math.floor((day - firstMonday) / 7);

  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  return 12 * (year - 1970) + month - 1;
}

/** Counts the steps from the beginning of the earlier window to that of this one. */
export function stepsBetween({ now, before }: Comparison['windows'], step: Step): number {
  return stepNumber(now, step) - stepNumber(before, step);
}

/** Returns the beginning of a step, in UTC like every wall time here. */
export function stepTime(number: number, step: DateUnit): Date {
  if (step === 'month') return new Date(Date.UTC(1970, number));
  const day = step === 'week' ? firstMonday + 7 * number : number;
  return new Date(day * dayMs);
}

/** Uses wall time. When clocks go back, the two equal hours are distinguished by their offsets. */
function hourAxis(first: number, slots: TimeAxis['slots']): TimeAxis {
  const times: Date[] = [];
  const offsets: string[] = [];
  let wallMs = 0;
  let offset = '';

  for (const [group] of slots) {
    const time = group ? readTime(group) : '';
    // A slot without rows is one hour after the slot before it.
    wallMs = parseTimestamp(time)?.wallMs ?? wallMs + hourMs;
    offset = /[+-]\d\d:?\d\d$/.exec(time)?.[0].replace(':', '') ?? offset;
    times.push(new Date(wallMs));
    offsets.push(offset);
  }

  const walls = times.map(wallLabel);
  const labels = walls.map((wall, i) => {
    const isAmbiguous = walls[i - 1] === wall || walls[i + 1] === wall;
    return isAmbiguous ? `${wall} (${offsets[i]})` : wall;
  });
  return { step: 'hour', first, slots, labels, ticks: chooseTicks(times, 'hour') };
}

/** Labels that fit below an axis, even on a phone. */
const maxTicks = 7;

type TimeFormat = (time: Date) => string;

const hourFormat = utcFormat('%H:%M');
const dayFormat = utcFormat('%-d %b');
const monthFormat = utcFormat('%b');
const yearFormat = utcFormat('%Y');

/** Formats the UTC day of a time: `Thu 1 Oct 2026`. */
export const axisDay: TimeFormat = utcFormat('%a %-d %b %Y');

/** Formats the UTC day of a time without the year: `Thu 1 Oct`. */
export const dayOfYear: TimeFormat = utcFormat('%a %-d %b');

/** Formats the UTC month of a time: `October 2026`. */
export const axisMonth: TimeFormat = utcFormat('%B %Y');

/** `14:00`; at midnight the day. */
const tickHour: TimeFormat = (time) => {
  return time.getUTCHours() === 0 ? dayFormat(time) : hourFormat(time);
};

/** `Oct`; in January the year. */
const tickMonth: TimeFormat = (time) => {
  return time.getUTCMonth() === 0 ? yearFormat(time) : monthFormat(time);
};

/** Distances between ticks, which are placed at round times, shortest first. */
const tickIntervals: readonly (TimeInterval | null)[] = [
  ...[utcHour, utcHour.every(3), utcHour.every(6), utcHour.every(12)],
  ...[utcDay, utcDay.every(2), utcMonday, utcMonday.every(2)],
  ...[utcMonth, utcMonth.every(2), utcMonth.every(3), utcMonth.every(6)],
  ...[utcYear, utcYear.every(2), utcYear.every(5), utcYear.every(10)],
];

/** Formats by the place of an interval: for hours, days, months and years. */
const tickFormats: readonly TimeFormat[] = [tickHour, dayFormat, tickMonth, yearFormat];

/** Place of the shortest interval for each step. */
const firstInterval: Readonly<Record<Step, number>> = { hour: 0, day: 4, week: 6, month: 8 };

/** Places labels at round times, as many as fit. */
function chooseTicks(times: readonly Date[], step: Step): AxisTick[] {
  for (let place = firstInterval[step]; place < tickIntervals.length; place++) {
    const format = tickFormats[Math.floor(place / 4)] ?? yearFormat;
    const ticks = ticksAt(times, tickIntervals[place] ?? null, format);
    if (ticks.length > 0 && ticks.length <= maxTicks) return ticks;
  }
  return [];
}

function ticksAt(
  times: readonly Date[],
  interval: TimeInterval | null,
  format: TimeFormat,
): AxisTick[] {
  const ticks: AxisTick[] = [];
  for (const [index, time] of times.entries()) {
    const isRound = interval?.floor(time).getTime() === time.getTime();
    // An hour repeated by a clock change has one tick.
    const isRepeated = times[index - 1]?.getTime() === time.getTime();
    if (isRound && !isRepeated) ticks.push({ index, text: format(time) });
  }
  return ticks;
}
