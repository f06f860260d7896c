import { DateTime, Interval } from 'luxon';
import { nounOf } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { dayOf } from '../contract/values.ts';
import { type Breakdown, breakdowns } from '../contract/vocabulary.ts';
import type { ReportSums } from './report-sums.ts';

const readDate = (text: string) => DateTime.fromISO(text, { zone: 'utc', locale: 'en-GB' });

/**
 * A report's window for people: `1–31 October 2026`, with times of day where it does not run over whole days, in the
 * report's zone; texts that are no date-times stay as they are.
 */
export function windowText({ since, until }: Pick<ReportSummary, 'since' | 'until'>): string {
  const [first, last] = [since, until].map((text) => {
    const [, day = '', time = ''] =
      /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[+-]\d\d:?\d\d|Z)?$/.exec(text) ?? [];
    return dayOf(day) === undefined ? undefined : { day, time };
  });
  if (!first || !last) return `${since} – ${until}`;
  if (first.time === '00:00:00' && last.time === '23:59:59') return daysText(first.day, last.day);
  const [from, to] = [first, last].map(({ day, time }) => {
    return `${readDate(day).toLocaleString(DateTime.DATE_FULL)}, ${time.replace(/:(00|59)$/, '')}`;
  });
  return `${from} – ${to}`;
}

/** Days from the first to the last (`YYYY-MM-DD`), what both have in common said once. */
function daysText(first: string, last: string): string {
  const text = Interval.fromDateTimes(readDate(first), readDate(last)).toLocaleString(
    DateTime.DATE_FULL,
  );
  // Releases of Node differ in the blanks beside the dash.
  return text.replace(/\s*–\s*/, /^\d+\s*–/.test(text) ? '–' : ' – ');
}

/** The day (`YYYY-MM-DD`) or month of an axis: `Thu 1 Oct 2026`, `October 2026`. */
export function axisDay(date: string, isMonth = false): string {
  const parts = isMonth
    ? ({ month: 'long', year: 'numeric' } as const)
    : DateTime.DATE_MED_WITH_WEEKDAY;
  return readDate(date).toLocaleString(parts).replace(',', '');
}

/** Describes a report for people by its summary, where that tells; else by its rows: what is `undefined` neither tells. */
export function describeReport(summary: ReportSummary | undefined, { units }: ReportSums) {
  const known = breakdowns;
  const time = units.find(({ isTime }) => isTime);
  const timeName = time && (time.fields.includes('hour') ? 'HOURLY' : 'DAILY');
  const asked = summary
    ? summary.breakdowns.flatMap((name) => known.filter((each) => each.name === name.toUpperCase()))
    : [
        ...known.filter(({ name }) => name === timeName),
        ...units.flatMap(({ breakdown }) => breakdown ?? []),
      ];
  const days = [...(time?.groups ?? [])].map(({ key: [day] }) => (day ?? '').slice(0, 10));
  const dated = days.filter((day) => dayOf(day) !== undefined).sort();
  const ofRows = dated.length > 0 ? daysText(dated[0] ?? '', dated.at(-1) ?? '') : undefined;
  return {
    title: titleOf(asked),
    window: summary ? windowText(summary) : ofRows,
    zone: summary && zoneText(summary.timezone),
    isMonthly: asked.some(({ name }) => name === 'MONTHLY'),
  };
}

const timeWords: Readonly<Record<string, string>> = {
  DAILY: 'Daily',
  HOURLY: 'Hourly',
  MONTHLY: 'Monthly',
};

function titleOf(asked: readonly Breakdown[]): string {
  const time = asked.flatMap(({ name }) => timeWords[name] ?? [])[0];
  const nouns = asked.filter((breakdown) => !breakdown.time).map(nounOf);
  if (nouns.length === 0) return `${time ?? 'Advertising'} report`;
  return `${time ? `${time} report` : 'Report'} by ${listWords(nouns)}`;
}

/** A zone's name as the database writes it: a buyer's summary says `europe/paris`. */
function zoneText(zone: string): string {
  if (zone !== zone.toLowerCase() || !zone.includes('/')) return zone;
  return zone.replaceAll(/(?<=^|[/_])[a-z]/g, (letter) => letter.toUpperCase());
}

export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}
