import { type ReadOptions, readRows } from '../../src/rows/read-rows.ts';
import type { ReportTail, RowBatches } from '../../src/rows/row-batch.ts';
import { absent, nullInRun, toRanges } from '../../src/rows/row-ranges.ts';
import { chunksOf } from './report-documents.ts';

/** The complete result of `readRows` for a body, copied from its buffers. */
export interface ReadReport {
  /** JSON of each row. */
  readonly rows: readonly string[];

  /** JSON of the values of each row, by key. */
  readonly values: readonly ReadonlyMap<string, string>[];
  readonly tail: ReportTail;
}

export function readReport(
  body: Uint8Array | string,
  options: ReadOptions & { readonly chunkBytes?: number } = {},
): Promise<ReadReport> {
  return readBatches(readRows(chunksOf(Buffer.from(body), options.chunkBytes ?? 65_536), options));
}

export async function readBatches(batches: RowBatches): Promise<ReadReport> {
  const rows: string[] = [];
  const values: Map<string, string>[] = [];
  for (;;) {
    const next = await batches.next();
    if (next.done) return { rows, values, tail: next.value };
    const batch = toRanges(next.value);
    if (batch.firstRow !== rows.length)
      throw new Error(`batch begins at row ${batch.firstRow}, not ${rows.length}`);
    const text = (start: number | undefined, end: number | undefined) =>
      batch.bytes.toString('utf8', start, end);
    for (let row = 0; row < batch.rowCount; row++) {
      rows.push(text(batch.rowStarts[row], batch.rowEnds[row]));
      const present = batch.fields.flatMap((field, i): [string, string][] => {
        const place = row * batch.fields.length + i;
        const start = batch.valueStarts[place];
        if (start === absent) return [];
        return [[field, start === nullInRun ? 'null' : text(start, batch.valueEnds[place])]];
      });
      values.push(new Map(present));
    }
  }
}
