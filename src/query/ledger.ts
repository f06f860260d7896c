import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, type ReportRequest } from '../contract/messages.ts';
import { parseTimestamp } from '../contract/values.ts';
import { type FileHost, retryWhileInUse } from '../text/file-in-use.ts';
import { isObject } from '../text/json-object.ts';
import { makeFolder } from '../text/make-folder.ts';
import { readSmallFile } from '../text/small-file.ts';
import type { ReportPlan } from './request.ts';
import type { ReportSpec } from './spec.ts';

/** Report that was created on this machine. */
export interface LedgerEntry {
  readonly id: string;

  /** Two services may use the same id. */
  readonly baseUrl: string;

  /** As in the request hash. */
  readonly account: string;

  /** Keyed hash of the token or e-mail address; older versions did not write it. */
  readonly credential?: string;

  /** Hash of the request, the same in every run. */
  readonly hash: string;

  /** Only partly checked when the entry is read; `planEntry` checks the rest. */
  readonly spec: ReportSpec;

  /** Body that was sent. */
  readonly request: ReportRequest;

  /** First and last second, `2026-11-01T00:00:00+01:00`. */
  readonly window: { readonly since: string; readonly until: string };

  readonly createdAt: string;

  /** Last status from the service, or `fetched`. */
  readonly lastStatus: string;

  /** Runs that timed out waiting for it; absent if none. */
  readonly timeouts?: number;
  readonly file?: string;

  /** Milliseconds from the request until the report was ready; absent if no run saw that. */
  readonly tookMs?: number;
}

/** Belongs to a report that was just created. */
export type NewLedgerEntry = Omit<LedgerEntry, 'lastStatus' | 'timeouts' | 'file' | 'tookMs'>;

/** Identifies a report across services. */
type LedgerKey = Pick<LedgerEntry, 'baseUrl' | 'id'>;

/** Status of a report whose data was delivered: it is never picked up again. */
export const fetchedStatus = 'fetched';

export interface LedgerChange {
  /** Status from the service, or `fetchedStatus`. */
  readonly status?: string;

  /** Set if a run timed out waiting for it. */
  readonly isTimeout?: true;
  readonly file?: string | undefined;

  /** Milliseconds from the request until the report was ready. */
  readonly tookMs?: number | undefined;
}

/** An account of a service, as in the entries. */
type LedgerAccount = Pick<LedgerEntry, 'baseUrl' | 'account'>;

interface LedgerSearch {
  readonly hash: string;

  /** From `credentialOf`. */
  readonly credential: string;
}

/** Report that may still be downloaded. */
interface UnfinishedReport {
  readonly id: string;
  readonly createdAt: string;

  /** Set if too many runs timed out waiting for it. */
  readonly isStuck: boolean;
}

/** After this many timeouts, a report is abandoned and a new one is created. */
const maxTimeouts = 2;

/** For a report that is abandoned, because too many runs timed out waiting for it. */
export function isStuck({ lastStatus, timeouts = 0 }: LedgerEntry): boolean {
  return timeouts >= maxTimeouts && lastStatus !== fetchedStatus;
}

interface LedgerOptions {
  /** Parent of the ledger's folder; both are created with the first report. */
  readonly directory: string;
  readonly host: FileHost;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;

  /** Receives a sentence if the ledger cannot be read or written. */
  readonly warn: (message: string) => void;
}

const maxReports = 2_000;

/** A request with a thousand values in every filter takes a third of a megabyte. */
const maxEntryBytes = 512 * 1024;

/** A key has 43 characters. */
const maxKeyBytes = 1024;

/** The service keeps a report for 24 hours (`decisions.md` 4). */
const keptMs = 24 * 3_600_000;

/**
 * Reports created on this machine: a folder `ledger/` with one small file per report, shared by
 * concurrent runs. It contains no tokens and no passwords.
 *
 * Its failures are warnings and never end a run. It is read once, and later changes by other
 * processes are not seen.
 */
export class Ledger {
  readonly path: string;
  readonly #options: LedgerOptions;

  /** Newest first: each name begins with the time of its report. */
  #names: string[] | undefined;

  /** Newest report of each request, if the service may still have it. */
  #recent: Map<string, LedgerEntry> | undefined;
  #key: Buffer | undefined;
  #hasWarned = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.path = join(options.directory, 'ledger');
  }

  /** Starts with the newest. */
  list(limit = maxReports): LedgerEntry[] {
    const entries: LedgerEntry[] = [];
    for (const name of this.#allNames()) {
      if (entries.length === limit) break;
      const entry = this.#read(name);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Adds a report that was just created. */
  async record(entry: NewLedgerEntry): Promise<void> {
    const created = { ...entry, lastStatus: 'progress' };
    const names = this.#allNames();
    const name = this.#timeNameFor(Date.parse(entry.createdAt)) + endingOf(entry);
    // Before the write, so that a report recorded concurrently gets a later name.
    names.push(name);
    names.sort().reverse();
    const isWritten = await this.#write(name, created);
    if (!isWritten) {
      names.splice(names.indexOf(name), 1);
      return;
    }

    this.#recentReports().set(searchKey(created), created);
    for (const old of names.splice(maxReports)) rmSync(join(this.path, old), { force: true });
  }

  /** Updates the entry of a report, if it has one. */
  async update(key: LedgerKey, { status, isTimeout, file, tookMs }: LedgerChange): Promise<void> {
    const name = this.#nameOf(key);
    const entry = name === undefined ? undefined : this.#read(name);
    if (name === undefined || !entry) return;

    const changed = {
      ...entry,
      lastStatus: laterStatus(entry.lastStatus, status),
      ...(isTimeout && { timeouts: (entry.timeouts ?? 0) + 1 }),
      ...(file !== undefined && { file }),
      ...(tookMs !== undefined && { tookMs }),
    };
    if (!(await this.#write(name, changed))) return;
    const recent = this.#recentReports();
    if (recent.get(searchKey(entry))?.id === entry.id) recent.set(searchKey(entry), changed);
  }

  /** Returns `undefined` if the report was not created on this machine. */
  find(key: LedgerKey): LedgerEntry | undefined {
    const name = this.#nameOf(key);
    return name === undefined ? undefined : this.#read(name);
  }

  /** Returns the newest report of a request, if it can be used instead of a new one. */
  findUnfinished(search: LedgerSearch): UnfinishedReport | undefined {
    const newest = this.#recentReports().get(searchKey(search));
    if (!newest) return undefined;

    const nowMs = this.#options.wallClock();
    const isDropped = Date.parse(newest.createdAt) <= nowMs - keptMs;
    const isOver = newest.lastStatus === fetchedStatus || outcomeOf(newest.lastStatus) === 'failed';
    if (isDropped || isOver || isEarly(newest, nowMs)) return undefined;
    return { id: newest.id, createdAt: newest.createdAt, isStuck: isStuck(newest) };
  }

  /**
   * Returns how long the last report of an account took to become ready, in milliseconds;
   * `undefined` if none did in the last 24 hours.
   */
  lastTookMs({ baseUrl, account }: LedgerAccount): number | undefined {
    for (const entry of this.#keptEntries()) {
      const isOfAccount = entry.baseUrl === baseUrl && entry.account === account;
      if (isOfAccount && entry.tookMs !== undefined) return entry.tookMs;
    }
    return undefined;
  }

  /** Counts failed reports of a request in the last 24 hours. */
  countFailed(search: LedgerSearch): number {
    let count = 0;
    for (const entry of this.#keptEntries()) {
      const isOfRequest = searchKey(entry) === searchKey(search);
      if (isOfRequest && outcomeOf(entry.lastStatus) === 'failed') count += 1;
    }
    return count;
  }

  /**
   * Returns a keyed hash of a token or e-mail address, which identifies its reports on this
   * machine.
   */
  credentialOf(secret: string): string {
    this.#key ??= this.#readKey();
    return createHmac('sha256', this.#key).update(secret).digest('hex').slice(0, 32);
  }

  /** Returns the newest file of a report. */
  #nameOf(key: LedgerKey): string | undefined {
    const ending = endingOf(key);
    return this.#allNames().find((candidate) => candidate.endsWith(ending));
  }

  #allNames(): string[] {
    this.#names ??= this.#readNames();
    return this.#names;
  }

  #readNames(): string[] {
    try {
      const names = readdirSync(this.path).filter((name) => /^\d{15}-\w{16}\.json$/.test(name));
      return names.sort().reverse();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // ENOTDIR: the parent is not a folder, so there is no ledger either.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        this.#warnOnce(
          `Cannot read the list of requested reports (${message}): unfinished reports are not resumed. Set ADREPORT_CONFIG_DIR to use another folder.`,
        );
      }
      return [];
    }
  }

  #recentReports(): Map<string, LedgerEntry> {
    if (this.#recent) return this.#recent;

    this.#recent = new Map();
    for (const entry of this.#keptEntries()) {
      const key = searchKey(entry);
      if (!this.#recent.has(key)) this.#recent.set(key, entry);
    }
    return this.#recent;
  }

  /** Yields the reports that the service may still have, newest first. */
  *#keptEntries(): Generator<LedgerEntry> {
    const oldest = timeName(this.#options.wallClock() - keptMs + 1);
    for (const name of this.#allNames()) {
      if (name < oldest) return;
      const entry = this.#read(name);
      if (entry) yield entry;
    }
  }

  /** Returns `undefined` if the file is invalid, incomplete or gone. */
  #read(name: string): LedgerEntry | undefined {
    const path = join(this.path, name);
    try {
      const bytes = readSmallFile(path, maxEntryBytes);
      const entry: unknown = JSON.parse(bytes.toString('utf8'));
      return isEntry(entry) ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes an entry. Warns and returns false if that fails. */
  async #write(name: string, entry: LedgerEntry): Promise<boolean> {
    const fresh = join(this.path, `.${randomUUID()}.tmp`);
    try {
      makeFolder(this.path, 0o700);
      writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      await retryWhileInUse(this.#options.host, () => renameSync(fresh, join(this.path, name)));
      return true;
    } catch (error) {
      if (existsSync(fresh)) rmSync(fresh);
      const { message } = error as Error;
      this.#warnOnce(
        `Cannot save the list of requested reports (${message}): a later run may request the same reports again. Set ADREPORT_CONFIG_DIR to use another folder.`,
      );
      return false;
    }
  }

  #warnOnce(message: string): void {
    if (!this.#hasWarned) this.#options.warn(message);
    this.#hasWarned = true;
  }

  /** Reports of the same millisecond get increasing names. */
  #timeNameFor(createdMs: number): string {
    const newestMs = Number(this.#allNames()[0]?.slice(0, 15) ?? 0);
    const isJustBefore = newestMs - createdMs < 1_000;
    return timeName(isJustBefore ? Math.max(createdMs, newestMs + 1) : createdMs);
  }

  /**
   * Reads the key of this machine. It is created once, and again if it is damaged. If it cannot be
   * stored, a temporary key is used, which matches no earlier report.
   */
  #readKey(): Buffer {
    const path = join(this.#options.directory, 'ledger.key');
    const existing = readKeyFile(path);
    if (existing) return existing;

    this.#makeKeyFile(path);
    return readKeyFile(path) ?? randomBytes(32);
  }

  /** Writes a new key atomically. A key just written by another process is kept. */
  #makeKeyFile(path: string): void {
    const { directory } = this.#options;
    const fresh = join(directory, `.${randomUUID()}.tmp`);
    const text = randomBytes(32).toString('base64url');

    try {
      makeFolder(directory, 0o700);
      writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
      if (existsSync(path)) renameSync(fresh, path);
      else putIfAbsent(fresh, path);
    } catch {
      // The folder is not writable: a temporary key is used.
    }
    if (existsSync(fresh)) rmSync(fresh);
  }
}

/** Renames a file unless the target exists. Throws the system's error. */
function putIfAbsent(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch {
    // Some file systems do not support hard links.
    if (!existsSync(path)) renameSync(file, path);
  }
}

function readKeyFile(path: string): Buffer | undefined {
  try {
    const text = readSmallFile(path, maxKeyBytes).toString('latin1').trim();
    return /^[\w-]{43}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}

export interface RecordedReport {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
}

/** Returns `undefined` if the spec or the window is invalid. */
export async function planEntry({
  spec: stored,
  request,
  window,
}: LedgerEntry): Promise<RecordedReport | undefined> {
  const sinceMs = parseTimestamp(window.since)?.instantMs;
  const untilMs = parseTimestamp(window.until)?.instantMs;
  const { parseSpec } = await import('./spec-schema.ts');
  const spec = parseSpec(stored);
  if (!spec || sinceMs === undefined || untilMs === undefined) return undefined;

  const { profile, metrics, breakdowns } = spec.request;
  const { timezone: zone, windowClock = 'instant' } = spec;
  const plan = {
    profile,
    request,
    window: { since: sinceMs / 1_000, until: untilMs / 1_000, end: untilMs / 1_000 + 1, zone },
    windowClock,
    shownMetrics: metrics,
    isWeekly: breakdowns.includes('WEEKLY'),
  };
  return { spec, plan };
}

/** For a report created before its window was over, if it is over now: it is incomplete. */
function isEarly({ createdAt, window }: LedgerEntry, nowMs: number): boolean {
  const lastMs = parseTimestamp(window.until)?.instantMs ?? Number.NEGATIVE_INFINITY;
  const overMs = lastMs + 1_000;
  return nowMs >= overMs && Date.parse(createdAt) < overMs;
}

/** Keeps `fetched`, which is final; a failed report can only become `fetched`. */
function laterStatus(last: string, next: string | undefined): string {
  const isFinal =
    last === fetchedStatus || (outcomeOf(last) === 'failed' && next !== fetchedStatus);
  return isFinal ? last : (next ?? last);
}

function searchKey({ hash, credential = '' }: Partial<LedgerSearch>): string {
  return `${hash} ${credential}`;
}

/** Begins a file name. */
function timeName(createdMs: number): string {
  return String(Math.floor(createdMs)).padStart(15, '0');
}

/** Ends a file name: a hash, because ids may contain any character. */
function endingOf({ baseUrl, id }: LedgerKey): string {
  const hash = createHash('sha256').update(JSON.stringify([baseUrl, id]));
  return `-${hash.digest('hex').slice(0, 16)}.json`;
}

/** Checks for everything this version writes; later versions may have added members. */
function isEntry(value: unknown): value is LedgerEntry {
  if (!isObject(value) || !isObject(value.window) || !isObject(value.request)) return false;
  if (!isObject(value.spec)) return false;
  const { window, request, spec } = value;
  if (!isObject(spec.request)) return false;
  const texts = [
    value.id,
    value.baseUrl,
    value.account,
    spec.request.profile,
    value.hash,
    value.createdAt,
    value.lastStatus,
    value.credential ?? '',
    value.file ?? '',
    window.since,
    window.until,
  ];
  if (!texts.every((text) => typeof text === 'string')) return false;
  const { timeouts = 0, tookMs = 0 } = value;
  if (typeof timeouts !== 'number' || typeof tookMs !== 'number') return false;
  if (typeof request.since !== 'number' || typeof request.until !== 'number') return false;
  if (!isTextList(request.metrics) || !isTextList(request.breakdowns)) return false;
  return isObject(request.filters) && Object.values(request.filters).every(isTextList);
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
