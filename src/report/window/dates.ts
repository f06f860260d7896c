import { didYouMean, type FlagValue, refuse } from '../mistakes.ts';
import {
  type CalendarUnit,
  daysInMonth,
  plusUnits,
  startOfUnit,
  wallOfDate,
  wallOfWeek,
  weeksInYear,
} from './window.ts';

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
  return namedDays(text, today) ?? rollingDays(text, today) ?? calendarDays(text, value);
}

function namedDays(text: string, today: number): Days | undefined {
  if (text === 'today') return daysFrom(today, 1, 'day');
  if (text === 'yesterday') return daysFrom(plusUnits(today, -1, 'day'), 1, 'day');
  const unit = units.find((candidate) => text === `this-${candidate}` || text === `last-${candidate}`);
  if (!unit) return undefined;
  const start = startOfUnit(today, unit);
  return daysFrom(text.startsWith('this-') ? start : plusUnits(start, -1, unit), 1, unit);
}

/** `last-7d`: whole days before today; `last-2w`: whole weeks before this one. */
function rollingDays(text: string, today: number): Days | undefined {
  const match = /^last-([1-9]\d{0,4})([dw])$/.exec(text);
  if (!match) return undefined;
  const unit = match[2] === 'd' ? 'day' : 'week';
  const count = Number(match[1]);
  return daysFrom(plusUnits(startOfUnit(today, unit), -count, unit), count, unit);
}

function calendarDays(text: string, value: FlagValue): Days | undefined {
  const match = /^(\d{4})(?:-(q\d+|w\d{1,2}|\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (!match) return undefined;
  const [, yearText, part, dayText] = match;
  const year = Number(yearText);
  if (part === undefined) return daysFrom(wallOfDate(year, 1, 1), 1, 'year');
  const number = Number(part.replace(/^[qw]/, ''));
  if (/^\d/.test(part)) return dayText === undefined ? month(year, number, value) : day(year, number, dayText, value);
  if (dayText !== undefined) return undefined;
  return part.startsWith('q') ? quarter(year, number, value) : week(year, number, value);
}

function quarter(year: number, number: number, value: FlagValue): Days {
  if (number < 1 || number > 4) throw refuse(value, 'a year has the quarters Q1 to Q4');
  return daysFrom(wallOfDate(year, 3 * number - 2, 1), 1, 'quarter');
}

function week(year: number, number: number, value: FlagValue): Days {
  const last = weeksInYear(year);
  if (number < 1 || number > last) {
    throw refuse(value, `${year} has the weeks W01 to W${last}`, didYouMean(`${year}-W${number < 1 ? '01' : last}`));
  }
  return daysFrom(wallOfWeek(year, number), 1, 'week');
}

function month(year: number, number: number, value: FlagValue): Days {
  requireMonth(number, value);
  return daysFrom(wallOfDate(year, number, 1), 1, 'month');
}

function day(year: number, monthNumber: number, dayText: string, value: FlagValue): Days {
  return daysFrom(dateWall(year, monthNumber, Number(dayText), value), 1, 'day');
}

/** Midnight of a date as a wall time. Throws `UsageError` where the calendar has no such date. */
export function dateWall(year: number, monthNumber: number, dayNumber: number, value: FlagValue): number {
  requireMonth(monthNumber, value);
  const last = daysInMonth(year, monthNumber);
  if (dayNumber < 1 || dayNumber > last) {
    const monthText = `${year}-${twoDigits(monthNumber)}`;
    throw refuse(value, `${monthText} has ${last} days`, didYouMean(`${monthText}-${dayNumber < 1 ? '01' : last}`));
  }
  return wallOfDate(year, monthNumber, dayNumber);
}

function requireMonth(number: number, value: FlagValue): void {
  if (number < 1 || number > 12) {
    throw refuse(value, `there is no month ${twoDigits(number)}`, 'Months are 01 to 12, and stand after the year.');
  }
}

/** So many units of days, from a midnight on. */
function daysFrom(start: number, count: number, unit: CalendarUnit): Days {
  return { start, end: plusUnits(start, count, unit) };
}

/** `7` as `07`, as in dates. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
