import { type FieldType, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import type { Row, Value } from '../rows/row-objects.ts';
import { nearest } from '../text/nearest.ts';
import type { EncodeOptions } from './encoder.ts';

/** A column as it is written. */
export interface PlannedColumn {
  /** The key in the rows. */
  readonly field: string;
  /** What it is called in the output. */
  readonly name: string;
  /** `undefined` for a field that the vocabulary does not know. */
  readonly type: FieldType | undefined;
  /** Whether its values are numbers, or strings that hold numbers. */
  readonly numeric: boolean;
}

type PlanOptions = Pick<EncodeOptions, 'columns' | 'select' | 'normalize'>;

/** Which columns are written, and where a batch has them. */
export class ColumnPlan {
  /** In the order in which they are written; a new array when some are added. */
  columns: readonly PlannedColumn[] = [];
  /** The index in the batch's `fields` of each column, or -1. */
  indexes = new Int32Array(0);
  readonly #options: PlanOptions;
  #fields: readonly string[] | undefined;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  /**
   * Takes over the fields of a batch. The first call decides the columns; a later one may add some, unless they were
   * selected.
   * @returns the columns that were added to those decided before
   * @throws UsageError where a selected column does not exist
   */
  follow({ fields }: Pick<RowBatch, 'fields'>): readonly PlannedColumn[] {
    if (fields === this.#fields) return [];
    const added = this.#add(fields);
    this.#fields = fields;
    const indexes = new Map(fields.map((field, index) => [field, index]));
    this.indexes = Int32Array.from(this.columns, ({ field }) => indexes.get(field) ?? -1);
    return added;
  }

  /**
   * Decides the columns of a report that turned out to have no rows, from its CSV header or from the request; where
   * `follow` has decided them, nothing changes.
   * @throws UsageError where a selected column does not exist
   */
  settle(fields: readonly string[]): void {
    if (this.#fields) return;
    const { columns = [], select } = this.#options;
    const known = fields.length > 0 ? fields : columns.map((column) => column.field);
    this.follow({ fields: known.length > 0 ? known : (select ?? []) });
  }

  #add(fields: readonly string[]): readonly PlannedColumn[] {
    const { columns = [], select } = this.#options;
    const isFirst = this.#fields === undefined;
    if (select) {
      if (!isFirst) return [];
      const known = [...new Set([...fields, ...columns.map((column) => column.field)])];
      this.columns = [...new Set(select)].map((name) => this.#planned(fieldNamed(name, known), known));
      return [];
    }
    const planned = new Set(this.columns.map((column) => column.field));
    const added = fields.filter((field) => !planned.has(field)).map((field) => this.#planned(field, fields));
    this.columns = [...this.columns, ...added];
    return isFirst ? [] : added;
  }

  #planned(field: string, fields: readonly string[]): PlannedColumn {
    const { columns = [], normalize = false } = this.#options;
    const metric = metricOfField(field);
    const type = columns.find((column) => column.field === field)?.type ?? fieldTypeOf(field);
    const name = normalize && metric && !fields.includes(metric.name) ? metric.name : field;
    return { field, name, type, numeric: type === 'integer' || type === 'money' };
  }
}

/** What a row has in a column; `undefined` where it has nothing. */
export function valueIn(row: Row, { field }: PlannedColumn): Value | undefined {
  return row[field];
}

/** The field that a user means by a column's name: the field itself, or the metric's own name for it. */
function fieldNamed(name: string, known: readonly string[]): string {
  const field =
    known.find((candidate) => candidate === name) ?? known.find((candidate) => metricOfField(candidate)?.name === name);
  if (field !== undefined) return field;
  const suggestion = nearest(name, known);
  throw new UsageError(`The report has no column "${name}".`, {
    code: 'UNKNOWN_COLUMN',
    hint: suggestion ? `Did you mean ${suggestion}?` : `It has ${known.join(', ')}.`,
  });
}
