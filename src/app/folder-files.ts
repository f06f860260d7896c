import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { createGunzip } from 'node:zlib';
import { codeOf, UsageError } from '../errors.ts';
import { type FormatName, formatOfFile } from '../output/formats/index.ts';
import type { BookLine } from '../report/book-line.ts';
import { type Books, FolderBooks, isBooks } from '../report/books.ts';
import { RestatementHistory } from '../report/restatement.ts';
import type { ParquetFooter } from '../rows/parquet-reader.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { FileFacts } from './folder-check.ts';

/** A folder of reports with what its books say: the folder that holds the books, or that should hold them. */
export interface ReportFolder {
  readonly path: string;
  /** Paths of the report files in it, from the folder, with slashes, in the order of their names. */
  readonly files: readonly string[];
  readonly books: Books;
  /** For each file the hashes that it had before its newest line, each with the time of its fetch. */
  readonly olderCopies: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly history: RestatementHistory;
  /** Whether it is one file, and there are no books for it. */
  readonly isLoneFile: boolean;
}

/**
 * The folders of reports below a path, each with its files. A path inside a folder of reports, or a single file, gives
 * that folder with what lies at the path alone.
 *
 * @throws UsageError for a path that is not there
 */
export async function findReportFolders(path: string): Promise<ReportFolder[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    throw new UsageError(`${printable(path)} does not exist.`, {
      hint: 'Give a folder of reports, or a report file.',
    });
  }

  if (found.isFile()) {
    const folder = folderAround(path, [path]);
    return [{ ...folder, isLoneFile: folder.books.lines.size === 0 && !isAmongBooks(path) }];
  }

  const tree = await listTree(path);
  if (tree.bookFolders.length === 0) return [folderAround(path, tree.files)];

  const folders = tree.bookFolders.map((folder) => {
    const own = tree.files.filter((file) => nearestFolder(file, tree.bookFolders) === folder);
    return readFolder(folder, own);
  });
  const homeless = tree.files.filter((file) => !nearestFolder(file, tree.bookFolders));
  return homeless.length > 0 ? [...folders, readFolder(path, homeless)] : folders;
}

/** The folder at or above a path whose books know what lies there; without any, the path's own folder, with no lines. */
function folderAround(path: string, files: readonly string[]): ReportFolder {
  const own = files.length === 1 && files[0] === path ? dirname(path) : path;
  let folder = resolve(own);

  for (;;) {
    const whole = readFolderAbove(folder, files);
    if (!whole) return readFolder(resolve(own), files);

    const lines = new Map<string, BookLine>();
    for (const [file, line] of whole.books.lines) {
      if (isWithin(join(folder, file), path)) lines.set(file, line);
    }
    if (lines.size > 0) return { ...whole, books: { lines, faults: whole.books.faults } };

    const above = dirname(folder);
    if (above === folder) return readFolder(resolve(own), files);
    folder = above;
  }
}

/** Whether books are kept where a file lies, or above folders such as `date=2026-11-01` that it lies in. */
function isAmongBooks(path: string): boolean {
  let folder = dirname(resolve(path));
  while (basename(folder).includes('=') && !readdirSync(folder).some(isBooks)) {
    folder = dirname(folder);
  }
  return readdirSync(folder).some(isBooks);
}

/** As `readFolder`; nothing for a folder that may not be read: then nobody looks further up. */
function readFolderAbove(folder: string, files: readonly string[]): ReportFolder | undefined {
  try {
    return readFolder(folder, files);
  } catch (error) {
    if (codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM') return undefined;
    throw error;
  }
}

function isWithin(file: string, path: string): boolean {
  const from = relative(resolve(path), file);
  return from === '' || (from !== '..' && !from.startsWith(`..${sep}`));
}

/** The innermost of some folders that a file lies in. */
function nearestFolder(file: string, folders: readonly string[]): string | undefined {
  let nearest: string | undefined;
  for (const folder of folders) {
    const isNearer = nearest === undefined || folder.length > nearest.length;
    if (isNearer && isWithin(file, folder)) nearest = folder;
  }
  return nearest;
}

function readFolder(folder: string, files: readonly string[]): ReportFolder {
  const history = new RestatementHistory();
  const copies = new Map<string, Map<string, string>>();

  const books = new FolderBooks(folder);
  books.read((line) => {
    history.observe(line);
    const hashes = copies.get(line.file) ?? new Map<string, string>();
    hashes.set(line.sha256, line.fetchedAt);
    copies.set(line.file, hashes);
  });

  const names = files.map((file) => relative(resolve(folder), resolve(file)).split(sep).join('/'));
  const facts = { path: folder, files: names.sort(), books, olderCopies: copies, history };
  return { ...facts, isLoneFile: false };
}

/** What lies in a folder and below it. */
interface Tree {
  readonly files: readonly string[];
  readonly bookFolders: readonly string[];
}

/** Report files by their endings; hidden files, and names that begin with `_`, are no reports (as for Spark and Hive). */
async function listTree(root: string): Promise<Tree> {
  const files: string[] = [];
  const bookFolders: string[] = [];
  const waiting = [root];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);

      if (isBooks(entry.name) && !bookFolders.includes(folder)) bookFolders.push(folder);
      if (/^[._]/.test(entry.name)) continue;

      if (entry.isDirectory()) waiting.push(path);
      else if (isReport(entry.name)) files.push(path);
    }
  }
  return { files, bookFolders };
}

/** Whether a name is that of a report. A text file may be anything: a table is found by its line in the books alone. */
function isReport(name: string): boolean {
  const format = formatOfFile(name);
  return format !== undefined && format !== 'table';
}

/** How the reading of a file goes on, and what ends it. */
interface ReadOptions {
  readonly signal: AbortSignal;
  /** Hears how many more bytes were read. */
  readonly onBytes: (count: number) => void;
}

/**
 * Reads what stands on the disk of one file: its size, its hash and the names of its columns.
 *
 * @returns nothing where the file is not there
 */
export async function readFileFacts(
  folder: string,
  file: string,
  { signal, onBytes }: ReadOptions,
): Promise<FileFacts | undefined> {
  const path = join(folder, file);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;

  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
    hash.update(piece);
    bytes += piece.length;
    onBytes(piece.length);
  }
  const description = await describeFile(path, formatOfFile(basename(path)));
  return { file, bytes, sha256: hash.digest('hex'), ...description };
}

/** What a file says of itself without its rows, where its format has a place for it; nothing where it cannot be read. */
export async function describeFile(
  path: string,
  format: FormatName | undefined,
): Promise<Pick<FileFacts, 'columns' | 'members'>> {
  try {
    if (format === 'csv') return { columns: await csvColumns(path) };
    if (format === 'parquet') return await parquetFooter(path);
    if (format === 'xlsx' || format === 'html') return { members: await membersIn(path, format) };
  } catch {
    // Its hash tells that it was changed.
  }
  return {};
}

/** A header is at most so long. */
const headerBytesAtMost = 64 * 1024;

async function csvColumns(path: string): Promise<string[] | undefined> {
  const bytes = createReadStream(path, { end: headerBytesAtMost });
  const isPacked = path.toLowerCase().endsWith('.gz');
  const pieces: AsyncIterable<Buffer> = isPacked ? bytes.pipe(createGunzip()) : bytes;
  let text = '';

  for await (const piece of pieces) {
    text += piece.toString('latin1');
    if (text.includes('\n')) break;
  }
  bytes.destroy();

  const [header = ''] = text.split(/\r?\n/);
  const names = Buffer.from(header, 'latin1')
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return names === '' ? undefined : names.split(/[,;\t|]/);
}

/** What a sheet, or a page, says of its report. */
async function membersIn(path: string, format: 'xlsx' | 'html'): Promise<ReportMember[]> {
  const { readPageMembers, readSheetMembers } = await import('../rows/embedded-members.ts');
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return format === 'xlsx' ? await readSheetMembers(file, size) : await readPageMembers(file);
  } finally {
    await file.close();
  }
}

async function parquetFooter(path: string): Promise<ParquetFooter> {
  const { readParquetFooter } = await import('../rows/parquet-reader.ts');
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await readParquetFooter(file.fd, size);
  } finally {
    await file.close();
  }
}
