import type { Column } from '../contract/columns.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { breakdownsToSend } from '../query/body.ts';
import { formatDate, offsetAt, type Window } from '../query/calendar.ts';
import type { Part } from '../query/query.ts';
import { RepeatFinder } from '../rows/repeat-finder.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { buildDateCalendar, buildHourCalendar, type Calendar, secondsPerHour } from './calendar.ts';
import { type Check, type CheckMessages, formatRows } from './check.ts';
import { maxTimes, type RowTime, type RowTimes } from './row-times.ts';
import type { ValueCheck } from './value-check.ts';

/** Breakdowns with unique values. In other breakdowns, two different things may share a name. */
const keyBreakdowns: readonly BreakdownName[] = [
  'DAILY',
  'HOURLY',
  'MONTHLY',
  'RANGE',
  'CAMPAIGN',
  'ADUNIT',
  'CREATIVE',
  'COUNTRY',
  'ADNETWORK',
  'PLATFORM',
  'DEVICETYPE',
];

interface ExpectedRows {
  readonly part: Part;
  readonly columns: readonly Column[];

  /** Seconds since 1970. Days and hours after this time may still lack rows. */
  readonly now: number;

  readonly times: RowTimes;
  readonly metrics: readonly ValueCheck[];
}

/**
 * Finds rows outside the window, dates that do not match the hour, repeated keys, and repeated
 * headers. Adds notes on hours, days and months without rows, and on invalid times.
 */
export class RowCheck implements Check {
  readonly #expected: ExpectedRows;

  /** Not set if two rows may legitimately have the same breakdown values. */
  readonly #finder: RepeatFinder | undefined;

  constructor(expected: ExpectedRows) {
    this.#expected = expected;
    const { part, columns } = expected;
    if (breakdownsToSend(part.query.breakdowns).every((name) => keyBreakdowns.includes(name))) {
      this.#finder = new RepeatFinder(
        listFieldsWith(columns, 'breakdown'),
        listFieldsWith(columns, 'metric'),
      );
    }
  }

  observe(batch: RowBatch): void {
    this.#finder?.observe(batch);
  }

  close(_tail: ReportTail, messages: CheckMessages): void {
    const { part, times, metrics } = this.#expected;
    checkHourDates(times, part.zone, messages);
    checkTimes(this.#expected, messages);
    this.#checkRepeats(messages);
    const header = metrics.find(({ headerRow }) => headerRow > 0);
    if (header) messages.addWarning('rows', `Row ${header.headerRow} repeats the header.`);
  }

  #checkRepeats(messages: CheckMessages): void {
    const { count = 0, firstRow = 0 } = this.#finder ?? {};
    if (count === 0) return;
    if (this.#finder?.hasAmbiguousHours && mayRepeatHours(this.#expected.part)) return;

    const warning =
      count === 1
        ? `Row ${firstRow} repeats the breakdown values of an earlier row.`
        : `${count} rows repeat the breakdown values of earlier rows (first: row ${firstRow}).`;
    messages.addWarning('rows', warning);
  }
}

function listFieldsWith(columns: readonly Column[], kind: 'breakdown' | 'metric'): string[] {
  return columns.filter((column) => column[kind] !== undefined).map(({ field }) => field);
}

const secondsPerWeek = 7 * 86_400;

/** Whether clocks may go back in the window, which gives two hours the same name. */
function mayRepeatHours({ since, until, zone }: Window): boolean {
  for (let start = since; start <= until; start += secondsPerWeek) {
    const end = Math.min(start + secondsPerWeek, until);
    if (offsetAt(end, zone) < offsetAt(start, zone)) return true;
  }
  return false;
}

/** Finds a row whose date does not match its hour. */
function checkHourDates(times: RowTimes, zone: string, messages: CheckMessages): void {
  for (const { date, hour, day, timestamp, firstRow } of times.all) {
    if (day === undefined || !timestamp) continue;

    // In a zone with half-hour offsets, one hour of UTC may be in two local days.
    const first = timestamp.instantMs / 1_000;
    const last = first + secondsPerHour - 1;
    if (date === formatDate(first, zone) || date === formatDate(last, zone)) continue;
    messages.addWarning(
      'rows',
      `The date and hour in row ${firstRow} do not match: date ${printable(String(date))}, hour ${printable(String(hour))}.`,
    );
    return;
  }
}

/** Compares the hours with the window, or the dates if there are no valid hours. */
function checkTimes({ part, now, times }: ExpectedRows, messages: CheckMessages): void {
  const breakdowns = breakdownsToSend(part.query.breakdowns);
  const isHourly = breakdowns.includes('HOURLY');
  const isMonthly = breakdowns.includes('MONTHLY');
  if (!isHourly && !isMonthly && !breakdowns.includes('DAILY')) return;

  const dates = buildDateCalendar(part, isMonthly ? 'month' : 'day');
  const hours = isHourly && times.hasHours ? buildHourCalendar(part) : undefined;

  const seenDates = new Set<string>();
  const seenHours = new Set<number>();
  const unreadable: RowTime[] = [];
  for (const time of times.all) {
    const hour = hours?.keyOf(time);
    const date = dates.keyOf(time);
    if (hour !== undefined) seenHours.add(hour);
    else if (date !== undefined) seenDates.add(date);
    if (hour === undefined && (hours || date === undefined)) unreadable.push(time);
  }

  if (hours) checkOutside(hours, seenHours, messages);
  checkOutside(dates, seenDates, messages);
  const end = Math.min(part.until, now);
  if (unreadable.length > 0) noteUnreadable(hours ? 'hour' : 'date', unreadable, messages);
  else if (hours) noteMissing(hours.until(end), { calendar: hours, seen: seenHours }, messages);
  else noteMissing(dates.until(end), { calendar: dates, seen: seenDates }, messages);
}

function checkOutside<Key>(
  calendar: Calendar<Key>,
  seen: ReadonlySet<Key>,
  messages: CheckMessages,
): void {
  const outside = [...seen].filter((key) => calendar.isOutside(key));
  if (outside.length === 0) return;

  const count = formatPlural(outside.length, calendar.unit);
  const list = formatTimes(calendar, outside);
  messages.addWarning('rows', `The report has rows for ${count} outside its period: ${list}`);
}

function noteUnreadable(
  field: 'date' | 'hour',
  times: readonly RowTime[],
  messages: CheckMessages,
): void {
  let rowCount = 0;
  for (const time of times) rowCount += time.rowCount;
  const [first] = times;
  const rows = formatRows(rowCount, first?.firstRow ?? 0);
  const value = printable(JSON.stringify(first?.[field]).slice(0, 50));
  messages.addNote('rows', `The ${field} of ${rows} could not be read: ${value}.`);
}

function noteMissing<Key>(
  expected: Iterable<Key>,
  { calendar, seen }: { readonly calendar: Calendar<Key>; readonly seen: ReadonlySet<Key> },
  messages: CheckMessages,
): void {
  if (seen.size === 0) return;

  const missing: Key[] = [];
  let count = 0;
  for (const key of expected) {
    count += 1;
    if (count > maxTimes) return;
    if (!seen.has(key)) missing.push(key);
  }
  if (missing.length === 0) return;

  const all = formatPlural(count, calendar.unit);
  const share = count === 1 ? '' : `${missing.length} of the ${all}: `;
  messages.addNote('rows', `The report has no rows for ${share}${formatTimes(calendar, missing)}`);
}

function formatTimes<Key>(calendar: Calendar<Key>, keys: readonly Key[]): string {
  const names = keys.slice(0, 5).map((key) => calendar.label(key));
  const more = keys.length > 5 ? ` and ${keys.length - 5} more` : '';
  return `${names.join(', ')}${more}.`;
}
