import type { DecodedArray, KeyValue, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import {
  isMissingValue,
  parseDay,
  parseTimestamp,
  parseWallTime,
  toDecimalString,
} from '../contract/values.ts';
import { IncompleteDataError } from '../errors.ts';
import type { EncodeOptions, Encoder, Pieces, ReportMessages } from '../output/encoder.ts';
import type { Provenance } from '../output/provenance.ts';
import { ColumnPlan, isComputed, type PlannedColumn } from '../query/column-plan.ts';
import { summarizeNumbers, toCents } from '../rows/column-values.ts';
import { type ReportTail, type RowBatch, toText, type Value } from '../rows/row-batch.ts';
import { exactDouble, exactInteger } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';
import { RowValues } from './row-values.ts';

/**
 * Limits of a row group in rows, values and received bytes. The writer makes several lists of rows
 * for each column, so groups twice as large take 40 MB more memory.
 */
const maxGroupRows = 16_000;
const maxGroupValues = 2_000_000;
const maxGroupBytes = 32 * 1024 * 1024;

/**
 * The minimum and maximum are left out for rows longer than this, because they stay in memory until
 * the end of the file.
 */
const rowBytesWithStatistics = 16 * 1024;

/**
 * Parquet type of a column and its conversion. The conversion returns `undefined` if a value does
 * not fit the type.
 */
interface Kind {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly description: string;
  convert(value: Value): number | bigint | string | undefined;
}

const toMicros = (ms: number | undefined): bigint | undefined =>
  ms === undefined ? undefined : BigInt(ms) * 1000n;

const micros = { type: 'TIMESTAMP', unit: 'MICROS' } as const;

const kinds = {
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    description: 'date like 2026-11-01',
    convert: (value) => parseDay(toText(value)),
  },
  hour: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { ...micros, isAdjustedToUTC: true },
    },
    description: 'date-time like 2026-11-01T13:00:00+0100',
    convert: (value) => toMicros(parseTimestamp(toText(value))?.instantMs),
  },
  wallTime: {
    // The older `converted_type` is absent, because it would imply UTC.
    element: { type: 'INT64', logical_type: { ...micros, isAdjustedToUTC: false } },
    description: 'date-time like 2026-11-01 13:00:00',
    convert: (value) => toMicros(parseWallTime(toText(value))),
  },
  integer: {
    element: { type: 'INT64' },
    description: '64-bit integer',
    convert: (value) =>
      Number.isSafeInteger(value) ? BigInt(value as number) : exactNumber(exactInteger, value),
  },
  money: {
    // DECIMAL(18,2) would round the extra decimals that single rows may have. A double preserves
    // every amount of up to 15 digits. Longer amounts are refused rather than rounded.
    element: { type: 'DOUBLE' },
    description: 'number that Parquet can represent exactly',
    convert: (value) => (typeof value === 'number' ? value : exactNumber(exactDouble, value)),
  },
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    description: 'text',
    convert: toText,
  },
} satisfies Record<string, Kind>;

function exactNumber<T>(exact: (text: string) => T | undefined, value: Value): T | undefined {
  const text = toDecimalString(value);
  return text === undefined ? undefined : exact(text);
}

/**
 * Writes Parquet in row groups. The summary and the origin of the report become key-value metadata.
 * Throws `IncompleteDataError` if a metric is not a number or cannot be represented exactly.
 */
export class ParquetEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #cells: RowValues;

  /** Columns; known once the first row has arrived. */
  #columns: readonly PlannedColumn[] = [];

  readonly #note: EncodeOptions['note'];
  readonly #provenance: EncodeOptions['provenance'];
  readonly #out = new ByteWriter();

  /** Metadata. The writer reads it at the end. */
  readonly #metadata: KeyValue[] = [];

  #writer: ParquetWriter | undefined;
  #kinds: readonly Kind[] = [];

  /**
   * Values of the current row group by column. A column is empty here while it is kept as numbers.
   */
  #values: (Value | undefined)[][] = [];

  /**
   * Numbers of the current row group by column. A column is kept here as long as all of its numbers
   * have the usual form.
   */
  readonly #numbers: NumberList[] = [];

  #groupRows = 0;
  #groupBytes = 0;

  /** Number of rows in earlier groups. */
  #rowsBefore = 0;

  constructor(options: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#cells = new RowValues(options);
    this.#note = options.note;
    this.#provenance = options.provenance;
  }

  get endedRows(): number {
    return this.#cells.endedCount;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    this.#addColumns();
    this.#take(batch);
    this.#groupRows += batch.rowCount;
    this.#groupBytes += batch.sizeBytes;

    return this.#isGroupFull ? this.#endGroup() : [];
  }

  end({ fields, members }: ReportTail, messages?: ReportMessages): Pieces {
    this.#plan.settle(fields);
    this.#addColumns();
    this.#takeEnded();
    for (const { name, json } of members) this.#addMetadata(name, json.toString());
    for (const [name, value] of Object.entries(describeOrigin(this.#provenance, messages))) {
      this.#addMetadata(name, JSON.stringify(value));
    }

    // The bytes are copied, because the writer reuses its buffer.
    const group = this.#groupRows > 0 ? this.#endGroup().map((piece) => Buffer.from(piece)) : [];
    const writer = this.#writer ?? this.#begin();
    writer.finish();
    return [...group, this.#out.getBytes()];
  }

  #addMetadata(name: string, json: string): void {
    this.#metadata.push({ key: `adreport.${name}`, value: json });
  }

  #addColumns(): void {
    if (this.#columns.length === 0) this.#columns = this.#cells.withEarlier(this.#plan.columns);
  }

  get #isGroupFull(): boolean {
    const valueCount = this.#groupRows * this.#columns.length;
    return (
      this.#groupRows >= maxGroupRows ||
      valueCount >= maxGroupValues ||
      this.#groupBytes >= maxGroupBytes
    );
  }

  #take(batch: RowBatch): void {
    if (this.#groupRows === 0) this.#beginGroup(this.#columns.length);
    for (const [i, column] of this.#columns.entries()) {
      const numbers = this.#numbers[i];
      const areNumbersKept = numbers?.length === this.#groupRows;
      if (numbers && areNumbersKept && areRegularNumbers(batch, column)) {
        numbers.append(toCents(batch, column.field));
        continue;
      }
      const values = this.#valuesAt(i);
      for (const value of this.#cells.read(batch, column)) values.push(value);
    }
  }

  /** Adds the rows that occur only in the earlier report to the current group. */
  #takeEnded(): void {
    const ended = this.#cells.endedRows(this.#columns);
    if (ended.length === 0) return;

    if (this.#groupRows === 0) this.#beginGroup(this.#columns.length);
    for (const i of this.#columns.keys()) {
      const values = this.#valuesAt(i);
      for (const row of ended) values.push(row[i]);
    }
    this.#groupRows += ended.length;
  }

  /**
   * Returns the values of a column in the current group. The column is no longer kept as numbers.
   */
  #valuesAt(index: number): (Value | undefined)[] {
    const values = this.#values[index] ?? [];
    const numbers = this.#numbers[index];
    if (numbers && numbers.length === this.#groupRows) {
      for (const number of numbers.doubles) values.push(number);
      numbers.clear();
    }
    return values;
  }

  #beginGroup(columnCount: number): void {
    this.#values = [];
    for (let i = 0; i < columnCount; i++) {
      this.#values.push([]);
      this.#numbers[i] ??= new NumberList();
      this.#numbers[i]?.clear();
    }
  }

  /** Starts the file. The first row group decides whether a time column has a known format. */
  #begin(): ParquetWriter {
    const columns = this.#columns;
    this.#kinds = columns.map((column, i) => chooseKind(column, this.#values[i] ?? [], this.#note));

    const leaves: SchemaElement[] = columns.map(({ name }, i) => {
      return { name, repetition_type: 'OPTIONAL', ...this.#kinds[i]?.element };
    });
    const root: SchemaElement = { name: 'schema', num_children: leaves.length };
    return new ParquetWriter({
      writer: this.#out,
      schema: [root, ...leaves],
      kvMetadata: this.#metadata,
      createdBy: 'adreport',
    });
  }

  #endGroup(): Pieces {
    this.#writer ??= this.#begin();
    const statistics = this.#groupBytes <= this.#groupRows * rowBytesWithStatistics;
    const columnData = this.#columns.map(({ name }, i) => {
      const data = this.#convertedColumn(i, name);
      const hasDictionary = this.#kinds[i] === kinds.text && hasFewDistinctValues(data);
      return {
        name,
        data,
        statistics,
        ...(hasDictionary && { encoding: 'RLE_DICTIONARY' as const }),
      };
    });
    this.#writer.write({ columnData, rowGroupSize: this.#groupRows });

    this.#rowsBefore += this.#groupRows;
    this.#values = [];
    this.#groupRows = 0;
    this.#groupBytes = 0;

    const bytes = this.#out.getBytes();
    this.#out.index = 0;
    return [bytes];
  }

  #convertedColumn(index: number, name: string): DecodedArray {
    const kind = this.#kinds[index] ?? kinds.text;
    const numbers = this.#numbers[index];
    if (numbers && numbers.length === this.#groupRows) {
      return kind === kinds.integer ? numbers.integers : numbers.doubles;
    }

    const values = this.#values[index] ?? [];
    // Keeping the original values too would double the memory.
    this.#values[index] = [];

    // Times are slow to parse, and consecutive rows repeat them.
    let valueBefore: Value | undefined;
    let result = convertValue(valueBefore, kind, name, 0);
    return values.map((value, row) => {
      if (value === valueBefore) return result;
      valueBefore = value;
      result = convertValue(value, kind, name, this.#rowsBefore + row + 1);
      return result;
    });
  }
}

/**
 * Decides whether a column gets a dictionary. The writer's own test samples only a thousand rows.
 * Ids that occur in forty rows each are all distinct there, and the writer is slow with repeated
 * strings.
 */
function hasFewDistinctValues(data: DecodedArray): boolean {
  const values = new Set<unknown>();
  for (const value of data) {
    if (value !== null) values.add(value);
    if (4 * values.size > data.length) return false;
  }
  return values.size > 0;
}

/** Returns the metadata on a report's origin; empty if it is not known. */
function describeOrigin(provenance?: Provenance, messages?: ReportMessages): object {
  if (!provenance) return {};

  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = fetchedMs === undefined ? null : new Date(fetchedMs).toISOString();
  return { request, key, reportId, fetchedAt, warnings: messages?.warnings ?? [], version };
}

/** Returns true for a metric whose values are all numbers in the usual form. */
function areRegularNumbers(batch: RowBatch, column: PlannedColumn): boolean {
  const { field, type } = column;
  if (isComputed(column)) return false;
  if (type === 'integer') return summarizeNumbers(batch, field).areAllWhole;
  return type === 'money' && summarizeNumbers(batch, field).areAllNumbers;
}

/**
 * Numbers of a column in a row group, in the format that the writer needs. An array would need one
 * object per number until the group is written, which took half of the time.
 */
class NumberList {
  length = 0;

  #doubles = new Float64Array(1_024);

  append(cents: Float64Array): void {
    const before = this.length;
    this.length += cents.length;
    if (this.length > this.#doubles.length) {
      const doubles = new Float64Array(2 * this.length);
      doubles.set(this.#doubles.subarray(0, before));
      this.#doubles = doubles;
    }
    for (let i = 0; i < cents.length; i++) {
      this.#doubles[before + i] = (cents[i] as number) / 100;
    }
  }

  clear(): void {
    this.length = 0;
  }

  get doubles(): Float64Array {
    return this.#doubles.subarray(0, this.length);
  }

  /** The numbers as integers. All of them must be integers. */
  get integers(): BigInt64Array {
    const integers = new BigInt64Array(this.length);
    for (let i = 0; i < this.length; i++) integers[i] = BigInt(this.#doubles[i] as number);
    return integers;
  }
}

function chooseKind(
  { name, type, metric }: PlannedColumn,
  values: readonly (Value | undefined)[],
  note: EncodeOptions['note'],
): Kind {
  if (metric?.derived) return kinds.money;
  if (type === undefined || type === 'id' || type === 'text') return kinds.text;

  const kind: Kind = kinds[type];
  if (type === 'integer' || type === 'money') return kind;

  const isUnreadable = (value: Value | undefined): boolean =>
    value !== undefined && !isMissingValue(value) && kind.convert(value) === undefined;
  const unreadable = [...new Set(values)].find(isUnreadable);
  if (unreadable === undefined) return kind;

  note?.(
    `The column ${name} is written as text: “${shortened(toText(unreadable))}” is not a ${kind.description}.`,
  );
  return kinds.text;
}

/**
 * Throws `IncompleteDataError` if a value does not fit the column.
 * @param row row number from 1, for errors
 */
function convertValue(
  value: Value | undefined,
  kind: Kind,
  name: string,
  row: number,
): number | bigint | string | null {
  if (value === null || value === undefined) return null;
  // An empty text and N/A mean null, except in a text column.
  if (kind !== kinds.text && isMissingValue(value)) return null;

  const result = kind.convert(value);
  if (result !== undefined) return result;

  const text = shortened(JSON.stringify(value));
  throw new IncompleteDataError(
    `Row ${row}: ${printable(name)} is ${text}, which is not a ${kind.description}.`,
    {
      code: 'BAD_VALUE',
      // Downloading the report again would not help.
      retryable: false,
      hint: 'Select the other columns with --columns, or use --format csv, which keeps all values unchanged.',
    },
  );
}

function shortened(text: string): string {
  return printable(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
