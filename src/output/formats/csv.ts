import { carriageReturn, letterN, lineFeed, openBracket, quote } from '../../rows/ascii.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { viewOf } from '../../rows/words.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { copyUnless, copyWords } from '../bytes/word-copy.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import { CsvCells, formulaStarts } from '../csv/csv-cells.ts';
import { widenCsv } from '../csv/widen-csv.ts';
import type { CsvDialect, EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import type { TextColumn } from '../table/text-table.ts';

/** Reports as CSV in the layout of the service's own (`decisions.md` 4), or in another dialect. */
export function createEncoder(options: EncodeOptions): Encoder {
  return new CsvEncoder(options);
}

/** Copies the bytes of JSON values into CSV; what needs more than copying is left to `CsvCells`. */
class CsvEncoder implements Encoder {
  readonly lateColumns: string[] = [];
  readonly #plan: ColumnPlan;
  readonly #cells: CsvCells;
  readonly #out = new ByteBuffer(256 * 1024);
  readonly #writesHeader: boolean;
  readonly #bom: Buffer;
  #begun = false;
  #beginningBytes = 0;

  constructor(options: EncodeOptions) {
    const dialect = options.csv ?? {};
    this.#plan = new ColumnPlan(options);
    this.#cells = new CsvCells(dialect, options.normalize ?? false);
    this.#writesHeader = dialect.header ?? true;
    this.#bom = Buffer.from(dialect.bom ? '\ufeff' : '');
  }

  encode(batch: RowBatch): Pieces {
    this.lateColumns.push(...this.#plan.follow(batch).map((column) => column.name));
    const beginning = this.#begin();
    const end = this.#encodeRows(batch);
    return [beginning, this.#out.bytes.subarray(0, end)];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    return [this.#begin()];
  }

  widen(written: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return widenCsv(written, {
      oldBeginningBytes: this.#beginningBytes,
      beginning: this.#beginning(),
      columnCount: this.#plan.columns.length,
      delimiter: this.#cells.delimiter,
    });
  }

  /** What comes before the first row, once. */
  #begin(): Buffer {
    if (this.#begun) return Buffer.alloc(0);
    this.#begun = true;
    const beginning = this.#beginning();
    this.#beginningBytes = beginning.length;
    return beginning;
  }

  #beginning(): Buffer {
    const names = this.#plan.columns.map((column) => column.name);
    return Buffer.concat([
      this.#bom,
      this.#writesHeader && names.length > 0 ? this.#cells.line(names) : Buffer.alloc(0),
    ]);
  }

  /** Writes the rows into `#out`; returns how many bytes they take. */
  #encodeRows(batch: RowBatch): number {
    const { bytes, rowCount, rowStarts, rowEnds, valueStarts, valueEnds } = batch;
    const { columns, indexes } = this.#plan;
    const cells = this.#cells;
    const { plain, delimiter, delimiters } = cells;
    const width = columns.length;
    const stride = batch.fields.length;
    // A byte becomes two at most (a doubled quote); a cell gains two quotes, an apostrophe, a delimiter; and the last
    // word that is copied may be three bytes too long.
    const sourceBytes = (rowEnds[rowCount - 1] as number) - (rowStarts[0] as number);
    const out = this.#out.reserve(2 * sourceBytes + rowCount * (4 * width + 4) + 4);
    const outView = this.#out.view;
    const from = viewOf(bytes);
    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      const rowAt = at;
      for (let column = 0; column < width; column++) {
        if (column > 0) out[at++] = delimiter;
        const index = indexes[column] as number;
        const start = index < 0 ? -1 : (valueStarts[row * stride + index] as number);
        if (start < 0) continue;
        const end = valueEnds[row * stride + index] as number;
        const first = bytes[start] as number;
        if (first === letterN) continue;
        if (plain && first === quote && copyUnless(outView, at, from, start + 1, end - 1, delimiters)) {
          at += end - start - 2;
        } else if (plain && first < openBracket && first !== quote) {
          copyWords(outView, at, from, start, end);
          at += end - start;
        } else {
          at = cells.write(out, at, bytes, start, end, columns[column] as PlannedColumn);
        }
      }
      // A line with nothing on it would be skipped by readers.
      if (at === rowAt) {
        out[at++] = quote;
        out[at++] = quote;
      }
      out[at++] = carriageReturn;
      out[at++] = lineFeed;
    }
    return at;
  }
}

/** A small table (campaigns, groups of rows) as CSV text, in the same dialect as a report's. */
export async function stringifyTable<Row>(
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  dialect: CsvDialect = {},
): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  const { decimal } = dialect;
  const isFormula = (text: string) => dialect.escapeFormulas === true && formulaStarts.has(text.charCodeAt(0));
  return stringify(
    rows.map((row) => columns.map((column) => column.value(row))),
    {
      header: dialect.header ?? true,
      columns: columns.map((column) => ({ key: column.name, header: column.name })),
      delimiter: dialect.delimiter ?? ',',
      bom: dialect.bom ?? false,
      record_delimiter: '\r\n',
      // Readers take either alone for the end of a row too, and skip a line with nothing on it.
      quoted_match: /[\r\n]/,
      quoted_empty: columns.length === 1,
      cast: {
        // csv-stringify would write true as 1 and false as nothing.
        boolean: (value) => String(value),
        number: (value) => (decimal ? String(value).replace('.', decimal) : String(value)),
        string: (text) => (isFormula(text) ? `'${text}` : text),
      },
    },
  );
}
