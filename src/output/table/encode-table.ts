import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { writeRows } from '../encoder.ts';
import { createEncoder, type FormatName } from '../formats/index.ts';
import type { TextColumn } from './text-table.ts';

/** A small table (campaigns, ad units) in a format that is made for reports; all of its bytes. */
export async function encodeTable<Row>(
  format: FormatName,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  note: (sentence: string) => void,
): Promise<Buffer> {
  const types = columns.map(({ name, type = 'text' }) => ({ field: name, type }));
  const encoder = await createEncoder(format, { columns: types, note });
  const pieces: Buffer[] = [];
  await writeRows({
    batches: batchesOf(rows, columns),
    encoder,
    sink: { write: (piece) => void pieces.push(Buffer.from(piece)) },
  });
  return Buffer.concat(pieces);
}

const rowsPerBatch = 1000;

async function* batchesOf<Row>(
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
): AsyncGenerator<RowBatch, ReportTail, undefined> {
  const fields = columns.map(({ name }) => name);
  for (let firstRow = 0; firstRow < rows.length; firstRow += rowsPerBatch) {
    yield batchOf(rows.slice(firstRow, firstRow + rowsPerBatch), columns, fields, firstRow);
  }
  return { rowCount: rows.length, sizeBytes: 0, fields, summary: undefined, members: [] };
}

function batchOf<Row>(
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  fields: readonly string[],
  firstRow: number,
): RowBatch {
  const [rowStarts, rowEnds] = [new Int32Array(rows.length), new Int32Array(rows.length)];
  const valueStarts = new Int32Array(rows.length * fields.length);
  const valueEnds = new Int32Array(valueStarts.length);
  const pieces: Buffer[] = [];
  let at = 0;
  const append = (text: string): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    at += piece.length;
  };
  for (const [r, row] of rows.entries()) {
    append(r === 0 ? '' : ',');
    rowStarts[r] = at;
    append('{');
    for (const [f, { name, value }] of columns.entries()) {
      append(`${f === 0 ? '' : ','}${JSON.stringify(name)}:`);
      valueStarts[r * fields.length + f] = at;
      append(JSON.stringify(value(row) ?? null));
      valueEnds[r * fields.length + f] = at;
    }
    append('}');
    rowEnds[r] = at;
  }
  // Whoever copies whole words reads up to three bytes beyond a value.
  append('   ');
  return {
    bytes: Buffer.concat(pieces),
    rowCount: rows.length,
    firstRow,
    fields,
    rowStarts,
    rowEnds,
    valueStarts,
    valueEnds,
    singleLine: true,
  };
}
