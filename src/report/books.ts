import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { findCountry } from '../contract/countries.ts';
import type { WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { codeOf } from '../errors.ts';
import type { Part } from './parts.ts';

/** The request of a report without its window, as the books keep it (`cli.md`, A folder of reports). */
export interface BookedRequest {
  readonly profile: Profile;
  readonly metrics: readonly string[];
  readonly breakdowns: readonly string[];
  /** Ids as the service takes them; names and patterns (`campaign`) as the user wrote them. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** The name or the e-mail address of the account, and never its token. */
  readonly account: string;
  readonly baseUrl: string;
  readonly windowClock: WindowClock;
}

/** The form of a file: its format, and the settings of it that differ from the usual ones. */
export interface BookedFormat {
  readonly name: string;
  readonly [setting: string]: unknown;
}

/** Everything that decides what a file holds, but its window: two files of one question differ in their time alone. */
export interface Question {
  readonly request: BookedRequest;
  readonly format: BookedFormat;
  readonly timezone: string;
}

/** The exact sum of each metric, as a decimal number in text: `{ displays: "1204", revenueEuro: "12.50" }`. */
export type Totals = Readonly<Record<string, string>>;

/** The sums that are not what they were when the file was written before, each with both values. */
export type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** A file that stands whole, as it is noted. */
export interface FetchedFile {
  /** As the user names it. */
  readonly file?: string | undefined;
  readonly sizeBytes: number;
  readonly sha256?: string | undefined;
  readonly rowCount: number;
  /** The columns that tell a row from every other one. */
  readonly key: readonly string[];
  readonly totals: Totals;
  readonly reportId: string | null;
  /** When the report was asked for, in milliseconds since 1970. */
  readonly createdMs: number;
  readonly warnings: readonly string[];
}

/** Keeps the books of the files of one job. */
export interface Bookkeeper {
  /** Makes the books where there are none yet; called before a report is asked for. */
  start(): void;
  /**
   * Notes a file that stands whole.
   *
   * @returns the totals that are not what they were when the file was fetched before
   * @throws OutputError where the books must be written to (`--strict`) and cannot be
   */
  record(part: Part, file: FetchedFile): Changes | undefined;
}

/** What the books say of one file, on one line. */
export interface BookLine {
  /** The path of the file from the folder of the books, with slashes. */
  readonly file: string;
  readonly window: { readonly since: string; readonly until: string; readonly timezone: string };
  /** When the unit of the file is over, as ISO 8601 in UTC; absent in lines of older versions. */
  readonly overAt?: string;
  readonly request: BookedRequest;
  readonly requestHash: string;
  /** The columns that tell a row from every other one. */
  readonly key: readonly string[];
  readonly reportId: string | null;
  /** When the report was asked for and when its file was whole, as ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly fetchedAt: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly totals: Totals;
  readonly changed?: Changes;
  readonly warnings: readonly string[];
  readonly format: BookedFormat;
  readonly adreport: string;
}

/** The newest line of every file of a folder, and what was wrong with the lines. */
export interface Books {
  readonly lines: ReadonlyMap<string, BookLine>;
  /**
   * Sentences on lines that could not be read: a power cut can leave a torn one. One that tells its file is settled by the
   * file's next line, and no fault any more.
   */
  readonly faults: readonly string[];
  /** Since when they are kept, in milliseconds since 1970; absent where there are none. */
  readonly keptSinceMs?: number;
}

/** A line of the books takes this many bytes at most, so that one write puts it there whole. */
const lineBytesAtMost = 4_096;

const booksPattern = /^_adreport(-\d+-of-\d+)?\.ndjson$/;

/**
 * The name of the books that a run appends to. A shard has books of its own, so that no two machines append to one file.
 *
 * @param shard the value of `--shard`: `2/4` gives `_adreport-2-of-4.ndjson`
 */
export function nameOfBooks(shard: string | undefined): string {
  if (shard === undefined) return '_adreport.ndjson';

  return `_adreport-${shard.trim().replace('/', '-of-')}.ndjson`;
}

/** Whether a file name is that of books. */
export function isBooks(name: string): boolean {
  return booksPattern.test(name);
}

/**
 * Reads all the books of a folder in one pass; of several lines on one file the one that was fetched last counts. A folder
 * without books, or without itself, gives no lines.
 *
 * @param visit is called with every line, older ones too, in the order of each book
 * @throws the system's error where the books are there and cannot be read
 */
export function readBooks(folder: string, visit?: (line: BookLine) => void): Books {
  const lines = new Map<string, BookLine>();
  const faults: string[] = [];
  const requests = new Map<string, BookLine>();
  let keptSinceMs = Number.POSITIVE_INFINITY;

  for (const name of namesOfBooks(folder)) {
    const path = join(folder, name);
    const torn = new Map<string, string>();
    let number = 0;
    // Books without a line are as old as their file.
    keptSinceMs = Math.min(keptSinceMs, statSync(path).mtimeMs);

    for (const text of linesOf(path)) {
      number += 1;
      if (text === '') continue;

      const parsed = parseLine(text);
      if (!parsed) {
        const sentence = `Line ${number} of ${name} is torn or is no line of ours: it is passed over.`;
        torn.set(fileOfTornLine(text) ?? sentence, sentence);
        continue;
      }

      const line = withSharedRequest(parsed, requests);
      visit?.(line);
      torn.delete(line.file);
      keptSinceMs = Math.min(keptSinceMs, Date.parse(line.createdAt));

      const before = lines.get(line.file);
      if (!before || before.fetchedAt <= line.fetchedAt) lines.set(line.file, line);
    }
    faults.push(...torn.values());
  }

  return Number.isFinite(keptSinceMs) ? { lines, faults, keptSinceMs } : { lines, faults };
}

/** The file that the beginning of a line tells, as `appendToBooks` writes it. */
function fileOfTornLine(text: string): string | undefined {
  const beginning = /^\{"file":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  if (beginning === undefined) return undefined;

  try {
    return JSON.parse(beginning);
  } catch {
    return undefined;
  }
}

/**
 * Makes the books of a folder where there are none, without a line: so it can be told of every file whether it is younger
 * than they are. Books that cannot be made are told of where the first line is appended.
 */
export function startBooks(folder: string, name: string): void {
  try {
    if (namesOfBooks(folder).length > 0) return;
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(join(folder, name), 'a', 0o644));
  } catch {
    // `appendToBooks` meets the same error.
  }
}

/**
 * Appends a line to the books of a folder in one write, so that lines of runs side by side do not mix.
 *
 * @throws the system's error where the folder or the books cannot be written to
 */
export function appendToBooks(folder: string, name: string, line: BookLine): void {
  const text = `${textOf(line)}\n`;
  const descriptor = openSync(join(folder, name), 'a+', 0o644);

  try {
    const separator = endsTorn(descriptor) ? '\n' : '';
    const bytes = Buffer.from(separator + text);
    const written = writeSync(descriptor, bytes);
    if (written < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A name for all that decides the content of a file but its window: 32 hex digits, the same on every machine. The order of
 * metrics, breakdowns and columns counts, because the file keeps it; the order of filters and of their values does not.
 */
export function hashOfQuestion({ request, format, timezone }: Question): string {
  const filters = Object.entries(request.filters).map(([name, values]) => {
    return [name, [...values].sort()] as const;
  });
  const sortedFilters = Object.fromEntries(filters.sort(byName));
  const sortedFormat = Object.fromEntries(Object.entries(format).sort(byName));

  const identity = [
    request.profile,
    request.metrics,
    request.breakdowns,
    sortedFilters,
    request.account,
    request.baseUrl,
    request.windowClock,
    sortedFormat,
    timezone,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

/**
 * What differs between the question that a file answers and the one that is asked now, a text for each difference:
 * `country: FR → DE`. No text where they are the same.
 */
export function differencesOf(booked: Question, asked: Question): string[] {
  const before = settingsOf(booked);
  const after = settingsOf(asked);
  const names = new Set([...before.keys(), ...after.keys()]);
  const differences: string[] = [];

  for (const name of names) {
    const old = before.get(name) ?? 'none';
    const current = after.get(name) ?? 'none';
    if (old !== current) differences.push(`${name}: ${old} → ${current}`);
  }
  return differences;
}

/** The question that a line of the books answers. */
export function questionOf({ request, format, window }: BookLine): Question {
  return { request, format, timezone: window.timezone };
}

/** The totals that differ, each with its value before and now; `undefined` where none does. */
export function changesBetween(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};

  for (const [metric, value] of Object.entries(now)) {
    const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function namesOfBooks(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isBooks).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

const pieceBytes = 64 * 1024;

/** The lines of a file as texts, a piece of the file at a time; the last one may lack its line break. */
function* linesOf(path: string): Generator<string> {
  const descriptor = openSync(path, 'r');
  const piece = Buffer.allocUnsafe(pieceBytes);
  let rest: Buffer = Buffer.alloc(0);

  try {
    for (;;) {
      const size = readSync(descriptor, piece);
      if (size === 0) break;

      const bytes = Buffer.concat([rest, piece.subarray(0, size)]);
      const end = bytes.lastIndexOf('\n');
      rest = bytes.subarray(end + 1);
      if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n');
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function parseLine(text: string): BookLine | undefined {
  try {
    const line: BookLine = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a parsed line has what the program reads of it; what else it holds is nobody's business. */
function isLine(line: BookLine): boolean {
  const texts = [
    line.file,
    line.requestHash,
    line.createdAt,
    line.fetchedAt,
    line.sha256,
    line.window.since,
    line.window.until,
    line.window.timezone,
    line.request.account,
    line.request.baseUrl,
    line.format.name,
  ];
  const times = [line.createdAt, line.fetchedAt, line.window.since, line.window.until];
  const lists = [line.request.metrics, line.request.breakdowns, line.key, line.warnings];

  return (
    texts.every((text) => typeof text === 'string') &&
    lists.every(Array.isArray) &&
    Number.isSafeInteger(line.rows) &&
    Number.isSafeInteger(line.bytes) &&
    isRecord(line.request.filters) &&
    isRecord(line.totals) &&
    times.every((time) => !Number.isNaN(Date.parse(time)))
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Lines of one question share its objects, because a folder of years has tens of thousands of them. */
function withSharedRequest(line: BookLine, requests: Map<string, BookLine>): BookLine {
  const first = requests.get(line.requestHash);
  if (first) return { ...line, request: first.request, format: first.format, key: first.key };

  requests.set(line.requestHash, line);
  return line;
}

/** The line as JSON within its bound: warnings are cut first, and then what is longest in the request. */
function textOf(line: BookLine): string {
  const text = JSON.stringify(line);
  if (Buffer.byteLength(text) < lineBytesAtMost) return text;

  const warnings = line.warnings.slice(0, 3).map((warning) => warning.slice(0, 150));
  const shortened = JSON.stringify({ ...line, warnings });
  if (Buffer.byteLength(shortened) < lineBytesAtMost) return shortened;

  // The hash still tells one request from another where its filters have no room.
  const filters: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(line.request.filters)) {
    filters[name] =
      values.length > 5 ? [...values.slice(0, 5), `and ${values.length - 5} more`] : values;
  }
  const request = { ...line.request, filters };
  return JSON.stringify({ ...line, warnings: warnings.slice(0, 1), request });
}

/** Whether the last line of a file lacks its line break, as a power cut leaves it. */
function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

/** Everything that a question settles, by the names that the flags have, as texts that people read. */
function settingsOf({ request, format, timezone }: Question): Map<string, string> {
  const settings = new Map<string, string>([
    ['profile', request.profile],
    ['metrics', request.metrics.join(',')],
    ['by', request.breakdowns.join(',') || 'none'],
    ['account', request.account],
    ['base-url', request.baseUrl],
    ['window-clock', request.windowClock],
    ['timezone', timezone],
  ]);

  for (const [name, values] of Object.entries(request.filters)) {
    const isCountry = name === 'countryId';
    const texts = isCountry ? values.map(countryCode) : values;
    settings.set(isCountry ? 'country' : name, [...texts].sort().join(','));
  }
  for (const [name, value] of Object.entries(format)) {
    settings.set(
      name === 'name' ? 'format' : name,
      Array.isArray(value) ? value.join(',') : String(value),
    );
  }
  return settings;
}

function countryCode(id: string): string {
  return findCountry(id)?.code ?? id;
}

function byName([name]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return name < other ? -1 : 1;
}
