import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { isHistoryName } from '../output/file/file-name.ts';
import { temporaryName } from '../output/file/temporary-files.ts';
import { contentId, type ReportSpec, specId } from '../report/spec.ts';
import { windowOf } from '../report/spec-window.ts';
import type { SplitUnit } from '../report/window.ts';
import { changeFile, type FileMachine, HeldFileError } from '../text/held-file.ts';
import type { FileLine, HistoryLine } from './history-schema.ts';

/**
 * A line has at most this many bytes, with its line break, so that one write appends it whole.
 */
const lineBytesAtMost = 64 * 1024;

/** The spec of files in a folder: `output` is relative to it and has placeholders of time only. */
export type FolderSpec = ReportSpec & { readonly output: string; readonly split: SplitUnit };

/** A line of a history that says what a run was asked for. */
export interface SpecLine {
  /** Its name in the lines of files. */
  readonly id: string;

  /** The hash of what decides the content of its files. */
  readonly content: string;
  readonly spec: FolderSpec;

  /** True for a run that adds older files and does not change what the folder should hold. */
  readonly isBackfill: boolean;

  /** When it was written, in unix seconds. */
  readonly at: number;
}

/** The exact sum of each metric: `{ displays: "1204", revenueEuro: "12.50" }`. */
export type Totals = FileLine['totals'];

/** The spec line of a run. */
export function specLine(
  spec: FolderSpec,
  { at, isBackfill }: Pick<SpecLine, 'at' | 'isBackfill'>,
): SpecLine {
  const identified = { ...spec, ...(isBackfill && { backfill: true }) };
  return { id: specId(identified), content: contentId(spec), spec, isBackfill, at };
}

/**
 * The text of a spec line.
 *
 * @param version the version of this program
 * @throws UsageError for a line that would be too long
 */
export function textOfSpec({ id, content, spec, isBackfill, at }: SpecLine, version: string) {
  const text = JSON.stringify({
    history: 1,
    spec: id,
    content,
    ...spec,
    ...(isBackfill && { backfill: true }),
    at: new Date(at * 1_000).toISOString(),
    adreport: version,
  });
  if (Buffer.byteLength(text) < lineBytesAtMost) return text;
  throw new UsageError('The request is too long for the history of the folder (64 KB).', {
    hint: 'Use shorter lists of filters, or --no-history.',
  });
}

/** A line on a file with its spec. */
export interface FileEntry {
  readonly line: FileLine;

  /** Absent if no history file has its line any more. */
  readonly own: SpecLine | undefined;

  /** The name of the history file that has the line. */
  readonly source: string;
}

/** A history file of a folder. */
export interface HistoryFile {
  /** Its name in the folder. */
  readonly name: string;

  /** The numbers of the lines that are not valid, from 1; at most the first thousand. */
  readonly skippedLines: readonly number[];

  /** Why it cannot be used, as a clause. */
  readonly unreadable?: string;

  /** In the order of its lines. */
  readonly specs: readonly SpecLine[];
}

/** Everything that the history files of a folder say. */
export interface History {
  /** The absolute path of their folder. */
  readonly folder: string;
  readonly sources: readonly HistoryFile[];

  /** All lines on each file by its path from the folder, the newest last. */
  readonly files: ReadonlyMap<string, readonly FileEntry[]>;
}

/** The newest line on a file. */
export function newestEntry(history: History, file: string): FileEntry | undefined {
  return history.files.get(file)?.at(-1);
}

/** The path from a folder to something in it, with slashes. */
export function nameInFolder(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** A time that is further ahead was written by a clock that was wrong. */
const aheadAtMostSeconds = 86_400;

/** True for a time, in unix seconds, that only a wrong clock can have written. */
export function isAhead(time: number, now: number): boolean {
  return time > now + aheadAtMostSeconds;
}

/** When the report of a line was created, in unix seconds. */
export function createdAt({ created }: FileLine): number {
  return Date.parse(created) / 1_000;
}

/** How a history is read. */
export interface ReadingOptions {
  /** The present, in unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the history files of a folder. A folder that has none, or does not exist, has no lines; a
 * history file that cannot be read says so in `sources`.
 *
 * @throws the reason of the signal once it is aborted, and the system's error if the folder cannot
 *   be listed
 */
export async function readHistory(folder: string, options: ReadingOptions): Promise<History> {
  const names = (await namesIn(folder)).filter(isHistoryName).sort();
  const sources: ReadFile[] = [];
  for (const name of names) sources.push(await readSource(folder, name, options.signal));
  return { folder, sources, files: entriesOf(sources, options.now) };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** A history file with its lines on files. */
interface ReadFile extends HistoryFile {
  readonly files: ReadonlyMap<string, readonly FileLine[]>;
}

function entriesOf(sources: readonly ReadFile[], now: number): Map<string, FileEntry[]> {
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
    // In one history file the position decides, and between several the time of the service.
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
  return isAhead(created, now) ? 0 : created;
}

function lastFetched(entries: readonly FileEntry[]): number {
  return Date.parse(entries.at(-1)?.line.fetched ?? '');
}

/** Of a damaged history so many line numbers are kept. */
const skippedAtMost = 1_000;

async function readSource(folder: string, name: string, signal: AbortSignal): Promise<ReadFile> {
  const skippedLines: number[] = [];
  const specs: SpecLine[] = [];
  const files = new Map<string, FileLine[]>();
  const source = { name, skippedLines, specs, files };
  // Most commands read no history and need no schema.
  const { parseLine } = await import('./history-schema.ts');

  try {
    let number = 0;
    for await (const text of linesOf(join(folder, name), signal)) {
      number += 1;
      if (text === '') continue;

      const read = text === undefined ? undefined : parseLine(text);
      if (read?.kind === 'file') addLine(files, read.line);
      const spec = read?.kind === 'spec' ? specOfLine(read.line) : undefined;
      if (spec) specs.push(spec);

      const isValid = spec !== undefined || read?.kind === 'file';
      if (!isValid && skippedLines.length < skippedAtMost) skippedLines.push(number);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { ...source, unreadable: whyUnreadable(error) };
  }

  const isUseless = specs.length === 0 && files.size === 0;
  return isUseless ? { ...source, unreadable: 'it has no valid line' } : source;
}

function addLine(files: Map<string, FileLine[]>, line: FileLine): void {
  const lines = files.get(line.file);
  if (lines) lines.push(line);
  else files.set(line.file, [line]);
}

/** The spec of a line; `undefined` if its window had no meaning when it was written. */
function specOfLine(line: Extract<HistoryLine, { kind: 'spec' }>['line']): SpecLine | undefined {
  const { history, spec: id, content, backfill, at, adreport, ...members } = line;
  const spec = members as FolderSpec;
  const nowMs = Date.parse(at);
  if (!windowOf(spec, nowMs)) return undefined;

  return {
    id,
    content: contentId(spec),
    spec,
    isBackfill: backfill === true,
    at: nowMs / 1_000,
  };
}

/**
 * A file that is not regular is never read: a pipe would block the program, and a link leads
 * anywhere.
 */
const notRegular = 'NOT_REGULAR';

function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === notRegular) return 'it is not a regular file';
  if (code === 'ELOOP' || code === 'EMLINK') return 'it is a link';
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  return code ?? String(error);
}

/** Opens a history file, if it is a regular file and not a link. */
async function openHistory(path: string, flags: number): Promise<fs.FileHandle> {
  // Windows has no O_NOFOLLOW.
  const followsLinks = constants.O_NOFOLLOW === undefined;
  if (followsLinks && (await isLink(path))) throw Object.assign(new Error(), { code: 'ELOOP' });

  // Without O_NONBLOCK, opening a pipe waits for its other end, and no signal ends that.
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

const pieceBytes = 64 * 1024;
const lineBreak = 0x0a;

/**
 * The lines of a history file; `undefined` for one that is too long or not text. Only one line is
 * in memory at a time.
 */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string | undefined> {
  const file = await openHistory(path, constants.O_RDONLY);
  const piece = Buffer.allocUnsafe(pieceBytes);
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;

  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(piece, 0, pieceBytes, null);
      if (bytesRead === 0) break;

      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
      let start = 0;
      for (;;) {
        const end = bytes.indexOf(lineBreak, start);
        if (end < 0) break;
        yield isTooLong ? undefined : textOf(bytes.subarray(start, end));
        isTooLong = false;
        start = end + 1;
      }

      rest = bytes.subarray(start);
      if (rest.length < lineBytesAtMost) continue;
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
    if (isTooLong) yield undefined;
    else if (rest.length > 0) yield textOf(rest);
  } finally {
    await file.close();
  }
}

/** The text of a line, without the BOM that an editor may have put in front. */
function textOf(bytes: Buffer): string | undefined {
  const isText = bytes.length < lineBytesAtMost && isUtf8(bytes);
  return isText ? bytes.toString().replace(/^\ufeff/, '') : undefined;
}

/**
 * Appends a line to a history file, which is created if it does not exist. One write does it, so
 * that the lines of concurrent runs do not mix; a line that a power cut has torn is ended first.
 *
 * @throws the system's error if the file cannot be written, and `HeldFileError`
 */
export async function appendLine(path: string, line: string, machine: FileMachine): Promise<void> {
  if (await createWithLine(path, line)) return;

  const file = await openToAppend(path, constants.O_CREAT, machine);
  const appending = lastAppend.then(() => writeLine(file, line));
  lastAppend = appending.catch(() => {});
  try {
    await appending;
  } finally {
    await file.close();
  }
}

/**
 * The lines of this process are written one after the other: some network drives, and Wine, lose
 * one of two that are appended at the same time.
 */
let lastAppend: Promise<void> = Promise.resolve();

async function writeLine(file: fs.FileHandle, line: string): Promise<void> {
  const separator = (await endsTorn(file)) ? '\n' : '';
  const bytes = Buffer.from(`${separator}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
}

/**
 * Creates a history file that has its first line from the beginning, whenever the program is ended.
 * Returns false if something is there, or if the disk has no hard links.
 */
async function createWithLine(path: string, line: string): Promise<boolean> {
  const isFree = await fs.lstat(path).then(
    () => false,
    (error) => codeOf(error) === 'ENOENT',
  );
  if (!isFree) return false;

  const temporaryPath = join(dirname(path), temporaryName(basename(path)));
  try {
    await fs.writeFile(temporaryPath, `${line}\n`, { flag: 'wx', mode: 0o644 });
    await fs.link(temporaryPath, path);
    return true;
  } catch {
    // What is really wrong, the ordinary way reports.
    return false;
  } finally {
    await fs.unlink(temporaryPath).catch(() => {});
  }
}

/** Throws what `appendLine` would throw for a history file that exists. */
export async function expectAppendable(path: string, machine: FileMachine): Promise<void> {
  const file = await openToAppend(path, 0, machine);
  await file.close();
}

function openToAppend(
  path: string,
  otherFlags: number,
  machine: FileMachine,
): Promise<fs.FileHandle> {
  const flags = constants.O_RDWR | constants.O_APPEND | otherFlags;
  return changeFile(machine, () => openHistory(path, flags));
}

/** Why a history file cannot be appended to, as a clause. */
export function whyNotAppended(error: unknown): string {
  if (error instanceof HeldFileError) return error.message;
  const code = codeOf(error);
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ENXIO') return 'it is not a regular file';
  return whyUnreadable(error);
}

/** True if the last line of a file has no line break. */
async function endsTorn(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}
