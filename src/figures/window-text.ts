import { DateTime, Interval } from 'luxon';
import { nounOf } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { dayOf, readTime } from '../contract/values.ts';
import { type Breakdown, type DerivedBreakdown, findAnyBreakdown } from '../contract/vocabulary.ts';
import type { DateUnit } from './grouping.ts';
import type { ReportSums, Unit } from './report-sums.ts';

/** A day (`YYYY-MM-DD`), which may have more behind it, in the language of pages. */
function readDay(text: string): DateTime {
  return DateTime.fromISO(text, { zone: 'utc', locale: 'en-GB' });
}

/**
 * A report's window for people: `1–31 October 2026`, with times of day where it does not run over
 * whole days, in the report's zone; texts that are no date-times stay as they are.
 */
export function windowText({ since, until }: Pick<ReportSummary, 'since' | 'until'>): string {
  const first = readWallTime(since);
  const last = readWallTime(until);
  if (!first || !last) return `${since} – ${until}`;

  if (first.time === '00:00:00' && last.time === '23:59:59') return daysText(first.day, last.day);
  return `${wallTimeText(first)} – ${wallTimeText(last)}`;
}

/** A day and a time of day, as texts. */
interface WallTime {
  readonly day: string;
  readonly time: string;
}

/** What the clocks of the report's zone show; `undefined` where a text is no date-time. */
function readWallTime(text: string): WallTime | undefined {
  const written = readTime(text);
  if (!written || written.isDay) return undefined;
  const [day = '', time = ''] = new Date(written.wallMs).toISOString().split('T');
  return { day, time: time.slice(0, '00:00:00'.length) };
}

function wallTimeText({ day, time }: WallTime): string {
  // The first and the last second of a minute are its beginning and its end.
  const shortTime = time.replace(/:(00|59)$/, '');
  return `${readDay(day).toLocaleString(DateTime.DATE_FULL)}, ${shortTime}`;
}

/** Days from the first to the last (`YYYY-MM-DD`), what both have in common said once. */
function daysText(first: string, last: string): string {
  const days = Interval.fromDateTimes(readDay(first), readDay(last));
  const text = days.toLocaleString(DateTime.DATE_FULL);
  // Releases of Node differ in the blanks beside the dash.
  return text.replace(/\s*–\s*/, /^\d+\s*–/.test(text) ? '–' : ' – ');
}

/** A report for people; what is `undefined` neither its summary nor its rows tell. */
export interface ReportDescription {
  readonly title: string;
  readonly window: string | undefined;
  readonly zone: string | undefined;

  /** What its dates stand for. */
  readonly dateUnit: DateUnit;
}

/** Describes a report by its summary, where that tells; else by its rows. */
export function describeReport(
  summary: ReportSummary | undefined,
  { units }: ReportSums,
): ReportDescription {
  const asked = summary ? breakdownsNamed(summary.breakdowns) : breakdownsOfUnits(units);
  return {
    title: titleOf(asked),
    window: summary ? windowText(summary) : daysOfUnits(units),
    zone: summary && zoneText(summary.timezone),
    dateUnit: dateUnitOf(asked),
  };
}

/** A breakdown of the service, or one that is made of its reports. */
type NamedBreakdown = Breakdown | DerivedBreakdown;

function breakdownsNamed(names: readonly string[]): NamedBreakdown[] {
  const named: NamedBreakdown[] = [];
  for (const name of names) {
    const breakdown = findAnyBreakdown(name);
    if (breakdown) named.push(breakdown);
  }
  return named;
}

function dateUnitOf(asked: readonly NamedBreakdown[]): DateUnit {
  const names = asked.map(({ name }) => name);
  if (names.includes('WEEKLY')) return 'week';
  if (names.includes('RANGE')) return 'window';
  return names.includes('MONTHLY') ? 'month' : 'day';
}

/** The breakdowns that the rows of a report show, that of time first. */
function breakdownsOfUnits(units: readonly Unit[]): NamedBreakdown[] {
  const time = units.find(({ isTime }) => isTime);
  const timeName = time?.fields.includes('hour') ? 'HOURLY' : 'DAILY';

  const shown = time ? breakdownsNamed([timeName]) : [];
  for (const { breakdown } of units) {
    if (breakdown) shown.push(breakdown);
  }
  return shown;
}

/** The days that rows have, from the first to the last; `undefined` where none has a day. */
function daysOfUnits(units: readonly Unit[]): string | undefined {
  const time = units.find(({ isTime }) => isTime);
  const days: string[] = [];
  for (const { key } of time?.groups ?? []) {
    const day = (key[0] ?? '').slice(0, 10);
    if (dayOf(day) !== undefined) days.push(day);
  }
  days.sort();

  const first = days[0];
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : daysText(first, last);
}

const timeWords: Readonly<Record<string, string>> = {
  DAILY: 'Daily',
  HOURLY: 'Hourly',
  WEEKLY: 'Weekly',
  MONTHLY: 'Monthly',
};

function titleOf(asked: readonly NamedBreakdown[]): string {
  const time = asked.find(({ name }) => timeWords[name] !== undefined);
  const timeWord = time && timeWords[time.name];
  const nouns = asked.filter((breakdown) => !breakdown.time).map(nounOf);
  if (nouns.length === 0) return `${timeWord ?? 'Advertising'} report`;

  const report = timeWord ? `${timeWord} report` : 'Report';
  return `${report} by ${listWords(nouns)}`;
}

/** A zone's name as the database writes it: a buyer's summary says `europe/paris`. */
export function zoneText(zone: string): string {
  if (zone !== zone.toLowerCase() || !zone.includes('/')) return zone;
  return zone.replaceAll(/(?<=^|[/_])[a-z]/g, (letter) => letter.toUpperCase());
}

/** `campaign`, `campaign and country`, `campaign, country and device`. */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
