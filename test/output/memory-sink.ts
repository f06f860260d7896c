import type { Sink } from '../../src/output/encoder.ts';

/** A sink that keeps what it is given. */
export function memorySink(): Sink & { text(): string; bytes(): Buffer } {
  const pieces: Buffer[] = [];
  const bytes = () => Buffer.concat(pieces);
  return {
    // Copied: the caller may use its bytes again.
    write: (piece) => void pieces.push(Buffer.from(piece)),
    bytes,
    text: () => bytes().toString(),
  };
}
