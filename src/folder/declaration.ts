import { createHash } from 'node:crypto';
import { formatDate, type SplitUnit } from '../query/calendar.ts';
import { formatOwner, isSameAccount } from '../query/owner.ts';
import { resolveWindow } from '../query/parts.ts';
import { laterMs, tryResolve } from '../query/period.ts';
import type { Query } from '../query/query.ts';
import { differences, type SavedValue, toSavedKeys } from '../query/saved-keys.ts';
import { type FilePattern, parsePattern } from './file-pattern.ts';

export const declarationName = '_adreport.yaml';

/** Contents of a folder from its first day on (`cli.md`, Folders). */
export interface Declaration extends Pick<FolderQuery, 'since' | 'until' | 'split' | 'timezone'> {
  readonly query: FolderQuery;

  /** Days, weeks or months that must pass before a file is final. */
  readonly lookback: number;
  readonly pattern: FilePattern;

  /** Hash of everything that must not be edited. */
  readonly id: string;
}

/** A query for a folder. Its output is relative to the folder. */
export type FolderRequest = Query & { readonly split: SplitUnit };

/** A query whose period covers all days of a folder. */
export interface FolderQuery extends FolderRequest {
  /** First day, `2026-11-01`. */
  readonly since: string;

  /** Last day; `now` if the folder grows every day. */
  readonly until: string;
}

export function toDeclaration(query: FolderQuery): Declaration {
  const { since, until, split, timezone, lookback = 0, outputs } = query;
  const pattern = parsePattern(outputs[0].path);
  return { query, since, until, split, timezone, lookback, pattern, id: hashQuery(query) };
}

/** Keys that may be edited, because they do not change the report. */
const editableOptions = ['lookback', 'strict', 'title', 'note', 'label'];
const editableKeys = ['since', 'until', ...editableOptions];

/** Returns 12 hex digits. Editable keys are not hashed. */
function hashQuery(query: FolderQuery): string {
  const keys = Object.entries(declaredKeys(query)).filter(([key]) => !editableKeys.includes(key));
  const sorted = keys.sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}

/** Returns the keys and values of a declaration in the order of the file, without `id`. */
export function declaredKeys(query: FolderQuery): Readonly<Record<string, SavedValue>> {
  const { since, until, lookback = 0, strict = false, split, login, service } = query;
  const { profile, by, metrics, ...others } = toSavedKeys(query);
  const { output, format, account, ...more } = others;
  const keys = { since, until, lookback, strict, split, profile, by, metrics, ...more };
  const ordered = { ...keys, output, format, account, login, service };

  const keysWithValues: Record<string, SavedValue> = {};
  for (const [key, value] of Object.entries(ordered)) {
    if (value !== undefined) keysWithValues[key] = value;
  }
  return keysWithValues;
}

/** First and last day of a run or of a folder. */
type FolderDays = Pick<FolderQuery, 'since' | 'until'>;

/**
 * Finds the days that a run requests. The last day is `now` if the period moves with the clock.
 *
 * @throws UsageError for an invalid period
 */
export function findRequestedDays(query: FolderRequest, nowMs: number): FolderDays {
  const { timezone: zone, split: unit } = query;
  const { since, until, isStillEmpty } = resolveWindow(query, nowMs);
  const later = tryResolve(query, { zone, unit, nowMs: nowMs + laterMs });
  // The end is fixed if the same period resolves to the same end later.
  const moves = isStillEmpty || (later !== undefined && later.until !== until);
  return { since: formatDate(since, zone), until: moves ? 'now' : formatDate(until, zone) };
}

/** Builds the declaration of a report for the given days. */
export function declareReport(request: FolderRequest, days: FolderDays): Declaration {
  const { period, report, ...query } = request;
  return toDeclaration({ ...query, ...days, hasNamedMetrics: true });
}

/**
 * Adds the days of a run and replaces the editable options. If the run requests a different report
 * (`--fresh`), the report is replaced too.
 */
export function extendDeclaration(
  { query }: Declaration,
  request: FolderRequest,
  { days, isOther }: { readonly days: FolderDays; readonly isOther: boolean },
): Declaration {
  const allDays = joinDays(query, days);
  if (isOther) return declareReport({ ...pickEdits(query), ...request }, allDays);
  return toDeclaration({ ...query, ...pickEdits(request), ...allDays });
}

function joinDays(one: FolderDays, other: FolderDays): FolderDays {
  return {
    since: one.since < other.since ? one.since : other.since,
    until: chooseLaterEnd(one.until, other.until),
  };
}

/** `now` is later than any day. */
function chooseLaterEnd(one: string, other: string): string {
  if (one === 'now' || other === 'now') return 'now';
  return one > other ? one : other;
}

/** Picks the editable options of a query. */
function pickEdits(query: Query): Partial<Query> {
  const edits = Object.entries(query).filter(([option]) => editableOptions.includes(option));
  return Object.fromEntries(edits);
}

/**
 * Uses the folder's metrics for a request that specifies none, because a newer release may know
 * more metrics than the folder has.
 */
export function withFolderMetrics(
  { query: { profile, metrics } }: Declaration,
  request: FolderRequest,
): FolderRequest {
  const isUnchanged = request.hasNamedMetrics || request.profile !== profile;
  return isUnchanged ? request : { ...request, metrics };
}

/** Lists how the report of a run differs from that of the folder: `country: FR → DE`. */
export function reportDifferences({ query: folderQuery }: Declaration, query: Query): string[] {
  const changes = differences(folderQuery, query);
  const [before, now] = [folderQuery, query].map(({ outputs: [output] }) => output.path);
  if (before !== now) changes.push(`output: ${before} → ${now}`);
  if (!isSameAccount(folderQuery, query))
    changes.push(`account: ${formatOwner(folderQuery)} → ${formatOwner(query)}`);
  return changes;
}
