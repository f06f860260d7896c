import { dayOf, momentOf } from '../../contract/values.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { changesOf } from '../../rows/row-keys.ts';
import { printable } from '../../text/printable.ts';
import { formatPlural } from '../../text/quantity.ts';
import { formatDate, formatInstant, offsetAt, splitWindow, type Window } from '../window.ts';
import { type Check, rowsText } from './check.ts';

/** More times than this (eleven years of hours) are not kept. */
const timesAtMost = 100_000;

/** The days, hours or months of a window, by a number of each that grows with time. */
interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /** Those that have ended by now, of which each has rows. */
  readonly ended: ReadonlySet<number>;

  readonly first: number;

  readonly last: number;

  /** The number of what a row's text lies in; `undefined` for what is no time. */
  read(text: string): number | undefined;

  /** How a sentence calls the one with this number. */
  label(time: number): string;
}

/** What the times of the rows are held against. */
export interface ExpectedTimes {
  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  /** Whether every time of the window must have rows. */
  readonly isComplete: boolean;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Finds the times of a window that have no rows, the rows that are of other times, and hours with the offset of another
 * zone. The times are collected as the rows pass, and compared at the end: only then the window of a report is known whose
 * request is not.
 */
export class TimeCheck implements Check {
  readonly #field: 'hour' | 'date';

  /** What the times are compared with; `undefined` where nothing tells it. */
  readonly #expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined;

  /** The texts that came, each with its first row; rows of one time need not stand together. */
  readonly #texts = new Map<string, number>();

  readonly #unreadable = { count: 0, firstRow: 0, value: '' };

  constructor(
    field: 'hour' | 'date',
    expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined,
  ) {
    this.#field = field;
    this.#expectedTimes = expectedTimes;
  }

  observe(batch: RowBatch): void {
    // The rows after an unreadable time have the same one, up to the next that is told.
    let unreadableSince: number | undefined;
    const endRun = (row: number): void => {
      if (unreadableSince !== undefined) this.#unreadable.count += row - unreadableSince;
      unreadableSince = undefined;
    };

    changesOf(batch, this.#field, (value, row) => {
      endRun(row);
      const isTold = typeof value === 'string' && this.#texts.has(value);
      if (isTold) return;
      if (typeof value === 'string' && this.#isTime(value)) {
        if (this.#texts.size < timesAtMost) this.#texts.set(value, batch.firstRow + row + 1);
        return;
      }

      unreadableSince = row;
      this.#unreadable.firstRow ||= batch.firstRow + row + 1;
      this.#unreadable.value ||= printable(JSON.stringify(value).slice(0, 50));
    });
    endRun(batch.rowCount);
  }

  findings(tail: ReportTail): string[] {
    const { count, firstRow, value } = this.#unreadable;
    const findings: string[] = [];
    if (count > 0) {
      const rows = rowsText(count, firstRow);
      findings.push(
        `The times of the rows could not all be checked: the ${this.#field} of ${rows} cannot be read: ${value}.`,
      );
    }

    const expected = this.#expectedTimes(tail);
    const calendar = expected && calendarOf(expected);
    if (!expected || !calendar) return findings;

    const missing = new Set(calendar.ended);
    const outside = new Set<number>();
    const all = new Set<number>();
    for (const text of this.#texts.keys()) {
      const time = calendar.read(text);
      if (time === undefined) continue;
      all.add(time);
      if (time >= calendar.first && time <= calendar.last) missing.delete(time);
      else outside.add(time);
    }

    const canTell = expected.isComplete && calendar.ended.size <= timesAtMost && count === 0;
    if (tail.rowCount > 0 && canTell) findings.push(...missingFindings(calendar, missing));
    if (outside.size > 0) {
      const times = formatPlural(outside.size, calendar.unit);
      const list = listOf(calendar, outside);
      findings.push(`The report has rows of ${times} outside its window: ${list}`);
    }
    if (calendar.unit === 'month' && this.#texts.size > all.size) {
      const months = formatPlural(all.size, 'month');
      findings.push(`The report has rows of ${this.#texts.size} dates in ${months}.`);
    }
    return [...findings, ...this.#offsetFindings(expected.window)];
  }

  #isTime(text: string): boolean {
    return this.#field === 'hour' ? momentOf(text) !== undefined : dayOf(text) !== undefined;
  }

  /** An hour that has the right instant may still be written by the clock of another zone. */
  #offsetFindings({ zone }: Window): string[] {
    if (this.#field !== 'hour') return [];

    for (const [text, row] of this.#texts) {
      const moment = momentOf(text);
      if (!moment) continue;
      const offsetSeconds = (moment.wallMs - moment.instantMs) / 1_000;
      const instant = moment.instantMs / 1_000;
      if (offsetSeconds === offsetAt(instant, zone)) continue;
      // Where clocks change by thirty minutes, an hour is named by the offset that it ends with.
      if (offsetSeconds === offsetAt(instant + 3_599, zone)) continue;
      return [
        `The hours of the report are of another zone than ${zone}: row ${row} has ${printable(text)}.`,
      ];
    }
    return [];
  }
}

function missingFindings(calendar: Calendar, missing: ReadonlySet<number>): string[] {
  if (missing.size === 0) return [];
  const all = formatPlural(calendar.ended.size, calendar.unit);
  const list = listOf(calendar, missing);
  return [`The report has no rows for ${missing.size} of the ${all} of its window: ${list}`];
}

function listOf(calendar: Calendar, times: ReadonlySet<number>): string {
  const first = [...times].slice(0, 5);
  const names = first.map((time) => calendar.label(time)).join(', ');
  const more = times.size > 5 ? ` and ${times.size - 5} more` : '';
  return `${names}${more}.`;
}

/** The calendar of what the rows are broken down by; `undefined` where their times are not told. */
function calendarOf({ window, breakdowns, nowMs }: ExpectedTimes): Calendar | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (breakdowns.includes('HOURLY')) return hoursOf(window, now);
  if (breakdowns.includes('MONTHLY')) return datesOf(window, 'month', now);
  if (breakdowns.includes('DAILY')) return datesOf(window, 'day', now);
  if (breakdowns.includes('RANGE')) return firstDayOf(window);
  return undefined;
}

/** The calendar of a report without times, whose rows all have the date of the window's first day. */
function firstDayOf(window: Window): Calendar {
  const days = datesOf({ ...window, until: window.since }, 'day', 0);
  const firstDay = days.label(days.first);
  return { ...days, label: (day) => `${days.label(day)} instead of ${firstDay}` };
}

const secondsPerHour = 3_600;
const msPerDay = 86_400_000;

/** Days, or months by their first days, counted from 1970. What the window cuts to less than an hour may hold nothing. */
function datesOf(window: Window, unit: 'day' | 'month', now: number): Calendar {
  const read = (text: string): number | undefined => {
    const isDay = dayOf(text) !== undefined;
    if (!isDay) return undefined;
    return dayOf(unit === 'day' ? text : `${text.slice(0, 7)}-01`);
  };
  const timeAt = (instant: number): number => read(formatDate(instant, window.zone)) ?? 0;

  const ended = new Set<number>();
  const past = { ...window, until: Math.min(window.until, now) };
  for (const { since, until, unitOver } of splitWindow(past, unit)) {
    const isOver = until === Math.min(unitOver - 1, window.until);
    const isLong = until - since >= secondsPerHour - 1;
    if (isOver && isLong) ended.add(timeAt(since));
  }

  return {
    unit,
    ended,
    first: timeAt(window.since),
    last: timeAt(window.until),
    read,
    label(day) {
      const date = new Date(day * msPerDay).toISOString();
      return date.slice(0, unit === 'day' ? 10 : 7);
    },
  };
}

/** Local hours by the instants at which they begin. What the window leaves of an hour at its ends may hold nothing. */
function hoursOf({ since, until, zone }: Window, now: number): Calendar {
  const intoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;
  const first = since - intoHour(since);
  const over = Math.min(until, now);

  const ended = new Set<number>();
  let start = first;
  while (start + secondsPerHour - 1 <= over && ended.size <= timesAtMost) {
    if (start >= since) ended.add(start);
    start += secondsPerHour;
    // A clock change of thirty minutes (Lord Howe) leaves a part of an hour, which may hold nothing.
    start += (secondsPerHour - intoHour(start)) % secondsPerHour;
  }

  return {
    unit: 'hour',
    ended,
    first,
    last: until,
    read(text) {
      const moment = momentOf(text);
      if (!moment) return undefined;
      const instant = Math.floor(moment.instantMs / 1_000);
      return instant - intoHour(instant);
    },
    label: (hour) => formatInstant(hour, zone),
  };
}
