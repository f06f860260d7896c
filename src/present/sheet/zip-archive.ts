import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import { OutputError } from '../../errors.ts';

/**
 * What fits into an entry of a ZIP archive without its extension for more, which spreadsheets do
 * not read.
 */
const largestBytes = 0xffffffff;

/** Higher levels take twice as long and save a tenth. */
const level = 3;

/** What is deflated at a time: each piece begins anew, and larger ones save nothing. */
const pieceBytes = 512 * 1024;

/** A character of a text takes so many bytes in UTF-8 at most. */
const bytesPerCharacter = 3;

/** What ZIP calls its method of compression (APPNOTE.TXT, 4.4.5). */
const deflated = 8;

/**
 * The first day of ZIP: with the time of writing, the same report would give other bytes each time.
 */
const firstDay = new Date(1980, 0, 1);

/** A ZIP archive as a stream: entries are added one after the other, each in pieces. */
export class ZipArchive {
  #pieces: Uint8Array[] = [];

  /** What waits in an entry for a piece to be full: the entries have it one after the other. */
  readonly #waiting = Buffer.allocUnsafe(pieceBytes);

  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  /** Begins an entry, to which nothing can be added once the next one has begun. */
  begin(name: string): ZipEntry {
    const file = new DeflatedFile(name);
    file.mtime = firstDay;
    this.#zip.add(file);
    return new ZipEntry(file, this.#waiting);
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

/** A file whose pieces Node deflates, which takes half as long as in JavaScript. */
class DeflatedFile extends ZipPassThrough {
  override compression = deflated;

  protected override process(piece: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, deflateRawSync(piece, { level, finishFlush }), isLast);
  }
}

/** A file in an archive. Its calls throw `OutputError` where it becomes too large. */
export class ZipEntry {
  readonly #file: ZipPassThrough;

  readonly #waiting: Buffer;

  #waitingBytes = 0;

  #sizeBytes = 0;

  constructor(file: ZipPassThrough, waiting: Buffer) {
    this.#file = file;
    this.#waiting = waiting;
  }

  /**
   * Adds a text. It becomes bytes at once: a text that grew from row to row would be copied by each
   * collection of memory, until its piece is full.
   */
  write(text: string): void {
    const bytesAtMost = bytesPerCharacter * text.length;
    if (this.#waitingBytes + bytesAtMost > pieceBytes) this.#pushWaiting();
    if (bytesAtMost > pieceBytes) this.#push(Buffer.from(text), false);
    else this.#waitingBytes += this.#waiting.write(text, this.#waitingBytes);
  }

  end(text: string): void {
    this.write(text);
    this.#push(this.#waiting.subarray(0, this.#waitingBytes), true);
  }

  #pushWaiting(): void {
    this.#push(this.#waiting.subarray(0, this.#waitingBytes), false);
    this.#waitingBytes = 0;
  }

  #push(bytes: Uint8Array, isLast: boolean): void {
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > largestBytes) {
      throw new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
        code: 'TOO_LARGE',
        hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
      });
    }
    this.#file.push(bytes, isLast);
  }
}
