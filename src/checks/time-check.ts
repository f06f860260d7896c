import { dayOf, parseTimestamp } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { formatDate, offsetAt, type Window } from '../query/calendar.ts';
import { valuesOf } from '../rows/column-values.ts';
import type { ReportTail, RowBatch, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { type Calendar, calendarOfDates, calendarOfHours, secondsPerHour } from './calendar.ts';
import { type Check, type CheckMessages, formatRows } from './row-check.ts';

/** Times that are remembered (eleven years of hours). */
const maxTimes = 100_000;

/** Compared with the row times. */
export interface ExpectedTimes {
  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  /** Set if the request is known, so that missing times can be noted. */
  readonly isRequested: boolean;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Rows with the same date and hour. */
interface TimeRows {
  /** As written; null without the column. */
  readonly date: Value;
  readonly hour: Value;

  /** Counted from 1. */
  readonly firstRow: number;

  rowCount: number;
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

  readonly #times = new Map<string, TimeRows>();
  #hasHours = false;

  constructor(expectedTimes: (tail: ReportTail) => ExpectedTimes | undefined) {
    this.#expectedTimes = expectedTimes;
  }

  observe(batch: RowBatch): void {
    const { fields, firstRow, rowCount } = batch;
    if (!fields.includes('date') && !fields.includes('hour')) return;
    this.#hasHours ||= fields.includes('hour');

    const dates = valuesOf(batch, 'date');
    const hours = valuesOf(batch, 'hour');
    let time: TimeRows | undefined;
    for (let row = 0; row < rowCount; row++) {
      const date = dates[row] ?? null;
      const hour = hours[row] ?? null;
      // Consecutive rows often have the same time.
      const isSame = time && time.date === date && time.hour === hour;
      if (!isSame) time = this.#rowsAt(date, hour, firstRow + row + 1);
      if (time) time.rowCount += 1;
    }
  }

  /** Returns `undefined` for a new time if there are too many. */
  #rowsAt(date: Value, hour: Value, firstRow: number): TimeRows | undefined {
    const key = `${date} ${hour}`;
    const known = this.#times.get(key);
    if (known || this.#times.size >= maxTimes) return known;

    const time = { date, hour, firstRow, rowCount: 0 };
    this.#times.set(key, time);
    return time;
  }

  close(tail: ReportTail, messages: CheckMessages): void {
    const expected = this.#expectedTimes(tail);
    if (!expected) return;

    const { zone } = expected.window;
    this.#checkOffsets(zone, messages);
    this.#checkPairs(zone, messages);
    this.#checkWindow(expected, messages);
  }

  /** Finds hours with the offset of another zone, even if the instant is right. UTC is accepted. */
  #checkOffsets(zone: string, messages: CheckMessages): void {
    for (const { hour, firstRow } of this.#times.values()) {
      const moment = typeof hour === 'string' ? parseTimestamp(hour) : undefined;
      if (!moment || !hasOtherOffset(moment, zone)) continue;
      messages.addWarning(
        'rows',
        `The hours are not in the zone ${zone}: row ${firstRow} has ${printable(String(hour))}.`,
      );
      return;
    }
  }

  #checkPairs(zone: string, messages: CheckMessages): void {
    for (const { date, hour, firstRow } of this.#times.values()) {
      if (typeof date !== 'string' || typeof hour !== 'string') continue;
      const moment = parseTimestamp(hour);
      if (!moment || dayOf(date) === undefined) continue;

      // In zones with half-hour offsets, a UTC hour may be in two local days.
      const first = moment.instantMs / 1_000;
      const last = first + secondsPerHour - 1;
      if (date === formatDate(first, zone) || date === formatDate(last, zone)) continue;
      messages.addWarning(
        'rows',
        `The date and hour in row ${firstRow} do not match: date ${printable(date)}, hour ${printable(hour)}.`,
      );
      return;
    }
  }

  /** Compares hours with the window, and dates if there is no readable hour. */
  #checkWindow(expected: ExpectedTimes, messages: CheckMessages): void {
    const { window, breakdowns, isRequested, nowMs } = expected;
    const isHourly = breakdowns.includes('HOURLY');
    const isMonthly = breakdowns.includes('MONTHLY');
    if (!isHourly && !isMonthly && !breakdowns.includes('DAILY')) return;

    const now = Math.floor(nowMs / 1_000);
    const dates = calendarOfDates(window, isMonthly ? 'month' : 'day', now);
    const hours = isHourly && this.#hasHours ? calendarOfHours(window, now) : undefined;

    const seenDates = new Set<number>();
    const seenHours = new Set<number>();
    const unreadable: TimeRows[] = [];
    for (const time of this.#times.values()) {
      const hour = hours?.read(time.hour);
      const date = dates.read(time.date);
      if (hour !== undefined) seenHours.add(hour);
      else if (date !== undefined) seenDates.add(date);
      if (hour === undefined && (hours || date === undefined)) unreadable.push(time);
    }

    if (hours) checkTimes(hours, seenHours, messages);
    checkTimes(dates, seenDates, messages);
    if (unreadable.length > 0) noteUnreadable(hours ? 'hour' : 'date', unreadable, messages);
    else if (isRequested && hours) noteMissing(hours, seenHours, messages);
    else if (isRequested) noteMissing(dates, seenDates, messages);
  }
}

function hasOtherOffset(moment: { instantMs: number; wallMs: number }, zone: string): boolean {
  const offsetSeconds = (moment.wallMs - moment.instantMs) / 1_000;
  const instant = moment.instantMs / 1_000;
  if (offsetSeconds === 0 || offsetSeconds === offsetAt(instant, zone)) return false;
  // With clock changes of thirty minutes, an hour has the offset of its end.
  return offsetSeconds !== offsetAt(instant + secondsPerHour - 1, zone);
}

/** Finds times outside the window, and notes times in the future. */
function checkTimes(calendar: Calendar, times: ReadonlySet<number>, messages: CheckMessages): void {
  const outside: number[] = [];
  const future: number[] = [];
  for (const time of times) {
    if (calendar.isOutside(time)) outside.push(time);
    else if (calendar.isFuture(time)) future.push(time);
  }

  const { unit } = calendar;
  if (outside.length > 0) {
    const count = formatPlural(outside.length, unit);
    const list = listTimes(calendar, outside);
    messages.addWarning('rows', `The report has rows for ${count} outside its period: ${list}`);
  }
  if (future.length > 0) {
    const count = formatPlural(future.length, unit);
    const list = listTimes(calendar, future);
    messages.addNote('rows', `The report has rows for ${count} in the future: ${list}`);
  }
}

function noteUnreadable(
  field: 'date' | 'hour',
  times: readonly TimeRows[],
  messages: CheckMessages,
): void {
  let rowCount = 0;
  for (const time of times) rowCount += time.rowCount;
  const [first] = times;
  const rows = formatRows(rowCount, first?.firstRow ?? 0);
  const value = printable(JSON.stringify(first?.[field]).slice(0, 50));
  messages.addNote(
    'rows',
    `Some row times could not be checked: cannot read the ${field} in ${rows}: ${value}.`,
  );
}

function noteMissing(
  calendar: Calendar,
  times: ReadonlySet<number>,
  messages: CheckMessages,
): void {
  if (times.size === 0) return;

  const missing: number[] = [];
  let count = 0;
  for (const time of calendar.over()) {
    count += 1;
    if (count > maxTimes) return;
    if (!times.has(time)) missing.push(time);
  }
  if (missing.length === 0) return;
  const all = formatPlural(count, calendar.unit);
  const share = count === 1 ? '' : `${missing.length} of the ${all}: `;
  const list = listTimes(calendar, missing);
  messages.addNote('rows', `The report has no rows for ${share}${list}`);
}

function listTimes(calendar: Calendar, times: readonly number[]): string {
  const names = times.slice(0, 5).map((time) => calendar.label(time));
  const more = times.length > 5 ? ` and ${times.length - 5} more` : '';
  return `${names.join(', ')}${more}.`;
}
