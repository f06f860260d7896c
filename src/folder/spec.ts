import { createHash } from 'node:crypto';
import { findCountry } from '../contract/countries.ts';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import type {
  BreakdownName,
  DerivedBreakdownName,
  DerivedName,
  FilterName,
  MetricName,
  Profile,
} from '../contract/vocabulary.ts';
import type { SplitUnit } from '../query/calendar.ts';
import type { NamedFilter } from '../query/query.ts';

/**
 * Everything that decides the content and the output of a report: the request, the window as typed,
 * the format, the path, and the account.
 *
 * Plain value, the same in the ledger, the history of a folder, saved reports and hints. Members
 * with default values are absent. Flags of the spec without a member below are stored under their
 * option names.
 */
export interface ReportSpec {
  readonly request: SpecRequest;

  /** IANA name of the report's zone. */
  readonly timezone: string;
  readonly format: SpecFormat;

  /** Value of `-o`, with placeholders; absent for stdout. */
  readonly output?: string;
  readonly split?: SplitUnit;

  /** Window, as a period or by its ends, as typed. */
  readonly period?: string;
  readonly since?: string;
  readonly until?: string;

  /** Downloads only what is due; with a window that moves, this is a standing job. */
  readonly missing?: boolean;

  /** Units for which the service still corrects a part; 0 if absent. */
  readonly lookback?: number;
  readonly strict?: boolean;

  /** `json` if absent. */
  readonly encoding?: Encoding;

  /** Name of the stored account; absent for a bare token. */
  readonly account?: string;

  /** Masked e-mail address, if known. */
  readonly login?: string;

  /** Base URL of the service; `local` for one on loopback. */
  readonly service?: string;

  /** `instant` if absent. */
  readonly windowClock?: WindowClock;
}

/** Content of a report, without the window. */
export interface SpecRequest {
  readonly profile: Profile;

  /** In column order, including computed ones. */
  readonly metrics: readonly (MetricName | DerivedName)[];
  readonly breakdowns: readonly (BreakdownName | DerivedBreakdownName)[];
  readonly filters?: SpecFilters;

  /** Value of `--columns`; absent for the default columns. */
  readonly columns?: readonly string[] | 'all';
}

/** Ids as sent to the service; names and patterns as typed. */
type SpecFilters = {
  readonly [Name in FilterName | NamedFilter['name']]?: readonly string[];
};

type SpecValue = string | number | boolean | readonly string[];

/** Name of a format, with the flags that shape the file, by option name. */
interface SpecFormat {
  readonly name: string;
  readonly [option: string]: SpecValue;
}

/** Flags that affect only the heading of a page. */
const headings = ['title', 'note'];

/**
 * Hashes to 32 hex digits everything except time that affects the content of a file; the same on
 * every machine. The order of metrics, breakdowns and columns matters, because the file keeps it;
 * the order of filters and their values does not.
 */
export function contentId(spec: ReportSpec): string {
  const { request, timezone, split, windowClock, format } = spec;
  const shape = Object.fromEntries(
    Object.entries(format).filter(([option]) => !headings.includes(option)),
  );
  return hashOf({ request: withSortedFilters(request), timezone, split, windowClock, shape });
}

/** Hashes the whole spec to 32 hex digits. */
export function specId(spec: ReportSpec): string {
  return hashOf({ ...spec, request: withSortedFilters(spec.request) });
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/** Sorts members by name. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    const isPlain = typeof member === 'object' && member !== null && !Array.isArray(member);
    return isPlain ? Object.fromEntries(Object.entries(member).sort(byName)) : member;
  });
}

function withSortedFilters(request: SpecRequest): SpecRequest {
  if (!request.filters) return request;
  const filters: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(request.filters)) filters[name] = [...values].sort();
  return { ...request, filters };
}

function byName([name]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return name < other ? -1 : 1;
}

/**
 * Lists the specDifferences between the contents of two specs: `country: FR → DE`. Empty if and only if
 * their content ids are equal.
 */
export function specDifferences(before: ReportSpec, after: ReportSpec): string[] {
  const old = contentTexts(before);
  const current = contentTexts(after);
  const texts: string[] = [];

  for (const name of new Set([...old.keys(), ...current.keys()])) {
    const oldText = old.get(name) ?? 'none';
    const text = current.get(name) ?? 'none';
    if (oldText !== text) texts.push(`${name}: ${shortened(oldText)} → ${shortened(text)}`);
  }
  return texts;
}

/** A filter may have a thousand values. */
function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Returns the members that affect the content, by flag name. */
function contentTexts({
  request,
  timezone,
  split,
  windowClock,
  format,
}: ReportSpec): Map<string, string> {
  const texts = new Map<string, string>([
    ['profile', request.profile],
    ['metrics', request.metrics.join(',')],
    ['by', request.breakdowns.join(',') || 'none'],
    ['timezone', timezone],
    ['split', split ?? 'none'],
    ['window-clock', windowClock ?? 'instant'],
  ]);
  if (request.columns !== undefined) texts.set('columns', String(request.columns));

  for (const [name, values] of Object.entries(request.filters ?? {})) {
    const isCountry = name === 'countryId';
    const shown = isCountry ? values.map(countryCode) : values;
    texts.set(isCountry ? 'country' : name, [...shown].sort().join(','));
  }
  for (const [option, value] of Object.entries(format)) {
    if (headings.includes(option)) continue;
    texts.set(option === 'name' ? 'format' : option, String(value));
  }
  return texts;
}

function countryCode(id: string): string {
  return findCountry(id)?.code ?? id;
}
