import { DateTime, Interval } from 'luxon';
import { deriveNoun } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { parseDay, readTime } from '../contract/values.ts';
import { type Breakdown, type DerivedBreakdown, findAnyBreakdown } from '../contract/vocabulary.ts';
import { formatInstant, type Window } from '../query/calendar.ts';
import { listWords } from '../text/quantity.ts';
import type { DateUnit } from './group-keys.ts';
import type { ReportSums, Unit } from './report-sums.ts';

/** Reads the day (`YYYY-MM-DD`) at the start of a text, with the locale of pages. */
function readDay(text: string): DateTime {
  return DateTime.fromISO(text, { zone: 'utc', locale: 'en-GB' });
}

/**
 * Formats a report's window: `1–31 October 2026`, with times in the report's zone unless it covers
 * whole days. Text that is not a date-time is returned unchanged.
 */
function formatWindow({ since, until }: Pick<ReportSummary, 'since' | 'until'>): string {
  const first = readWallTime(since);
  const last = readWallTime(until);
  if (!first || !last) return `${since} – ${until}`;

  if (first.time === '00:00:00' && last.time === '23:59:59') return formatDays(first.day, last.day);
  return `${wallTimeText(first)} – ${wallTimeText(last)}`;
}

/** Formats a window as `formatWindow` does. */
export function formatPeriod({ since, until, zone }: Window): string {
  return formatWindow({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
}

interface WallTime {
  readonly day: string;
  readonly time: string;
}

/** Reads wall time in the report's zone; `undefined` if the text is not a date-time. */
function readWallTime(text: string): WallTime | undefined {
  const written = readTime(text);
  if (!written || written.isDay) return undefined;
  const [day = '', time = ''] = new Date(written.wallMs).toISOString().split('T');
  return { day, time: time.slice(0, '00:00:00'.length) };
}

function wallTimeText({ day, time }: WallTime): string {
  // Seconds 00 and 59 are the beginning and the end of a minute.
  const shortTime = time.replace(/:(00|59)$/, '');
  return `${readDay(day).toLocaleString(DateTime.DATE_FULL)}, ${shortTime}`;
}

/** Formats a range of days (`YYYY-MM-DD`) without repeating a common month or year. */
function formatDays(first: string, last: string): string {
  const days = Interval.fromDateTimes(readDay(first), readDay(last));
  const text = days.toLocaleString(DateTime.DATE_FULL);
  // Node releases differ in the spaces around the dash.
  return text.replace(/\s*–\s*/, /^\d+\s*–/.test(text) ? '–' : ' – ');
}

/** For readers; `undefined` means unknown. */
export interface ReportDescription {
  readonly title: string;
  readonly window: string | undefined;
  readonly zone: string | undefined;

  /** Unit that its dates represent. */
  readonly dateUnit: DateUnit;
}

/** Describes a report from its summary, or from its rows if there is none. */
export function describeReport(
  summary: ReportSummary | undefined,
  { units }: ReportSums,
): ReportDescription {
  const breakdowns: NamedBreakdown[] = [];
  for (const name of summary?.breakdowns ?? breakdownsIn(units)) {
    const breakdown = findAnyBreakdown(name);
    if (breakdown) breakdowns.push(breakdown);
  }
  return {
    title: buildTitle(breakdowns),
    window: summary ? formatWindow(summary) : formatDaysOfRows(units),
    zone: summary && formatZone(summary.timezone),
    dateUnit: chooseDateUnit(breakdowns.map(({ name }) => name)),
  };
}

type NamedBreakdown = Breakdown | DerivedBreakdown;

function chooseDateUnit(breakdowns: readonly string[]): DateUnit {
  if (breakdowns.includes('WEEKLY')) return 'week';
  if (breakdowns.includes('RANGE')) return 'window';
  return breakdowns.includes('MONTHLY') ? 'month' : 'day';
}

/** Returns the breakdowns of a report's rows, time first. */
function breakdownsIn(units: readonly Unit[]): string[] {
  const named: string[] = [];
  for (const { breakdown, fields, isTime } of units) {
    if (breakdown) named.push(breakdown.name);
    if (isTime) named.unshift(fields.includes('hour') ? 'HOURLY' : 'DAILY');
  }
  return named;
}

/** Formats the range of days in a report's rows; `undefined` if no row has a day. */
function formatDaysOfRows(units: readonly Unit[]): string | undefined {
  const time = units.find(({ isTime }) => isTime);
  const days: string[] = [];
  for (const { key } of time?.groups ?? []) {
    const day = (key[0] ?? '').slice(0, 10);
    if (parseDay(day) !== undefined) days.push(day);
  }
  days.sort();

  const first = days[0];
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : formatDays(first, last);
}

const timeWords: Readonly<Record<string, string>> = {
  DAILY: 'Daily',
  HOURLY: 'Hourly',
  WEEKLY: 'Weekly',
  MONTHLY: 'Monthly',
};

function buildTitle(breakdowns: readonly NamedBreakdown[]): string {
  const time = breakdowns.find(({ name }) => timeWords[name] !== undefined);
  const timeWord = time && timeWords[time.name];
  const nouns = breakdowns.filter((breakdown) => !breakdown.time).map(deriveNoun);
  if (nouns.length === 0) return `${timeWord ?? 'Advertising'} report`;

  const report = timeWord ? `${timeWord} report` : 'Report';
  return `${report} by ${listWords(nouns)}`;
}

/** Capitalizes a time zone: a buyer's summary has `europe/paris`. */
export function formatZone(zone: string): string {
  if (zone !== zone.toLowerCase() || !zone.includes('/')) return zone;
  return zone.replaceAll(/(?<=^|[/_])[a-z]/g, (letter) => letter.toUpperCase());
}
