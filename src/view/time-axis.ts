import { dayOf, momentOf } from '../contract/values.ts';
import type { Group } from './grouping.ts';
import { axisDay } from './window-text.ts';

/** Equal steps of time, from the first that has rows to the last, those between without any included. */
export interface TimeAxis {
  readonly step: Step;
  readonly labels: readonly string[];
  /** The labels below the axis: its first, its middle, its last. */
  readonly marks: readonly string[];
  readonly slots: readonly (readonly Group[])[];
}

type Step = 'hour' | 'day' | 'month';

/** More slots than pixels show nothing more: hours become days, days months. */
const mostSlots = 800;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The axis of groups whose keys begin with a `date` or an `hour`, where `monthly` dates stand for months; `undefined` where
 * no group has a time, or where they lie too far apart for months to be drawn.
 */
export function layOutTime(groups: readonly Group[], monthly: boolean): TimeAxis | undefined {
  const dated = groups.filter(
    ({ key: [time] }) => dayOf(time ?? '') !== undefined || momentOf(time ?? ''),
  );
  const isHourly = dated.every(({ key: [time] }) => momentOf(time ?? ''));
  const steps: Step[] = monthly
    ? ['month']
    : isHourly
      ? ['hour', 'day', 'month']
      : ['day', 'month'];
  for (const step of dated.length > 0 ? steps : []) {
    const numbers = dated.map(({ key: [time] }) => numberOf(time ?? '', step));
    const start = numbers.reduce((a, b) => Math.min(a, b));
    const count = numbers.reduce((a, b) => Math.max(a, b)) - start + 1;
    if (count > (step === 'month' ? 20 * mostSlots : mostSlots)) continue;
    const slots = Array.from({ length: count }, (): Group[] => []);
    for (const [i, group] of dated.entries()) slots[(numbers[i] ?? 0) - start]?.push(group);
    const labels =
      step === 'hour' ? hourLabels(slots) : slots.map((_, i) => labelAt(start + i, step));
    return { step, slots, labels, marks: marksOf(labels) };
  }
  return undefined;
}

/** The step of time in which a day or an hour is, counted from one and the same. */
function numberOf(text: string, step: Step): number {
  if (step === 'hour') return Math.floor((momentOf(text)?.instantMs ?? 0) / hourMs);
  const [year = '', month = ''] = text.split('-');
  return step === 'month'
    ? 12 * (Number(year) - 1970) + Number(month) - 1
    : Date.parse(text.slice(0, 10)) / dayMs;
}

function labelAt(number: number, step: Step): string {
  if (step === 'day') return axisDay(new Date(number * dayMs).toISOString());
  return axisDay(new Date(Date.UTC(1970, number)).toISOString(), true);
}

/** `1 Oct`, `25 Oct, 14:00`, `October 2026`; with the year where it changes along the axis. */
function marksOf(labels: readonly string[]): string[] {
  const places = new Set([0, labels.length > 2 ? (labels.length - 1) >> 1 : 0, labels.length - 1]);
  const chosen = [...places].map((place) => (labels[place] ?? '').replace(/^\w{3} (?=\d)/, ''));
  const years = new Set(chosen.map((label) => /\d{4}/.exec(label)?.[0]));
  return years.size > 1 ? chosen : chosen.map((label) => label.replace(/^(\d.*?) \d{4}/, '$1'));
}

/** Wall times; where the clock is put back and an hour comes twice, the offset tells the two apart. */
function hourLabels(slots: readonly (readonly Group[])[]): string[] {
  let [wallMs, offset] = [0, ''];
  const walls = slots.map(([group]) => {
    const time = group?.key[0] ?? '';
    wallMs = momentOf(time)?.wallMs ?? wallMs + hourMs;
    offset = /[+-]\d\d:?\d\d$/.exec(time)?.[0].replace(':', '') ?? offset;
    const wall = new Date(wallMs).toISOString();
    return { wall: `${axisDay(wall)}, ${wall.slice(11, 16)}`, offset };
  });
  return walls.map(({ wall, offset }, i) =>
    walls[i - 1]?.wall === wall || walls[i + 1]?.wall === wall ? `${wall} (${offset})` : wall,
  );
}
