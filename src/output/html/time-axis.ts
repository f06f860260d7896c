import type { Group } from '../group/aggregate.ts';
import { isDay, longMonth, shortDay } from './window-text.ts';

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

interface Moment {
  /** `YYYY-MM-DD`, as the report's zone has it. */
  readonly date: string;
  /** Of a row by the hour: its first instant, and `HH:MM` with the offset. */
  readonly hour?: { readonly atMs: number; readonly time: string; readonly offset: string };
}

/**
 * The axis of groups by `date`, `hour` or both, in any order of the fields; groups of no time known are left out.
 * @param fields the fields of the groups' keys
 * @param monthly whether the dates stand for their months
 * @returns `undefined` where no group has a time
 */
export function layOutTime(
  groups: readonly Group[],
  fields: readonly string[],
  monthly: boolean,
): TimeAxis | undefined {
  const dated = groups.flatMap((group) => {
    const moment = readMoment(group.key[fields.indexOf('date')], group.key[fields.indexOf('hour')]);
    return moment ? [{ group, moment }] : [];
  });
  const [first] = dated;
  if (!first) return undefined;
  const hourly = dated.every(({ moment }) => moment.hour);
  const steps: readonly Step[] = monthly ? ['month'] : hourly ? ['hour', 'day', 'month'] : ['day', 'month'];
  const span = (step: Step): number => {
    const numbers = dated.map(({ moment }) => numberOf(moment, step));
    return numbers.reduce((a, b) => Math.max(a, b)) - numbers.reduce((a, b) => Math.min(a, b)) + 1;
  };
  const step = steps.find((candidate) => span(candidate) <= mostSlots) ?? 'month';
  const count = span(step);
  if (count > 20 * mostSlots) return undefined;
  const start = dated.reduce((least, { moment }) => Math.min(least, numberOf(moment, step)), Number.POSITIVE_INFINITY);
  const slots = Array.from({ length: count }, (): Group[] => []);
  const moments: (Moment | undefined)[] = slots.map(() => undefined);
  for (const { group, moment } of dated) {
    const index = numberOf(moment, step) - start;
    slots[index]?.push(group);
    moments[index] ??= moment;
  }
  const labels = step === 'hour' ? hourLabels(moments) : slots.map((_, i) => labelOf(start + i, step));
  return { step, slots, labels, marks: marksOf(labels) };
}

/** Whether dates are first days of months only, and of more than one. */
export function areMonths(groups: readonly Group[], fields: readonly string[]): boolean {
  const dates = groups.map(({ key }) => key[fields.indexOf('date')] ?? '');
  return !fields.includes('hour') && new Set(dates).size > 1 && dates.every((date) => date.endsWith('-01'));
}

function readMoment(date: string | null | undefined, hour: string | null | undefined): Moment | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d([+-]\d\d):?(\d\d)$/.exec(hour ?? '');
  const [text = '', day = '', time = '', offsetHours = '', offsetMinutes = ''] = match ?? [];
  if (isDay(day)) {
    const atMs = Date.parse(`${text.slice(0, 19)}${offsetHours}:${offsetMinutes}`);
    if (!Number.isNaN(atMs)) return { date: day, hour: { atMs, time, offset: offsetHours + offsetMinutes } };
  }
  return typeof date === 'string' && isDay(date) ? { date } : undefined;
}

function numberOf({ date, hour }: Moment, step: Step): number {
  if (step === 'month') return 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  if (step === 'hour' && hour) return Math.floor(hour.atMs / hourMs);
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
function hourLabels(moments: readonly (Moment | undefined)[]): string[] {
  let last: { readonly index: number; readonly atMs: number; readonly offset: string } | undefined;
  const walls = moments.map((moment, index) => {
    if (moment?.hour) {
      last = { index, atMs: moment.hour.atMs, offset: moment.hour.offset };
      return { wall: `${shortDay(moment.date)}, ${moment.hour.time}`, offset: moment.hour.offset };
    }
    // An hour without rows: as far from the last that had some as it is along the axis.
    const { offset, ...known } = last ?? { index: 0, atMs: 0, offset: '+0000' };
    const [hours, minutes] = [Number(offset.slice(0, 3)), Number(offset.slice(0, 1) + offset.slice(3))];
    const local = known.atMs + (index - known.index + hours) * hourMs + minutes * 60_000;
    const [date = '', time = ''] = new Date(local).toISOString().split('T');
    return { wall: `${shortDay(date)}, ${time.slice(0, 5)}`, offset };
  });
  return walls.map(({ wall, offset }, i) =>
    walls[i - 1]?.wall === wall || walls[i + 1]?.wall === wall ? `${wall} (${offset})` : wall,
  );
}
