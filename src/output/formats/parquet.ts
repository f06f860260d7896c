import type { KeyValue, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { dayOf, exactDouble, exactInteger, momentOf, numberTextOf, wallTimeOf } from '../../contract/values.ts';
import { IncompleteDataError } from '../../errors.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { rowsOf, type Value } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { ColumnPlan, type PlannedColumn, valueIn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';

/** A row group ends after so many rows, or sooner where they came as so many bytes. */
const groupRowsAtMost = 50_000;
const groupBytesAtMost = 32 * 1024 * 1024;

/** How a column is kept: what Parquet calls it, and how a value becomes it; `undefined` for a value that does not fit. */
interface Kind {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly wanted: string;
  convert(value: Value): number | bigint | string | undefined;
}

const microsOf = (ms: number | undefined): bigint | undefined => (ms === undefined ? undefined : BigInt(ms) * 1000n);

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
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    wanted: 'date-time as 2026-11-01T13:00:00+0100',
    convert: (value) => microsOf(momentOf(textOf(value))?.instantMs),
  },
  wallTime: {
    // Without the older `converted_type`, which would say that it is UTC.
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
    wanted: 'date-time as 2026-11-01 13:00:00',
    convert: (value) => microsOf(wallTimeOf(textOf(value))),
  },
  integer: {
    element: { type: 'INT64' },
    wanted: 'whole number of 64 bits',
    convert: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : numberBy(exactInteger, value)),
  },
  money: {
    // Not DECIMAL(18,2): it would round what has more decimals, as revenue of single rows may. A double holds every
    // amount of up to 15 digits and gives it back as it was; one that it does not hold is refused, never rounded.
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
 * Reports as Parquet: days, moments, 64-bit integers, doubles for money, UTF-8 for all else; the report's summary is in
 * the file's key-value metadata. Row groups are handed out as they fill.
 *
 * Its calls throw `IncompleteDataError` for a metric that is no number, or that its column cannot hold exactly.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  return new ParquetEncoder(options);
}

class ParquetEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #note: (sentence: string) => void;
  readonly #out = new ByteWriter();
  /** The file's key-value metadata, which are known at its end. */
  readonly #texts: KeyValue[] = [];
  #writer: ParquetWriter | undefined;
  #kinds: Kind[] = [];
  /** The values of the row group so far, column by column. */
  #values: (Value | undefined)[][] = [];
  #groupRows = 0;
  #groupBytes = 0;
  #rowsBefore = 0;

  constructor(options: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#note = options.note ?? (() => {});
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const rows = rowsOf(batch);
    const { columns } = this.#plan;
    if (this.#groupRows === 0) this.#values = columns.map(() => []);
    for (const [i, column] of columns.entries()) {
      const values = this.#values[i] ?? [];
      for (const row of rows) values.push(valueIn(row, column));
    }
    this.#groupRows += batch.rowCount;
    this.#groupBytes += (batch.rowEnds[batch.rowCount - 1] as number) - (batch.rowStarts[0] as number);
    return this.#groupRows >= groupRowsAtMost || this.#groupBytes >= groupBytesAtMost ? this.#endGroup() : [];
  }

  end({ fields, members }: ReportTail): Pieces {
    this.#plan.settle(fields);
    this.#texts.push(...members.map(({ name, json }) => ({ key: `adreport.${name}`, value: json.toString() })));
    // Pieces are good until the next call: these are copied.
    const group = this.#groupRows > 0 ? this.#endGroup().map((piece) => Buffer.from(piece)) : [];
    (this.#writer ?? this.#begin([])).finish();
    return [...group, this.#out.getBytes()];
  }

  /** @param first the values of the first row group, which decide of a time whether its form is known */
  #begin(first: readonly (readonly (Value | undefined)[])[]): ParquetWriter {
    this.#kinds = this.#plan.columns.map((column, i) => this.#kindOf(column, first[i] ?? []));
    const leaves = this.#plan.columns.map(({ name }, i): SchemaElement => {
      return { name, repetition_type: 'OPTIONAL', ...this.#kinds[i]?.element };
    });
    return new ParquetWriter({
      writer: this.#out,
      schema: [{ name: 'schema', num_children: leaves.length }, ...leaves],
      kvMetadata: this.#texts,
      createdBy: 'adreport',
    });
  }

  #kindOf({ name, type, computed }: PlannedColumn, values: readonly (Value | undefined)[]): Kind {
    if (computed) return kinds.money;
    if (type === undefined || type === 'id' || type === 'text') return kinds.text;
    const kind: Kind = kinds[type];
    if (type === 'integer' || type === 'money') return kind;
    const strange = [...new Set(values)].find((value) => !isNothing(value) && kind.convert(value) === undefined);
    if (strange === undefined) return kind;
    this.#note(`The column ${name} is kept as text: “${shortened(textOf(strange))}” is no ${kind.wanted}.`);
    return kinds.text;
  }

  #endGroup(): Pieces {
    this.#out.index = 0;
    this.#writer ??= this.#begin(this.#values);
    const columnData = this.#plan.columns.map((column, i) => {
      const kind = this.#kinds[i] ?? kinds.text;
      return { name: column.name, data: this.#converted(column, kind, this.#values[i] ?? []) };
    });
    this.#writer.write({ columnData, rowGroupSize: this.#groupRows });
    this.#values = [];
    this.#rowsBefore += this.#groupRows;
    this.#groupRows = 0;
    this.#groupBytes = 0;
    const bytes = this.#out.getBytes();
    this.#out.index = 0;
    return [bytes];
  }

  #converted(column: PlannedColumn, kind: Kind, values: readonly (Value | undefined)[]): unknown[] {
    // Values repeat, and texts that are the same are kept once.
    const known = new Map<Value, number | bigint | string>();
    return values.map((value, row) => {
      if (isNothing(value, kind)) return null;
      let converted = known.get(value);
      if (converted === undefined) {
        converted = kind.convert(value);
        if (converted === undefined) this.#refuse(column, kind, this.#rowsBefore + row + 1, value);
        known.set(value, converted);
      }
      return converted;
    });
  }

  #refuse({ name }: PlannedColumn, { wanted }: Kind, row: number, value: Value): never {
    const shown = shortened(JSON.stringify(value));
    throw new IncompleteDataError(`Row ${row}: ${printable(name)} is ${shown}, which is no ${wanted}.`, {
      code: 'BAD_VALUE',
      // The same report would be downloaded again, to no avail.
      retryable: false,
      hint: 'Choose the other columns with --columns, or --format csv, which keeps every value as it is.',
    });
  }
}

/** An empty text says as little as null, except in a column of texts. */
function isNothing(value: Value | undefined, kind?: Kind): value is null | undefined {
  return value === null || value === undefined || (value === '' && kind !== kinds.text);
}

function shortened(text: string): string {
  return printable(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
