import { dayOf, type Moment, momentOf } from '../contract/values.ts';
import type { Group } from './aggregate.ts';
import { longMonth, shortDay } from './window-text.ts';

/** Equal steps of time, from the first that has rows to the last, those between without any included. */
export interface TimeAxis {
  readonly step: Step;
  /** What each slot is called. */
  readonly labels: readonly string[];
  /** The same in brief, for three places at most along the axis. */
  readonly marks: readonly string[];
  /** The groups of each slot; none where the report has no rows for it. */
  readonly slots: readonly (readonly Group[])[];
}

export type Step = 'hour' | 'day' | 'month';

/** More slots than pixels show nothing more: hours become days, days months. */
const mostSlots = 800;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The time of a group, as the report's zone has it. */
interface GroupTime {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Of a group by the hour. The offset is a text: `+0200`. */
  readonly hour?: Moment & { readonly offset: string };
}

/**
 * The axis of groups by `date`, `hour` or both, in any order of the fields; groups of no time known are left out.
 * @param fields the fields of the groups' keys
 * @param monthly whether the dates stand for their months
 * @returns `undefined` where no group has a time, or where they lie too far apart for months to be drawn
 */
export function layOutTime(
  groups: readonly Group[],
  fields: readonly string[],
  monthly: boolean,
): TimeAxis | undefined {
  const dated = groups.flatMap((group) => {
    const time = readTime(group.key[fields.indexOf('date')] ?? '', group.key[fields.indexOf('hour')] ?? '');
    return time ? [{ group, time }] : [];
  });
  const [first] = dated;
  if (!first) return undefined;
  const hourly = dated.every(({ time }) => time.hour);
  const steps: readonly Step[] = monthly ? ['month'] : hourly ? ['hour', 'day', 'month'] : ['day', 'month'];
  const span = (step: Step): number => {
    const numbers = dated.map(({ time }) => numberOf(time, step));
    return numbers.reduce((a, b) => Math.max(a, b)) - numbers.reduce((a, b) => Math.min(a, b)) + 1;
  };
  const step = steps.find((candidate) => span(candidate) <= mostSlots) ?? 'month';
  const count = span(step);
  if (count > 20 * mostSlots) return undefined;
  const start = dated.reduce((least, { time }) => Math.min(least, numberOf(time, step)), Number.POSITIVE_INFINITY);
  const slots = Array.from({ length: count }, (): Group[] => []);
  const times: (GroupTime | undefined)[] = slots.map(() => undefined);
  for (const { group, time } of dated) {
    const index = numberOf(time, step) - start;
    slots[index]?.push(group);
    times[index] ??= time;
  }
  const labels = step === 'hour' ? hourLabels(times) : slots.map((_, i) => labelOf(start + i, step));
  return { step, slots, labels, marks: marksOf(labels) };
}

/** Whether dates are first days of months only, and of more than one. */
export function areMonths(groups: readonly Group[], fields: readonly string[]): boolean {
  const dates = groups.map(({ key }) => key[fields.indexOf('date')] ?? '');
  return !fields.includes('hour') && new Set(dates).size > 1 && dates.every((date) => date.endsWith('-01'));
}

function readTime(date: string, hour: string): GroupTime | undefined {
  const moment = momentOf(hour);
  if (moment) {
    const offset = /[+-][\d:]+$/.exec(hour)?.[0].replace(':', '') ?? 'UTC';
    return { date: hour.slice(0, 10), hour: { ...moment, offset } };
  }
  return dayOf(date) === undefined ? undefined : { date };
}

/** The step of time in which a moment is, counted from one and the same. */
function numberOf({ date, hour }: GroupTime, step: Step): number {
  if (step === 'month') return 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  if (step === 'hour' && hour) return Math.floor(hour.instantMs / hourMs);
  return Date.parse(date) / dayMs;
}

function labelOf(number: number, step: Step): string {
  if (step === 'day') return shortDay(new Date(number * dayMs).toISOString().slice(0, 10));
  const year = String(Math.floor(number / 12)).padStart(4, '0');
  return longMonth(`${year}-${String((number % 12) + 1).padStart(2, '0')}`);
}

/** The first, the middle and the last: `1 Oct`, with the year where it changes along the axis. */
function marksOf(labels: readonly string[]): string[] {
  const places = [0, (labels.length - 1) >> 1, labels.length - 1];
  const chosen = [...new Set(labels.length > 2 ? places : [0, labels.length - 1])].map((place) => labels[place] ?? '');
  const days = chosen.map((label) => label.replace(/^\w{3} (?=\d)/, '').replace(/,.*$/, ''));
  const years = new Set(days.map((day) => day.slice(-4)));
  const isMonths = /^[A-Z]/.test(days[0] ?? '');
  return years.size > 1 || isMonths ? days : days.map((day) => day.slice(0, -5));
}

/** Wall times; where the clock is put back and an hour comes twice, the offset tells the two apart. */
function hourLabels(times: readonly (GroupTime | undefined)[]): string[] {
  let last = { index: 0, wallMs: 0, offset: '' };
  const walls = times.map((time, index) => {
    if (time?.hour) last = { ...time.hour, index };
    // An hour without rows is as far from the last that had some as it is along the axis.
    const [day = '', clock = ''] = new Date(last.wallMs + (index - last.index) * hourMs).toISOString().split('T');
    return { wall: `${shortDay(day)}, ${clock.slice(0, 5)}`, offset: last.offset };
  });
  return walls.map(({ wall, offset }, i) =>
    walls[i - 1]?.wall === wall || walls[i + 1]?.wall === wall ? `${wall} (${offset})` : wall,
  );
}
