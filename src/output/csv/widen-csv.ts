import { carriageReturn, lineFeed, quote } from '../../rows/ascii.ts';

const pieceBytes = 64 * 1024;

interface WidenOptions {
  /** How many bytes stand before the first row: a byte order mark, the old header. */
  readonly oldBeginningBytes: number;
  /** What takes their place. */
  readonly beginning: Uint8Array;
  /** How many cells every row is to have. */
  readonly columnCount: number;
  /** The byte between two cells. */
  readonly delimiter: number;
}

/**
 * CSV of our own (CRLF, quotes where needed) with empty cells added to the rows that are short. What it yields is good
 * until the next piece.
 */
export async function* widenCsv(written: AsyncIterable<Uint8Array>, options: WidenOptions): AsyncGenerator<Uint8Array> {
  const { delimiter, columnCount } = options;
  const out = Buffer.allocUnsafe(pieceBytes + columnCount);
  let at = 0;
  let skip = options.oldBeginningBytes;
  let inQuotes = false;
  let cellCount = 1;
  yield options.beginning;
  for await (const piece of written) {
    const rows = piece.subarray(Math.min(skip, piece.length));
    skip -= piece.length - rows.length;
    for (const byte of rows) {
      if (at >= pieceBytes) {
        yield out.subarray(0, at);
        at = 0;
      }
      if (byte === quote) inQuotes = !inQuotes;
      else if (!inQuotes && byte === delimiter) cellCount++;
      else if (!inQuotes && byte === carriageReturn) {
        while (cellCount++ < columnCount) out[at++] = delimiter;
      }
      out[at++] = byte;
      if (!inQuotes && byte === lineFeed) cellCount = 1;
    }
  }
  yield out.subarray(0, at);
}
