import { dayOf, momentOf } from '../contract/values.ts';
import type { Group } from './grouping.ts';
import { longMonth, shortDay } from './window-text.ts';

/** Equal steps of time, from the first that has rows to the last, those between without any included. */
export interface TimeAxis {
  readonly step: Step;
  readonly labels: readonly string[];
  readonly marks: readonly string[];
  readonly slots: readonly (readonly Group[])[];
}

type Step = 'hour' | 'day' | 'month';

/** More slots than pixels show nothing more: hours become days, days months. */
const mostSlots = 800;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A group's time, as the report's zone has it: its day, and by the hour what the clocks and their offset were. */
interface GroupTime {
  readonly date: string;
  readonly hour?: { readonly instantMs: number; readonly wallMs: number; readonly offset: string };
}

/**
 * The axis of groups whose keys begin with a `date` or an `hour`; groups of no time known are left out.
 * @param monthly whether the dates stand for their months
 * @returns `undefined` where no group has a time, or where they lie too far apart for months to be drawn
 */
export function layOutTime(groups: readonly Group[], monthly: boolean): TimeAxis | undefined {
  const dated = groups.flatMap((group) => {
    const time = readTime(group.key[0] ?? '');
    return time ? [{ group, time }] : [];
  });
  if (dated.length === 0) return undefined;
  const hourly = dated.every(({ time }) => time.hour);
  const steps: readonly Step[] = monthly ? ['month'] : hourly ? ['hour', 'day', 'month'] : ['day', 'month'];
  const range = (step: Step) => {
    const numbers = dated.map(({ time }) => numberOf(time, step));
    const start = numbers.reduce((a, b) => Math.min(a, b));
    return { step, start, count: numbers.reduce((a, b) => Math.max(a, b)) - start + 1 };
  };
  const { step, start, count } = steps.map(range).find((each) => each.count <= mostSlots) ?? range('month');
  if (count > 20 * mostSlots) return undefined;
  const slots = Array.from({ length: count }, (): Group[] => []);
  const times: (GroupTime | undefined)[] = slots.map(() => undefined);
  for (const { group, time } of dated) {
    const index = numberOf(time, step) - start;
    slots[index]?.push(group);
    times[index] ??= time;
  }
  const labels = step === 'hour' ? hourLabels(times) : slots.map((_, i) => labelAt(start + i, step));
  return { step, slots, labels, marks: marksOf(labels) };
}

function readTime(text: string): GroupTime | undefined {
  const moment = momentOf(text);
  const date = text.slice(0, 10);
  if (!moment) return dayOf(text) === undefined ? undefined : { date };
  const offset = /[+-][\d:]+$/.exec(text)?.[0].replace(':', '') ?? 'UTC';
  return { date, hour: { ...moment, offset } };
}

/** The step of time in which a moment is, counted from one and the same. */
function numberOf({ date, hour }: GroupTime, step: Step): number {
  if (step === 'month') return 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  if (step === 'hour' && hour) return Math.floor(hour.instantMs / hourMs);
  return Date.parse(date) / dayMs;
}

function labelAt(number: number, step: Step): string {
  if (step === 'day') return shortDay(new Date(number * dayMs).toISOString().slice(0, 10));
  const year = String(Math.floor(number / 12)).padStart(4, '0');
  return longMonth(`${year}-${String((number % 12) + 1).padStart(2, '0')}`);
}

/** `1 Oct`, `25 Oct, 14:00`, `October 2026`; with the year where it changes along the axis. */
function marksOf(labels: readonly string[]): string[] {
  const places = new Set([0, labels.length > 2 ? (labels.length - 1) >> 1 : 0, labels.length - 1]);
  const chosen = [...places].map((place) => (labels[place] ?? '').replace(/^\w{3} (?=\d)/, ''));
  const years = new Set(chosen.map((label) => /\d{4}/.exec(label)?.[0]));
  return years.size > 1 ? chosen : chosen.map((label) => label.replace(/^(\d.*?) \d{4}/, '$1'));
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
