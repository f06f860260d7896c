import { shellWord } from '../text/quote-for-shell.ts';
import { formatDate, formatDays, formatInstant, midnightAt } from './calendar.ts';
import type { TypedPeriod } from './period.ts';
import type { Part, Query } from './query.ts';
import { toArguments } from './saved-keys.ts';

/**
 * Returns the days of some parts in time order as a period that means the same tomorrow: fixed
 * dates, or instants if it does not consist of whole days.
 */
export function fixedPeriod(first: Part, last = first): TypedPeriod {
  const { zone } = first;
  const isWholeDays = midnightAt(first.since, zone) && midnightAt(last.end, zone);
  if (!isWholeDays) {
    return { since: formatInstant(first.since, zone), until: formatInstant(last.end - 1, zone) };
  }
  const lastDay = formatDate(last.end - 1, zone);
  return { period: formatDays({ firstDay: first.firstDay, lastDay }) };
}

interface CommandOptions {
  readonly platform: NodeJS.Platform;

  /** Further words: flags of this run. */
  readonly more?: readonly string[];
}

/** Formats the command that runs a query for a period. */
export function commandFor(
  query: Query,
  period: TypedPeriod,
  { platform, more = [] }: CommandOptions,
): string {
  const words = [...toArguments(withPeriod(query, period)), ...more];
  return ['adreport run', ...words.map((word) => shellWord(word, platform))].join(' ');
}

/** Replaces the period of a query. */
export function withPeriod(query: Query, { period, since, until }: TypedPeriod): Query {
  const { period: _period, since: _since, until: _until, ...others } = query;
  return {
    ...others,
    ...(period !== undefined && { period }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}
