import { readRows } from '../../rows/read-rows.ts';
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
  const data = rows.map((row) => Object.fromEntries(columns.map(({ name, value }) => [name, value(row) ?? null])));
  const pieces: Buffer[] = [];
  await writeRows({
    batches: readRows(bodyOf(data)),
    encoder,
    sink: { write: (piece) => void pieces.push(Buffer.from(piece)) },
  });
  return Buffer.concat(pieces);
}

/** Objects as the body of a report, which is what encoders write. */
async function* bodyOf(data: readonly object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify({ data }));
}
