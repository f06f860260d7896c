import {
  type Column,
  type FieldType,
  fieldLabel,
  fieldTypeOf,
  metricOfField,
} from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import {
  derivedFigure,
  derivedNumber,
  type Figure,
  figuresOf,
  sumsOfRow,
  unknownColumn,
} from '../figures/figures.ts';
import type { Sums } from '../figures/grouping.ts';
import { numberIn } from '../figures/numbers.ts';
import { valuesOf } from '../rows/column-values.ts';
import { hasValue, type Row, type RowBatch, type Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { EncodeOptions } from './encoder.ts';

/** A column as it is written. */
export interface PlannedColumn {
  /** The key in the rows; for a derived column its own name. */
  readonly field: string;

  /** What the header of a file for programs calls it. */
  readonly name: string;

  /** What people read above it: `Revenue (€)`, `Week`. */
  readonly label: string;

  /** `undefined` for a field that the vocabulary does not know, and for a derived column. */
  readonly type: FieldType | undefined;

  readonly numeric: boolean;

  /**
   * What it comes to in sums: for a metric, and for a derived column, whose values are computed
   * from others of the row.
   */
  readonly figure?: Figure;
}

/** What a row has in a column; nothing, or null, where it has none. */
export function valueIn(row: Row, { field, figure }: PlannedColumn): Value | undefined {
  return figure?.derived ? derivedNumber(figure, sumsOfRow(row)) : row[field];
}

/** What the rows of a batch have in a column, in their order. */
export function columnValues(
  batch: RowBatch,
  column: PlannedColumn,
): readonly (Value | undefined)[] {
  const { field, figure } = column;
  if (!figure?.derived) return valuesOf(batch, field);

  const { over, under } = figure.derived;
  const columns = new Map([over, under].map((each) => [each, valuesOf(batch, each)]));
  const values: (number | null)[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const sums: Sums = { get: (each) => numberIn(columns.get(each)?.[row]) ?? undefined };
    values.push(derivedNumber(figure, sums));
  }
  return values;
}

/** Whether a column is computed from others of its row. */
export function isDerived({ figure }: PlannedColumn): boolean {
  return figure?.derived !== undefined;
}

/** What decides the columns of a report. */
type ColumnChoice = Pick<EncodeOptions, 'columns' | 'selectedColumns' | 'normalize' | 'note'>;

/**
 * Which columns are written: those that the request asked for, where it is known, and fields that
 * the vocabulary does not know. A field of the vocabulary that was not asked for is left out while
 * it is null.
 */
export class ColumnPlan {
  columns: readonly PlannedColumn[] = [];

  readonly #choice: ColumnChoice;

  /** The columns that the user named; `undefined` where none were, or all. */
  readonly #named: readonly string[] | undefined;

  /** The fields of the batch that came last. */
  #fields: readonly string[] | undefined;

  /** The fields that have no column, and must have no value. */
  #fieldsLeftOut: readonly string[] = [];

  #isDecided = false;

  constructor(choice: ColumnChoice) {
    this.#choice = choice;
    this.#named = choice.selectedColumns === 'all' ? undefined : choice.selectedColumns;
  }

  /** The columns for people: unless they were chosen by name, also those that derive from them. */
  get shown(): readonly PlannedColumn[] {
    if (this.#named) return this.columns;

    const shown = [...this.columns];
    for (const figure of figuresOf(this.columns.map(({ field }) => field))) {
      const isThere = this.columns.some(({ field }) => field === figure.field);
      if (figure.derived && !isThere) shown.push(derivedColumn(figure));
    }
    return shown;
  }

  /**
   * Takes over the fields of a batch; the first one decides the columns. Throws `UsageError` where
   * a selected column does not exist, and `IncompleteDataError` where a later batch has a value in
   * a field that has no column.
   */
  follow(batch: RowBatch): void {
    if (batch.fields !== this.#fields) {
      if (!this.#isDecided) this.#decide(batch.fields, batch);
      this.#fields = batch.fields;
      this.#fieldsLeftOut = this.#findFieldsLeftOut(batch.fields);
    }

    for (const field of this.#fieldsLeftOut) {
      if (hasValue(batch, field)) throw lateColumn(batch, field);
    }
  }

  /**
   * Decides the columns of a report without rows, from its CSV header or from the request. Throws
   * as `follow`.
   */
  settle(fields: readonly string[]): void {
    if (this.#isDecided) return;
    const isKnown = fields.length > 0 || this.#choice.columns !== undefined;
    this.#decide(isKnown ? fields : (this.#named ?? fields));
  }

  /** @param batch the first rows; none where the report has none */
  #decide(fields: readonly string[], batch?: RowBatch): void {
    this.#isDecided = true;
    if (this.#named) {
      this.#decideNamed(this.#named, fields);
    } else {
      this.#decideUsual(fields, batch);
    }
  }

  /** The columns are those that the user named, each once. */
  #decideNamed(names: readonly string[], fields: readonly string[]): void {
    const asked = this.#choice.columns ?? [];
    const known = [...new Set([...fields, ...asked.map(({ field }) => field)])];
    const columns: PlannedColumn[] = [];
    for (const name of new Set(names)) {
      columns.push(this.#planned(fieldNamed(name, known), known));
    }
    this.columns = columns;
  }

  /** The columns are those that were asked for, then the other fields that are worth one. */
  #decideUsual(fields: readonly string[], batch: RowBatch | undefined): void {
    const { columns: asked, selectedColumns, note } = this.#choice;
    const chosen: string[] = [];
    const taken = new Set<string>();
    for (const column of asked ?? []) {
      const field = fieldOf(column, fields);
      taken.add(field);
      if (!column.hidden) chosen.push(field);
    }

    for (const field of fields) {
      if (taken.has(field)) continue;
      const isFree = !asked || selectedColumns === 'all' || fieldTypeOf(field) === undefined;
      const isFilled = !isFree && batch !== undefined && hasValue(batch, field);
      if (!isFree && !isFilled) continue;
      if (isFilled) {
        note?.(`The column ${field} was not asked for; it is kept because it has values.`);
      }
      chosen.push(field);
    }
    this.columns = chosen.map((field) => this.#planned(field, fields));
  }

  #planned(field: string, fields: readonly string[]): PlannedColumn {
    const { columns = [], normalize = false } = this.#choice;
    const derived = fields.includes(field) ? undefined : derivedFigure(field, fields);
    if (derived) return derivedColumn(derived);

    const [figure] = figuresOf([field]);
    const asked = columns.find((column) => column.field === field);
    const type = asked?.type ?? fieldTypeOf(field);
    const metric = metricOfField(field)?.name;
    const isRenamed = normalize && metric !== undefined && !fields.includes(metric);
    return {
      field,
      name: isRenamed ? metric : field,
      label: labelOf(field, asked),
      type,
      numeric: type === 'integer' || type === 'money',
      ...(figure ? { figure } : {}),
    };
  }

  #findFieldsLeftOut(fields: readonly string[]): string[] {
    // Where columns were named, they are all that is wanted; otherwise what has no column must stay
    // null.
    if (this.#named) return [];

    const taken = new Set(this.columns.map(({ field }) => field));
    for (const column of this.#choice.columns ?? []) {
      if (column.hidden) taken.add(fieldOf(column, fields));
    }
    return fields.filter((field) => !taken.has(field));
  }
}

function derivedColumn(figure: Figure): PlannedColumn {
  const { field } = figure;
  return { field, name: field, label: fieldLabel(field), type: undefined, numeric: true, figure };
}

/** The heading of a field; days that stand for weeks or months are called so. */
function labelOf(field: string, asked: Column | undefined): string {
  if (asked?.isOfWeeks) return 'Week';
  return asked?.breakdown === 'MONTHLY' ? 'Month' : fieldLabel(field);
}

/**
 * The field of the rows that a column of the request means: a metric may come under another name.
 */
function fieldOf({ field, metric }: Column, fields: readonly string[]): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fields.find((other) => metricOfField(other)?.name === metric) ?? field;
}

function lateColumn({ firstRow }: RowBatch, field: string): IncompleteDataError {
  const name = printable(field);
  const sentence = `After row ${firstRow}, the rows have values in the column “${name}”, which the header written before lacks.`;
  const hint = `Choose the columns with --columns, ${name} among them or not, or write --format json.`;
  return new IncompleteDataError(sentence, { code: 'LATE_COLUMN', retryable: false, hint });
}

/**
 * The field that a user means by a column's name: the field itself, a derived metric, or the
 * metric's own name for it.
 */
function fieldNamed(name: string, known: readonly string[]): string {
  if (known.includes(name) || derivedFigure(name, known)) return name;
  const field = known.find((candidate) => metricOfField(candidate)?.name === name);
  if (field === undefined) throw unknownColumn(name, known);
  return field;
}
