import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError, RefusedReportError } from '../errors.ts';
import type { Shard } from '../query/flags/read-value.ts';
import { type FileHost, FileInUseError, retryWhileInUse } from '../text/file-in-use.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { accessErrorReason, openRegularFile } from './disk.ts';
import type { FileLine } from './history-schema.ts';

/** The content of all history files of a folder. */
export interface History {
  /** The last line about each file, by the path of that file from the folder. */
  readonly lines: ReadonlyMap<string, FileLine>;

  /** Number of lines that cannot be read, by history file. */
  readonly skipped: ReadonlyMap<string, number>;

  /** History files that cannot be read, with the reason as a clause. */
  readonly unreadable: ReadonlyMap<string, string>;
}

const historyPattern = /^_adreport(-\d+-of-\d+)?\.history$/;

export function isHistoryName(name: string): boolean {
  return historyPattern.test(name);
}

/**
 * Names the history file to which a run appends. Each shard has a history file of its own, so that
 * no two machines append to the same one.
 *
 * @param shard `--shard 2/4` gives `_adreport-2-of-4.history`
 */
function historyName(shard: Shard | undefined): string {
  const suffix = shard ? `-${shard.index}-of-${shard.count}` : '';
  return `_adreport${suffix}.history`;
}

/**
 * Reads the history of a folder. Without history files, it is empty.
 *
 * @throws the reason of the signal once the signal is aborted
 */
export async function readHistory(folder: string, signal: AbortSignal): Promise<History> {
  const lines = new Map<string, FileLine>();
  const skipped = new Map<string, number>();
  const unreadable = new Map<string, string>();

  for (const name of await historyNames(folder)) {
    try {
      const source = await readSource(join(folder, name), signal);
      if (source.skipped > 0) skipped.set(name, source.skipped);
      if (source.skipped > 0 && source.lines.size === 0) {
        unreadable.set(name, 'it has no line that can be read');
      }
      for (const line of source.lines.values()) {
        const other = lines.get(line.file);
        if (!other || createdMs(other) <= createdMs(line)) lines.set(line.file, line);
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      unreadable.set(name, accessErrorReason(error));
    }
  }
  return { lines, skipped, unreadable };
}

function createdMs({ created }: FileLine): number {
  return Date.parse(created);
}

async function historyNames(folder: string): Promise<string[]> {
  const names = await fs.readdir(folder).catch(() => []);
  return names.filter(isHistoryName).sort();
}

/** Reads one history file. The last line about a file counts. */
async function readSource(path: string, signal: AbortSignal) {
  const { fileLineSchema } = await loadSchema();
  const lines = new Map<string, FileLine>();
  let skipped = 0;
  for (const bytes of splitLines(await readAll(path, signal))) {
    const { data: line } = fileLineSchema.safeParse(parseJson(bytes));
    if (line) lines.set(line.file, line);
    else skipped += 1;
  }
  return { lines, skipped };
}

/** Loaded lazily, because most commands do not use a history. */
function loadSchema() {
  return import('./history-schema.ts');
}

/** adreport writes no longer line. */
const maxLineBytes = 1024 * 1024;

/** Parses a line; `undefined` if it is incomplete. */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length > maxLineBytes || !isUtf8(bytes)) return undefined;
  try {
    // Editors may add a BOM.
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

async function readAll(path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await openRegularFile(path, fs.constants.O_RDONLY);
  try {
    return await file.readFile({ signal });
  } finally {
    await file.close();
  }
}

const lineBreak = 0x0a;

/** Yields the lines that are not empty. */
function* splitLines(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < bytes.length) {
    const next = bytes.indexOf(lineBreak, start);
    const end = next === -1 ? bytes.length : next;
    if (end > start) yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/** Returns true if the totals of a line allow a number other than 0. */
export function hasNumbers({ rows, totals }: FileLine): boolean {
  const sums = Object.values(totals);
  return rows > 0 && (sums.length === 0 || sums.some((sum) => /[1-9]/.test(sum)));
}

/** History file of a run. */
export interface HistoryTarget {
  /** Absolute path. */
  readonly folder: string;

  readonly shard?: Shard | undefined;
  readonly host: FileHost;
}

/**
 * Appends a line with a single write, so that concurrent runs do not mix their lines. If a power
 * cut left the last line incomplete, that line is ended first. Long strings from the service are
 * cut.
 *
 * @throws RefusedReportError if the line could not be read again, for example because a sum has
 * thousands of digits
 * @throws OutputError if the history cannot be written
 */
export async function appendLine(target: HistoryTarget, download: FileLine): Promise<void> {
  const line = await toReadable(download);
  const consequence = `${line.file} was not written`;
  const appending = lastAppend.then(() => {
    return withHistory(target, consequence, (file) => writeLine(file, JSON.stringify(line)));
  });
  lastAppend = appending.catch(() => {});
  await appending;
}

/**
 * Appends the lines of this process one after the other. Some network drives, and Wine, lose one of
 * two lines that are appended at the same time.
 */
let lastAppend: Promise<void> = Promise.resolve();

async function toReadable(line: FileLine): Promise<FileLine> {
  const { fileLineSchema, maxLineText, maxWarnings } = await loadSchema();
  const cut = (text: string): string => text.slice(0, maxLineText);
  const { data, error } = fileLineSchema.safeParse({
    ...line,
    report: line.report === null ? null : cut(line.report),
    warnings: line.warnings.slice(0, maxWarnings).map(cut),
  });
  if (data) return data;

  const member = error.issues[0]?.path.join(' ') ?? 'a member';
  const file = printable(line.file);
  throw new RefusedReportError(`Cannot record ${file} in the history: ${member} is too long.`, {
    hint: 'The file was not written. Leave this metric out with --metrics.',
  });
}

/** Throws `OutputError` if lines cannot be appended to the file. */
export async function requireAppendable(target: HistoryTarget): Promise<void> {
  await withHistory(target, 'nothing was requested', async () => {});
}

async function withHistory(
  { folder, shard, host }: HistoryTarget,
  consequence: string,
  use: (file: fs.FileHandle) => Promise<void>,
): Promise<void> {
  const path = join(folder, historyName(shard));
  const { O_RDWR, O_APPEND, O_CREAT } = fs.constants;
  try {
    const file = await retryWhileInUse(host, () => {
      return openRegularFile(path, O_RDWR | O_APPEND | O_CREAT);
    });
    try {
      await use(file);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const why = cause instanceof FileInUseError ? cause.message : accessErrorReason(cause);
    const message = `Cannot write the history ${path}: ${why}; ${consequence}.`;
    const hint = 'Check the permissions of the folder and the space on its disk.';
    throw new OutputError(printable(message), { hint, cause });
  }
}

async function writeLine(file: fs.FileHandle, line: string): Promise<void> {
  const separator = (await hasTornEnd(file)) ? '\n' : '';
  const bytes = Buffer.from(`${separator}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
}

/** Returns true if the last line has no line break. */
async function hasTornEnd(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}

/** Returns a note for each history file that has unreadable lines. */
export function skippedNotes({ skipped }: History): string[] {
  return [...skipped].map(([name, lines]) => {
    return `${formatPlural(lines, 'line')} of ${name} cannot be read and ${lines === 1 ? 'is' : 'are'} skipped.`;
  });
}
