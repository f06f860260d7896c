import type { Sink } from '../../src/output/encoder.ts';

/** A sink that keeps what it is given, and can be rewritten as a file can. */
export function memorySink(): Sink & { text(): string; bytes(): Buffer } {
  let pieces: Buffer[] = [];
  async function* once(bytes: Buffer) {
    // Cut small, so that whoever reads it again sees quotes and line ends torn apart.
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const bytes = () => Buffer.concat(pieces);
  return {
    // Copied: the caller may use its bytes again.
    write: (piece) => void pieces.push(Buffer.from(piece)),
    async rewrite(change) {
      const changed: Buffer[] = [];
      for await (const piece of change(once(bytes()))) changed.push(Buffer.from(piece));
      pieces = changed;
    },
    bytes,
    text: () => bytes().toString(),
  };
}

/** A sink that cannot be rewritten, as stdout. */
export function streamSink(): Sink & { text(): string } {
  const { write, text } = memorySink();
  return { write, text };
}
