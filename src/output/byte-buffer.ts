/** A buffer that is used again and again, and grows when more is asked of it. */
export class ByteBuffer {
  bytes: Buffer;

  constructor(sizeBytes = 64 * 1024) {
    this.bytes = Buffer.allocUnsafe(sizeBytes);
  }

  /** Room for so many bytes; what was there before is lost. */
  reserve(sizeBytes: number): Buffer {
    if (this.bytes.length < sizeBytes) this.bytes = Buffer.allocUnsafe(Math.ceil(sizeBytes * 1.25));
    return this.bytes;
  }
}
