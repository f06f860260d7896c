import { Zip, ZipDeflate } from 'fflate';
import { OutputError } from '../../errors.ts';

/** What fits into an entry of a ZIP archive without its extension for more, which spreadsheets do not read. */
const largestBytes = 0xffffffff;

/** 1980-01-01, the first day of ZIP: with the time of writing, the same report would give other bytes each time. */
const fixedTime = new Date(1980, 0, 1);

/** A ZIP archive as a stream: what it has ready is taken with `take`. */
export class Archive {
  #pieces: Uint8Array[] = [];
  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  /** A whole entry. */
  add(name: string, text: string): void {
    this.open(name).write(text, true);
  }

  /** An entry whose text comes in pieces; no other may begin before its last piece. */
  open(name: string): { write(text: string, isLast?: boolean): void } {
    // Higher levels take twice as long and save a tenth.
    const entry = new ZipDeflate(name, { level: 3 });
    entry.mtime = fixedTime;
    this.#zip.add(entry);
    let sizeBytes = 0;
    return {
      write(text, isLast = false) {
        const bytes = Buffer.from(text);
        sizeBytes += bytes.length;
        if (sizeBytes > largestBytes) {
          throw new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
            code: 'TOO_LARGE',
            hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
          });
        }
        entry.push(bytes, isLast);
      },
    };
  }

  /** Nothing may be added any more. */
  end(): void {
    this.#zip.end();
  }

  /** The bytes that are ready, once. */
  take(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}
