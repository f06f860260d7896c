import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, type ReportRequest } from '../contract/messages.ts';
import { momentOf } from '../contract/values.ts';
import { changeFile, type FileMachine } from '../text/held-file.ts';
import { isObject } from '../text/json-object.ts';
import { readSmallFile } from '../text/small-file.ts';
import type { ReportPlan } from './request.ts';
import type { ReportSpec } from './spec.ts';

/** One report that was created on this machine. */
export interface LedgerEntry {
  readonly id: string;

  /** The base URL of the service that keeps the report: two services may use the same id. */
  readonly baseUrl: string;

  /** Who asked, as in the request's hash. */
  readonly account: string;

  /** A keyed hash of what they signed in with; absent in what older versions wrote. */
  readonly credential?: string;

  /** Of the body: the same request has the same hash in every run. */
  readonly hash: string;

  /** What the report is. Checked only in part when it is read: `planOfEntry` checks the rest. */
  readonly spec: ReportSpec;

  /** The body that was sent. */
  readonly request: ReportRequest;

  /** Its first and last second, `2026-11-01T00:00:00+0100`. */
  readonly window: { readonly since: string; readonly until: string };

  readonly createdAt: string;

  /** The status that the service named last, or `fetched`. */
  readonly lastStatus: string;

  /** How many runs waited for it until their `--wait-timeout` was over; absent for none. */
  readonly timeouts?: number;
  readonly file?: string;
}

/**
 * A report as it is noted the moment its id is known; it was created when its order was sent,
 * before that.
 */
export type NewLedgerEntry = Omit<LedgerEntry, 'lastStatus' | 'timeouts' | 'file'>;

/** What names a report on every service. */
type LedgerKey = Pick<LedgerEntry, 'baseUrl' | 'id'>;

/** The status of a report whose data has been delivered: it is never picked up again. */
export const fetchedStatus = 'fetched';

/** What became of a report: the service's word, or `fetchedStatus`, and where it was written to. */
export interface LedgerChange {
  readonly status?: string;

  /** Whether a run waited for it until its `--wait-timeout` was over. */
  readonly isTimeout?: true;
  readonly file?: string | undefined;
}

/** Whose report is looked for, and of which request. */
interface LedgerSearch {
  readonly hash: string;

  /** As `credentialOf` gives it. */
  readonly credential: string;
}

/** A report that can still be had. */
interface UnfinishedReport {
  readonly id: string;
  readonly createdAt: string;

  /** Whether so many runs gave up on it that it is left. */
  readonly isStuck: boolean;
}

/**
 * A report that this many runs gave up on is left, and the next run creates a new one (`cli.md`,
 * Waiting).
 */
const timeoutsAtMost = 2;

/** Whether runs leave a report because others have waited for it in vain. */
export function isStuck({ lastStatus, timeouts = 0 }: LedgerEntry): boolean {
  return timeouts >= timeoutsAtMost && lastStatus !== fetchedStatus;
}

interface LedgerOptions {
  /** Where the ledger's folder is; made, with the ones above it, when the first report is noted. */
  readonly directory: string;
  readonly makeFolder: (path: string) => void;
  readonly machine: FileMachine;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;

  /** Told, in one sentence, what kept the ledger from being read or written. */
  readonly warn: (message: string) => void;
}

const reportsAtMost = 2_000;

/** A request with a thousand values in every filter takes a third of a megabyte. */
const entryBytesAtMost = 512 * 1024;

/** A key has 43 characters. */
const keyBytesAtMost = 1024;

/** Of more the oldest reports are passed over. */
const readBytesAtMost = 32 * 1024 * 1024;

/** The service keeps a report for 24 hours (`decisions.md` 4). */
const keptMs = 24 * 3_600_000;

/**
 * The reports created on this machine: a folder `ledger/` with a small file a report, which
 * parallel runs share. It holds no token and no password.
 *
 * It never makes a run fail: what goes wrong with it is a warning. It is read once, however many
 * reports a run has; what other processes note meanwhile is not seen.
 */
export class Ledger {
  readonly path: string;
  readonly #options: LedgerOptions;

  /** The files, the newest first: the name of each begins with the time of its report. */
  #names: string[] | undefined;

  /** The newest report of each request that the service may still keep. */
  #recent: Map<string, LedgerEntry> | undefined;
  #key: Buffer | undefined;
  #hasWarned = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.path = join(options.directory, 'ledger');
  }

  /** The newest reports, the newest first. */
  list(limit = reportsAtMost): LedgerEntry[] {
    const entries: LedgerEntry[] = [];
    for (const { entry } of this.#entriesOf(this.#allNames())) {
      if (entries.length === limit) break;
      entries.push(entry);
    }
    return entries;
  }

  /** Notes a report that was just created. */
  async record(entry: NewLedgerEntry): Promise<void> {
    const created = { ...entry, lastStatus: 'progress' };
    const names = this.#allNames();
    const name = this.#timeNameFor(Date.parse(entry.createdAt)) + endingOf(entry);
    // At once, so that a report that is noted meanwhile gets a later name.
    names.push(name);
    names.sort().reverse();
    const isWritten = await this.#write(name, created);
    if (!isWritten) {
      names.splice(names.indexOf(name), 1);
      return;
    }

    this.#recentReports().set(searchKey(created), created);
    for (const old of names.splice(reportsAtMost)) rmSync(join(this.path, old), { force: true });
  }

  /**
   * Notes what became of a report; one that is not in the ledger stays out of it. What was fetched
   * stays fetched.
   */
  async update(key: LedgerKey, { status, isTimeout, file }: LedgerChange): Promise<void> {
    const name = this.#nameOf(key);
    const entry = name === undefined ? undefined : this.#read(name)?.entry;
    if (name === undefined || !entry) return;

    const isFetched = entry.lastStatus === fetchedStatus;
    const changed = {
      ...entry,
      lastStatus: isFetched ? fetchedStatus : (status ?? entry.lastStatus),
      ...(isTimeout && { timeouts: (entry.timeouts ?? 0) + 1 }),
      ...(file !== undefined && { file }),
    };
    if (!(await this.#write(name, changed))) return;
    const recent = this.#recentReports();
    if (recent.get(searchKey(entry))?.id === entry.id) recent.set(searchKey(entry), changed);
  }

  /**
   * The report of that id, as it was noted; `undefined` where it was not created on this machine.
   */
  find(key: LedgerKey): LedgerEntry | undefined {
    const name = this.#nameOf(key);
    return name === undefined ? undefined : this.#read(name)?.entry;
  }

  /** The newest report of that request, if it may be taken instead of a new one. */
  findUnfinished(search: LedgerSearch): UnfinishedReport | undefined {
    const newest = this.#recentReports().get(searchKey(search));
    if (!newest) return undefined;

    const nowMs = this.#options.wallClock();
    const isDropped = Date.parse(newest.createdAt) <= nowMs - keptMs;
    const isOver = newest.lastStatus === fetchedStatus || outcomeOf(newest.lastStatus) === 'failed';
    if (isDropped || isOver || isEarly(newest, nowMs)) return undefined;
    return { id: newest.id, createdAt: newest.createdAt, isStuck: isStuck(newest) };
  }

  /** How many reports of that request have failed in the last 24 hours. */
  countFailed(search: LedgerSearch): number {
    const oldest = timeName(this.#options.wallClock() - keptMs + 1);
    const names = this.#allNames().filter((name) => name >= oldest);
    let count = 0;
    for (const { entry } of this.#entriesOf(names)) {
      const isOfRequest = searchKey(entry) === searchKey(search);
      if (isOfRequest && outcomeOf(entry.lastStatus) === 'failed') count += 1;
    }
    return count;
  }

  /**
   * A keyed hash of a token or an e-mail address, by which its reports are known again on this
   * machine.
   */
  credentialOf(secret: string): string {
    this.#key ??= this.#readKey();
    return createHmac('sha256', this.#key).update(secret).digest('hex').slice(0, 32);
  }

  /** The newest file of a report. */
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
      // Neither is there a ledger below what is not a folder.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        this.#warnOnce(
          `The ledger could not be read (${message}): unfinished reports are not picked up. ADREPORT_CONFIG_DIR names another folder.`,
        );
      }
      return [];
    }
  }

  #recentReports(): Map<string, LedgerEntry> {
    if (this.#recent) return this.#recent;

    this.#recent = new Map();
    const oldest = timeName(this.#options.wallClock() - keptMs + 1);
    const names = this.#allNames().filter((name) => name >= oldest);
    for (const { entry } of this.#entriesOf(names)) {
      const key = searchKey(entry);
      if (!this.#recent.has(key)) this.#recent.set(key, entry);
    }
    return this.#recent;
  }

  /** The reports that files tell of, within the bytes that may be read. */
  *#entriesOf(names: readonly string[]): Generator<StoredEntry> {
    let leftBytes = readBytesAtMost;
    for (const name of names) {
      const stored = this.#read(name);
      if (!stored) continue;
      leftBytes -= stored.bytes;
      if (leftBytes < 0) {
        this.#options.warn('The ledger is larger than 32 MB: its oldest reports are passed over.');
        return;
      }
      yield stored;
    }
  }

  /**
   * The report that a file tells of; `undefined` where the file is not ours, is cut short, or is
   * gone by now.
   */
  #read(name: string): StoredEntry | undefined {
    const path = join(this.path, name);
    try {
      const bytes = readSmallFile(path, entryBytesAtMost);
      const entry: unknown = JSON.parse(bytes.toString('utf8'));
      return isEntry(entry) ? { entry, bytes: bytes.length } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Puts an entry in its place, and tells whether it stands there; what is in the way is said. */
  async #write(name: string, entry: LedgerEntry): Promise<boolean> {
    const fresh = join(this.path, `.${randomUUID()}.tmp`);
    try {
      this.#options.makeFolder(this.path);
      writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
      await changeFile(this.#options.machine, () => renameSync(fresh, join(this.path, name)));
      return true;
    } catch (error) {
      if (existsSync(fresh)) rmSync(fresh);
      const { message } = error as Error;
      this.#warnOnce(
        `The ledger could not be written (${message}): a later run may order the same reports again. ADREPORT_CONFIG_DIR names another folder.`,
      );
      return false;
    }
  }

  /** However many reports a run has, its ledger cannot be used for one reason. */
  #warnOnce(message: string): void {
    if (!this.#hasWarned) this.#options.warn(message);
    this.#hasWarned = true;
  }

  /** Reports of one millisecond are named in the order in which they were made. */
  #timeNameFor(createdMs: number): string {
    const newestMs = Number(this.#allNames()[0]?.slice(0, 15) ?? 0);
    const isJustBefore = newestMs - createdMs < 1_000;
    return timeName(isJustBefore ? Math.max(createdMs, newestMs + 1) : createdMs);
  }

  /**
   * The key of this machine, made once; one that is no key, as a power cut can leave it, is made
   * anew. Where it cannot be kept, one for this run, which knows no report again.
   */
  #readKey(): Buffer {
    const { directory, warn } = this.#options;
    const path = join(directory, 'ledger.key');
    const existing = readKeyFile(path);
    if (existing) return existing;

    const isDamaged = existsSync(path);
    this.#makeKeyFile(path, isDamaged);
    const key = readKeyFile(path);

    if (isDamaged) {
      const outcome = key ? 'it was made anew' : 'it could not be made anew';
      const effect = key ? 'what was created before is not picked up' : 'nothing is picked up';
      warn(`${path} is damaged, and ${outcome}: ${effect}.`);
    }
    return key ?? randomBytes(32);
  }

  /**
   * Puts a new key into its place, whole or not at all; one that another process has just put there
   * stays.
   */
  #makeKeyFile(path: string, isDamaged: boolean): void {
    const { directory, makeFolder } = this.#options;
    const fresh = join(directory, `.${randomUUID()}.tmp`);
    const text = randomBytes(32).toString('base64url');

    try {
      makeFolder(directory);
      writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
      if (isDamaged) renameSync(fresh, path);
      else putIfAbsent(fresh, path);
    } catch {
      // Nobody can keep a key here.
    }
    if (existsSync(fresh)) rmSync(fresh);
  }
}

/**
 * Gives a file its name, unless there is one of that name. Throws the system's error where it gets
 * no name.
 */
function putIfAbsent(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch {
    // Some file systems have no links.
    if (!existsSync(path)) renameSync(file, path);
  }
}

/** A report, and the size of its file. */
interface StoredEntry {
  readonly entry: LedgerEntry;
  readonly bytes: number;
}

function readKeyFile(path: string): Buffer | undefined {
  try {
    const text = readSmallFile(path, keyBytesAtMost).toString('latin1').trim();
    return /^[\w-]{43}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}

/** A report as it was planned. */
export interface NotedReport {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
}

/** The spec and the plan of an entry; `undefined` if they cannot be read. */
export async function planOfEntry({
  spec: noted,
  request,
  window,
}: LedgerEntry): Promise<NotedReport | undefined> {
  const sinceMs = momentOf(window.since)?.instantMs;
  const untilMs = momentOf(window.until)?.instantMs;
  const { parseSpec } = await import('./spec-schema.ts');
  const spec = parseSpec(noted);
  if (!spec || sinceMs === undefined || untilMs === undefined) return undefined;

  const { profile, metrics, breakdowns } = spec.request;
  const { timezone: zone, windowClock = 'instant' } = spec;
  const plan = {
    profile,
    request,
    window: { since: sinceMs / 1_000, until: untilMs / 1_000, zone, notes: [] },
    windowClock,
    shownMetrics: metrics,
    isWeekly: breakdowns.includes('WEEKLY'),
  };
  return { spec, plan };
}

/**
 * Whether a report was created before its window was over, which it is now: it holds the beginning
 * of it only.
 */
function isEarly({ createdAt, window }: LedgerEntry, nowMs: number): boolean {
  const lastMs = momentOf(window.until)?.instantMs ?? Number.NEGATIVE_INFINITY;
  const overMs = lastMs + 1_000;
  return nowMs >= overMs && Date.parse(createdAt) < overMs;
}

function searchKey({ hash, credential = '' }: Partial<LedgerSearch>): string {
  return `${hash} ${credential}`;
}

/** The beginning of a report's file name. */
function timeName(createdMs: number): string {
  return String(Math.floor(createdMs)).padStart(15, '0');
}

/** The end of a report's file name; ids are the service's and may hold anything. */
function endingOf({ baseUrl, id }: LedgerKey): string {
  const hash = createHash('sha256').update(JSON.stringify([baseUrl, id]));
  return `-${hash.digest('hex').slice(0, 16)}.json`;
}

/** Whether a file holds all that this version writes; a later one may have written more. */
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
  if (value.timeouts !== undefined && typeof value.timeouts !== 'number') return false;
  if (typeof request.since !== 'number' || typeof request.until !== 'number') return false;
  if (!isTextList(request.metrics) || !isTextList(request.breakdowns)) return false;
  return isObject(request.filters) && Object.values(request.filters).every(isTextList);
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
