import { viewOf } from '../../rows/words.ts';

/** Bytes that are appended to, in a buffer that grows and is used again after `clear`. */
export class ByteStore {
  /** Whoever has reserved room writes to these from `length` on, and moves `length`; others when they grow. */
  bytes: Buffer;
  /** The words of `bytes`. */
  view: DataView;
  /** How many bytes there are. */
  length = 0;

  constructor(sizeBytes = 1024) {
    this.bytes = Buffer.allocUnsafe(sizeBytes);
    this.view = viewOf(this.bytes);
  }

  /** Makes room for so many more bytes, and for three beyond, so that whole words can be read at the end. */
  reserve(moreBytes: number): void {
    const needed = this.length + moreBytes + 3;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.ceil(needed * 1.5));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
    this.view = viewOf(larger);
  }

  /** Forgets what is there, and keeps the room. */
  clear(): void {
    this.length = 0;
  }

  /** What has been appended; good until more is. */
  get content(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
