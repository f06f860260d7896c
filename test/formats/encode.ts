import { formats } from '../../src/formats/index.ts';
import type { EncodeOptions, Encoder } from '../../src/output/encoder.ts';
import type { FormatName } from '../../src/query/format-names.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import type { ReportTail, RowBatches } from '../../src/rows/row-batch.ts';
import { chunksOf } from '../rows/report-documents.ts';

export interface EncodeCase extends EncodeOptions {
  /** Sizes of the chunks of the body. */
  readonly chunkBytes?: number;

  /** Size of a batch of rows. */
  readonly pieceBytes?: number;
  readonly contentType?: string;
}

export interface Encoded {
  readonly bytes: Buffer;
  readonly text: string;
  readonly tail: ReportTail;
}

/** Encodes a report body in a format. */
export async function encode(
  body: string | Uint8Array,
  format: FormatName,
  options: EncodeCase = {},
): Promise<Encoded> {
  const { chunkBytes = 65_536, pieceBytes = 65_536, contentType, ...encodeOptions } = options;
  const batches = readRows(chunksOf(Buffer.from(body), chunkBytes), { pieceBytes, contentType });
  const encoder = await formats[format].createEncoder(encodeOptions);
  const { bytes, tail } = await encodeAll(encoder, batches);
  return { bytes, text: bytes.toString(), tail };
}

/** All bytes of an encoder, which reuses those that it has returned. */
export async function encodeAll(
  encoder: Encoder,
  batches: RowBatches,
): Promise<Pick<Encoded, 'bytes' | 'tail'>> {
  const pieces: Buffer[] = [];
  let next = await batches.next();
  for (; !next.done; next = await batches.next()) {
    pieces.push(Buffer.concat(encoder.encode(next.value)));
  }
  const tail = next.value;
  pieces.push(Buffer.concat(await encoder.end(tail)));
  return { bytes: Buffer.concat(pieces), tail };
}

/** A document with rows in JSON. */
export function documentOf(...rows: readonly string[]): string {
  return `{"data":[${rows.join(',')}],"summary":{"since":"2026-11-01T00:00:00+0100"}}`;
}

/** Batches of a report with these rows. */
export function batchesOf(rows: readonly object[]): RowBatches {
  const body = Buffer.from(JSON.stringify({ data: rows }));
  return readRows(chunksOf(body, 65_536));
}
