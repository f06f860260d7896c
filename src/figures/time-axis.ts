import { type TimeInterval, utcDay, utcHour, utcMonday, utcMonth, utcYear } from 'd3-time';
import { utcFormat } from 'd3-time-format';
import { dayOf, momentOf } from '../contract/values.ts';
import type { Comparison } from './figures.ts';
import type { DateUnit, Group } from './grouping.ts';

/**
 * Equal steps of time, from the first that has rows to the last, those between without any
 * included.
 */
export interface TimeAxis {
  readonly step: Step;

  /** The first step, counted from 1970. */
  readonly first: number;

  /** What each step is called: `Thu 1 Oct 2026`. */
  readonly labels: readonly string[];

  /** The labels below the axis, each under the step that it names. */
  readonly ticks: readonly AxisTick[];

  /** The groups of each step. */
  readonly slots: readonly (readonly Group[])[];
}

type Step = 'hour' | Exclude<DateUnit, 'window'>;

/** A label below an axis: the index of its step, and a short text. */
export interface AxisTick {
  readonly index: number;
  readonly text: string;
}

/** More slots than pixels show nothing more: hours become days, days months. */
const mostSlots = 800;
const mostMonths = 20 * mostSlots;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The first Monday, in days since 1970. */
const firstMonday = 4;

/**
 * The axis of groups whose keys begin with a `date` or an `hour`, whose dates stand for days, weeks
 * or months; `undefined` where no group has a time, or where they lie too far apart for months to
 * be drawn.
 */
export function layOutTime(groups: Iterable<Group>, dateUnit: DateUnit): TimeAxis | undefined {
  const dated = datedGroups(groups);
  if (dated.length === 0) return undefined;

  for (const step of stepsFor(dated, dateUnit)) {
    const axis = axisOf(dated, step);
    if (axis) return axis;
  }
  return undefined;
}

/** The groups of an earlier report in the slots of an axis. */
export interface EarlierSlots {
  readonly slots: TimeAxis['slots'];

  /** What each slot was called then. */
  readonly labels: readonly string[];
}

/**
 * The groups of an earlier report in the slots of an axis, each as far from the beginning of its
 * window.
 * @param begins when both windows begin; absent: with their first groups
 */
export function earlierSlots(
  axis: TimeAxis,
  groups: Iterable<Group>,
  begins: Comparison['begins'],
): EarlierSlots {
  const { step, slots, first } = axis;
  const dated = datedGroups(groups);
  const numbers = dated.map((group) => numberOf(timeOf(group), step));

  let earliest = Number.POSITIVE_INFINITY;
  for (const number of numbers) earliest = Math.min(earliest, number);
  const shift = begins
    ? numberOf(begins.now, step) - numberOf(begins.before, step)
    : first - earliest;

  const earlier = slots.map((): Group[] => []);
  for (const [i, group] of dated.entries()) {
    earlier[(numbers[i] ?? 0) + shift - first]?.push(group);
  }
  const labels = earlier.map((slot, i) => {
    if (step === 'hour') return hourLabel(slot[0]);
    return labelOfStep(timeOfStep(first + i - shift, step), step);
  });
  return { slots: earlier, labels };
}

/**
 * What an hour with rows is called; empty for one without, whose place on the clock nothing tells.
 */
function hourLabel(group: Group | undefined): string {
  const wallMs = group && momentOf(timeOf(group))?.wallMs;
  return wallMs === undefined ? '' : wallLabel(new Date(wallMs));
}

function wallLabel(time: Date): string {
  return `${axisDay(time)}, ${hourFormat(time)}`;
}

function labelOfStep(time: Date, step: DateUnit): string {
  if (step === 'month') return axisMonth(time);
  return step === 'week' ? `Week of ${axisDay(time)}` : axisDay(time);
}

function datedGroups(groups: Iterable<Group>): Group[] {
  return [...groups].filter((group) => {
    return dayOf(timeOf(group)) !== undefined || momentOf(timeOf(group)) !== undefined;
  });
}

function timeOf({ key }: Group): string {
  return key[0] ?? '';
}

/** The steps that fit some groups, the finest first. */
function stepsFor(groups: readonly Group[], dateUnit: DateUnit): Step[] {
  if (dateUnit === 'month') return ['month'];
  if (dateUnit === 'week') return ['week', 'month'];
  const isHourly = groups.every((group) => momentOf(timeOf(group)));
  return isHourly ? ['hour', 'day', 'month'] : ['day', 'month'];
}

/** The axis of groups that all have a time; `undefined` where it would have too many steps. */
function axisOf(groups: readonly Group[], step: Step): TimeAxis | undefined {
  const numbers = groups.map((group) => numberOf(timeOf(group), step));
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    first = Math.min(first, number);
    last = Math.max(last, number);
  }
  const count = last - first + 1;
  if (count > (step === 'month' ? mostMonths : mostSlots)) return undefined;

  const slots = Array.from({ length: count }, (): Group[] => []);
  for (const [i, group] of groups.entries()) slots[(numbers[i] ?? 0) - first]?.push(group);

  if (step === 'hour') return hourAxis(first, slots);

  const times = slots.map((_, i) => timeOfStep(first + i, step));
  const labels = times.map((time) => labelOfStep(time, step));
  return { step, first, slots, labels, ticks: ticksOf(times, step) };
}

/** The step of time in which a day or an hour is, counted from one and the same. */
function numberOf(text: string, step: Step): number {
  if (step === 'hour') return Math.floor((momentOf(text)?.instantMs ?? 0) / hourMs);
  const day = Date.parse(text.slice(0, 10)) / dayMs;
  if (step === 'day') return day;
  if (step === 'week') return Math.floor((day - firstMonday) / 7);

  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  return 12 * (year - 1970) + month - 1;
}

/** When a step begins; in UTC, as all times that only say what clocks show. */
function timeOfStep(number: number, step: DateUnit): Date {
  if (step === 'month') return new Date(Date.UTC(1970, number));
  const day = step === 'week' ? firstMonday + 7 * number : number;
  return new Date(day * dayMs);
}

/**
 * The axis of hours: wall times; where the clock is put back and an hour comes twice, the offset
 * tells the two apart.
 */
function hourAxis(first: number, slots: TimeAxis['slots']): TimeAxis {
  const times: Date[] = [];
  const offsets: string[] = [];
  let wallMs = 0;
  let offset = '';

  for (const [group] of slots) {
    const time = group ? timeOf(group) : '';
    // A slot without rows is the hour after the one before it.
    wallMs = momentOf(time)?.wallMs ?? wallMs + hourMs;
    offset = /[+-]\d\d:?\d\d$/.exec(time)?.[0].replace(':', '') ?? offset;
    times.push(new Date(wallMs));
    offsets.push(offset);
  }

  const walls = times.map(wallLabel);
  const labels = walls.map((wall, i) => {
    const isDoubled = walls[i - 1] === wall || walls[i + 1] === wall;
    return isDoubled ? `${wall} (${offsets[i]})` : wall;
  });
  return { step: 'hour', first, slots, labels, ticks: ticksOf(times, 'hour') };
}

/** So many labels have room below an axis, on a phone too. */
const mostTicks = 7;

/** How a time is written below an axis. */
type TickText = (time: Date) => string;

const hourFormat = utcFormat('%H:%M');
const dayFormat = utcFormat('%-d %b');
const monthFormat = utcFormat('%b');
const yearFormat = utcFormat('%Y');

/** A day by any time of it in UTC: `Thu 1 Oct 2026`. */
export const axisDay: TickText = utcFormat('%a %-d %b %Y');

/** A day by any time of it in UTC, where the year is known: `Thu 1 Oct`. */
export const dayOfYear: TickText = utcFormat('%a %-d %b');

/** A month by any time of it in UTC: `October 2026`. */
export const axisMonth: TickText = utcFormat('%B %Y');

/** `14:00`; at midnight the day that begins. */
const hourText: TickText = (time) => {
  return time.getUTCHours() === 0 ? dayFormat(time) : hourFormat(time);
};

/** `Oct`; in January the year that begins. */
const monthText: TickText = (time) => {
  return time.getUTCMonth() === 0 ? yearFormat(time) : monthFormat(time);
};

/** A distance that ticks may have: each begins at a round time. */
interface TickInterval {
  readonly interval: TimeInterval | null;
  readonly textOf: TickText;
}

const hourIntervals: readonly TickInterval[] = [
  { interval: utcHour, textOf: hourText },
  { interval: utcHour.every(3), textOf: hourText },
  { interval: utcHour.every(6), textOf: hourText },
  { interval: utcHour.every(12), textOf: hourText },
];

const weekIntervals: readonly TickInterval[] = [
  { interval: utcMonday, textOf: dayFormat },
  { interval: utcMonday.every(2), textOf: dayFormat },
];

const dayIntervals: readonly TickInterval[] = [
  { interval: utcDay, textOf: dayFormat },
  { interval: utcDay.every(2), textOf: dayFormat },
  ...weekIntervals,
];

const monthIntervals: readonly TickInterval[] = [
  { interval: utcMonth, textOf: monthText },
  { interval: utcMonth.every(2), textOf: monthText },
  { interval: utcMonth.every(3), textOf: monthText },
  { interval: utcMonth.every(6), textOf: monthText },
  { interval: utcYear, textOf: yearFormat },
  { interval: utcYear.every(2), textOf: yearFormat },
  { interval: utcYear.every(5), textOf: yearFormat },
  { interval: utcYear.every(10), textOf: yearFormat },
  { interval: utcYear.every(50), textOf: yearFormat },
  { interval: utcYear.every(500), textOf: yearFormat },
];

/** The distances that suit an axis of each step, from the shortest to the longest. */
const tickIntervals: Readonly<Record<Step, readonly TickInterval[]>> = {
  hour: [...hourIntervals, ...dayIntervals, ...monthIntervals],
  day: [...dayIntervals, ...monthIntervals],
  week: [...weekIntervals, ...monthIntervals],
  month: monthIntervals,
};

/** Labels at the round times of an axis, as many as have room. */
function ticksOf(times: readonly Date[], step: Step): AxisTick[] {
  for (const { interval, textOf } of tickIntervals[step]) {
    if (!interval) continue;

    const ticks: AxisTick[] = [];
    for (const [index, time] of times.entries()) {
      const isRound = interval.floor(time).getTime() === time.getTime();
      // An hour that comes twice has one tick.
      const isRepeated = times[index - 1]?.getTime() === time.getTime();
      if (isRound && !isRepeated) ticks.push({ index, text: textOf(time) });
    }
    if (ticks.length > 0 && ticks.length <= mostTicks) return ticks;
  }
  return [];
}
