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
import { exactInteger } from '../text/decimal.ts';
import { printable, truncate } from '../text/printable.ts';
import { RowValues, toExactDouble } from './row-values.ts';

/**
 * Limits of a row group in rows, values and received bytes. The writer copies the values of each
 * column several times, so doubling the limits costs 40 MB of memory.
 */
const maxGroupRows = 16_000;
const maxGroupValues = 2_000_000;
const maxGroupBytes = 32 * 1024 * 1024;

/**
 * Longer rows get no statistics (minimum and maximum), because the writer keeps statistics in
 * memory until the end of the file.
 */
const maxRowBytesWithStatistics = 16 * 1024;

/** Type of a column. `convert` returns `undefined` if a value does not have the type. */
interface ParquetType {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly description: string;
  convert(value: Value): number | bigint | string | undefined;
}

const toMicros = (ms: number | undefined): bigint | undefined =>
  ms === undefined ? undefined : BigInt(ms) * 1000n;

const micros = { type: 'TIMESTAMP', unit: 'MICROS' } as const;

const parquetTypes = {
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
    // Omits the older `converted_type`, because it would imply UTC.
    element: { type: 'INT64', logical_type: { ...micros, isAdjustedToUTC: false } },
    description: 'date-time like 2026-11-01 13:00:00',
    convert: (value) => toMicros(parseWallTime(toText(value))),
  },
  integer: {
    element: { type: 'INT64' },
    description: '64-bit integer',
    convert: (value) =>
      Number.isSafeInteger(value)
        ? BigInt(value as number)
        : exactInteger(toDecimalString(value) ?? ''),
  },
  money: {
    // DECIMAL(18,2) would round rows with more decimals. A double preserves 15 digits, and longer
    // amounts are refused instead of rounded.
    element: { type: 'DOUBLE' },
    description: 'number that Parquet can represent exactly',
    convert: toExactDouble,
  },
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    description: 'text',
    convert: toText,
  },
} satisfies Record<string, ParquetType>;

/**
 * Writes Parquet in row groups, with the summary and the origin of the report as metadata. Throws
 * `IncompleteDataError` if a metric is not a number or cannot be represented exactly.
 */
export class ParquetEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #cells: RowValues;

  /** Columns, once the first row has arrived. */
  #columns: readonly PlannedColumn[] = [];

  readonly #provenance: EncodeOptions['provenance'];
  readonly #out = new ByteWriter();

  /** Read by the writer at the end. */
  readonly #metadata: KeyValue[] = [];

  #writer: ParquetWriter | undefined;
  #types: readonly ParquetType[] = [];

  /** Values of the current row group by column. Empty for columns kept in `#numbers`. */
  #values: (Value | undefined)[][] = [];

  /**
   * Numbers of the current row group by column, for columns in which all values have the usual
   * form.
   */
  readonly #numbers: NumberList[] = [];

  #groupRows = 0;
  #groupBytes = 0;

  /** Number of rows in earlier groups. */
  #rowsBefore = 0;

  constructor(options: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#cells = new RowValues(options);
    this.#provenance = options.provenance;
  }

  get endedRowCount(): number {
    return this.#cells.endedRowCount;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.addBatch(batch);
    this.#addColumns();
    this.#addRows(batch);
    this.#groupRows += batch.rowCount;
    this.#groupBytes += batch.sizeBytes;

    return this.#isGroupFull ? this.#endGroup() : [];
  }

  end({ fields, members }: ReportTail, messages?: ReportMessages): Pieces {
    this.#plan.finish(fields);
    this.#addColumns();
    this.#addEndedRows();
    for (const { name, json } of members) this.#addMetadata(name, json.toString());
    for (const [name, value] of Object.entries(describeOrigin(this.#provenance, messages))) {
      this.#addMetadata(name, JSON.stringify(value));
    }

    // The bytes are copied, because the writer reuses its buffer.
    const group = this.#groupRows > 0 ? this.#endGroup().map((piece) => Buffer.from(piece)) : [];
    const writer = this.#writer ?? this.#startFile();
    writer.finish();
    return [...group, this.#out.getBytes()];
  }

  #addMetadata(name: string, json: string): void {
    this.#metadata.push({ key: `adreport.${name}`, value: json });
  }

  #addColumns(): void {
    if (this.#columns.length === 0)
      this.#columns = this.#cells.withEarlierColumns(this.#plan.columns);
  }

  get #isGroupFull(): boolean {
    const valueCount = this.#groupRows * this.#columns.length;
    return (
      this.#groupRows >= maxGroupRows ||
      valueCount >= maxGroupValues ||
      this.#groupBytes >= maxGroupBytes
    );
  }

  #addRows(batch: RowBatch): void {
    if (this.#groupRows === 0) this.#beginGroup(this.#columns.length);
    for (const [i, column] of this.#columns.entries()) {
      const numbers = this.#numbers[i];
      const areNumbersKept = numbers?.length === this.#groupRows;
      if (numbers && areNumbersKept && areRegularNumbers(batch, column)) {
        numbers.append(toCents(batch, column.field));
        continue;
      }
      const values = this.#switchToValues(i);
      for (const value of this.#cells.read(batch, column)) values.push(value);
    }
  }

  /** Adds the rows that only the earlier report has. */
  #addEndedRows(): void {
    const ended = this.#cells.listEndedRows(this.#columns);
    if (ended.length === 0) return;

    if (this.#groupRows === 0) this.#beginGroup(this.#columns.length);
    for (const i of this.#columns.keys()) {
      const values = this.#switchToValues(i);
      for (const row of ended) values.push(row[i]);
    }
    this.#groupRows += ended.length;
  }

  /** Moves a column from numbers to values until the end of the group, and returns the values. */
  #switchToValues(index: number): (Value | undefined)[] {
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

  /** Starts the file. The first row group decides whether a column of times has a known format. */
  #startFile(): ParquetWriter {
    const columns = this.#columns;
    this.#types = columns.map((column, i) => chooseType(column, this.#values[i] ?? []));

    const leaves: SchemaElement[] = columns.map(({ name }, i) => {
      return { name, repetition_type: 'OPTIONAL', ...this.#types[i]?.element };
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
    this.#writer ??= this.#startFile();
    const statistics = this.#groupBytes <= this.#groupRows * maxRowBytesWithStatistics;
    const columnData = this.#columns.map(({ name }, i) => {
      const data = this.#convertColumn(i, name);
      const hasDictionary = this.#types[i] === parquetTypes.text && hasFewDistinctValues(data);
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

  #convertColumn(index: number, name: string): DecodedArray {
    const type = this.#types[index] ?? parquetTypes.text;
    const numbers = this.#numbers[index];
    if (numbers && numbers.length === this.#groupRows) {
      return type === parquetTypes.integer ? numbers.integers : numbers.doubles;
    }

    const values = this.#values[index] ?? [];
    // Two copies of the values would take twice the memory.
    this.#values[index] = [];

    // Times are slow to parse, and often repeat from row to row.
    let previous: Value | undefined;
    let result = convertValue(previous, type, name, 0);
    return values.map((value, row) => {
      if (value === previous) return result;
      previous = value;
      result = convertValue(value, type, name, this.#rowsBefore + row + 1);
      return result;
    });
  }
}

/**
 * Whether a dictionary would help. The writer's own test samples a thousand values, which is not
 * enough to find IDs that repeat, and writing repeated strings without a dictionary is slow.
 */
function hasFewDistinctValues(data: DecodedArray): boolean {
  const values = new Set<unknown>();
  for (const value of data) {
    if (value !== null) values.add(value);
    if (4 * values.size > data.length) return false;
  }
  return values.size > 0;
}

/** Describes the origin of a report for the metadata. */
function describeOrigin(provenance?: Provenance, messages?: ReportMessages): object {
  if (!provenance) return {};

  const { request, key, reportId, downloadedMs, version } = provenance;
  const fetchedAt = downloadedMs === undefined ? null : new Date(downloadedMs).toISOString();
  return { request, key, reportId, fetchedAt, warnings: messages?.warnings ?? [], version };
}

/** Whether a column is a metric, and all of its values are numbers in the usual form. */
function areRegularNumbers(batch: RowBatch, column: PlannedColumn): boolean {
  const { field, type } = column;
  if (isComputed(column)) return false;
  if (type === 'integer') return summarizeNumbers(batch, field).areAllWhole;
  return type === 'money' && summarizeNumbers(batch, field).areAllNumbers;
}

/**
 * Numbers of a column in a row group, in a typed array. Building a plain array would take half of
 * the time spent here.
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

  /** Converted numbers, all of which must be integers. */
  get integers(): BigInt64Array {
    const integers = new BigInt64Array(this.length);
    for (let i = 0; i < this.length; i++) integers[i] = BigInt(this.#doubles[i] as number);
    return integers;
  }
}

function chooseType(
  { type, metric }: PlannedColumn,
  values: readonly (Value | undefined)[],
): ParquetType {
  if (metric?.computed) return parquetTypes.money;
  if (type === undefined || type === 'id' || type === 'text') return parquetTypes.text;

  const parquetType: ParquetType = parquetTypes[type];
  if (type === 'integer' || type === 'money') return parquetType;

  const isUnreadable = (value: Value | undefined): boolean =>
    value !== undefined && !isMissingValue(value) && parquetType.convert(value) === undefined;
  return values.some(isUnreadable) ? parquetTypes.text : parquetType;
}

/**
 * Throws `IncompleteDataError` if a value does not fit the column.
 * @param row 1-based number, for the error
 */
function convertValue(
  value: Value | undefined,
  type: ParquetType,
  name: string,
  row: number,
): number | bigint | string | null {
  if (value === null || value === undefined) return null;
  // An empty string and N/A mean null, except in a column of strings.
  if (type !== parquetTypes.text && isMissingValue(value)) return null;

  const result = type.convert(value);
  if (result !== undefined) return result;

  const shownValue = printable(truncate(JSON.stringify(value), maxShownCharacters));
  throw new IncompleteDataError(
    `Row ${row}: ${printable(name)} is ${shownValue}, which is not a ${type.description}.`,
    {
      code: 'BAD_VALUE',
      // Downloading the report again would not help.
      retryable: false,
      hint: 'Select the other columns with --columns, or use --format csv, which keeps all values unchanged.',
    },
  );
}

/** Maximum length of a value in an error. */
const maxShownCharacters = 40;
