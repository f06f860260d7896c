import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, type ReportRequest } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';

export interface LedgerEntry {
  readonly id: string;
  /** The base URL of the service that keeps the report: two services may use the same id. */
  readonly baseUrl: string;
  /** Who asked, as in the request's hash. */
  readonly account: string;
  readonly profile: Profile;
  readonly hash: string;
  readonly request: ReportRequest;
  readonly window: { readonly since: string; readonly until: string };
  readonly createdAt: string;
  /** The status that the service named last, or `fetched`. */
  readonly lastStatus: string;
  readonly file?: string;
}

/** A report as it is noted the moment its id is known. */
export type NewLedgerEntry = Omit<LedgerEntry, 'createdAt' | 'lastStatus' | 'file'>;

/** The status of a report whose data has been delivered: it is never picked up again. */
export const fetchedStatus = 'fetched';

/** What became of a report: the service's word, or `fetchedStatus`, and where it was written to. */
export interface LedgerChange {
  readonly status?: string;
  readonly file?: string | undefined;
}

interface LedgerOptions {
  /** Where the ledger's folder is; made, with the ones above it, when the first report is noted. */
  readonly directory: string;
  readonly makeFolder: (path: string) => void;
  readonly wallClock: () => number;
  /** Told, in one sentence, what kept the ledger from being read or written. */
  readonly warn: (message: string) => void;
}

const reportsAtMost = 2_000;

export type Ledger = ReturnType<typeof openLedger>;

/**
 * The reports created on this machine: a folder `ledger/` with a small file a report, which parallel runs share. It holds
 * no token and no password. It never makes a run fail: what goes wrong with it is a warning.
 */
export function openLedger({ directory, makeFolder, wallClock, warn }: LedgerOptions) {
  const path = join(directory, 'ledger');
  /** The files' names, the newest first: each begins with the time of its report. */
  const names = (): string[] => {
    try {
      const all = readdirSync(path).filter((name) => /^\d{15}-\w{16}\.json$/.test(name));
      return all.sort().reverse();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT')
        warn(`The ledger could not be read (${message}): unfinished reports are not picked up.`);
      return [];
    }
  };
  /** The report that a file tells of; none where the file is not ours, is cut short, or is gone by now. */
  const read = (name: string): LedgerEntry[] => {
    try {
      const entry: LedgerEntry = JSON.parse(readFileSync(join(path, name), 'utf8'));
      const texts = [
        entry.id,
        entry.createdAt,
        entry.lastStatus,
        entry.window.since,
        ...entry.request.breakdowns,
      ];
      return texts.every((text) => typeof text === 'string') ? [entry] : [];
    } catch {
      return [];
    }
  };
  const write = (name: string, entry: LedgerEntry): void => {
    const fresh = join(path, `.${randomUUID()}.tmp`);
    try {
      makeFolder(path);
      writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(fresh, join(path, name));
    } catch (error) {
      if (existsSync(fresh)) rmSync(fresh);
      warn(
        `The ledger could not be written (${(error as Error).message}): a later run may create this report anew.`,
      );
    }
  };
  return {
    path,
    list(limit = reportsAtMost): LedgerEntry[] {
      const entries: LedgerEntry[] = [];
      for (const name of names()) if (entries.length < limit) entries.push(...read(name));
      return entries;
    },
    record(entry: NewLedgerEntry): void {
      const nowMs = wallClock();
      const createdAt = new Date(nowMs).toISOString();
      // Reports of one millisecond are named in the order in which they were made.
      const newestMs = Number(names()[0]?.slice(0, 15) ?? 0);
      const nameMs = newestMs - nowMs < 1_000 ? Math.max(nowMs, newestMs + 1) : nowMs;
      write(timeName(nameMs) + endingOf(entry), { ...entry, createdAt, lastStatus: 'progress' });
      for (const name of names().slice(reportsAtMost)) rmSync(join(path, name), { force: true });
    },
    /** Notes what became of a report; one that is not in the ledger stays out of it. What was fetched stays fetched. */
    update(key: Pick<LedgerEntry, 'baseUrl' | 'id'>, { status, file }: LedgerChange): void {
      const name = names().find((candidate) => candidate.endsWith(endingOf(key))) ?? '';
      for (const entry of read(name)) {
        const lastStatus =
          entry.lastStatus === fetchedStatus ? fetchedStatus : (status ?? entry.lastStatus);
        write(name, { ...entry, lastStatus, ...(file === undefined ? {} : { file }) });
      }
    },
    /** The newest report of that request, if it has neither failed, expired nor been fetched. */
    findUnfinished(hash: string): LedgerEntry | undefined {
      // The service keeps a report for 24 hours (`decisions.md` 4).
      const oldest = timeName(wallClock() - 24 * 3_600_000 + 1);
      const recent = names().filter((name) => name >= oldest);
      const newest = recent.flatMap(read).find((entry) => entry.hash === hash);
      const isOver =
        newest?.lastStatus === fetchedStatus || outcomeOf(newest?.lastStatus ?? '') === 'failed';
      return isOver ? undefined : newest;
    },
  };
}

/** The beginning of a report's file name. */
const timeName = (createdMs: number): string => String(Math.floor(createdMs)).padStart(15, '0');

/** The end of a report's file name; ids are the service's and may hold anything. */
function endingOf({ baseUrl, id }: Pick<LedgerEntry, 'baseUrl' | 'id'>): string {
  const hash = createHash('sha256').update(JSON.stringify([baseUrl, id]));
  return `-${hash.digest('hex').slice(0, 16)}.json`;
}
