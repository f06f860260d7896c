import { createGzip, gzipSync } from 'node:zlib';
import { OutputError } from '../../errors.ts';

const headerBytes = 10;
const trailerBytes = 8;
const largestBytes = 0xffffffff;
/** 1980-01-01, the first day of ZIP: with the time of writing, the same report would give other bytes each time. */
const dosDate = 0x0021;
/** Names are UTF-8; sizes come after the data. */
const flags = 0x0808;

interface Entry {
  readonly name: Buffer;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly offset: number;
}

/**
 * A ZIP archive (PKWARE APPNOTE) as a stream: its entries one after the other, then the directory. Node has raw deflate, but the check
 * sum that ZIP wants only from 20.15 on: gzip, which is raw deflate in a frame with the same sum, has both.
 */
export class ZipArchive {
  readonly #entries: Entry[] = [];
  #offset = 0;

  /** A whole entry. */
  add(name: string, text: string): Buffer {
    const gzip = gzipSync(text);
    const begun = this.#begin(name);
    const data = gzip.subarray(headerBytes, -trailerBytes);
    return Buffer.concat([begun.header, data, this.#end(begun, gzip.subarray(-trailerBytes), data.length)]);
  }

  /** An entry whose text comes in pieces; no other may begin before it has ended. */
  open(name: string): ZipEntry {
    const begun = this.#begin(name);
    return new ZipEntry(begun.header, (trailer, sizeBytes) => this.#end(begun, trailer, sizeBytes));
  }

  /** The directory: nothing comes after it. */
  end(): Buffer {
    const records = this.#entries.map(directoryRecord);
    const sizeBytes = records.reduce((sum, { length }) => sum + length, 0);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(records.length, 8);
    end.writeUInt16LE(records.length, 10);
    end.writeUInt32LE(sizeBytes, 12);
    end.writeUInt32LE(this.#offset, 16);
    return Buffer.concat([...records, end]);
  }

  #begin(name: string) {
    const bytes = Buffer.from(name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(flags, 6);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(dosDate, 12);
    header.writeUInt16LE(bytes.length, 26);
    const offset = this.#offset;
    this.#offset += header.length + bytes.length;
    return { name: bytes, offset, header: Buffer.concat([header, bytes]) };
  }

  /** @param trailer that of gzip: check sum and size */
  #end({ name, offset }: Pick<Entry, 'name' | 'offset'>, trailer: Buffer, compressedBytes: number): Buffer {
    const [crc, sizeBytes] = [trailer.readUInt32LE(0), trailer.readUInt32LE(4)];
    this.#entries.push({ name, offset, crc, sizeBytes, compressedBytes });
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x08074b50, 0);
    descriptor.writeUInt32LE(crc, 4);
    descriptor.writeUInt32LE(compressedBytes, 8);
    descriptor.writeUInt32LE(sizeBytes, 12);
    this.#offset += compressedBytes + descriptor.length;
    return descriptor;
  }
}

function directoryRecord({ name, crc, compressedBytes, sizeBytes, offset }: Entry): Buffer {
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(20, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(8, 10);
  record.writeUInt16LE(dosDate, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(compressedBytes, 20);
  record.writeUInt32LE(sizeBytes, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt32LE(offset, 42);
  return Buffer.concat([record, name]);
}

/** An entry while its text comes. */
class ZipEntry {
  // A thread of its own compresses. Higher levels take twice as long and save a tenth.
  readonly #gzip = createGzip({ level: 4, chunkSize: 64 * 1024 });
  readonly #end: (trailer: Buffer, compressedBytes: number) => Buffer;
  #pieces: Buffer[];
  /** Of the gzip frame: how many bytes of its header are still to come. */
  #toSkip = headerBytes;
  /** The last bytes so far, which may be the trailer. */
  #tail: Buffer = Buffer.alloc(0);
  #compressedBytes = 0;
  #sizeBytes = 0;

  constructor(header: Buffer, end: (trailer: Buffer, compressedBytes: number) => Buffer) {
    this.#pieces = [header];
    this.#end = end;
    this.#gzip.on('data', (piece: Buffer) => this.#take(piece));
  }

  /**
   * Adds text, and returns the bytes of the archive that are ready.
   * @throws OutputError where the entry becomes larger than 4 GiB
   */
  async write(text: string): Promise<Buffer[]> {
    const bytes = Buffer.from(text);
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > largestBytes) {
      throw new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
        code: 'TOO_LARGE',
        hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
      });
    }
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    return this.#takePieces();
  }

  /** The last bytes of the entry: nothing may be written after them. */
  async end(): Promise<Buffer[]> {
    await new Promise<void>((resolve, reject) => {
      this.#gzip.once('end', resolve).once('error', reject).end();
    });
    return [...this.#takePieces(), this.#end(this.#tail, this.#compressedBytes)];
  }

  #take(piece: Buffer): void {
    const skipped = Math.min(this.#toSkip, piece.length);
    this.#toSkip -= skipped;
    const all = Buffer.concat([this.#tail, piece.subarray(skipped)]);
    const data = all.subarray(0, Math.max(0, all.length - trailerBytes));
    this.#tail = Buffer.from(all.subarray(data.length));
    this.#compressedBytes += data.length;
    this.#pieces.push(data);
  }

  #takePieces(): Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}
