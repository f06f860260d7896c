import { createHash } from 'node:crypto';
import { formatDate, type SplitUnit } from '../query/calendar.ts';
import { isSameAccount, nameAccount } from '../query/owner.ts';
import { isStillEmpty, laterMs, resolvePeriod, tryResolve } from '../query/period.ts';
import type { Query } from '../query/query.ts';
import { differences, type SavedValue, toSavedKeys } from '../query/saved-keys.ts';
import { type FilePattern, parsePattern } from './file-pattern.ts';

export const declarationName = '_adreport.yaml';

/** What a folder holds, from its first day on (cli.md, Folders). */
export interface Declaration {
  readonly query: FolderQuery;

  /** First day, `2026-11-01`. */
  readonly since: string;

  /** Last day; `now` for a folder that grows with the clock. */
  readonly until: string;
  readonly split: SplitUnit;

  /** IANA name of the zone. */
  readonly timezone: string;

  /** Parts that pass before a file is final. */
  readonly lookback: number;
  readonly pattern: FilePattern;

  /** Hash of everything that must not be edited. */
  readonly id: string;
}

/** A query with the days of a folder. Its output is relative to the folder. */
export interface FolderQuery extends Query {
  readonly since: string;
  readonly until: string;
  readonly split: SplitUnit;
}

export function toDeclaration(query: FolderQuery): Declaration {
  const { since, until, split, timezone, lookback = 0, outputs } = query;
  const pattern = parsePattern(outputs[0].path);
  return { query, since, until, split, timezone, lookback, pattern, id: hashQuery(query) };
}

/** Edits of these keys leave the report the same. */
const editableOptions = ['lookback', 'strict', 'title', 'note', 'label'];
const editableKeys = ['since', 'until', ...editableOptions];

/** Hashes what a declaration says, without the keys that may be edited, to 12 hex digits. */
function hashQuery(query: FolderQuery): string {
  const keys = Object.entries(declaredKeys(query)).filter(([key]) => !editableKeys.includes(key));
  const sorted = keys.sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}

/** Returns the keys and values of the file without `id`, in their order. */
export function declaredKeys(query: FolderQuery): Readonly<Record<string, SavedValue>> {
  const { since, until, lookback = 0, strict = false, split, login, service } = query;
  const { profile, by = [], metrics, ...others } = toSavedKeys(query);
  const { output, format, account, ...more } = others;
  const keys = { since, until, lookback, strict, split, profile, by, metrics, ...more };
  const ordered = { ...keys, output, format, account, login, service };

  const keysWithValues: Record<string, SavedValue> = {};
  for (const [key, value] of Object.entries(ordered)) {
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) keysWithValues[key] = value;
  }
  return keysWithValues;
}

/** First and last day that a run asks for; the last is `now` if it moves with the clock. */
export type RequestedDays = Pick<FolderQuery, 'since' | 'until'>;

/**
 * Finds the days that a run asks for.
 *
 * @throws UsageError for an invalid period
 */
export function findRequestedDays(query: Query, nowMs: number): RequestedDays {
  const { timezone: zone, split: unit } = query;
  const isEmpty = isStillEmpty(query, { zone, unit, nowMs });
  const window = resolvePeriod(query, { zone, unit, nowMs: isEmpty ? nowMs + laterMs : nowMs });
  const since = formatDate(window.since, zone);
  const moves = isEmpty || endMoves(query, nowMs, window.until);
  return { since, until: moves ? 'now' : formatDate(window.until, zone) };
}

/** Returns true if the end of the period depends on the time of the run. */
function endMoves(query: Query, nowMs: number, until: number): boolean {
  const { timezone: zone, split: unit } = query;
  const later = tryResolve(query, { zone, unit, nowMs: nowMs + laterMs });
  // If a later run would begin after its end, the end is fixed.
  return later !== undefined && later.until !== until;
}

/** Returns the first declaration of a folder. */
export function firstDeclaration(query: FolderRequest, days: RequestedDays): Declaration {
  const { period, report, ...others } = query;
  return toDeclaration({ ...others, ...days, hasTypedMetrics: true });
}

/** A query whose output is relative to its folder. */
export type FolderRequest = Query & Pick<FolderQuery, 'split'>;

/** Returns the declaration after another run for the same report: only its days may grow. */
export function extendDeclaration(
  before: Declaration,
  query: Query,
  days: RequestedDays,
): Declaration {
  const since = before.since < days.since ? before.since : days.since;
  const until = chooseLaterEnd(before.until, days.until);
  return toDeclaration({ ...before.query, ...pickEdits(query), since, until });
}

/** Returns the declaration after `--fresh` for another report: it keeps the days. */
export function replaceDeclaration(
  before: Declaration,
  query: FolderRequest,
  days: RequestedDays,
): Declaration {
  const { since, until } = extendDeclaration(before, query, days);
  return firstDeclaration({ ...pickEdits(before.query), ...query }, { since, until });
}

/** Returns the later of two ends; `now` is after any day. */
function chooseLaterEnd(one: string, other: string): string {
  if (one === 'now' || other === 'now') return 'now';
  return one > other ? one : other;
}

/** Picks the options of a query that may be edited in a declaration. */
function pickEdits(query: Query): Partial<Query> {
  const edits = Object.entries(query).filter(([option]) => editableOptions.includes(option));
  return Object.fromEntries(edits);
}

/** Gives a query without metrics those of the folder, because a newer release may know more. */
export function withFolderMetrics<AnyQuery extends Query>(
  { query: folderQuery }: Declaration,
  query: AnyQuery,
): AnyQuery {
  const isSameProfile = folderQuery.profile === query.profile;
  return query.hasTypedMetrics || !isSameProfile
    ? query
    : { ...query, metrics: folderQuery.metrics };
}

/** Describes what differs between the report of a folder and that of a run: `country: FR → DE`. */
export function reportDifferences({ query: folderQuery }: Declaration, query: Query): string[] {
  const changes = differences(folderQuery, query);
  const [before, now] = [folderQuery, query].map(({ outputs: [output] }) => output.path);
  if (before !== now) changes.push(`output: ${before} → ${now}`);
  if (!isSameAccount(folderQuery, query))
    changes.push(`account: ${nameAccount(folderQuery)} → ${nameAccount(query)}`);
  return changes;
}
