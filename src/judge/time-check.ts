import { dayOf, dayText, momentOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { formatDate, formatInstant, offsetAt, type Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { changesOf } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { type Check, rowsText, type Sayings } from './check.ts';

/** More times than this (eleven years of hours) are not kept. */
const timesAtMost = 100_000;

const secondsPerHour = 3_600;

/** What the times of the rows are held against. */
export interface ExpectedTimes {
  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  /** Whether it is known what was asked for, so that times without rows can be told. */
  readonly isAsked: boolean;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The days, hours or months of a window, by a number of each that grows with time. */
interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /** The number of what a row's text lies in; `undefined` for what is no time. */
  read(text: string): number | undefined;

  /** Whether all of it lies outside the window. */
  isOutside(time: number): boolean;

  /** Whether it begins after now. */
  isToCome(time: number): boolean;

  /** Those that lie whole in the window, and are over by now. */
  over(): Iterable<number>;

  /** How a sentence calls the one with this number. */
  label(time: number): string;
}

/** A day and an hour that stand in one row. */
interface DayAndHour {
  readonly day: string;
  readonly hour: string;
  readonly row: number;
}

/**
 * Finds rows of times outside the window, days that are not those of their hours, and hours by the
 * clock of another zone; notes times without rows, to come, and such as cannot be read. They are
 * collected as the rows pass, and compared at the end: only then the window of a report is known
 * whose request is not.
 */
export class TimeCheck implements Check {
  /** What the times are compared with; `undefined` where nothing tells it. */
  readonly #expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined;

  /**
   * The hours, or else the days, that came, each with its first row; rows of one time need not
   * stand together.
   */
  readonly #texts = new Map<string, number>();

  readonly #pairs = new Map<string, DayAndHour>();

  readonly #unreadable = { count: 0, firstRow: 0, value: '' };

  /** What tells the time of a row: an hour, where the rows have hours. */
  #field: 'hour' | 'date' = 'date';

  constructor(expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined) {
    this.#expectedTimes = expectedTimes;
  }

  observe(batch: RowBatch): void {
    if (batch.fields.includes('hour')) this.#field = 'hour';
    const field = this.#field;
    if (!batch.fields.includes(field)) return;

    // The rows after an unreadable time have the same one, up to the next that is told.
    let unreadableSince: number | undefined;
    const endRun = (row: number): void => {
      if (unreadableSince !== undefined) this.#unreadable.count += row - unreadableSince;
      unreadableSince = undefined;
    };

    changesOf(batch, field, (value, row) => {
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
    if (field === 'hour' && batch.fields.includes('date')) this.#observePairs(batch);
  }

  close(tail: ReportTail, sayings: Sayings): void {
    const { count, firstRow, value } = this.#unreadable;
    if (count > 0) {
      const rows = rowsText(count, firstRow);
      sayings.note(
        'rows',
        `The times of the rows could not all be checked: the ${this.#field} of ${rows} cannot be read: ${value}.`,
      );
    }

    const expected = this.#expectedTimes(tail);
    if (!expected) return;
    const { zone } = expected.window;
    this.#judgeOffsets(zone, sayings);
    this.#judgePairs(zone, sayings);

    const calendar = this.#calendarOf(expected);
    if (!calendar || tail.rowCount === 0) return;
    this.#judgeTimes(calendar, expected.isAsked && count === 0, sayings);
  }

  /** Collects which days stand beside which hours. */
  #observePairs(batch: RowBatch): void {
    const starts = new Set<number>();
    const days = new Map<number, unknown>();
    const hours = new Map<number, unknown>();
    changesOf(batch, 'date', (value, row) => {
      days.set(row, value);
      starts.add(row);
    });
    changesOf(batch, 'hour', (value, row) => {
      hours.set(row, value);
      starts.add(row);
    });

    let day: unknown;
    let hour: unknown;
    for (const row of [...starts].sort((one, other) => one - other)) {
      if (days.has(row)) day = days.get(row);
      if (hours.has(row)) hour = hours.get(row);
      if (typeof day !== 'string' || typeof hour !== 'string') continue;
      const name = `${day} ${hour}`;
      if (this.#pairs.has(name) || this.#pairs.size > timesAtMost) continue;
      this.#pairs.set(name, { day, hour, row: batch.firstRow + row + 1 });
    }
  }

  #judgeTimes(calendar: Calendar, canMiss: boolean, sayings: Sayings): void {
    const times = new Set<number>();
    const outside = new Set<number>();
    const toCome = new Set<number>();
    for (const text of this.#texts.keys()) {
      const time = calendar.read(text);
      if (time === undefined) continue;
      times.add(time);
      if (calendar.isOutside(time)) outside.add(time);
      else if (calendar.isToCome(time)) toCome.add(time);
    }

    const { unit } = calendar;
    if (outside.size > 0) {
      const list = listOf(calendar, outside);
      sayings.find(
        'rows',
        `The report has rows of ${formatPlural(outside.size, unit)} outside its window: ${list}`,
      );
    }
    if (toCome.size > 0) {
      const list = listOf(calendar, toCome);
      sayings.note(
        'rows',
        `The report has rows of ${formatPlural(toCome.size, unit)} to come: ${list}`,
      );
    }
    // Of rows without any time nobody knows of which they are.
    if (!canMiss || times.size === 0) return;

    const missing = new Set<number>();
    let count = 0;
    for (const time of calendar.over()) {
      count += 1;
      if (count > timesAtMost) return;
      if (!times.has(time)) missing.add(time);
    }
    if (missing.size === 0) return;
    const all = formatPlural(count, unit);
    const list = listOf(calendar, missing);
    sayings.note(
      'rows',
      `The report has no rows for ${missing.size} of the ${all} of its window: ${list}`,
    );
  }

  /**
   * An hour that has the right instant may still be written by the clock of another zone; in UTC it
   * may always be.
   */
  #judgeOffsets(zone: string, sayings: Sayings): void {
    if (this.#field !== 'hour') return;

    for (const [text, row] of this.#texts) {
      const moment = momentOf(text);
      if (!moment || !hasOtherOffset(moment, zone)) continue;
      sayings.find(
        'rows',
        `The hours of the report are of another zone than ${zone}: row ${row} has ${printable(text)}.`,
      );
      return;
    }
  }

  #judgePairs(zone: string, sayings: Sayings): void {
    for (const { day, hour, row } of this.#pairs.values()) {
      const moment = momentOf(hour);
      if (!moment || dayOf(day) === undefined) continue;

      // Where clocks differ by half hours, an hour of UTC may lie in two days.
      const instant = moment.instantMs / 1_000;
      const lastInstant = instant + secondsPerHour - 1;
      const localDays = [instant, lastInstant].map((each) => formatDate(each, zone));
      if (localDays.includes(day)) continue;
      const text = `${printable(day)} beside the hour ${printable(hour)}`;
      sayings.find('rows', `The date of row ${row} is not the day of its hour: ${text}.`);
      return;
    }
  }

  #isTime(text: string): boolean {
    return this.#field === 'hour' ? momentOf(text) !== undefined : dayOf(text) !== undefined;
  }

  /**
   * The calendar of what the rows are broken down by; `undefined` where their times are not told,
   * or are one.
   */
  #calendarOf({ window, breakdowns, nowMs }: ExpectedTimes): Calendar | undefined {
    const now = Math.floor(nowMs / 1_000);
    if (breakdowns.includes('HOURLY') && this.#field === 'hour') return hoursOf(window, now);
    if (breakdowns.includes('HOURLY')) return datesOf(window, 'day', now);
    if (breakdowns.includes('MONTHLY')) return datesOf(window, 'month', now);
    if (breakdowns.includes('DAILY')) return datesOf(window, 'day', now);
    return undefined;
  }
}

function hasOtherOffset(moment: { instantMs: number; wallMs: number }, zone: string): boolean {
  const offsetSeconds = (moment.wallMs - moment.instantMs) / 1_000;
  const instant = moment.instantMs / 1_000;
  if (offsetSeconds === 0 || offsetSeconds === offsetAt(instant, zone)) return false;
  // Where clocks change by thirty minutes, an hour is named by the offset that it ends with.
  return offsetSeconds !== offsetAt(instant + secondsPerHour - 1, zone);
}

function listOf(calendar: Calendar, times: ReadonlySet<number>): string {
  const first = [...times].slice(0, 5);
  const names = first.map((time) => calendar.label(time)).join(', ');
  const more = times.size > 5 ? ` and ${times.size - 5} more` : '';
  return `${names}${more}.`;
}

/** Days, or months, counted from 1970. */
function datesOf({ since, until, zone }: Window, unit: 'day' | 'month', now: number): Calendar {
  const read = (text: string): number | undefined => {
    const day = dayOf(text);
    if (day === undefined || unit === 'day') return day;
    return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1;
  };
  const timeAt = (instant: number): number => read(formatDate(instant, zone)) ?? 0;

  const first = timeAt(since);
  const last = timeAt(until);
  const current = timeAt(now);
  return {
    unit,
    read,
    isOutside: (time) => time < first || time > last,
    isToCome: (time) => time > current,
    *over() {
      const isFirstWhole = timeAt(since - 1) < first;
      const end = Math.min(until, now);
      const isLastWhole = timeAt(end + 1) > timeAt(end);
      const lastOver = isLastWhole ? timeAt(end) : timeAt(end) - 1;
      for (let time = isFirstWhole ? first : first + 1; time <= lastOver; time++) yield time;
    },
    label(time) {
      if (unit === 'day') return dayText(time);
      return new Date(Date.UTC(Math.floor(time / 12), time % 12)).toISOString().slice(0, 7);
    },
  };
}

/** Local hours by the instants at which they begin. */
function hoursOf({ since, until, zone }: Window, now: number): Calendar {
  const intoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;

  return {
    unit: 'hour',
    read(text) {
      const moment = momentOf(text);
      return moment && Math.floor(moment.instantMs / 1_000);
    },
    isOutside: (hour) => hour + secondsPerHour - 1 < since || hour > until,
    isToCome: (hour) => hour > now,
    *over() {
      const end = Math.min(until, now);
      let start = since + ((secondsPerHour - intoHour(since)) % secondsPerHour);
      while (start + secondsPerHour - 1 <= end) {
        yield start;
        start += secondsPerHour;
        // A clock change of thirty minutes (Lord Howe) leaves a part of an hour, which may hold
        // nothing.
        start += (secondsPerHour - intoHour(start)) % secondsPerHour;
      }
    },
    label: (hour) => formatInstant(hour, zone),
  };
}
