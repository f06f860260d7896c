import { Zip, ZipDeflate } from 'fflate';
import { OutputError } from '../../errors.ts';

/** What fits into an entry of a ZIP archive without its extension for more, which spreadsheets do not read. */
const largestBytes = 0xffffffff;

/** Higher levels take twice as long and save a tenth. */
const level = 3;

/** The first day of ZIP: with the time of writing, the same report would give other bytes each time. */
const firstDay = new Date(1980, 0, 1);

/** A ZIP archive as a stream: entries are added one after the other, each in pieces. */
export class ZipArchive {
  #pieces: Uint8Array[] = [];

  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  /** Begins an entry, to which nothing can be added once the next one has begun. */
  begin(name: string): ZipEntry {
    const deflate = new ZipDeflate(name, { level });
    deflate.mtime = firstDay;
    this.#zip.add(deflate);
    return new ZipEntry(deflate);
  }

  /** Adds an entry that is whole. */
  add(name: string, text: string): void {
    this.begin(name).end(text);
  }

  end(): void {
    this.#zip.end();
  }

  /** Gives the bytes that are ready, each once. */
  take(): Uint8Array[] {
    const ready = this.#pieces;
    this.#pieces = [];
    return ready;
  }
}

/** A file in an archive. Its calls throw `OutputError` where it becomes too large. */
export class ZipEntry {
  readonly #deflate: ZipDeflate;

  #sizeBytes = 0;

  constructor(deflate: ZipDeflate) {
    this.#deflate = deflate;
  }

  write(text: string): void {
    this.#push(text, false);
  }

  end(text: string): void {
    this.#push(text, true);
  }

  #push(text: string, isLast: boolean): void {
    const bytes = Buffer.from(text);
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > largestBytes) {
      throw new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
        code: 'TOO_LARGE',
        hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
      });
    }
    this.#deflate.push(bytes, isLast);
  }
}
