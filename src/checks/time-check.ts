import { dayOf, dayText, momentOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { formatDate, formatInstant, offsetAt, type Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { changesOf } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { type Check, type CheckMessages, rowsText } from './row-check.ts';

/** At most this many times (eleven years of hours) are remembered. */
const timesAtMost = 100_000;

const secondsPerHour = 3_600;

/** What the row times are compared with. */
export interface ExpectedTimes {
  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  /** True if the request is known, so that missing times can be noted. */
  readonly isRequested: boolean;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The days, hours or months of a window, each identified by a number that grows with time. */
interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /** The number of the unit that contains a row's time; `undefined` if the text is not a time. */
  read(text: string): number | undefined;

  /** True if the whole unit is outside the window. */
  isOutside(time: number): boolean;

  /** True if the unit begins after now. */
  isFuture(time: number): boolean;

  /** The units that are entirely in the window and over by now. */
  over(): Iterable<number>;

  /** The unit's name in messages. */
  label(time: number): string;
}

/** A day and an hour from the same row. */
interface DayAndHour {
  readonly day: string;
  readonly hour: string;
  readonly row: number;
}

/**
 * Finds rows outside the window, dates that do not match their hours, and hours in another zone;
 * notes times without rows, future times, and unreadable times. Times are collected as the rows
 * pass and compared at the end, because the window of a report without a known request is only
 * known then.
 */
export class TimeCheck implements Check {
  /** Returns `undefined` if the window is not known. */
  readonly #expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined;

  /** The hours (or days, if there are no hours) of the rows, each with its first row. */
  readonly #texts = new Map<string, number>();

  readonly #pairs = new Map<string, DayAndHour>();

  readonly #unreadable = { count: 0, firstRow: 0, value: '' };

  /** The field with a row's time: `hour` if the rows have one. */
  #field: 'hour' | 'date' = 'date';

  constructor(expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined) {
    this.#expectedTimes = expectedTimes;
  }

  observe(batch: RowBatch): void {
    if (batch.fields.includes('hour')) this.#field = 'hour';
    const field = this.#field;
    if (!batch.fields.includes(field)) return;

    // `changesOf` reports only changes, so an unreadable time lasts until the next change.
    let unreadableSince: number | undefined;
    const endRun = (row: number): void => {
      if (unreadableSince !== undefined) this.#unreadable.count += row - unreadableSince;
      unreadableSince = undefined;
    };

    changesOf(batch, field, (value, row) => {
      endRun(row);
      const isKnown = typeof value === 'string' && this.#texts.has(value);
      if (isKnown) return;
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

  close(tail: ReportTail, messages: CheckMessages): void {
    const { count, firstRow, value } = this.#unreadable;
    if (count > 0) {
      const rows = rowsText(count, firstRow);
      messages.addNote(
        'rows',
        `Not all row times could be checked: the ${this.#field} in ${rows} is not readable: ${value}.`,
      );
    }

    const expected = this.#expectedTimes(tail);
    if (!expected) return;
    const { zone } = expected.window;
    this.#checkOffsets(zone, messages);
    this.#checkPairs(zone, messages);

    const calendar = this.#calendarOf(expected);
    if (!calendar || tail.rowCount === 0) return;
    this.#checkTimes(calendar, expected.isRequested && count === 0, messages);
  }

  /** Collects which dates occur with which hours. */
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

  #checkTimes(calendar: Calendar, canNoteMissing: boolean, messages: CheckMessages): void {
    const times = new Set<number>();
    const outside = new Set<number>();
    const future = new Set<number>();
    for (const text of this.#texts.keys()) {
      const time = calendar.read(text);
      if (time === undefined) continue;
      times.add(time);
      if (calendar.isOutside(time)) outside.add(time);
      else if (calendar.isFuture(time)) future.add(time);
    }

    const { unit } = calendar;
    if (outside.size > 0) {
      const list = listOf(calendar, outside);
      messages.addWarning(
        'rows',
        `The report has rows for ${formatPlural(outside.size, unit)} outside its window: ${list}`,
      );
    }
    if (future.size > 0) {
      const list = listOf(calendar, future);
      messages.addNote(
        'rows',
        `The report has rows for ${formatPlural(future.size, unit)} in the future: ${list}`,
      );
    }
    if (!canNoteMissing || times.size === 0) return;

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
    messages.addNote(
      'rows',
      `The report has no rows for ${missing.size} of the ${all} in its window: ${list}`,
    );
  }

  /** Finds hours with the offset of another zone, even if the instant is right. UTC is accepted. */
  #checkOffsets(zone: string, messages: CheckMessages): void {
    if (this.#field !== 'hour') return;

    for (const [text, row] of this.#texts) {
      const moment = momentOf(text);
      if (!moment || !hasOtherOffset(moment, zone)) continue;
      messages.addWarning(
        'rows',
        `The hours are not in the zone ${zone}: row ${row} has ${printable(text)}.`,
      );
      return;
    }
  }

  #checkPairs(zone: string, messages: CheckMessages): void {
    for (const { day, hour, row } of this.#pairs.values()) {
      const moment = momentOf(hour);
      if (!moment || dayOf(day) === undefined) continue;

      // In zones with half-hour offsets, a UTC hour may be in two local days.
      const instant = moment.instantMs / 1_000;
      const lastInstant = instant + secondsPerHour - 1;
      const localDays = [instant, lastInstant].map((each) => formatDate(each, zone));
      if (localDays.includes(day)) continue;
      const text = `date ${printable(day)}, hour ${printable(hour)}`;
      messages.addWarning('rows', `The date in row ${row} is not the day of its hour: ${text}.`);
      return;
    }
  }

  #isTime(text: string): boolean {
    return this.#field === 'hour' ? momentOf(text) !== undefined : dayOf(text) !== undefined;
  }

  /** The calendar of the time breakdown; `undefined` without one, or with RANGE. */
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
  // With clock changes of thirty minutes, an hour has the offset of its end.
  return offsetSeconds !== offsetAt(instant + secondsPerHour - 1, zone);
}

function listOf(calendar: Calendar, times: ReadonlySet<number>): string {
  const first = [...times].slice(0, 5);
  const names = first.map((time) => calendar.label(time)).join(', ');
  const more = times.size > 5 ? ` and ${times.size - 5} more` : '';
  return `${names}${more}.`;
}

/** Days or months, counted from 1970. */
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
    isFuture: (time) => time > current,
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

/** Local hours, identified by the instants at which they begin. */
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
    isFuture: (hour) => hour > now,
    *over() {
      const end = Math.min(until, now);
      let start = since + ((secondsPerHour - intoHour(since)) % secondsPerHour);
      while (start + secondsPerHour - 1 <= end) {
        yield start;
        start += secondsPerHour;
        // A clock change of thirty minutes (Lord Howe) leaves a partial hour, which may be empty.
        start += (secondsPerHour - intoHour(start)) % secondsPerHour;
      }
    },
    label: (hour) => formatInstant(hour, zone),
  };
}
