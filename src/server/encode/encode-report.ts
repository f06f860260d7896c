import { Pace } from '../engine/pace.ts';
import type { ReportTable } from '../engine/table.ts';
import { csvField } from './csv-field.ts';
import { createRowWriter, type RowSyntax } from './row-writer.ts';

/** About 64 KB: pieces of this size pass through compression and sockets fastest. */
const pieceLength = 65_536;

const json: RowSyntax = {
  open: '{',
  close: '}',
  lead: (field, index) => `${index === 0 ? '' : ','}${JSON.stringify(field)}:`,
  text: (value) => JSON.stringify(value),
};

const csv: RowSyntax = {
  open: '',
  close: '\r\n',
  lead: (_, index) => (index === 0 ? '' : ','),
  text: csvField,
};

/** The report document `{"data":[…],"summary":{…}}`, in pieces (service specification, Report data). */
export async function* encodeJson(table: ReportTable): AsyncGenerator<string> {
  yield* encodeRows(table, json, '{"data":[', ',');
  yield `],"summary":${JSON.stringify(table.summary)}}`;
}

/** RFC 4180: a header row, then the rows, lines ended by CRLF, null as an empty field (`decisions.md` 4). */
export async function* encodeCsv(table: ReportTable): AsyncGenerator<string> {
  const header = table.columns.map(({ field }) => csvField(field)).join(',');
  yield* encodeRows(table, csv, `${header}\r\n`, '');
}

async function* encodeRows(
  table: ReportTable,
  syntax: RowSyntax,
  before: string,
  between: string,
): AsyncGenerator<string> {
  const write = createRowWriter(table, syntax);
  let piece = before;
  let separator = '';
  const pace = new Pace();
  for await (const batch of table.batches()) {
    const textOf = write(batch);
    for (let row = 0; row < batch.count; row++) {
      piece += separator + textOf(row);
      separator = between;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
      if (pace.due) await pace.rest();
    }
  }
  if (piece !== '') yield piece;
}
