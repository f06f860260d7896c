import { didYouMean, type FlagValue, refuse } from '../mistakes.ts';
import { type CalendarUnit, plusUnits, startOfUnit, wallOf } from './window.ts';

/** A run of whole calendar days: midnights as wall times, of the first day and of the day after the last. */
export interface Days {
  readonly start: number;
  readonly end: number;
}

const units: readonly CalendarUnit[] = ['week', 'month', 'quarter', 'year'];

/** The days that have a name of their own, as users write it: `today`, `last-month`. */
export const dayNames = ['today', 'yesterday', ...units.flatMap((unit) => [`this-${unit}`, `last-${unit}`])];

/**
 * The days that a text names: `today`, `last-month`, `last-7d`, `2026`, `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`
 * (`cli.md`, Flags of `report create` and `run`). Case does not matter; `undefined` where the text has no such form.
 * `today` is the wall time of its midnight. Throws `UsageError` where a date has the form but does not exist.
 */
export function parseDays(value: FlagValue, today: number): Days | undefined {
  const text = value.text.toLowerCase();
  return relativeDays(text, today) ?? calendarDays(text, value);
}

/** `today`, `this-week`; `last-7d` are whole days before today, `last-2w` whole weeks before this one. */
function relativeDays(text: string, today: number): Days | undefined {
  const daysOf = (unit: CalendarUnit, back: number, count = 1): Days => {
    const start = plusUnits(startOfUnit(today, unit), -back, unit);
    return { start, end: plusUnits(start, count, unit) };
  };
  if (text === 'today') return daysOf('day', 0);
  if (text === 'yesterday') return daysOf('day', 1);
  const unit = units.find((candidate) => text === `this-${candidate}` || text === `last-${candidate}`);
  if (unit) return daysOf(unit, text.startsWith('this-') ? 0 : 1);
  const [, count, letter] = /^last-([1-9]\d{0,4})([dw])$/.exec(text) ?? [];
  return (count && daysOf(letter === 'd' ? 'day' : 'week', Number(count), Number(count))) || undefined;
}

function calendarDays(text: string, value: FlagValue): Days | undefined {
  const match = /^(\d{4})(?:-(?:q(\d+)|w(\d{1,2})|(\d{1,2})(?:-(\d{1,2}))?))?$/.exec(text);
  if (!match) return undefined;
  const [year = 0, quarter, week, month, day] = match
    .slice(1)
    .map((part) => (part === undefined ? part : Number(part)));
  const daysFrom = (start: number | undefined, unit: CalendarUnit): Days | undefined =>
    start === undefined ? undefined : { start, end: plusUnits(start, 1, unit) };
  if (quarter !== undefined) {
    const days = daysFrom(wallOf({ year, month: 3 * quarter - 2 }), 'quarter');
    if (!days) throw refuse(value, 'a year has the quarters Q1 to Q4');
    return days;
  }
  if (week !== undefined) {
    const days = daysFrom(wallOf({ weekYear: year, weekNumber: week }), 'week');
    if (days) return days;
    const last = wallOf({ weekYear: year, weekNumber: 53 }) === undefined ? 52 : 53;
    throw refuse(value, `${year} has the weeks W01 to W${last}`, didYouMean(`${year}-W${week < 1 ? '01' : last}`));
  }
  if (month === undefined) return daysFrom(wallOf({ year }), 'year');
  return daysFrom(dateWall(year, month, day ?? 1, value), day === undefined ? 'month' : 'day');
}

/** Midnight of a date as a wall time. Throws `UsageError` where the calendar has no such date. */
export function dateWall(year: number, month: number, day: number, value: FlagValue): number {
  const monthStart = wallOf({ year, month });
  if (monthStart === undefined) {
    throw refuse(value, `there is no month ${twoDigits(month)}`, 'Months are 01 to 12, and stand after the year.');
  }
  const wall = wallOf({ year, month, day });
  if (wall !== undefined) return wall;
  const last = new Date(plusUnits(plusUnits(monthStart, 1, 'month'), -1, 'day') * 1_000).getUTCDate();
  const monthText = `${year}-${twoDigits(month)}`;
  throw refuse(value, `${monthText} has ${last} days`, didYouMean(`${monthText}-${day < 1 ? '01' : last}`));
}

/** `7` as `07`, as in dates. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
