import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import { OutputError } from '../../errors.ts';

/** Maximum size of a ZIP entry without ZIP64, which spreadsheet programs do not read. */
const maxBytes = 0xffffffff;

/** Compression level. Higher ones take twice as long and save a tenth. */
const level = 3;

/** Amount deflated at a time. Each piece starts afresh; larger pieces save nothing. */
const pieceBytes = 512 * 1024;

/** Maximum size of a UTF-16 code unit in UTF-8. */
const bytesPerCharacter = 3;

/** Compression method (APPNOTE.TXT, 4.4.5). */
const deflated = 8;

/**
 * First day that ZIP can represent. With the current time, the same report would give different
 * bytes each time.
 */
const firstDay = new Date(1980, 0, 1);

/** Streams entries one after the other, each in pieces. */
export class ZipArchive {
  #pieces: Uint8Array[] = [];

  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  #entry: DeflatedFile | undefined;
  #entryBytes = 0;

  /** Buffers the entry until a piece is full. */
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
   * Encodes the text at once: a string that grew row by row would be copied by every garbage
   * collection until its piece is full. Throws `OutputError` if the entry becomes too large.
   */
  write(text: string): void {
    const maxBytes = bytesPerCharacter * text.length;
    if (this.#waitingBytes + maxBytes > pieceBytes) this.#pushWaiting(false);
    if (maxBytes > pieceBytes) this.#push(Buffer.from(text), false);
    else this.#waitingBytes += this.#waiting.write(text, this.#waitingBytes);
  }

  /** Writes a last string and ends the entry. */
  end(text: string): void {
    this.write(text);
    this.#pushWaiting(true);
  }

  add(name: string, text: string): void {
    this.begin(name);
    this.end(text);
  }

  /** Ends the archive. */
  close(): void {
    this.#zip.end();
  }

  /** Returns the bytes that are ready, each of them once. */
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
    if (this.#entryBytes > maxBytes) {
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

/** Compresses with Node, in half the time that JavaScript takes. */
class DeflatedFile extends ZipPassThrough {
  override compression = deflated;

  protected override process(piece: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, deflateRawSync(piece, { level, finishFlush }), isLast);
  }
}
