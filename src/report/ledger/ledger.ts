import { join } from 'node:path';
import { outcomeOf } from '../../contract/messages.ts';
import {
  changeLine,
  entryLine,
  fetchedStatus,
  type LedgerChange,
  type LedgerEntry,
  type LedgerKey,
  readEntries,
} from './ledger-entry.ts';
import { appendLine, readLines, shortenFile, sizeOf } from './ledger-file.ts';

/** A report as it is noted first: the ledger adds the time, and that it is in progress. */
export type NewLedgerEntry = Omit<LedgerEntry, 'createdAt' | 'lastStatus' | 'file'>;

/** How long the service keeps a report (`decisions.md` 4). */
const reportLifeMs = 24 * 3_600_000;

/** A ledger beyond the first size is cut back to its newest entries, as many as fit the second. */
const sizeAtMostBytes = 1024 * 1024;
const keptBytes = sizeAtMostBytes / 2;

/**
 * The reports created on this machine, in a file that parallel runs share. It holds no token and no password. It
 * never makes a run fail: what goes wrong with it is a warning.
 */
export interface Ledger {
  /** Of the file. */
  readonly path: string;
  /** Notes a report, to be called the moment its id is known. */
  record(entry: NewLedgerEntry): void;
  /** Notes what became of a report; one that is not in the ledger is let be. */
  update(key: LedgerKey, change: LedgerChange): void;
  /**
   * The newest report of that request, if it may still be waited for and fetched: neither failed, expired nor fetched,
   * and younger than the 24 h for which the service keeps a report.
   */
  findUnfinished(hash: string): LedgerEntry | undefined;
  /** All reports that are still noted, the oldest first; none where the file cannot be read. */
  list(): LedgerEntry[];
}

/** What a ledger is opened with. */
export interface LedgerOptions {
  /** The folder of its file; made, for the owner only, when the first report is noted. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Told, in one sentence, what kept the ledger from being read or written. */
  readonly warn: (message: string) => void;
}

/** The ledger in a folder, `ledger.ndjson`. Nothing is read or written before it is asked to; nothing is thrown. */
export function openLedger({ directory, wallClock, warn }: LedgerOptions): Ledger {
  const path = join(directory, 'ledger.ndjson');

  function write(line: string): void {
    try {
      appendLine(path, line);
    } catch (error) {
      warn(`The ledger could not be written (${reasonOf(error)}): a later run may create this report anew.`);
      return;
    }
    try {
      if (sizeOf(path) > sizeAtMostBytes) shortenFile(path, keepNewest);
    } catch {
      // The line is written: a ledger that stays long is no loss, and the next run tries again.
    }
  }

  function list(): LedgerEntry[] {
    try {
      return readEntries(readLines(path));
    } catch (error) {
      warn(`The ledger could not be read (${reasonOf(error)}): unfinished reports are not picked up.`);
      return [];
    }
  }

  return {
    path,
    list,
    record: (entry) =>
      write(entryLine({ ...entry, createdAt: new Date(wallClock()).toISOString(), lastStatus: 'progress' })),
    update: (key, change) => write(changeLine(key, change)),
    findUnfinished(hash) {
      const newest = list().findLast((entry) => entry.hash === hash);
      return newest && canStillBeFetched(newest, wallClock()) ? newest : undefined;
    },
  };
}

function canStillBeFetched({ createdAt, lastStatus }: LedgerEntry, nowMs: number): boolean {
  if (lastStatus === fetchedStatus || outcomeOf(lastStatus) === 'failed') return false;
  return nowMs - Date.parse(createdAt) < reportLifeMs;
}

/** One line an entry, of the newest ones, as many as fit. */
function keepNewest(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let sizeBytes = 0;
  for (const entry of readEntries(lines).reverse()) {
    const line = entryLine(entry);
    sizeBytes += Buffer.byteLength(line) + 1;
    if (sizeBytes > keptBytes) break;
    kept.unshift(line);
  }
  return kept;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
