import type { RangedBatch, RowBatch } from './row-ranges.ts';

/** Number of zero bytes after the last row. Readers take four bytes at a time. */
const slack = 16;

/**
 * Builds a batch of values that do not come from a body.
 *
 * @param rows values of each row as JSON, one per field
 * @param firstRow number of rows before this batch
 */
export function buildBatch(
  fields: readonly string[],
  rows: readonly (readonly string[])[],
  firstRow: number,
): RowBatch {
  const keys = fields.map((field, index) => `${index > 0 ? ',' : ''}${JSON.stringify(field)}:`);
  const keyBytes = keys.map((key) => Buffer.byteLength(key));
  const rowStarts = new Int32Array(rows.length);
  const rowEnds = new Int32Array(rows.length);
  const valueStarts = new Int32Array(rows.length * fields.length);
  const valueEnds = new Int32Array(rows.length * fields.length);
  let text = '';
  let at = 0;
  for (const [row, values] of rows.entries()) {
    if (row > 0) {
      text += ',\n';
      at += 2;
    }
    rowStarts[row] = at;
    text += '{';
    at += 1;
    for (const [index, key] of keys.entries()) {
      const json = values[index] ?? 'null';
      text += key + json;
      valueStarts[row * keys.length + index] = at + (keyBytes[index] as number);
      at += (keyBytes[index] as number) + Buffer.byteLength(json);
      valueEnds[row * keys.length + index] = at;
    }
    text += '}';
    at += 1;
    rowEnds[row] = at;
  }
  const bytes = Buffer.alloc(at + slack);
  bytes.write(text);
  const batch: RangedBatch = {
    rowCount: rows.length,
    firstRow,
    fields,
    sizeBytes: at,
    bytes,
    rowStarts,
    rowEnds,
    valueStarts,
    valueEnds,
    renamedKeys: new Map(),
  };
  return batch;
}

const batchSize = 1_000;

/**
 * Builds batches of items.
 *
 * @param toValues returns the values of an item as JSON, one per field
 */
export function* buildBatches<Item>(
  fields: readonly string[],
  items: readonly Item[],
  toValues: (item: Item) => readonly string[],
): Generator<RowBatch> {
  for (let at = 0; at < items.length; at += batchSize) {
    yield buildBatch(fields, items.slice(at, at + batchSize).map(toValues), at);
  }
}
