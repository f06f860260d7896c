import { viewOf } from '../../rows/words.ts';

/** A buffer that is used again and again, and grows when more is asked of it. */
export class ByteBuffer {
  /** As long as `reserve` was asked for at least; another one when it grew. */
  bytes: Buffer;
  /** The words of `bytes`. */
  view: DataView;

  constructor(sizeBytes = 64 * 1024) {
    this.bytes = Buffer.allocUnsafe(sizeBytes);
    this.view = viewOf(this.bytes);
  }

  /** Room for so many bytes; what was there before is lost. */
  reserve(sizeBytes: number): Buffer {
    if (this.bytes.length < sizeBytes) {
      this.bytes = Buffer.allocUnsafe(Math.ceil(sizeBytes * 1.25));
      this.view = viewOf(this.bytes);
    }
    return this.bytes;
  }
}
