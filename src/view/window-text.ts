import { nounOf } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { dayOf } from '../contract/values.ts';
import { type Breakdown, breakdowns } from '../contract/vocabulary.ts';
import type { Unit } from './report-sums.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

interface Instant {
  readonly date: string;
  /** `HH:MM:SS` */
  readonly time: string;
}

/**
 * A report's window for people: `1–31 October 2026`, with times of day where it does not run over whole days, in the
 * report's zone; texts that are no date-times stay as they are.
 */
export function windowText({ since, until }: Pick<ReportSummary, 'since' | 'until'>): string {
  const [first, last] = [readInstant(since), readInstant(until)];
  if (!first || !last) return `${since} – ${until}`;
  if (first.time === '00:00:00' && last.time === '23:59:59') return describeDays(first.date, last.date);
  const moment = ({ date, time }: Instant): string => `${longDay(date)}, ${time.replace(/:(00|59)$/, '')}`;
  return `${moment(first)} – ${moment(last)}`;
}

/** Days from the first to the last (`YYYY-MM-DD`), what both have in common said once. */
function describeDays(first: string, last: string): string {
  if (first === last) return longDay(first);
  const sameYear = first.slice(0, 4) === last.slice(0, 4);
  if (sameYear && first.slice(0, 7) === last.slice(0, 7)) return `${Number(first.slice(8))}–${longDay(last)}`;
  return `${sameYear ? longDay(first).replace(/ \d+$/, '') : longDay(first)} – ${longDay(last)}`;
}

/** `2026-10-01` as `1 October 2026`. */
function longDay(date: string): string {
  const [year, month, day] = date.split('-');
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`;
}

/** `2026-10-01` as `Thu 1 Oct 2026`. */
export function shortDay(date: string): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const weekday = weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
  return `${weekday} ${day} ${months[month - 1]?.slice(0, 3)} ${year}`;
}

/** `2026-10` as `October 2026`. */
export function longMonth(month: string): string {
  return longDay(`${month}-01`).slice(2);
}

/** A zone's name as the database writes it: a buyer's summary says `europe/paris`. */
export function describeZone(zone: string): string {
  if (zone !== zone.toLowerCase() || !zone.includes('/')) return zone;
  return zone.replaceAll(/(?<=^|[/_])[a-z]/g, (letter) => letter.toUpperCase());
}

function readInstant(text: string): Instant | undefined {
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[+-]\d\d:?\d\d|Z)?$/.exec(text) ?? [];
  return dayOf(date) === undefined ? undefined : { date, time };
}

const timeWords: Readonly<Record<string, string>> = {
  DAILY: 'Daily report',
  HOURLY: 'Hourly report',
  MONTHLY: 'Monthly report',
};

/**
 * The breakdowns of a report: those of its request, where the summary tells; else those that its rows show.
 * @param units the units that have values
 */
export function breakdownsOf(summary: ReportSummary | undefined, units: readonly Unit[]): Breakdown[] {
  const known = breakdowns as readonly Breakdown[];
  const named = summary?.breakdowns.flatMap((name) => known.filter((each) => each.name === name.toUpperCase()));
  const timeName = (fields: readonly string[]) => (fields.includes('hour') ? 'HOURLY' : 'DAILY');
  return (
    named ??
    units.flatMap(({ isTime, fields, breakdown }) =>
      isTime ? known.filter(({ name }) => name === timeName(fields)) : (breakdown ?? []),
    )
  );
}

/** What a report is: `Daily report by campaign and city`. */
export function titleOf(asked: readonly Breakdown[]): string {
  const time = asked.flatMap(({ name }) => timeWords[name] ?? [])[0] ?? 'Report';
  const nouns = asked.filter((breakdown) => !breakdown.time).map(nounOf);
  if (nouns.length === 0) return time === 'Report' ? 'Advertising report' : time;
  return `${time} by ${listWords(nouns)}`;
}

/** The days of a report: its window and zone, where the summary tells; else those of its rows, if they have any. */
export function windowFacts(summary: ReportSummary | undefined, times: readonly (string | null)[]): string[] {
  if (summary) return [windowText(summary), describeZone(summary.timezone)];
  const days = times.map((time) => (time ?? '').slice(0, 10)).filter((day) => dayOf(day) !== undefined);
  const [first, last] = [days.reduce(earlier, days[0] ?? ''), days.reduce(later, '')];
  return first && last ? [describeDays(first, last)] : [];
}

const earlier = (a: string, b: string): string => (b < a ? b : a);
const later = (a: string, b: string): string => (b > a ? b : a);

/** `a, b and c`. */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}
