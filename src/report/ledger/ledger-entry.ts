import type { ReportRequest } from '../../contract/messages.ts';
import { type Profile, profiles } from '../../contract/vocabulary.ts';

/** A report that was created on this machine. */
export interface LedgerEntry {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Of the service that keeps the report. */
  readonly baseUrl: string;
  /** Who asked, as in the request's hash. */
  readonly account: string;
  readonly profile: Profile;
  /** `requestHash` of what was asked for. */
  readonly hash: string;
  /** What was asked for; long lists of filter values are cut, so this is for people. */
  readonly request: ReportRequest;
  /** The request's window in its zone, `2026-11-01T00:00:00+0100` (see `describeWindow`). */
  readonly window: { readonly since: string; readonly until: string };
  /** The service's last word, or `fetched`. */
  readonly lastStatus: string;
  /** Where the report was written to, if that was a file. */
  readonly file?: string;
}

/** Report ids are a service's own: two services may use the same. */
export type LedgerKey = Pick<LedgerEntry, 'baseUrl' | 'id'>;

/** The status of a report whose data has been delivered: it is never picked up again. */
export const fetchedStatus = 'fetched';

/** What became of a report. */
export interface LedgerChange {
  /** The service's word, or `fetchedStatus`. */
  readonly status?: string;
  /** Where it was written to. */
  readonly file?: string | undefined;
}

/** Longer lines may not be written at once by every file system. */
const lineAtMostBytes = 4_000;

/** The entries that the lines tell of, each with its changes. Lines that are not ours, or cut short, are passed over. */
export function readEntries(lines: readonly string[]): LedgerEntry[] {
  const values = lines.map(parseObject).filter((value) => value !== undefined);
  const entries = new Map<string, LedgerEntry>();
  for (const value of values) if (isEntry(value)) entries.set(keyOf(value), value);
  for (const value of values) {
    const entry = entries.get(keyOf(value));
    if (entry && value.hash === undefined) entries.set(keyOf(value), changed(entry, value));
  }
  return [...entries.values()];
}

function keyOf({ baseUrl, id }: Fields): string {
  return JSON.stringify([baseUrl, id]);
}

/** What has been fetched stays fetched, whatever the service says of it later. */
function changed(entry: LedgerEntry, { lastStatus, file }: Fields): LedgerEntry {
  return {
    ...entry,
    ...(typeof lastStatus === 'string' && entry.lastStatus !== fetchedStatus ? { lastStatus } : {}),
    ...(typeof file === 'string' ? { file } : {}),
  };
}

/** An entry as a line of the ledger. Its filters are cut as far as the line's length needs. */
export function entryLine(entry: LedgerEntry): string {
  const { request } = entry;
  const filters = Object.fromEntries(
    Object.entries(request.filters).map(([name, values]) => {
      const isLong = values.length > 5;
      return [name, isLong ? [...values.slice(0, 4), `… ${values.length - 4} more`] : values];
    }),
  );
  const shorterAndShorter = [entry, { ...entry, request: { ...request, filters } }].map((each) => JSON.stringify(each));
  const fitting = shorterAndShorter.find((line) => Buffer.byteLength(line) <= lineAtMostBytes);
  return fitting ?? JSON.stringify({ ...entry, request: { ...request, filters: {} } });
}

/** What became of a report as a line of the ledger; it counts for the entry with that key, before or after it. */
export function changeLine({ baseUrl, id }: LedgerKey, { status, file }: LedgerChange): string {
  return JSON.stringify({ id, baseUrl, lastStatus: status, file });
}

type Fields = { readonly [name: string]: unknown };

function parseObject(line: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function isEntry(value: Fields): value is Fields & LedgerEntry {
  const texts = ['id', 'createdAt', 'baseUrl', 'account', 'hash', 'lastStatus'];
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    profiles.some((profile) => profile === value.profile) &&
    isRequest(value.request) &&
    isWindow(value.window)
  );
}

function isRequest(value: unknown): boolean {
  const { since, until, metrics, breakdowns, filters } = fieldsOf(value);
  const hasLists = [metrics, breakdowns].every(Array.isArray) && typeof filters === 'object' && filters !== null;
  return typeof since === 'number' && typeof until === 'number' && hasLists;
}

function isWindow(value: unknown): boolean {
  const { since, until } = fieldsOf(value);
  return typeof since === 'string' && typeof until === 'string';
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
