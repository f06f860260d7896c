import type { FileHandle } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';

/** So much is unpacked at a time; what compresses a thousandfold is still no more than memory holds. */
const pieceBytes = 8 * 1024;

/** How much of an archive's end is kept: its table of contents stands there, and has a few hundred bytes in a sheet of ours. */
const keptEndBytes = 64 * 1024;

/** Each step unpacks for so long before signals and timers have their turn. */
const stepMs = 50;

/** What the bytes of a part add up to. */
interface PartSum {
  readonly name: string;
  sizeBytes: number;
  checksum: number;

  /** Whether its end has come. */
  isWhole: boolean;
}

/** Unpacks a ZIP archive as it comes, and holds all of its parts against the checksums in its table of contents. */
export class ZipParts {
  readonly #wantedName: string;
  readonly #unzip: Unzip;
  readonly #sums: PartSum[] = [];
  #wantedPieces: Uint8Array[] = [];
  #end = Buffer.alloc(0);

  /** @param wantedName the part whose bytes are handed out */
  constructor(wantedName: string) {
    this.#wantedName = wantedName;
    this.#unzip = new Unzip((file) => this.#begin(file));
    this.#unzip.register(UnzipInflate);
  }

  /** The pieces of the wanted part. Throws an error of any kind where the archive is damaged, or lacks the part. */
  async *read(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let stepStart = performance.now();
    for await (const chunk of archive) {
      this.#end = Buffer.concat([this.#end, chunk]).subarray(-keptEndBytes);
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        this.#unzip.push(chunk.subarray(at, at + pieceBytes));
        yield* this.#takePieces();

        if (performance.now() - stepStart < stepMs) continue;
        await new Promise((resolve) => setImmediate(resolve));
        stepStart = performance.now();
      }
    }
    this.#check();
  }

  #takePieces(): Uint8Array[] {
    const pieces = this.#wantedPieces;
    this.#wantedPieces = [];
    return pieces;
  }

  #begin(file: UnzipFile): void {
    const sum: PartSum = { name: file.name, sizeBytes: 0, checksum: 0, isWhole: false };
    this.#sums.push(sum);
    file.ondata = (error, piece, isLast) => {
      if (error) throw error;
      sum.sizeBytes += piece.length;
      sum.checksum = checksumOf(piece, sum.checksum);
      sum.isWhole ||= isLast;
      if (file.name === this.#wantedName) this.#wantedPieces.push(piece);
    };
    file.start();
  }

  /** Throws where a part is not as the table of contents says. */
  #check(): void {
    const entries = readContents(this.#end);
    if (!entries.some(({ name }) => name === this.#wantedName)) {
      throw new Error(`it has no ${this.#wantedName}`);
    }
    for (const { name, sizeBytes, checksum } of entries) {
      const part = this.#sums.find((sum) => sum.name === name && sum.isWhole);
      const isSame = part?.checksum === checksum && part.sizeBytes === sizeBytes;
      if (!isSame) throw new Error(`its part ${name} is damaged`);
    }
  }
}

/** What the table of contents says of a part. */
interface ContentsEntry {
  readonly name: string;
  readonly sizeBytes: number;
  readonly checksum: number;
  readonly packedBytes: number;
  /** Where the part begins in the archive: its own head stands before its bytes. */
  readonly offset: number;
}

/** The table of contents of an archive (APPNOTE 4.3.12 and 4.3.16), from its last bytes. Throws where it is not there. */
function readContents(end: Buffer): ContentsEntry[] {
  const endRecord = end.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (endRecord < 0 || endRecord + 22 > end.length) throw new Error('it has no table of contents');

  const entryCount = end.readUInt16LE(endRecord + 10);
  let at = endRecord - end.readUInt32LE(endRecord + 12);
  const entries: ContentsEntry[] = [];
  for (let i = 0; i < entryCount; i++) {
    const isEntry = at >= 0 && end.toString('latin1', at, at + 4) === 'PK\x01\x02';
    if (!isEntry || at + 46 > endRecord) throw new Error('its table of contents is damaged');

    const nameBytes = end.readUInt16LE(at + 28);
    entries.push({
      name: end.toString('utf8', at + 46, at + 46 + nameBytes),
      sizeBytes: end.readUInt32LE(at + 24),
      checksum: end.readUInt32LE(at + 16),
      packedBytes: end.readUInt32LE(at + 20),
      offset: end.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + end.readUInt16LE(at + 30) + end.readUInt16LE(at + 32);
  }
  return entries;
}

/** A part that is read alone is unpacked in memory: of more it is none of ours. */
const mostPartBytes = 2 * 1024 * 1024;

/** How long the head of a part is, without its name and what else it holds (APPNOTE 4.3.7). */
const partHeadBytes = 30;

/**
 * Reads one small part of an archive alone; `undefined` where it has none of that name.
 * @throws an error of any kind where the archive is damaged, or the part is larger than 2 MB
 */
export async function readZipPart(
  file: FileHandle,
  sizeBytes: number,
  name: string,
): Promise<Buffer | undefined> {
  const endBytes = Math.min(sizeBytes, keptEndBytes);
  const end = await readAt(file, sizeBytes - endBytes, endBytes);
  const entry = readContents(end).find((each) => each.name === name);
  if (!entry) return undefined;

  const head = await readAt(file, entry.offset, partHeadBytes);
  const start = entry.offset + partHeadBytes + head.readUInt16LE(26) + head.readUInt16LE(28);
  const packed = await readAt(file, start, Math.min(entry.packedBytes, mostPartBytes));
  return inflateRawSync(packed, { maxOutputLength: mostPartBytes });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The remainders of all bytes (CRC-32, APPNOTE 4.4.7). Node's own `crc32` came with 20.15. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  }
  return remainder;
});

/** The CRC-32 of some bytes after others. @param before the checksum of those, 0 where there are none */
function checksumOf(bytes: Uint8Array, before: number): number {
  let sum = ~before;
  for (const byte of bytes) sum = (sum >>> 8) ^ (remainders[(sum ^ byte) & 0xff] as number);
  return ~sum >>> 0;
}
