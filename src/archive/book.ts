import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { codeOf } from '../errors.ts';
import type { FileLine, OrderLine } from './forms.ts';
import { lineBytesAtMost } from './line.ts';

const bookPattern = /^_adreport(-\d+-of-\d+)?\.ndjson$/;

/**
 * The name of the book that a run appends to. A shard has a book of its own, so that no two
 * machines append to one file.
 *
 * @param shard the value of `--shard`: `2/4` gives `_adreport-2-of-4.ndjson`
 */
export function nameOfBook(shard?: string): string {
  if (shard === undefined) return '_adreport.ndjson';
  return `_adreport-${shard.trim().replace('/', '-of-')}.ndjson`;
}

/** Whether a file name is that of a book. */
export function isBookName(name: string): boolean {
  return bookPattern.test(name);
}

/** What is to be said of a book itself. */
export interface BookFacts {
  /** Its name in the folder. */
  readonly name: string;

  /**
   * The numbers of the lines that are not of this form, counted from 1; of very many the first
   * thousand.
   */
  readonly passedOver: readonly number[];

  /** Why it cannot be read, as a clause. */
  readonly unreadable?: string;
}

/** A line on a file, and the book that it stands in. */
export interface BookedFile {
  readonly line: FileLine;
  readonly book: string;
}

/** What all the books of a folder say. */
export interface Books {
  /** The folder that they stand in, as an absolute path. */
  readonly folder: string;
  readonly facts: readonly BookFacts[];

  /** By their ids. */
  readonly orders: ReadonlyMap<string, OrderLine>;

  /** The newest order of each `output`. */
  readonly newestOrders: ReadonlyMap<string, OrderLine>;

  /** The last order of each `output` in each book, by the book's name and the output. */
  readonly lastOrders: ReadonlyMap<string, ReadonlyMap<string, OrderLine>>;

  /** All lines on each file by its name, the newest last. */
  readonly files: ReadonlyMap<string, readonly BookedFile[]>;
}

/** The newest line on a file. */
export function newestOf(books: Books, file: string): BookedFile | undefined {
  return books.files.get(file)?.at(-1);
}

/** One book, as it was read. */
interface Book {
  readonly facts: BookFacts;
  readonly orders: readonly OrderLine[];

  /** In the order in which they stand. */
  readonly files: ReadonlyMap<string, readonly FileLine[]>;
}

/** What the books of a folder call what stands at an absolute path: the way there, with slashes. */
export function nameInFolder(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/**
 * Reads all the books of a folder. A folder without books, or without itself, has no lines; a book
 * that is no regular file, or that may not be read, is told of in `facts`.
 *
 * @throws the reason of the signal once that is aborted, and the system's error where the folder
 * cannot be listed
 */
export async function readBooks(folder: string, signal: AbortSignal): Promise<Books> {
  const names = (await namesIn(folder)).filter(isBookName).sort();
  const books: Book[] = [];
  for (const name of names) books.push(await readBook(folder, name, signal));
  return joinBooks(folder, books);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function joinBooks(folder: string, books: readonly Book[]): Books {
  const orders = new Map<string, OrderLine>();
  const newestOrders = new Map<string, OrderLine>();
  const lastOrders = new Map<string, Map<string, OrderLine>>();
  const lists = new Map<string, BookedFile[][]>();

  for (const book of books) {
    const { name } = book.facts;
    const ownOrders = new Map<string, OrderLine>();
    for (const order of book.orders) {
      orders.set(order.order, order);
      ownOrders.set(order.output, order);
    }
    lastOrders.set(name, ownOrders);

    for (const [output, order] of ownOrders) {
      const newest = newestOrders.get(output);
      const isNewer = !newest || Date.parse(newest.at) <= Date.parse(order.at);
      if (isNewer) newestOrders.set(output, order);
    }

    for (const [file, lines] of book.files) {
      const list = lists.get(file) ?? [];
      list.push(lines.map((line) => ({ line, book: name })));
      lists.set(file, list);
    }
  }

  const files = new Map<string, BookedFile[]>();
  for (const [file, list] of lists) files.set(file, list.sort(byLastCreated).flat());
  const facts = books.map((book) => book.facts);
  return { folder, facts, orders, newestOrders, lastOrders, files };
}

/**
 * Within a book the position tells which line is the newest, and across books the time of the
 * service.
 */
function byLastCreated(one: readonly BookedFile[], other: readonly BookedFile[]): number {
  const createdMs = (list: readonly BookedFile[]) => Date.parse(list.at(-1)?.line.created ?? '');
  return createdMs(one) - createdMs(other);
}

/** Of a damaged book so many line numbers are kept. */
const passedOverAtMost = 1_000;

async function readBook(folder: string, name: string, signal: AbortSignal): Promise<Book> {
  const passedOver: number[] = [];
  const orders: OrderLine[] = [];
  const files = new Map<string, FileLine[]>();
  // Most commands read no books, and need no schema.
  const { parseLine } = await import('./forms.ts');

  try {
    let lineNumber = 0;
    for await (const text of linesOf(join(folder, name), signal)) {
      lineNumber += 1;
      if (text === '') continue;

      const line = text === undefined ? undefined : parseLine(text);
      if (line?.kind === 'order') orders.push(line.order);
      if (line?.kind === 'file') add(files, line.file);
      if (!line && passedOver.length < passedOverAtMost) passedOver.push(lineNumber);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { facts: { name, passedOver, unreadable: whyUnreadable(error) }, orders, files };
  }
  return { facts: { name, passedOver }, orders, files };
}

function add(files: Map<string, FileLine[]>, line: FileLine): void {
  const lines = files.get(line.file);
  if (lines) lines.push(line);
  else files.set(line.file, [line]);
}

/**
 * What is no regular file is never read from: a pipe would hold the program up, and a link leads
 * anywhere.
 */
const notRegular = 'NOT_REGULAR';

function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === notRegular) return 'it is no regular file';
  if (code === 'ELOOP' || code === 'EMLINK') return 'it is a link';
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  return code ?? String(error);
}

/** Opens a book, and nothing but a regular file that stands there itself. */
async function openBook(path: string, flags: number): Promise<fs.FileHandle> {
  // Without O_NONBLOCK the opening of a pipe waits for its other end, and no signal ends that.
  const file = await fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
  const stats = await file.stat();
  if (stats.isFile()) return file;

  await file.close();
  throw Object.assign(new Error(notRegular), { code: notRegular });
}

const pieceBytes = 64 * 1024;
const lineBreak = 0x0a;

/**
 * The lines of a book; `undefined` for one that is too long, or no text. No more than a line is
 * held in memory.
 */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string | undefined> {
  const file = await openBook(path, constants.O_RDONLY);
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

function textOf(bytes: Buffer): string | undefined {
  const isText = bytes.length < lineBytesAtMost && isUtf8(bytes);
  return isText ? bytes.toString() : undefined;
}

/**
 * Appends a line to a book, and makes the book where there is none. One write puts it there, so
 * that the lines of runs side by side do not mix; a line that a power cut has torn is ended first.
 *
 * @throws the system's error where the book cannot be written to
 */
export async function appendLine(path: string, line: OrderLine | FileLine): Promise<void> {
  const file = await openBook(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  try {
    const separator = (await endsTorn(file)) ? '\n' : '';
    const bytes = Buffer.from(`${separator}${JSON.stringify(line)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  } finally {
    await file.close();
  }
}

/** Why a book cannot be appended to, as a clause. */
export function whyNotAppended(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ENXIO') return 'it is no regular file';
  return whyUnreadable(error);
}

/** Whether the last line of a file lacks its line break. */
async function endsTorn(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}
