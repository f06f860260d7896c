import { dayOf, momentOf } from '../contract/values.ts';
import type { Group } from './grouping.ts';
import { axisDay, axisMonth } from './window-text.ts';

/** Equal steps of time, from the first that has rows to the last, those between without any included. */
export interface TimeAxis {
  readonly step: Step;

  /** What each step is called: `Thu 1 Oct 2026`. */
  readonly labels: readonly string[];

  /** The labels below the axis: its first, its middle, its last. */
  readonly marks: readonly string[];

  /** The groups of each step. */
  readonly slots: readonly (readonly Group[])[];
}

type Step = 'hour' | 'day' | 'month';

/** More slots than pixels show nothing more: hours become days, days months. */
const mostSlots = 800;
const mostMonths = 20 * mostSlots;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The axis of groups whose keys begin with a `date` or an `hour`, where `monthly` dates stand for months; `undefined` where
 * no group has a time, or where they lie too far apart for months to be drawn.
 */
export function layOutTime(groups: readonly Group[], monthly: boolean): TimeAxis | undefined {
  const dated = groups.filter((group) => {
    return dayOf(timeOf(group)) !== undefined || momentOf(timeOf(group)) !== undefined;
  });
  if (dated.length === 0) return undefined;

  for (const step of stepsFor(dated, monthly)) {
    const axis = axisOf(dated, step);
    if (axis) return axis;
  }
  return undefined;
}

function timeOf({ key }: Group): string {
  return key[0] ?? '';
}

/** The steps that fit some groups, the finest first. */
function stepsFor(groups: readonly Group[], monthly: boolean): Step[] {
  if (monthly) return ['month'];
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

  const labels =
    step === 'hour' ? hourLabels(slots) : slots.map((_, i) => labelAt(first + i, step));
  return { step, slots, labels, marks: marksOf(labels) };
}

/** The step of time in which a day or an hour is, counted from one and the same. */
function numberOf(text: string, step: Step): number {
  if (step === 'hour') return Math.floor((momentOf(text)?.instantMs ?? 0) / hourMs);
  if (step === 'day') return Date.parse(text.slice(0, 10)) / dayMs;

  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  return 12 * (year - 1970) + month - 1;
}

function labelAt(number: number, step: 'day' | 'month'): string {
  if (step === 'day') return axisDay(new Date(number * dayMs).toISOString());
  return axisMonth(new Date(Date.UTC(1970, number)).toISOString());
}

/** `1 Oct`, `25 Oct, 14:00`, `October 2026`; with the year where it changes along the axis. */
function marksOf(labels: readonly string[]): string[] {
  const middle = labels.length > 2 ? Math.floor((labels.length - 1) / 2) : 0;
  const places = new Set([0, middle, labels.length - 1]);

  // The day of the week takes room and tells little here.
  const marks = [...places].map((place) => (labels[place] ?? '').replace(/^\w{3} (?=\d)/, ''));
  const years = new Set(marks.map((mark) => /\d{4}/.exec(mark)?.[0]));
  if (years.size > 1) return marks;
  return marks.map((mark) => mark.replace(/^(\d.*?) \d{4}/, '$1'));
}

/** Wall times; where the clock is put back and an hour comes twice, the offset tells the two apart. */
function hourLabels(slots: readonly (readonly Group[])[]): string[] {
  const labels: string[] = [];
  const offsets: string[] = [];
  let wallMs = 0;
  let offset = '';

  for (const [group] of slots) {
    const time = group ? timeOf(group) : '';
    // A slot without rows is the hour after the one before it.
    wallMs = momentOf(time)?.wallMs ?? wallMs + hourMs;
    offset = /[+-]\d\d:?\d\d$/.exec(time)?.[0].replace(':', '') ?? offset;

    const wall = new Date(wallMs).toISOString();
    labels.push(`${axisDay(wall)}, ${wall.slice(11, 16)}`);
    offsets.push(offset);
  }

  return labels.map((label, i) => {
    const isDoubled = labels[i - 1] === label || labels[i + 1] === label;
    return isDoubled ? `${label} (${offsets[i]})` : label;
  });
}
