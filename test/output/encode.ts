import type { EncodeOptions } from '../../src/output/encoder.ts';
import { createEncoder, type FormatName } from '../../src/output/formats/index.ts';
import { type WriteResult, writeRows } from '../../src/output/write-rows.ts';
import { readRows } from '../../src/report/rows/read-rows.ts';
import { chunksOf } from '../report/report-documents.ts';
import { memorySink } from './memory-sink.ts';

export interface EncodeCase extends EncodeOptions {
  /** How the body is cut as it arrives. */
  readonly chunkBytes?: number;
  /** How much of it becomes a batch of rows. */
  readonly pieceBytes?: number;
  readonly contentType?: string;
  readonly sink?: ReturnType<typeof memorySink>;
}

/** A report body written in a format, as a file would hold it. */
export async function encode(
  body: string | Uint8Array,
  format: FormatName,
  options: EncodeCase = {},
): Promise<{ text: string; result: WriteResult }> {
  const { chunkBytes = 65_536, pieceBytes = 65_536, contentType, sink = memorySink(), ...encodeOptions } = options;
  const batches = readRows(chunksOf(Buffer.from(body), chunkBytes), { pieceBytes, contentType });
  const encoder = await createEncoder(format, encodeOptions);
  const result = await writeRows({ batches, encoder, sink });
  return { text: sink.text(), result };
}

/** A document of the given rows, which are JSON texts. */
export function documentOf(...rows: readonly string[]): string {
  return `{"data":[${rows.join(',')}],"summary":{"since":"2026-11-01T00:00:00+0100"}}`;
}
