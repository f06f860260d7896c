import { DateTime, Interval } from 'luxon';
import { deriveNoun } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { readTime } from '../contract/values.ts';
import { type Breakdown, type DerivedBreakdown, findAnyBreakdown } from '../contract/vocabulary.ts';
import { formatInstant, type Window } from '../query/calendar.ts';
import { joinWords } from '../text/quantity.ts';
import type { DateUnit } from './group-keys.ts';
import type { Dimension, ReportSums } from './report-sums.ts';
import { sortByTime } from './sorting.ts';

/**
 * Formats a report's period: `1–31 October 2026`, with times in the report's zone unless it covers
 * whole days. A string that is not a date-time is returned unchanged.
 */
function formatWindow({ since, until }: Pick<ReportSummary, 'since' | 'until'>): string {
  const first = readWallTime(since);
  const last = readWallTime(until);
  if (!first || !last) return `${since} – ${until}`;

  const isWholeDays = first.toFormat('TT') === '00:00:00' && last.toFormat('TT') === '23:59:59';
  if (isWholeDays) return formatDays(first, last);
  return `${formatTime(first)} – ${formatTime(last)}`;
}

export function formatPeriod({ since, until, zone }: Window): string {
  return formatWindow({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
}

/** Parses a wall time in the report's zone, or returns `undefined` for anything but a date-time. */
function readWallTime(text: string): DateTime | undefined {
  const written = readTime(text);
  return written && !written.isDay ? toDateTime(written.wallMs) : undefined;
}

/** Converts a wall time in milliseconds since 1970. */
function toDateTime(wallMs: number): DateTime {
  return DateTime.fromMillis(wallMs, { zone: 'utc', locale: 'en-GB' });
}

function formatTime(time: DateTime): string {
  return `${time.toLocaleString(DateTime.DATE_FULL)}, ${formatClock(time)}`;
}

/** Formats a time. The seconds 00 and 59 are omitted, because they start or end a whole minute. */
function formatClock(time: DateTime): string {
  return time.toFormat('TT').replace(/:(00|59)$/, '');
}

/** Formats a range of days without repeating a common month or year. */
function formatDays(first: DateTime, last: DateTime): string {
  const text = Interval.fromDateTimes(first, last).toLocaleString(DateTime.DATE_FULL);
  // The spaces around the dash differ between Node releases.
  return text.replace(/\s*–\s*/, /^\d+\s*–/.test(text) ? '–' : ' – ');
}

/** A report in human-readable form. `undefined` means unknown. */
export interface ReportDescription {
  readonly title: string;
  readonly window: string | undefined;
  readonly zone: string | undefined;

  /** Period that each date represents. */
  readonly dateUnit: DateUnit;
}

/** Breakdowns whose dates represent more than a day. */
const dateUnits: Readonly<Record<string, DateUnit>> = {
  WEEKLY: 'week',
  MONTHLY: 'month',
  RANGE: 'window',
};

type NamedBreakdown = Breakdown | DerivedBreakdown;

/** Describes a report from its summary, or from its rows if there is none. */
export function describeReport(
  summary: ReportSummary | undefined,
  { dimensions }: ReportSums,
): ReportDescription {
  const breakdowns: NamedBreakdown[] = [];
  for (const name of summary?.breakdowns ?? listBreakdowns(dimensions)) {
    const breakdown = findAnyBreakdown(name);
    if (breakdown) breakdowns.push(breakdown);
  }
  return {
    title: buildTitle(breakdowns),
    window: summary ? formatWindow(summary) : formatDaysOfRows(dimensions),
    zone: summary && formatZone(summary.timezone),
    dateUnit: breakdowns.map(({ name }) => dateUnits[name]).find(Boolean) ?? 'day',
  };
}

/** Returns the breakdowns of a report's rows, time first. */
function listBreakdowns(dimensions: readonly Dimension[]): string[] {
  const named: string[] = [];
  for (const { breakdown, fields, isTime } of dimensions) {
    if (breakdown) named.push(breakdown.name);
    if (isTime) named.unshift(fields.includes('hour') ? 'HOURLY' : 'DAILY');
  }
  return named;
}

/** Formats the range of days in the rows, if there are any. */
function formatDaysOfRows(dimensions: readonly Dimension[]): string | undefined {
  const times = sortByTime(dimensions.find(({ isTime }) => isTime)?.groups ?? []);
  const first = times[0];
  const last = times.at(-1);
  return first && last && formatDays(toDateTime(first.wallMs), toDateTime(last.wallMs));
}

function buildTitle(breakdowns: readonly NamedBreakdown[]): string {
  const time = breakdowns.find((breakdown) => breakdown.time && breakdown.name !== 'RANGE');
  const word = time && time.name.charAt(0) + time.name.slice(1).toLowerCase();
  const nouns = breakdowns.filter((breakdown) => !breakdown.time).map(deriveNoun);
  if (nouns.length === 0) return `${word ?? 'Advertising'} report`;

  const report = word ? `${word} report` : 'Report';
  return `${report} by ${joinWords(nouns)}`;
}

/** Capitalizes a time zone: a buyer's summary has `europe/paris`. */
export function formatZone(zone: string): string {
  if (zone !== zone.toLowerCase() || !zone.includes('/')) return zone;
  return zone.replaceAll(/(?<=^|[/_])[a-z]/g, (letter) => letter.toUpperCase());
}
