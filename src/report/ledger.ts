import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outcomeOf, type ReportRequest } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { codeOf } from '../errors.ts';

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
  readonly request: ReportRequest;
  /** The request's window in its zone, `2026-11-01T00:00:00+0100` (see `describeWindow`). */
  readonly window: { readonly since: string; readonly until: string };
  /** The service's last word, or `fetched`. */
  readonly lastStatus: string;
  /** Where the report was written to, if that was a file. */
  readonly file?: string;
}

/** A report as it is noted first: the ledger adds the time, and that it is in progress. */
export type NewLedgerEntry = Omit<LedgerEntry, 'createdAt' | 'lastStatus' | 'file'>;

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

/**
 * The reports created on this machine: a folder with a small file a report, which parallel runs share. It holds no token
 * and no password. It never makes a run fail: what goes wrong with it is a warning.
 */
export interface Ledger {
  /** Of the folder. */
  readonly path: string;
  /** Notes a report, to be called the moment its id is known. */
  record(entry: NewLedgerEntry): void;
  /** Notes what became of a report; one that is not in the ledger is let be. What was fetched stays fetched. */
  update(key: LedgerKey, change: LedgerChange): void;
  /**
   * The newest report of that request, if it may still be waited for and fetched: neither failed, expired nor fetched,
   * and younger than the 24 h for which the service keeps a report.
   */
  findUnfinished(hash: string): LedgerEntry | undefined;
  /** The newest reports that are still noted, the newest first; none where the folder cannot be read. */
  list(limit?: number): LedgerEntry[];
}

/** What a ledger is opened with. */
export interface LedgerOptions {
  /** Where the ledger's folder is; made, for the owner only, when the first report is noted. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Told, in one sentence, what kept the ledger from being read or written. */
  readonly warn: (message: string) => void;
}

/** How long the service keeps a report (`decisions.md` 4). */
const reportLifeMs = 24 * 3_600_000;

/** Beyond so many reports the oldest are forgotten. */
const reportsAtMost = 2_000;

/** The ledger in a folder, `ledger/`. Nothing is read or written before it is asked to; nothing is thrown. */
export function openLedger({ directory, wallClock, warn }: LedgerOptions): Ledger {
  const path = join(directory, 'ledger');

  /** The files' names, the newest first: each begins with the time of its report. */
  const names = (): string[] => {
    const isOurs = (name: string): boolean => /^\d{15}-\w{16}\.json$/.test(name);
    try {
      return readdirSync(path).filter(isOurs).sort().reverse();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const write = (name: string, entry: LedgerEntry): void => {
    makeFolder(path);
    const fresh = join(path, `.${randomUUID()}.tmp`);
    try {
      writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(fresh, join(path, name));
    } finally {
      rmSync(fresh, { force: true });
    }
  };
  const guarded = <T>(work: () => T, otherwise: T, complaint: (reason: string) => string): T => {
    try {
      return work();
    } catch (error) {
      warn(complaint(error instanceof Error ? error.message : String(error)));
      return otherwise;
    }
  };
  const unwritten = (reason: string) =>
    `The ledger could not be written (${reason}): a later run may create this report anew.`;
  const unread = (reason: string) => `The ledger could not be read (${reason}): unfinished reports are not picked up.`;

  return {
    path,
    list: (limit = reportsAtMost) =>
      guarded(
        () => {
          const entries: LedgerEntry[] = [];
          for (const name of names()) {
            if (entries.length >= limit) break;
            entries.push(...readEntry(join(path, name)));
          }
          return entries;
        },
        [],
        unread,
      ),
    record: (entry) =>
      guarded(
        () => {
          const nowMs = wallClock();
          const createdAt = new Date(nowMs).toISOString();
          write(nameOf(nowMs, entry), { ...entry, createdAt, lastStatus: 'progress' });
          for (const name of names().slice(reportsAtMost)) rmSync(join(path, name), { force: true });
        },
        undefined,
        unwritten,
      ),
    update: (key, { status, file }) =>
      guarded(
        () => {
          const name = names().find((candidate) => candidate.endsWith(endingOf(key)));
          const [entry] = name === undefined ? [] : readEntry(join(path, name));
          if (name === undefined || !entry) return;
          const lastStatus = entry.lastStatus === fetchedStatus ? fetchedStatus : (status ?? entry.lastStatus);
          write(name, { ...entry, lastStatus, ...(file === undefined ? {} : { file }) });
        },
        undefined,
        unwritten,
      ),
    findUnfinished: (hash) =>
      guarded(
        () => {
          const oldest = nameOf(wallClock() - reportLifeMs + 1);
          const recent = names().filter((name) => name >= oldest);
          const newest = recent.flatMap((name) => readEntry(join(path, name))).find((entry) => entry.hash === hash);
          const isOver = newest && (newest.lastStatus === fetchedStatus || outcomeOf(newest.lastStatus) === 'failed');
          return isOver ? undefined : newest;
        },
        undefined,
        unread,
      ),
  };
}

function nameOf(createdMs: number, key?: LedgerKey): string {
  return String(Math.floor(createdMs)).padStart(15, '0') + (key ? endingOf(key) : '');
}

/** The end of a report's file name; ids are the service's and may hold anything. */
function endingOf({ baseUrl, id }: LedgerKey): string {
  const hash = createHash('sha256').update(JSON.stringify([baseUrl, id]));
  return `-${hash.digest('hex').slice(0, 16)}.json`;
}

/** The report that a file tells of; none where the file is not ours, or is gone by now. */
function readEntry(path: string): LedgerEntry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isEntry(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is LedgerEntry {
  const { request, window, profile, ...texts } = fieldsOf(value);
  const { metrics, breakdowns } = fieldsOf(request);
  const { since, until } = fieldsOf(window);
  return (
    ['id', 'createdAt', 'baseUrl', 'account', 'hash', 'lastStatus'].every((name) => typeof texts[name] === 'string') &&
    profiles.some((known) => known === profile) &&
    [metrics, breakdowns].every(Array.isArray) &&
    [since, until].every((text) => typeof text === 'string')
  );
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Makes a folder and those above it, one by one: below `/proc` Node's own recursive way never returns. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
