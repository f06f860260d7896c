import { type Column, type FieldType, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { hasValue, type Row, type RowBatch, type Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import {
  derivedFigure,
  derivedNumber,
  type Figure,
  figuresOf,
  sumsOfRow,
  unknownColumn,
} from '../view/figures.ts';
import type { EncodeOptions } from './encoder.ts';

/** A column as it is written. */
export interface PlannedColumn {
  /** The key in the rows; for a derived column its own name. */
  readonly field: string;
  readonly name: string;
  /** `undefined` for a field that the vocabulary does not know, and for a derived column. */
  readonly type: FieldType | undefined;
  readonly numeric: boolean;
  /** What it comes to in sums: for a metric, and for a derived column, whose values are computed from others of the row. */
  readonly figure?: Figure;
}

/** What a row has in a column; nothing, or null, where it has none. */
export function valueIn(row: Row, { field, figure }: PlannedColumn): Value | undefined {
  return figure?.derived ? derivedNumber(figure, sumsOfRow(row)) : row[field];
}

/**
 * Which columns are written: those that the request asked for, where it is known, and fields that the vocabulary does not
 * know. A field of the vocabulary that was not asked for is left out while it is null.
 */
export class ColumnPlan {
  columns: readonly PlannedColumn[] = [];
  /** The index in the batch's `fields` of each column, or -1. */
  indexes = new Int32Array(0);
  readonly #options: Pick<EncodeOptions, 'columns' | 'selectedColumns' | 'normalize' | 'note'>;
  readonly #chosen: readonly string[] | undefined;
  #fields: readonly string[] | undefined;
  #leftOut: readonly number[] = [];
  #isDecided = false;

  constructor(options: Pick<EncodeOptions, 'columns' | 'selectedColumns' | 'normalize' | 'note'>) {
    this.#options = options;
    this.#chosen = options.selectedColumns === 'all' ? undefined : options.selectedColumns;
  }

  /** The columns for people: unless they were chosen by name, also those that derive from them. */
  get shown(): readonly PlannedColumn[] {
    if (this.#chosen) return this.columns;
    const derived = figuresOf(this.columns.map(({ field }) => field)).filter(
      (figure) => figure.derived,
    );
    const others = derived.filter(({ field }) =>
      this.columns.every((column) => column.field !== field),
    );
    return [...this.columns, ...others.map(derivedColumn)];
  }

  /**
   * Takes over the fields of a batch; the first one decides the columns. Throws `UsageError` where a selected column does
   * not exist, and `IncompleteDataError` where a later batch has a value in a field that has no column.
   */
  follow(batch: RowBatch): void {
    const { fields } = batch;
    if (fields !== this.#fields) {
      if (!this.#isDecided) this.#decide(fields, (field) => hasValue(batch, fields.indexOf(field)));
      this.#fields = fields;
      this.indexes = Int32Array.from(this.columns, ({ field, figure }) =>
        figure?.derived ? -1 : fields.indexOf(field),
      );
      const hidden = this.#options.columns?.filter((column) => column.hidden) ?? [];
      const names = [
        ...this.columns.map(({ field }) => field),
        ...hidden.map((column) => fieldOf(column, fields)),
      ];
      const taken = new Set(names);
      // Columns that were named are all that is wanted; of others what has none must stay null.
      this.#leftOut = this.#chosen
        ? []
        : [...fields.keys()].filter((index) => !taken.has(fields[index] ?? ''));
    }
    for (const index of this.#leftOut) if (hasValue(batch, index)) throw lateColumn(batch, index);
  }

  /** Decides the columns of a report without rows, from its CSV header or from the request. Throws as `follow`. */
  settle(fields: readonly string[]): void {
    if (this.#isDecided) return;
    const isKnown = fields.length > 0 || this.#options.columns !== undefined;
    this.#decide(isKnown ? fields : (this.#chosen ?? fields), () => false);
  }

  #decide(fields: readonly string[], isFilled: (field: string) => boolean): void {
    this.#isDecided = true;
    const { columns: asked, selectedColumns, note } = this.#options;
    if (this.#chosen) {
      const known = [...new Set([...fields, ...(asked ?? []).map(({ field }) => field)])];
      this.columns = [...new Set(this.#chosen)].map((name) =>
        this.#planned(fieldNamed(name, known), known),
      );
      return;
    }
    const own = (asked ?? []).flatMap((column) => (column.hidden ? [] : fieldOf(column, fields)));
    const taken = (asked ?? []).map((column) => fieldOf(column, fields));
    const isFree = (field: string) =>
      !asked || selectedColumns === 'all' || fieldTypeOf(field) === undefined;
    const kept = fields.filter(
      (field) => !taken.includes(field) && (isFree(field) || isFilled(field)),
    );
    for (const field of kept) {
      if (!isFree(field))
        note?.(`The column ${field} was not asked for; it is kept because it has values.`);
    }
    this.columns = [...own, ...kept].map((field) => this.#planned(field, fields));
  }

  #planned(field: string, fields: readonly string[]): PlannedColumn {
    const { columns = [], normalize = false } = this.#options;
    const derived = fields.includes(field) ? undefined : derivedFigure(field, fields);
    if (derived) return derivedColumn(derived);
    const [figure] = figuresOf([field]);
    const type = columns.find((column) => column.field === field)?.type ?? fieldTypeOf(field);
    const metric = metricOfField(field)?.name;
    const name = normalize && metric && !fields.includes(metric) ? metric : field;
    return {
      field,
      name,
      type,
      numeric: type === 'integer' || type === 'money',
      ...(figure ? { figure } : {}),
    };
  }
}

function derivedColumn(figure: Figure): PlannedColumn {
  return { field: figure.field, name: figure.field, type: undefined, numeric: true, figure };
}

function fieldOf({ field, metric }: Column, fields: readonly string[]): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fields.find((other) => metricOfField(other)?.name === metric) ?? field;
}

function lateColumn({ firstRow, fields }: RowBatch, index: number): IncompleteDataError {
  const name = printable(fields[index] ?? '');
  const sentence = `After row ${firstRow}, the rows have values in the column "${name}", which the header written before lacks.`;
  const hint =
    'Choose the columns with --columns (--columns all keeps every known one), or write --format json.';
  return new IncompleteDataError(sentence, { code: 'LATE_COLUMN', retryable: false, hint });
}

/** The field that a user means by a column's name: the field itself, a derived metric, or the metric's own name for it. */
function fieldNamed(name: string, known: readonly string[]): string {
  if (known.includes(name) || derivedFigure(name, known)) return name;
  const field = known.find((candidate) => metricOfField(candidate)?.name === name);
  if (field === undefined) throw unknownColumn(name, known);
  return field;
}
