import { isUtf8 } from 'node:buffer';
import { quote } from './ascii.ts';
import { grouped, malformed } from './body-errors.ts';
import type { ByteWindow } from './byte-window.ts';
import { MalformedJson } from './json-scan.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowRanges } from './row-ranges.ts';

/** The batch of the scanned rows. Throws `IncompleteDataError`, which names the row, where one is not UTF-8. */
export function checkedBatch(ranges: RowRanges, window: ByteWindow): RowBatch {
  const batch = ranges.batchOf(window.bytes);
  const { bytes, rowCount, firstRow, rowStarts, rowEnds } = batch;
  if (isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]))) return batch;
  let row = 0;
  while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
  throw malformed(`Row ${grouped(firstRow + row + 1)} is not UTF-8`, window.positionOf(rowStarts[row] ?? 0));
}

/** What a scan threw: a `MalformedJson` as an `IncompleteDataError` that says where, anything else as it is. */
export function placed(error: unknown, place: string, window: ByteWindow): unknown {
  if (!(error instanceof MalformedJson)) return error;
  const found = error.at < window.end ? characterAt(window.bytes, error.at) : 'the end';
  const what = `${place} is not well-formed JSON: expected ${error.expected}, found ${found}`;
  return malformed(what, window.positionOf(error.at));
}

function characterAt(bytes: Buffer, at: number): string {
  const byte = bytes[at] as number;
  if (byte <= 0x20 || byte >= 0x7f) return `byte 0x${byte.toString(16).padStart(2, '0')}`;
  return byte === quote ? `'"'` : `"${String.fromCharCode(byte)}"`;
}
