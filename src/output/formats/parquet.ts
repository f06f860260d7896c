import type { KeyValue, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import {
  dayOf,
  exactDouble,
  exactInteger,
  momentOf,
  numberTextOf,
  wallTimeOf,
} from '../../contract/values.ts';
import { IncompleteDataError } from '../../errors.ts';
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
 * Reports as Parquet, in row groups; the report's summary is in the file's key-value metadata. Throws
 * `IncompleteDataError` for a metric that is no number, or that its column cannot hold exactly.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const out = new ByteWriter();
  const texts: KeyValue[] = [];
  let writer: ParquetWriter | undefined;
  let columnKinds: Kind[] = [];
  let values: (Value | undefined)[][] = [];
  let [groupRows, groupBytes, rowsBefore] = [0, 0, 0];

  /** The first row group decides of a time whether its form is known. */
  function begin(): ParquetWriter {
    columnKinds = plan.columns.map((column, i) => kindOf(column, values[i] ?? [], options.note));
    const leaves = plan.columns.map(({ name }, i): SchemaElement => {
      return { name, repetition_type: 'OPTIONAL', ...columnKinds[i]?.element };
    });
    const schema = [{ name: 'schema', num_children: leaves.length }, ...leaves];
    return new ParquetWriter({ writer: out, schema, kvMetadata: texts, createdBy: 'adreport' });
  }

  function endGroup(): Pieces {
    writer ??= begin();
    const columnData = plan.columns.map(({ name }, i) => {
      const kind = columnKinds[i] ?? kinds.text;
      return {
        name,
        data: (values[i] ?? []).map((value, row) =>
          converted(value, kind, name, rowsBefore + row + 1),
        ),
      };
    });
    writer.write({ columnData, rowGroupSize: groupRows });
    rowsBefore += groupRows;
    [values, groupRows, groupBytes] = [[], 0, 0];
    const bytes = out.getBytes();
    out.index = 0;
    return [bytes];
  }

  return {
    encode(batch) {
      plan.follow(batch);
      const rows = rowsOf(batch);
      if (groupRows === 0) values = plan.columns.map(() => []);
      for (const [i, column] of plan.columns.entries()) {
        for (const row of rows) values[i]?.push(valueIn(row, column));
      }
      groupRows += batch.rowCount;
      groupBytes += batch.sizeBytes;
      return groupRows >= groupRowsAtMost || groupBytes >= groupBytesAtMost ? endGroup() : [];
    },
    end({ fields, members }) {
      plan.settle(fields);
      texts.push(
        ...members.map(({ name, json }) => ({ key: `adreport.${name}`, value: json.toString() })),
      );
      // The writer uses its bytes again: these are copied.
      const group = groupRows > 0 ? endGroup().map((piece) => Buffer.from(piece)) : [];
      (writer ?? begin()).finish();
      return [...group, out.getBytes()];
    },
  };
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
  const strange = [...new Set(values)].find(
    (value) => !isNothing(value) && kind.convert(value) === undefined,
  );
  if (strange === undefined) return kind;
  note?.(
    `The column ${name} is kept as text: “${shortened(textOf(strange))}” is no ${kind.wanted}.`,
  );
  return kinds.text;
}

function converted(value: Value | undefined, kind: Kind, name: string, row: number) {
  // An empty text says as little as null, except in a column of texts.
  if (isNothing(value) && !(value === '' && kind === kinds.text)) return null;
  const result = kind.convert(value as Value);
  if (result !== undefined) return result;
  const shown = shortened(JSON.stringify(value));
  throw new IncompleteDataError(
    `Row ${row}: ${printable(name)} is ${shown}, which is no ${kind.wanted}.`,
    {
      code: 'BAD_VALUE',
      // The same report would be downloaded again, to no avail.
      retryable: false,
      hint: 'Choose the other columns with --columns, or --format csv, which keeps every value as it is.',
    },
  );
}

function isNothing(value: Value | undefined): value is null | undefined | '' {
  return value === null || value === undefined || value === '';
}

function shortened(text: string): string {
  return printable(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
