import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountKey } from '../account/owner.ts';
import { outcomeOf } from '../contract/messages.ts';
import { parseTimestamp } from '../contract/values.ts';
import type { SavedPart } from '../query/saved-part.ts';
import { type FileHost, retryWhileInUse } from '../text/file-in-use.ts';
import { isObject } from '../text/json-object.ts';
import { makeFolder } from '../text/make-folder.ts';
import { readSmallFile } from '../text/small-file.ts';

/** A report that was requested on this machine. */
export interface LedgerEntry extends AccountKey, SavedPart {
  /** Hash of the request. The same request has the same hash in every run. */
  readonly hash: string;

  /** Request time in RFC 3339. */
  readonly at: string;

  /** Only set once the service has sent an ID. */
  readonly id?: string;

  /** Last status from the service, or `requested`, `downloaded`, `refused` or `unreadable`. */
  readonly status: string;

  /** Message of the last error. */
  readonly message?: string;

  /** Time until the report was ready, in milliseconds. Only set if a run waited for it. */
  readonly tookMs?: number;
}

export type LedgerChange = Partial<Pick<LedgerEntry, 'id' | 'status' | 'message' | 'tookMs'>>;

/** An entry before its request is sent. */
export type NewLedgerEntry = Omit<LedgerEntry, keyof LedgerChange>;

/** Statuses of reports that no run resumes. Failed reports are recognized separately. */
const endedStatuses = ['refused', 'unreadable'];

interface LedgerHost extends FileHost {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

const maxReports = 2_000;

/** Room for a request with a thousand values in every filter, which takes a third of a megabyte. */
const maxEntryBytes = 512 * 1024;

/** How long after its request a report can be resumed. */
const maxResumeAgeMs = 12 * 3_600_000;

interface NamedEntry {
  readonly name: string;
  readonly entry: LedgerEntry;
}

/** Orders requests of this process that are made within one millisecond. */
let requestCount = 0;

/**
 * Reports requested on this machine: one small file per request in the folder `ledger/`, which
 * concurrent runs share. The files contain no tokens or passwords.
 *
 * If a file cannot be read or written, the user gets a warning and the run continues. Each file is
 * read once, so later changes by other processes are missed.
 */
export class Ledger {
  readonly #path: string;
  readonly #host: LedgerHost;
  readonly #warn: (message: string) => void;
  readonly #entries = new Map<string, LedgerEntry | undefined>();

  /** File names of the entries, newest first. Each name begins with the request time. */
  #names: string[] | undefined;
  #hasWarned = false;

  /**
   * @param directory parent of the folder `ledger/`; both are created with the first report
   * @param warn called with a message if an entry cannot be read or written
   */
  constructor(directory: string, host: LedgerHost, warn: (message: string) => void) {
    this.#host = host;
    this.#warn = warn;
    this.#path = join(directory, 'ledger');
  }

  /** Yields all entries, newest first. */
  *entries(): Generator<LedgerEntry> {
    for (const { entry } of this.#newestFirst()) yield entry;
  }

  /** Adds an entry for a request that is about to be sent, and returns the entry's name. */
  async add(entry: NewLedgerEntry): Promise<string> {
    requestCount += 1;
    const count = String(requestCount).padStart(6, '0');
    const name = `${namePrefix(Date.parse(entry.at))}-${count}-${randomUUID().slice(0, 8)}.json`;
    const names = this.#allNames();
    names.unshift(name);
    await this.#write(name, { ...entry, status: 'requested' });

    for (const old of names.splice(maxReports)) rmSync(join(this.#path, old), { force: true });
    return name;
  }

  /** Updates an entry and removes any message about an earlier failure. */
  async update(name: string, change: LedgerChange): Promise<void> {
    const entry = this.#read(name);
    if (!entry) return;

    const { message: _earlier, ...others } = entry;
    await this.#write(name, { ...others, ...change });
  }

  /** Finds the newest report of a service with this ID. */
  find(service: string, id: string): NamedEntry | undefined {
    for (const named of this.#newestFirst()) {
      if (named.entry.service === service && named.entry.id === id) return named;
    }
    return undefined;
  }

  /** Returns how long the account's last report took to become ready, in milliseconds. */
  findTypicalMs(owner: AccountKey): number | undefined {
    for (const { entry } of this.#newestFirst()) {
      if (belongsTo(entry, owner) && entry.tookMs !== undefined) return entry.tookMs;
    }
    return undefined;
  }

  /**
   * Returns the report that an account can resume instead of sending a request, or `undefined` if
   * there is none.
   */
  findUnfinished(
    owner: AccountKey,
    hash: string,
  ): (LedgerEntry & { readonly id: string }) | undefined {
    const nowMs = this.#host.wallClock();
    for (const { name, entry } of this.#newestFirst()) {
      if (name.slice(0, 15) <= namePrefix(nowMs - maxResumeAgeMs)) return undefined;
      const { id, status } = entry;
      if (entry.hash !== hash || !belongsTo(entry, owner) || id === undefined) continue;

      if (status === 'downloaded') return undefined;
      const isOver = outcomeOf(status) === 'failed' || endedStatuses.includes(status);
      if (!isOver && !isEarly(entry, nowMs)) return { ...entry, id };
    }
    return undefined;
  }

  *#newestFirst(): Generator<NamedEntry> {
    for (const name of this.#allNames()) {
      const entry = this.#read(name);
      if (entry) yield { name, entry };
    }
  }

  #allNames(): string[] {
    this.#names ??= this.#readNames();
    return this.#names;
  }

  #readNames(): string[] {
    try {
      const names = readdirSync(this.#path).filter((name) => /^\d{15}-[\w-]+\.json$/.test(name));
      return names.sort().reverse();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // ENOTDIR means that the parent is not a folder, so there are no entries.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        this.#warnOnce(
          `Cannot read the list of requested reports (${message}): unfinished reports are not resumed. Set ADREPORT_CONFIG_DIR to use another folder.`,
        );
      }
      return [];
    }
  }

  /** Reads an entry. Returns `undefined` if its file is invalid, incomplete or gone. */
  #read(name: string): LedgerEntry | undefined {
    if (!this.#entries.has(name)) this.#entries.set(name, readEntry(join(this.#path, name)));
    return this.#entries.get(name);
  }

  /** Writes an entry. If writing fails, this process still keeps the entry in memory. */
  async #write(name: string, entry: LedgerEntry): Promise<void> {
    this.#entries.set(name, entry);
    const fresh = join(this.#path, `.${randomUUID()}.tmp`);
    try {
      makeFolder(this.#path, 0o700);
      writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      await retryWhileInUse(this.#host, () => renameSync(fresh, join(this.#path, name)));
    } catch (error) {
      if (existsSync(fresh)) rmSync(fresh);
      const { message } = error as Error;
      this.#warnOnce(
        `Cannot save the list of requested reports (${message}): a later run may request the same reports again. Set ADREPORT_CONFIG_DIR to use another folder.`,
      );
    }
  }

  #warnOnce(message: string): void {
    if (!this.#hasWarned) this.#warn(message);
    this.#hasWarned = true;
  }
}

function belongsTo(entry: LedgerEntry, { service, account }: AccountKey): boolean {
  return entry.service === service && entry.account === account;
}

function readEntry(path: string): LedgerEntry | undefined {
  try {
    const bytes = readSmallFile(path, maxEntryBytes);
    const entry: unknown = JSON.parse(bytes.toString('utf8'));
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a report was requested before its period had ended, and the period has ended since. Such
 * a report is incomplete.
 */
function isEarly({ at, window }: LedgerEntry, nowMs: number): boolean {
  const lastMs = parseTimestamp(window.until)?.instantMs ?? Number.NEGATIVE_INFINITY;
  const overMs = lastMs + 1_000;
  return nowMs >= overMs && Date.parse(at) < overMs;
}

/** Formats the beginning of a file name, so that names sort by time. */
function namePrefix(requestedMs: number): string {
  return String(Math.floor(requestedMs)).padStart(15, '0');
}

/** Whether an entry has all keys that this version writes. Later versions may have added more. */
function isEntry(value: unknown): value is LedgerEntry {
  if (!isObject(value) || !isObject(value.window) || !isObject(value.request)) return false;
  const { window, id = '', message = '', tookMs = 0 } = value;
  const { hash, service, account, at, status } = value;
  const strings = [hash, service, account, at, status, id, message, window.since, window.until];
  return strings.every((text) => typeof text === 'string') && typeof tookMs === 'number';
}
