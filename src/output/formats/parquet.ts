import { IncompleteDataError } from '../../errors.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { viewOf } from '../../rows/words.ts';
import { printable } from '../../text/printable.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { numberChunk, textChunk, timeChunk } from '../parquet/chunks.ts';
import { NumberValues, TextValues } from '../parquet/column-values.ts';
import { type Chunk, type ColumnKind, ParquetFile } from '../parquet/parquet-file.ts';

/** A row group ends after so many rows, or sooner where its values take so much memory. */
const groupRowsAtMost = 60_000;
const groupBytesAtMost = 24 * 1024 * 1024;

/**
 * Reports as Parquet: days, moments, 64-bit integers, doubles for money, UTF-8 for all else; the report's summary is in
 * the file's key-value metadata. Row groups are handed out as they fill. A column that appears late is null before.
 *
 * Its calls throw `IncompleteDataError` for a metric that is no number, or that its column cannot hold exactly.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  return new ParquetEncoder(options);
}

interface ParquetColumn {
  readonly planned: PlannedColumn;
  readonly values: TextValues | NumberValues;
  /** A time whose first values have another form than is known is kept as text. */
  kind: ColumnKind;
}

class ParquetEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #note: (sentence: string) => void;
  readonly #file = new ParquetFile();
  readonly #columns: ParquetColumn[] = [];
  #groupRows = 0;
  #rowsBefore = 0;
  #isFirstGroup = true;

  constructor({ note = () => {}, ...options }: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#note = note;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    this.#addColumns();
    const view = viewOf(batch.bytes);
    for (const [i, { values }] of this.#columns.entries()) values.add(batch, view, this.#plan.indexes[i] as number);
    this.#groupRows += batch.rowCount;
    const sizeBytes = this.#columns.reduce((sum, { values }) => sum + values.sizeBytes, 0);
    return this.#groupRows >= groupRowsAtMost || sizeBytes >= groupBytesAtMost ? this.#endGroup() : [];
  }

  end({ fields, members }: ReportTail): Pieces {
    this.#plan.settle(fields);
    this.#addColumns();
    // Pieces are good until the next call: these are copied.
    const group = this.#groupRows > 0 ? this.#endGroup().map((piece) => Buffer.from(piece)) : [];
    const names = uniqueNames(this.#columns.map(({ planned }) => planned));
    const columns = this.#columns.map(({ kind }, i) => ({ kind, name: names[i] ?? '' }));
    const texts = members.map(({ name, json }) => ({ key: `adreport.${name}`, value: json.toString() }));
    return [...group, ...this.#file.end(columns, texts)];
  }

  #addColumns(): void {
    for (const planned of this.#plan.columns.slice(this.#columns.length)) {
      const { type } = planned;
      const isNumber = type === 'integer' || type === 'money';
      const values = isNumber
        ? new NumberValues(type, (row, json) => this.#refuse(planned, row, json, numberKinds[type]))
        : new TextValues();
      values.addNulls(this.#groupRows);
      const kind = isNumber || type === 'date' || type === 'hour' || type === 'wallTime' ? type : 'text';
      this.#columns.push({ planned, values, kind });
    }
  }

  #endGroup(): Pieces {
    const columns = this.#columns.map((column) => ({ chunk: this.#chunkOf(column), kind: column.kind }));
    const pieces = this.#file.writeGroup(columns, this.#groupRows);
    for (const { values } of this.#columns) values.clear();
    this.#rowsBefore += this.#groupRows;
    this.#groupRows = 0;
    this.#isFirstGroup = false;
    return pieces;
  }

  #chunkOf(column: ParquetColumn): Chunk {
    const { planned, values, kind } = column;
    if (values instanceof NumberValues) return numberChunk(values);
    if (kind !== 'date' && kind !== 'hour' && kind !== 'wallTime') return textChunk(values);
    const chunk = timeChunk(values, kind);
    if (typeof chunk !== 'number') return chunk;
    const text = values.textOf(chunk).toString();
    if (!this.#isFirstGroup) {
      this.#refuse(planned, this.#rowsBefore + rowOf(values, chunk), JSON.stringify(text), timeKinds[kind]);
    }
    this.#note(`The column ${planned.name} is kept as text: “${shortened(text)}” is no ${timeKinds[kind]}.`);
    column.kind = 'text';
    return textChunk(values);
  }

  #refuse({ name }: PlannedColumn, row: number, json: string, wanted: string): never {
    throw new IncompleteDataError(`Row ${row}: ${printable(name)} is ${shortened(json)}, which is no ${wanted}.`, {
      code: 'BAD_VALUE',
      // The same report would be downloaded again, to no avail.
      retryable: false,
      hint: 'Choose the other columns with --columns, or --format csv, which keeps every value as it is.',
    });
  }
}

const numberKinds = {
  integer: 'whole number of 64 bits',
  money: 'number that Parquet holds to its last digit',
} as const;
const timeKinds = {
  date: 'date as 2026-11-01',
  hour: 'date-time as 2026-11-01T13:00:00+0100',
  wallTime: 'date-time as 2026-11-01 13:00:00',
} as const;

/** The number of the first row, counted from 1, that has the value of that code. */
function rowOf({ levels, codes }: TextValues, code: number): number {
  let value = codes.indexOf(code);
  let row = 0;
  for (; value >= 0; row++) value -= levels[row] as number;
  return row;
}

function shortened(text: string): string {
  return printable(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** The names of the columns; where a metric's own name is also that of another field, both keep their field's. */
function uniqueNames(columns: readonly PlannedColumn[]): string[] {
  const fields = new Set(columns.map(({ field }) => field));
  return columns.map(({ field, name }) => (fields.has(name) ? field : name));
}
