import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import { OutputError } from '../../errors.ts';

/** Maximum size of an entry. Larger entries need ZIP64, which spreadsheet programs do not read. */
const maxEntryBytes = 0xffffffff;

/** Higher levels take twice as long to save a tenth of the size. */
const level = 3;

/** Number of bytes deflated at a time. Larger pieces do not compress better. */
const pieceBytes = 512 * 1024;

/** Maximum size of a UTF-16 code unit in UTF-8. */
const bytesPerCharacter = 3;

/** Compression method (APPNOTE.TXT, 4.4.5). */
const deflateMethod = 8;

/**
 * First day that ZIP can represent. With the current time, the same report would give different
 * bytes each time.
 */
const firstDay = new Date(1980, 0, 1);

/** Writes a ZIP archive, one entry after the other, each in pieces. */
export class ZipArchive {
  #pieces: Uint8Array[] = [];

  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  #entry: DeflatedFile | undefined;
  #entryBytes = 0;

  /** Bytes that do not fill a piece yet. */
  readonly #waiting = Buffer.allocUnsafe(pieceBytes);
  #waitingBytes = 0;

  /** Starts an entry. The previous one must be complete. */
  begin(name: string): void {
    this.#entry = new DeflatedFile(name);
    this.#entry.mtime = firstDay;
    this.#entryBytes = 0;
    this.#zip.add(this.#entry);
  }

  /**
   * Adds text to the entry. Text is encoded immediately, because garbage collection would
   * copy a growing string again and again. Throws `OutputError` if the entry becomes too large.
   */
  write(text: string): void {
    const maxTextBytes = bytesPerCharacter * text.length;
    if (this.#waitingBytes + maxTextBytes > pieceBytes) this.#pushWaiting(false);
    if (maxTextBytes > pieceBytes) this.#push(Buffer.from(text), false);
    else this.#waitingBytes += this.#waiting.write(text, this.#waitingBytes);
  }

  /** Adds the last text of an entry. */
  end(text: string): void {
    this.write(text);
    this.#pushWaiting(true);
  }

  add(name: string, text: string): void {
    this.begin(name);
    this.end(text);
  }

  close(): void {
    this.#zip.end();
  }

  /** Returns the bytes completed since the last call. */
  take(): Uint8Array[] {
    const ready = this.#pieces;
    this.#pieces = [];
    return ready;
  }

  #pushWaiting(isLast: boolean): void {
    this.#push(this.#waiting.subarray(0, this.#waitingBytes), isLast);
    this.#waitingBytes = 0;
  }

  #push(bytes: Uint8Array, isLast: boolean): void {
    this.#entryBytes += bytes.length;
    if (this.#entryBytes > maxEntryBytes) {
      throw new OutputError(
        'The spreadsheet is larger than 4 GiB; no spreadsheet program can open it.',
        {
          code: 'TOO_LARGE',
          hint: 'Select fewer columns with --columns, or write CSV or Parquet.',
        },
      );
    }
    this.#entry?.push(bytes, isLast);
  }
}

/** Deflates with Node's zlib, which takes half as long as fflate. */
class DeflatedFile extends ZipPassThrough {
  override compression = deflateMethod;

  protected override process(piece: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, deflateRawSync(piece, { level, finishFlush }), isLast);
  }
}
