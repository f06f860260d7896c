import { quote } from '../../rows/ascii.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { PlannedColumn } from '../columns.ts';

/** What a table shows: cell by cell, one column after the other. */
export interface TableRows {
  readonly rowCount: number;
  /** The fields whose values tell rows apart that are sums; absent where they are the report's own. */
  readonly by?: readonly string[];
  /** The texts of a column, from the first row on; a metric's have a dot for their decimal comma. `null`: nothing there. */
  cells(column: PlannedColumn): Iterable<string | null>;
}

/** Batches kept beyond their time, as copies. */
export class HeldRows implements TableRows {
  rowCount = 0;
  readonly batches: RowBatch[] = [];

  /** Keeps a copy of a batch, which has a row at least. */
  add(batch: RowBatch): void {
    this.rowCount += batch.rowCount;
    this.batches.push(copyBatch(batch));
  }

  *cells({ field, numeric }: PlannedColumn): Generator<string | null, void, undefined> {
    for (const { bytes, fields, rowCount, valueStarts, valueEnds } of this.batches) {
      const index = fields.indexOf(field);
      for (let row = 0; row < rowCount; row++) {
        const place = row * fields.length + index;
        const start = index < 0 ? -1 : (valueStarts[place] as number);
        const json = start < 0 ? 'null' : bytes.toString('utf8', start, valueEnds[place]);
        if (json === 'null') yield null;
        else if (bytes[start] === quote) yield textIn(json, numeric);
        else yield json;
      }
    }
  }
}

function textIn(json: string, numeric: boolean): string {
  const text = json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1);
  return numeric && /^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : text;
}

function copyBatch({ bytes, rowCount, firstRow, fields, ...batch }: RowBatch): RowBatch {
  const start = batch.rowStarts[0] as number;
  const end = batch.rowEnds[rowCount - 1] as number;
  // Values are read a word at a time, so up to three bytes behind the last are looked at.
  const copied = Buffer.alloc(end - start + 4);
  bytes.copy(copied, 0, start, end);
  const shift = (places: Int32Array, count: number): Int32Array =>
    places.slice(0, count).map((place) => (place < 0 ? place : place - start));
  const values = rowCount * fields.length;
  return {
    bytes: copied,
    rowCount,
    firstRow,
    fields,
    rowStarts: shift(batch.rowStarts, rowCount),
    rowEnds: shift(batch.rowEnds, rowCount),
    valueStarts: shift(batch.valueStarts, values),
    valueEnds: shift(batch.valueEnds, values),
    singleLine: batch.singleLine,
  };
}
