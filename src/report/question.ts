import { createHash } from 'node:crypto';
import { findCountry } from '../contract/countries.ts';
import type { WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';

/** The request of a report without its window, as the books keep it (`cli.md`, A folder of reports). */
export interface BookedRequest {
  readonly profile: Profile;
  readonly metrics: readonly string[];
  readonly breakdowns: readonly string[];
  /** Ids as the service takes them; names and patterns (`campaign`) as the user wrote them. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** The name or the e-mail address of the account, and never its token. */
  readonly account: string;
  readonly baseUrl: string;
  readonly windowClock: WindowClock;
}

/** The form of a file: its format, and the settings of it that differ from the usual ones. */
export interface BookedFormat {
  readonly name: string;
  readonly [setting: string]: unknown;
}

/** Everything that decides what a file holds, but its window: two files of one question differ in their time alone. */
export interface Question {
  readonly request: BookedRequest;
  readonly format: BookedFormat;
  readonly timezone: string;
}

/**
 * A name for all that decides the content of a file but its window: 32 hex digits, the same on every machine. The order of
 * metrics, breakdowns and columns counts, because the file keeps it; the order of filters and of their values does not.
 */
export function hashOfQuestion({ request, format, timezone }: Question): string {
  const filters = Object.entries(request.filters).map(([name, values]) => {
    return [name, [...values].sort()] as const;
  });
  const sortedFilters = Object.fromEntries(filters.sort(byName));
  const sortedFormat = Object.fromEntries(Object.entries(format).sort(byName));

  const identity = [
    request.profile,
    request.metrics,
    request.breakdowns,
    sortedFilters,
    request.account,
    request.baseUrl,
    request.windowClock,
    sortedFormat,
    timezone,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

/**
 * What differs between the question that a file answers and the one that is asked now, a text for each difference:
 * `country: FR → DE`. No text where they are the same.
 */
export function differencesOf(booked: Question, asked: Question): string[] {
  const before = settingsOf(booked);
  const after = settingsOf(asked);
  const names = new Set([...before.keys(), ...after.keys()]);
  const differences: string[] = [];

  for (const name of names) {
    const old = before.get(name) ?? 'none';
    const current = after.get(name) ?? 'none';
    if (old !== current) differences.push(`${name}: ${beginningOf(old)} → ${beginningOf(current)}`);
  }
  return differences;
}

/** A text as it is shown: a filter may have a thousand values. */
function beginningOf(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Everything that a question settles, by the names that the flags have, as texts that people read. */
function settingsOf({ request, format, timezone }: Question): Map<string, string> {
  const settings = new Map<string, string>([
    ['profile', request.profile],
    ['metrics', request.metrics.join(',')],
    ['by', request.breakdowns.join(',') || 'none'],
    ['account', request.account],
    ['base-url', request.baseUrl],
    ['window-clock', request.windowClock],
    ['timezone', timezone],
  ]);

  for (const [name, values] of Object.entries(request.filters)) {
    const isCountry = name === 'countryId';
    const texts = isCountry ? values.map(countryCode) : values;
    settings.set(isCountry ? 'country' : name, [...texts].sort().join(','));
  }
  for (const [name, value] of Object.entries(format)) {
    settings.set(
      name === 'name' ? 'format' : name,
      Array.isArray(value) ? value.join(',') : String(value),
    );
  }
  return settings;
}

function countryCode(id: string): string {
  return findCountry(id)?.code ?? id;
}

function byName([name]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return name < other ? -1 : 1;
}
