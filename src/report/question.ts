import { createHash } from 'node:crypto';
import { findCountry } from '../contract/countries.ts';
import type { WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';

/**
 * The request of a report without its window, as the books keep it (`cli.md`, A folder of reports).
 */
export interface BookedRequest {
  readonly profile: Profile;
  readonly metrics: readonly string[];
  readonly breakdowns: readonly string[];

  /** Ids as the service takes them; names and patterns (`campaign`) as the user wrote them. */
  readonly filters: Readonly<Record<string, readonly string[]>>;

  /** Those that `--columns` chooses; `null` for the columns that the request leads to. */
  readonly columns: readonly string[] | 'all' | null;
}

/**
 * The form of a file: its format, and the flags that shape it, as far as they differ from the usual
 * ones.
 */
export interface BookedFormat {
  readonly name: string;
  readonly [setting: string]: string | number | boolean | readonly string[];
}

/** What a file answers, whoever asked, and whom. */
export interface Question {
  readonly request: BookedRequest;
  readonly format: BookedFormat;
  readonly timezone: string;

  /** The name of the stored account, else the e-mail address; `null` for a bare token. */
  readonly account: string | null;

  /** The address of the service; `local` for one of this machine. */
  readonly service: string;
  readonly windowClock: WindowClock;
}

/** The part of a question that decides what a file holds, but its window. */
export type ContentQuestion = Pick<Question, 'request' | 'format' | 'timezone'>;

/** The flags that shape the head of a page, and none of its figures. */
const headings = ['title', 'note', 'logo'];

/**
 * A name for all that decides the content of a file but its window: 32 hex digits, the same on
 * every machine. The order of metrics, breakdowns and columns counts, because the file keeps it;
 * the order of filters and of their values does not.
 */
export function hashOfQuestion({ request, format, timezone }: ContentQuestion): string {
  const filters = Object.entries(request.filters).map(([name, values]) => {
    return [name, [...values].sort()] as const;
  });
  const settings = Object.entries(format).filter(([name]) => !headings.includes(name));

  const identity = [
    request.profile,
    request.metrics,
    request.breakdowns,
    Object.fromEntries(filters.sort(byName)),
    request.columns,
    Object.fromEntries(settings.sort(byName)),
    timezone,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

/**
 * What differs between the content that a file has and the one that is asked for now, a text for
 * each difference: `country: FR → DE`. No text where they are the same.
 */
export function differencesOf(booked: ContentQuestion, asked: ContentQuestion): string[] {
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

/**
 * Everything that decides the content, by the names that the flags have, as texts that people read.
 */
function settingsOf({ request, format, timezone }: ContentQuestion): Map<string, string> {
  const { columns } = request;
  const settings = new Map<string, string>([
    ['profile', request.profile],
    ['metrics', request.metrics.join(',')],
    ['by', request.breakdowns.join(',') || 'none'],
    ['timezone', timezone],
  ]);
  if (columns !== null) settings.set('columns', columns === 'all' ? columns : columns.join(','));

  for (const [name, values] of Object.entries(request.filters)) {
    const isCountry = name === 'countryId';
    const texts = isCountry ? values.map(countryCode) : values;
    settings.set(isCountry ? 'country' : name, [...texts].sort().join(','));
  }
  for (const [name, value] of Object.entries(format)) {
    if (headings.includes(name)) continue;
    settings.set(name === 'name' ? 'format' : name, String(value));
  }
  return settings;
}

function countryCode(id: string): string {
  return findCountry(id)?.code ?? id;
}

function byName([name]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return name < other ? -1 : 1;
}
