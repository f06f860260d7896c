import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../errors.ts';
import { describeFileError, systemError } from '../output/file/file-error.ts';
import type { Shard } from '../query/flags/read-value.ts';
import { type FileHost, retryWhileInUse } from '../text/file-in-use.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { openRegularFile } from './disk.ts';
import type { FileLine } from './history-schema.ts';

/** Content of the history files of a folder. */
export interface History {
  /** Last line of each file, by path relative to the folder. */
  readonly lines: ReadonlyMap<string, FileLine>;

  /** Number of invalid lines, by history file. */
  readonly skipped: ReadonlyMap<string, number>;

  /** Unreadable history files, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
}

export function isHistoryName(name: string): boolean {
  return /^_adreport(-\d+-of-\d+)?\.history$/.test(name);
}

/**
 * Reads the history of a folder, which is empty without history files.
 *
 * @throws `signal.reason` if aborted
 */
export async function readHistory(folder: string, signal: AbortSignal): Promise<History> {
  const lines = new Map<string, FileLine>();
  const skipped = new Map<string, number>();
  const unreadable = new Map<string, string>();
  const names = await fs.readdir(folder).catch(() => []);

  for (const name of names.filter(isHistoryName).sort()) {
    try {
      const file = await readHistoryFile(join(folder, name), signal);
      for (const line of file.lines.values()) {
        const other = lines.get(line.file);
        if (!other || createdMs(other) <= createdMs(line)) lines.set(line.file, line);
      }
      if (file.skipped > 0) skipped.set(name, file.skipped);
      const isDamaged = file.skipped > 0 && file.lines.size === 0;
      if (isDamaged) unreadable.set(name, 'it has no line that can be read');
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      unreadable.set(name, describeFileError(error));
    }
  }
  return { lines, skipped, unreadable };
}

function createdMs({ created }: FileLine): number {
  return Date.parse(created);
}

/** Reads a history file. Later lines replace earlier lines for the same file. */
async function readHistoryFile(path: string, signal: AbortSignal) {
  // Loaded lazily, because most commands do not use a history.
  const { fileLineSchema } = await import('./history-schema.ts');
  const lines = new Map<string, FileLine>();
  let skipped = 0;
  for (const text of await readLines(path, signal)) {
    const { data: line } = fileLineSchema.safeParse(parseJson(text));
    if (line) lines.set(line.file, line);
    else skipped += 1;
  }
  return { lines, skipped };
}

/** Returns the lines that are not empty. */
async function readLines(path: string, signal: AbortSignal): Promise<string[]> {
  const file = await openRegularFile(path, constants.O_RDONLY);
  try {
    const text = await file.readFile({ encoding: 'utf8', signal });
    return text.split('\n').filter((line) => line !== '');
  } finally {
    await file.close();
  }
}

/** Returns `undefined` for an incomplete line. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a line has rows, and not only totals of 0. */
export function hasNumbers({ rows, totals }: FileLine): boolean {
  const sums = Object.values(totals);
  return rows > 0 && (sums.length === 0 || sums.some((sum) => /[1-9]/.test(sum)));
}

/** History file of a run. */
export interface HistoryTarget {
  /** Absolute path. */
  readonly folder: string;

  /** Each shard has its own history file, so that two machines never append to the same file. */
  readonly shard?: Shard | undefined;
  readonly host: FileHost;
}

/**
 * Appends a line with a single write, so that concurrent runs do not interleave their lines. If a
 * power cut left the last line incomplete, it is terminated first.
 *
 * @throws OutputError if the history cannot be written
 */
export async function appendLine(target: HistoryTarget, line: FileLine): Promise<void> {
  const appending = lastAppend.then(() => {
    return withHistory(target, (file) => writeLine(file, JSON.stringify(line)));
  });
  lastAppend = appending.catch(() => {});
  await appending;
}

/**
 * Serializes the appends of this process. Some network drives, and Wine, lose a line if two are
 * appended at the same time.
 */
let lastAppend: Promise<void> = Promise.resolve();

/** Throws `OutputError` if lines cannot be appended to the file. */
export async function requireAppendable(target: HistoryTarget): Promise<void> {
  await withHistory(target, async () => {});
}

async function withHistory(
  { folder, shard, host }: HistoryTarget,
  use: (file: fs.FileHandle) => Promise<void>,
): Promise<void> {
  const suffix = shard ? `-${shard.index}-of-${shard.count}` : '';
  const path = join(folder, `_adreport${suffix}.history`);
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
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
    const message = `Cannot write the history ${path}: ${describeFileError(cause)}.`;
    const hint = 'Check the permissions of the folder and the space on its disk.';
    throw new OutputError(printable(message), { hint, cause });
  }
}

async function writeLine(file: fs.FileHandle, line: string): Promise<void> {
  const separator = (await hasTornEnd(file)) ? '\n' : '';
  const bytes = Buffer.from(`${separator}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw systemError('ENOSPC');
}

/** Whether the last line is not terminated. */
async function hasTornEnd(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;

  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString() !== '\n';
}

/** Returns a note for each history file with invalid lines. */
export function skippedNotes({ skipped }: History): string[] {
  return [...skipped].map(([name, lines]) => {
    return `${formatPlural(lines, 'line')} of ${name} cannot be read and ${lines === 1 ? 'is' : 'are'} skipped.`;
  });
}
