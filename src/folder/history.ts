import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { isHistoryName } from '../output/file/file-name.ts';
import type { SplitUnit, Window } from '../query/calendar.ts';
import { type FileHost, FileInUseError, retryWhileInUse } from '../text/file-in-use.ts';
import { accessErrorReason } from './disk.ts';
import type { FileLine, HistoryLine } from './history-schema.ts';
import { contentId, type ReportSpec, specId } from './spec.ts';
import { movesWithClock, windowOf } from './spec-window.ts';

/** Maximum length of a line with its line break, so that a single write appends it. */
const maxLineBytes = 64 * 1024;

/** Its `output` is relative to the folder and has only time placeholders. */
export type FolderSpec = ReportSpec & { readonly output: string; readonly split: SplitUnit };

/** History line with the spec of a run. */
export interface SpecLine {
  /** Referenced by the lines of its files. */
  readonly id: string;

  /** Hash of everything that affects the content of its files. */
  readonly content: string;
  readonly spec: FolderSpec;

  /** Window when it was written. */
  readonly window: Pick<Window, 'since' | 'until'>;

  /** Set for a run with `--missing` and a window that moves: it is repeated, as by cron. */
  readonly isStanding: boolean;

  /** When it was written, in unix seconds. */
  readonly at: number;
}

/** Exact sum of each metric: `{ displays: "1204", revenueEuro: "12.50" }`. */
export type Totals = FileLine['totals'];

/** Builds the spec line of a run; `at` is when it is written, in unix seconds. */
export function specLine(
  spec: FolderSpec,
  { at, window: { since, until } }: Pick<SpecLine, 'at' | 'window'>,
): SpecLine {
  return {
    id: specId(spec),
    content: contentId(spec),
    spec,
    window: { since, until },
    isStanding: spec.missing === true && isMoving(spec, at),
    at,
  };
}

/** By the members that determine a window: a history may have thousands of lines with the same. */
const moving = new Map<string, boolean>();

function isMoving(spec: FolderSpec, at: number): boolean {
  const { period, since, until, split, timezone } = spec;
  const key = JSON.stringify([period, since, until, split, timezone]);
  const known = moving.get(key);
  if (known !== undefined) return known;

  const isNow = movesWithClock(spec, at * 1_000);
  moving.set(key, isNow);
  return isNow;
}

/**
 * Serializes a spec line.
 *
 * @param version that of this program
 * @throws UsageError for a line that would be too long
 */
export function formatSpecLine({ id, content, spec, at }: SpecLine, version: string): string {
  const text = JSON.stringify({
    history: 1,
    spec: id,
    content,
    ...spec,
    at: new Date(at * 1_000).toISOString(),
    adreport: version,
  });
  if (Buffer.byteLength(text) < maxLineBytes) return text;
  throw new UsageError('The request is too long for the history of the folder (64 KB).', {
    hint: 'Use shorter lists of filters, or --no-history.',
  });
}

export interface FileEntry {
  readonly line: FileLine;

  /** Absent if its spec line is lost. */
  readonly own: SpecLine | undefined;

  /** Name of the history file that has the line. */
  readonly source: string;
}

export interface HistoryFile {
  readonly name: string;

  /** Numbers of the first thousand invalid lines, from 1. */
  readonly skippedLines: readonly number[];

  /** Explains why it cannot be read, as a clause. */
  readonly unreadable?: string;

  /** In the order of its lines. */
  readonly specs: readonly SpecLine[];
}

/** Content of all history files of a folder. */
export interface History {
  /** Absolute path. */
  readonly folder: string;
  readonly sources: readonly HistoryFile[];

  /** All lines of each file by its path from the folder, newest last. */
  readonly files: ReadonlyMap<string, readonly FileEntry[]>;
}

export function newestEntry(history: History, file: string): FileEntry | undefined {
  return history.files.get(file)?.at(-1);
}

/** Returns a path relative to the folder, with slashes. */
export function nameInFolder(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** A time further ahead comes from a wrong clock. */
const maxAheadSeconds = 86_400;

/** For a time, in unix seconds, that is too far in the future to be right. */
export function isInFuture(time: number, now: number): boolean {
  return time > now + maxAheadSeconds;
}

/** Returns unix seconds. */
export function createdAt({ created }: FileLine): number {
  return Date.parse(created) / 1_000;
}

export interface ReadingOptions {
  /** In unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the history files of a folder. The result is empty for a folder without a history, or that
 * does not exist; a history file that cannot be read is marked in `sources`.
 *
 * @throws the reason of the signal once it is aborted, and the system's error if the folder cannot
 *   be listed
 */
export async function readHistory(folder: string, options: ReadingOptions): Promise<History> {
  const names = (await namesIn(folder)).filter(isHistoryName).sort();
  const sources: ReadFile[] = [];
  for (const name of names) sources.push(await readSource(folder, name, options.signal));
  return { folder, sources, files: mergeEntries(sources, options.now) };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** History file with its file lines. */
interface ReadFile extends HistoryFile {
  readonly files: ReadonlyMap<string, readonly FileLine[]>;
}

function mergeEntries(sources: readonly ReadFile[], now: number): Map<string, FileEntry[]> {
  const specs = new Map<string, SpecLine>();
  for (const source of sources) {
    for (const spec of source.specs) specs.set(spec.id, spec);
  }

  const lists = new Map<string, FileEntry[][]>();
  for (const { name: source, files } of sources) {
    for (const [file, lines] of files) {
      const entries = lines.map((line) => ({ line, own: specs.get(line.spec), source }));
      const list = lists.get(file);
      if (list) list.push(entries);
      else lists.set(file, [entries]);
    }
  }

  const entries = new Map<string, FileEntry[]>();
  for (const [file, list] of lists) {
    // Within a history file, the order of lines decides; between files, the service's time.
    const byAge = (one: readonly FileEntry[], other: readonly FileEntry[]) => {
      return (
        lastCreated(one, now) - lastCreated(other, now) || lastFetched(one) - lastFetched(other)
      );
    };
    entries.set(file, list.sort(byAge).flat());
  }
  return entries;
}

function lastCreated(entries: readonly FileEntry[], now: number): number {
  const last = entries.at(-1);
  const created = last ? createdAt(last.line) : 0;
  return isInFuture(created, now) ? 0 : created;
}

function lastFetched(entries: readonly FileEntry[]): number {
  return Date.parse(entries.at(-1)?.line.fetched ?? '');
}

/** Only the first invalid lines of a damaged history are listed. */
const maxSkippedLines = 1_000;

async function readSource(folder: string, name: string, signal: AbortSignal): Promise<ReadFile> {
  const skippedLines: number[] = [];
  const specs: SpecLine[] = [];
  const files = new Map<string, FileLine[]>();
  const source = { name, skippedLines, specs, files };
  // Loaded lazily, because most commands do not read a history.
  const { parseLine } = await import('./history-schema.ts');

  try {
    let number = 0;
    for (const text of linesIn(await readBytes(join(folder, name), signal))) {
      number += 1;
      if (text === '') continue;

      const read = text === undefined ? undefined : parseLine(text);
      if (read?.kind === 'file') addLine(files, read.line);
      const spec = read?.kind === 'spec' ? readSpecLine(read.line) : undefined;
      if (spec) specs.push(spec);

      const isValid = spec !== undefined || read?.kind === 'file';
      if (!isValid && skippedLines.length < maxSkippedLines) skippedLines.push(number);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { ...source, unreadable: whyUnreadable(error) };
  }

  const isEmpty = specs.length === 0 && files.size === 0;
  return isEmpty ? { ...source, unreadable: 'it has no valid line' } : source;
}

function addLine(files: Map<string, FileLine[]>, line: FileLine): void {
  const lines = files.get(line.file);
  if (lines) lines.push(line);
  else files.set(line.file, [line]);
}

/** Returns `undefined` if the window was invalid when the line was written. */
function readSpecLine(line: Extract<HistoryLine, { kind: 'spec' }>['line']): SpecLine | undefined {
  const { history, spec: id, content, at, adreport, ...members } = line;
  const spec = members as FolderSpec;
  const atMs = Date.parse(at);
  const window = windowOf(spec, atMs);
  return window && { ...specLine(spec, { at: atMs / 1_000, window }), id };
}

/** Error code for other files: reading a pipe would block, and a link may lead anywhere. */
const notRegular = 'NOT_REGULAR';

function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === notRegular) return 'it is not a regular file';
  if (code === 'ELOOP' || code === 'EMLINK') return 'it is a link';
  return accessErrorReason(error);
}

/** Opens a history file. Throws if it is a link or not a regular file. */
async function openHistory(path: string, flags: number): Promise<fs.FileHandle> {
  // Windows has no O_NOFOLLOW.
  const followsLinks = constants.O_NOFOLLOW === undefined;
  if (followsLinks && (await isLink(path))) throw Object.assign(new Error(), { code: 'ELOOP' });

  // Without O_NONBLOCK, opening a pipe waits for its other end and cannot be aborted.
  const file = await fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
  const stats = await file.stat();
  if (stats.isFile()) return file;

  await file.close();
  throw Object.assign(new Error(notRegular), { code: notRegular });
}

async function isLink(path: string): Promise<boolean> {
  const stats = await fs.lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

const lineBreak = 0x0a;

async function readBytes(path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await openHistory(path, constants.O_RDONLY);
  try {
    return await file.readFile({ signal });
  } finally {
    await file.close();
  }
}

/** Yields the lines of a history file; `undefined` for one that is too long or not UTF-8. */
function* linesIn(bytes: Buffer): Generator<string | undefined> {
  let start = 0;
  while (start < bytes.length) {
    const next = bytes.indexOf(lineBreak, start);
    const end = next === -1 ? bytes.length : next;
    yield decodeLine(bytes.subarray(start, end));
    start = end + 1;
  }
}

/** Removes a BOM, which editors may add; `undefined` if the line is too long or not UTF-8. */
function decodeLine(bytes: Buffer): string | undefined {
  const isText = bytes.length < maxLineBytes && isUtf8(bytes);
  return isText ? bytes.toString().replace(/^\ufeff/, '') : undefined;
}

/**
 * Appends a line to a history file, and creates the file if necessary. It uses a single write, so
 * that the lines of concurrent runs do not mix, and first ends a line that a power cut left
 * incomplete.
 *
 * @param options with `exists`, fails if the file does not exist: its other lines would be lost
 * @throws the system's error if the file cannot be written, and `FileInUseError`
 */
export async function appendLine(
  path: string,
  line: string,
  { host, exists }: { host: FileHost; exists: boolean },
): Promise<void> {
  const file = await openToAppend(path, exists ? 0 : constants.O_CREAT, host);
  const appending = lastAppend.then(() => writeLine(file, line));
  lastAppend = appending.catch(() => {});
  try {
    await appending;
  } finally {
    await file.close();
  }
}

/**
 * Serializes the appends of this process: some network drives, and Wine, lose one of two lines that
 * are appended at the same time.
 */
let lastAppend: Promise<void> = Promise.resolve();

async function writeLine(file: fs.FileHandle, line: string): Promise<void> {
  const separator = (await hasTornEnd(file)) ? '\n' : '';
  const bytes = Buffer.from(`${separator}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
}

/** Checks that lines can be appended to a history file. Throws as `appendLine`. */
export async function expectAppendable(path: string, host: FileHost): Promise<void> {
  const file = await openToAppend(path, 0, host);
  await file.close();
}

function openToAppend(path: string, otherFlags: number, host: FileHost): Promise<fs.FileHandle> {
  const flags = constants.O_RDWR | constants.O_APPEND | otherFlags;
  return retryWhileInUse(host, () => openHistory(path, flags));
}

/** Explains why a history file cannot be appended to, as a clause. */
export function appendErrorReason(error: unknown): string {
  if (error instanceof FileInUseError) return error.message;
  const code = codeOf(error);
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ENOENT') return 'it was removed while this command was running';
  if (code === 'ENXIO') return 'it is not a regular file';
  return whyUnreadable(error);
}

/** Checks whether the last line of a file has no line break. */
async function hasTornEnd(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}
