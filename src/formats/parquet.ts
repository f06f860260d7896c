import type { DecodedArray, KeyValue, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { dayOf, isNoValue, momentOf, numberTextOf, wallTimeOf } from '../contract/values.ts';
import { IncompleteDataError } from '../errors.ts';
import { ColumnPlan, columnValues, type PlannedColumn } from '../output/columns.ts';
import type { EncodeOptions, Encoder, Pieces, ReportJudgement } from '../output/encoder.ts';
import { membersOf } from '../output/provenance.ts';
import { hundredthsOf, numberFactsOf } from '../rows/column-values.ts';
import {
  makeRoomForObjects,
  type ReportTail,
  type RowBatch,
  type Value,
} from '../rows/row-batch.ts';
import { exactDouble, exactInteger } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';

/**
 * A row group ends after so many rows, or sooner where they have so many values, or came as so many
 * bytes. For each column the writer makes several lists of its rows: with twice as many rows in a
 * group a report takes 40 MB more memory.
 */
const groupRowsAtMost = 16_000;
const groupValuesAtMost = 2_000_000;
const groupBytesAtMost = 32 * 1024 * 1024;

/**
 * Of rows that are longer than this no least and largest values are kept: they stay in memory up to
 * the end of the file.
 */
const rowBytesWithStatistics = 16 * 1024;

/**
 * How a column is kept: what Parquet calls it, and how a value becomes it; `undefined` for a value
 * that does not fit.
 */
interface Kind {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly wanted: string;
  convert(value: Value): number | bigint | string | undefined;
}

const microsOf = (ms: number | undefined): bigint | undefined =>
  ms === undefined ? undefined : BigInt(ms) * 1000n;

const micros = { type: 'TIMESTAMP', unit: 'MICROS' } as const;

const kinds = {
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    wanted: 'date as 2026-11-01',
    convert: (value) => dayOf(textOf(value)),
  },
  hour: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { ...micros, isAdjustedToUTC: true },
    },
    wanted: 'date-time as 2026-11-01T13:00:00+0100',
    convert: (value) => microsOf(momentOf(textOf(value))?.instantMs),
  },
  wallTime: {
    // Without the older `converted_type`, which would say that it is UTC.
    element: { type: 'INT64', logical_type: { ...micros, isAdjustedToUTC: false } },
    wanted: 'date-time as 2026-11-01 13:00:00',
    convert: (value) => microsOf(wallTimeOf(textOf(value))),
  },
  integer: {
    element: { type: 'INT64' },
    wanted: 'whole number of 64 bits',
    convert: (value) =>
      Number.isSafeInteger(value) ? BigInt(value as number) : numberBy(exactInteger, value),
  },
  money: {
    // Not DECIMAL(18,2): it would round what has more decimals, as revenue of single rows may. A
    // double holds every amount of up to 15 digits and gives it back as it was; one that it does
    // not hold is refused, never rounded.
    element: { type: 'DOUBLE' },
    wanted: 'number that Parquet holds to its last digit',
    convert: (value) => (typeof value === 'number' ? value : numberBy(exactDouble, value)),
  },
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    wanted: 'text',
    convert: textOf,
  },
} satisfies Record<string, Kind>;

function textOf(value: Value): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function numberBy<T>(exact: (text: string) => T | undefined, value: Value): T | undefined {
  const text = numberTextOf(value);
  return text === undefined ? undefined : exact(text);
}

/**
 * Reports as Parquet, in row groups; the report's summary and where it comes from are in the file's
 * key-value metadata. Throws `IncompleteDataError` for a metric that is no number, or that its
 * column cannot hold exactly.
 */
export class ParquetEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #note: EncodeOptions['note'];
  readonly #provenance: EncodeOptions['provenance'];
  readonly #out = new ByteWriter();

  /** What the file says of itself; the writer reads it at the end. */
  readonly #metadata: KeyValue[] = [];

  #writer: ParquetWriter | undefined;
  #kinds: readonly Kind[] = [];

  /** The values of the row group so far, by column; none where its numbers are kept instead. */
  #values: (Value | undefined)[][] = [];

  /** By column: its numbers in the row group, where all of them so far are written as usual. */
  readonly #numbers: NumberList[] = [];

  #groupRows = 0;
  #groupBytes = 0;

  /** How many rows stand in the groups before. */
  #rowsBefore = 0;

  constructor(options: EncodeOptions) {
    makeRoomForObjects();
    this.#plan = new ColumnPlan(options);
    this.#note = options.note;
    this.#provenance = options.provenance;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    this.#take(batch);
    this.#groupRows += batch.rowCount;
    this.#groupBytes += batch.sizeBytes;

    return this.#isGroupFull ? this.#endGroup() : [];
  }

  end({ fields, members }: ReportTail, judgement?: ReportJudgement): Pieces {
    this.#plan.settle(fields);
    const ownMembers = this.#provenance
      ? membersOf(this.#provenance, judgement?.findings ?? [])
      : [];
    for (const { name, json } of [...members, ...ownMembers]) {
      this.#metadata.push({ key: `adreport.${name}`, value: json.toString() });
    }

    // The writer uses its bytes again: these are copied.
    const group = this.#groupRows > 0 ? this.#endGroup().map((piece) => Buffer.from(piece)) : [];
    const writer = this.#writer ?? this.#begin();
    writer.finish();
    return [...group, this.#out.getBytes()];
  }

  get #isGroupFull(): boolean {
    const valueCount = this.#groupRows * this.#plan.columns.length;
    return (
      this.#groupRows >= groupRowsAtMost ||
      valueCount >= groupValuesAtMost ||
      this.#groupBytes >= groupBytesAtMost
    );
  }

  #take(batch: RowBatch): void {
    const { columns } = this.#plan;
    if (this.#groupRows === 0) this.#beginGroup(columns.length);
    for (const [i, column] of columns.entries()) {
      const values = this.#values[i] ?? [];
      const numbers = this.#numbers[i];
      const areNumbersKept = numbers !== undefined && numbers.length === this.#groupRows;
      if (areNumbersKept && areUsualNumbers(batch, column)) {
        numbers.append(hundredthsOf(batch, column.field));
        continue;
      }

      if (areNumbersKept) {
        for (const number of numbers.doubles) values.push(number);
        numbers.clear();
      }
      for (const value of columnValues(batch, column)) values.push(value);
    }
  }

  #beginGroup(columnCount: number): void {
    this.#values = [];
    for (let i = 0; i < columnCount; i++) {
      this.#values.push([]);
      this.#numbers[i] ??= new NumberList();
      this.#numbers[i]?.clear();
    }
  }

  /** Begins the file. The first row group decides of a time whether its form is known. */
  #begin(): ParquetWriter {
    const { columns } = this.#plan;
    this.#kinds = columns.map((column, i) => kindOf(column, this.#values[i] ?? [], this.#note));

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
    const columnData = this.#plan.columns.map(({ name }, i) => {
      const data = this.#convertedColumn(i, name);
      const hasDictionary = this.#kinds[i] === kinds.text && repeatsItself(data);
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
    // The values before and after would take twice the memory.
    this.#values[index] = [];

    // A time stands in many rows, one after the other, and takes long to be read.
    let valueBefore: Value | undefined;
    let result = converted(valueBefore, kind, name, 0);
    return values.map((value, row) => {
      if (value === valueBefore) return result;
      valueBefore = value;
      result = converted(value, kind, name, this.#rowsBefore + row + 1);
      return result;
    });
  }
}

/**
 * Whether a column has few different values, so that a dictionary of them pays. The writer looks at
 * a thousand rows for that, in which ids that stand in forty rows each are all different; and it is
 * slow to write the same text again.
 */
function repeatsItself(data: DecodedArray): boolean {
  const values = new Set<unknown>();
  for (const value of data) {
    if (value !== null) values.add(value);
    if (4 * values.size > data.length) return false;
  }
  return values.size > 0;
}

/**
 * Whether a column of a batch is a metric's whose numbers are all there, and written in the usual
 * form.
 */
function areUsualNumbers(batch: RowBatch, { field, type, figure }: PlannedColumn): boolean {
  if (figure?.derived) return false;
  if (type === 'integer') return numberFactsOf(batch, field).areAllWhole;
  return type === 'money' && numberFactsOf(batch, field).areAllNumbers;
}

/**
 * The numbers of a column in a row group, as the writer takes them. An array of values would be an
 * object for each number, which lives until the group is written: collecting those took half of the
 * time.
 */
class NumberList {
  length = 0;

  #doubles = new Float64Array(1_024);

  append(hundredths: Float64Array): void {
    const before = this.length;
    this.length += hundredths.length;
    if (this.length > this.#doubles.length) {
      const doubles = new Float64Array(2 * this.length);
      doubles.set(this.#doubles.subarray(0, before));
      this.#doubles = doubles;
    }
    for (let i = 0; i < hundredths.length; i++) {
      this.#doubles[before + i] = (hundredths[i] as number) / 100;
    }
  }

  clear(): void {
    this.length = 0;
  }

  get doubles(): Float64Array {
    return this.#doubles.subarray(0, this.length);
  }

  /** The numbers, which must be whole, in 64 bits each. */
  get integers(): BigInt64Array {
    const integers = new BigInt64Array(this.length);
    for (let i = 0; i < this.length; i++) integers[i] = BigInt(this.#doubles[i] as number);
    return integers;
  }
}

function kindOf(
  { name, type, figure }: PlannedColumn,
  values: readonly (Value | undefined)[],
  note: EncodeOptions['note'],
): Kind {
  if (figure?.derived) return kinds.money;
  if (type === undefined || type === 'id' || type === 'text') return kinds.text;

  const kind: Kind = kinds[type];
  if (type === 'integer' || type === 'money') return kind;

  const isStrange = (value: Value | undefined): boolean =>
    value !== undefined && !isNoValue(value) && kind.convert(value) === undefined;
  const strange = [...new Set(values)].find(isStrange);
  if (strange === undefined) return kind;

  note?.(
    `The column ${name} is kept as text: “${shortened(textOf(strange))}” is no ${kind.wanted}.`,
  );
  return kinds.text;
}

/** A value as its column keeps it. @param row its number, counted from 1, for an error */
function converted(
  value: Value | undefined,
  kind: Kind,
  name: string,
  row: number,
): number | bigint | string | null {
  if (value === null || value === undefined) return null;
  // An empty text and N/A say as little as null, except in a column of texts.
  if (kind !== kinds.text && isNoValue(value)) return null;

  const result = kind.convert(value);
  if (result !== undefined) return result;

  const text = shortened(JSON.stringify(value));
  throw new IncompleteDataError(
    `Row ${row}: ${printable(name)} is ${text}, which is no ${kind.wanted}.`,
    {
      code: 'BAD_VALUE',
      // The same report would be downloaded again, to no avail.
      retryable: false,
      hint: 'Choose the other columns with --columns, or --format csv, which keeps every value as it is.',
    },
  );
}

function shortened(text: string): string {
  return printable(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
