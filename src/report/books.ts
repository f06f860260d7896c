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
import { codeOf } from '../errors.ts';
import { type BookLine, type Changes, parseLine, type Totals, textOfLine } from './book-line.ts';
import type { Part } from './parts.ts';

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

/** The newest line of every file of a folder, and what was wrong with the lines. */
export interface Books {
  /** By the path of the file from the folder, with slashes. */
  readonly lines: ReadonlyMap<string, BookLine>;
  readonly faults: readonly BookFault[];
}

/** A line that could not be read: a power cut can leave a torn one. */
export interface BookFault {
  /** The name of the book. */
  readonly book: string;
  /** Counted from 1. */
  readonly lineNumber: number;
}

/** What is wrong with a line, as a sentence. */
export function describeFault({ book, lineNumber }: BookFault): string {
  return `Line ${lineNumber} of ${book} is torn or is no line of ours: it is passed over.`;
}

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

/** How far a book was read. */
interface ReadBook {
  /** Where the last of its lines ends that were read, in bytes. */
  end: number;
  lineCount: number;
  /** The faults of the book, by the file that a torn line tells, which its next line settles. */
  readonly faults: Map<string, BookFault>;
}

/**
 * All the books of a folder. They are read in one pass; what others append meanwhile is read on before a line is added.
 * Of several lines on one file the one that was fetched last counts.
 */
export class FolderBooks implements Books {
  readonly lines = new Map<string, BookLine>();
  readonly #folder: string;
  readonly #books = new Map<string, ReadBook>();
  /** The first line of each request. */
  readonly #requests = new Map<string, BookLine>();
  #keptSinceMs = Number.POSITIVE_INFINITY;

  /** A folder without books, or without itself, has no lines. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @param visit is called with every line, older ones too, in the order of each book
   * @throws the system's error where the books are there and cannot be read
   */
  read(visit?: (line: BookLine) => void): void {
    for (const name of this.#names()) {
      // Books without a line are as old as their file.
      const { mtimeMs } = statSync(join(this.#folder, name));
      this.#keptSinceMs = Math.min(this.#keptSinceMs, mtimeMs);
      this.#readOn(name, visit);
    }
  }

  /** What could not be read; a torn line that tells its file is settled by the file's next line, and no fault any more. */
  get faults(): BookFault[] {
    return [...this.#books.values()].flatMap(({ faults }) => [...faults.values()]);
  }

  /** Since when they are kept, in milliseconds since 1970; infinite where there are none. */
  get keptSinceMs(): number {
    return this.#keptSinceMs;
  }

  /**
   * Makes the books of a folder where there are none, without a line: so it can be told of every file whether it is
   * younger than they are. Books that cannot be made are told of where the first line is appended.
   */
  start(name: string): void {
    try {
      if (this.#names().length > 0) return;
      mkdirSync(this.#folder, { recursive: true });
      closeSync(openSync(join(this.#folder, name), 'a', 0o644));
    } catch {
      // `append` meets the same error.
    }
  }

  /**
   * Reads on what other runs have appended to the books that were read before, and to the one of that name.
   *
   * @throws the system's error where they cannot be read
   */
  readOn(name: string): void {
    for (const each of new Set([...this.#books.keys(), name])) {
      const end = this.#books.get(each)?.end ?? 0;
      const stats = statSync(join(this.#folder, each), { throwIfNoEntry: false });
      if (stats && stats.size > end) this.#readOn(each);
    }
  }

  /**
   * Appends a line in one write, so that lines of runs side by side do not mix.
   *
   * @throws OutputError for a line without bounds, and the system's error where the book cannot be written to
   */
  append(name: string, line: BookLine): void {
    const text = `${textOfLine(line)}\n`;
    const descriptor = openSync(join(this.#folder, name), 'a+', 0o644);

    try {
      const separator = endsTorn(descriptor) ? '\n' : '';
      const bytes = Buffer.from(separator + text);
      const written = writeSync(descriptor, bytes);
      if (written < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    } finally {
      closeSync(descriptor);
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter(isBooks).sort();
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
      throw error;
    }
  }

  /** Reads the lines of a book that were not read yet. */
  #readOn(name: string, visit?: (line: BookLine) => void): void {
    const path = join(this.#folder, name);
    const book = this.#books.get(name) ?? { end: 0, lineCount: 0, faults: new Map() };
    this.#books.set(name, book);

    for (const { text, end } of linesOf(path, book.end)) {
      const lineNumber = book.lineCount + 1;
      // What lacks its line break may go on.
      if (end > book.end) book.lineCount = lineNumber;
      book.end = end;
      if (text === '') continue;

      const line = parseLine(text);
      if (!line) {
        book.faults.set(fileOfTornLine(text) ?? `line ${lineNumber}`, { book: name, lineNumber });
        continue;
      }

      book.faults.delete(line.file);
      this.#take(this.#withSharedRequest(line), visit);
    }
  }

  #take(line: BookLine, visit?: (line: BookLine) => void): void {
    visit?.(line);
    this.#keptSinceMs = Math.min(this.#keptSinceMs, Date.parse(line.createdAt));

    const before = this.lines.get(line.file);
    if (!before || before.fetchedAt <= line.fetchedAt) this.lines.set(line.file, line);
  }

  /** Lines of one question share its objects and texts, because a folder of years has tens of thousands of them. */
  #withSharedRequest(line: BookLine): BookLine {
    const first = this.#requests.get(line.requestHash);
    if (!first) {
      this.#requests.set(line.requestHash, line);
      return line;
    }

    const { requestHash, request, format, key, adreport } = first;
    const window = { ...line.window, timezone: first.window.timezone };
    return { ...line, window, requestHash, request, format, key, adreport };
  }
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

const pieceBytes = 64 * 1024;

/** A line of a file without its line break, and where the next one begins, in bytes. */
interface TextLine {
  readonly text: string;
  readonly end: number;
}

/** The lines of a file from a place on, a piece of the file at a time; the last one may lack its line break. */
function* linesOf(path: string, start: number): Generator<TextLine> {
  const descriptor = openSync(path, 'r');
  const piece = Buffer.allocUnsafe(pieceBytes);
  let rest: Buffer = Buffer.alloc(0);
  let end = start;

  try {
    for (let position = start; ; ) {
      const size = readSync(descriptor, piece, 0, pieceBytes, position);
      if (size === 0) break;
      position += size;

      const bytes = Buffer.concat([rest, piece.subarray(0, size)]);
      let lineStart = 0;
      for (;;) {
        const lineEnd = bytes.indexOf('\n', lineStart);
        if (lineEnd < 0) break;
        end += lineEnd + 1 - lineStart;
        yield { text: bytes.toString('utf8', lineStart, lineEnd), end };
        lineStart = lineEnd + 1;
      }
      rest = bytes.subarray(lineStart);
    }
    if (rest.length > 0) yield { text: rest.toString('utf8'), end };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the last line of a file lacks its line break, as a power cut leaves it. */
function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;

  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() !== '\n';
}
