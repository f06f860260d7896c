import { type Column, type FieldType, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { numberTextOf } from '../contract/values.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/vocabulary.ts';
import { IncompleteDataError, UsageError } from '../errors.ts';
import type { Row, Value } from '../rows/row-batch.ts';
import { hasValue, type RowBatch } from '../rows/row-batch.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import type { EncodeOptions } from './encoder.ts';

/** A column as it is written. */
export interface PlannedColumn {
  /** The key in the rows; for a computed column its own name. */
  readonly field: string;
  /** What it is called in the output. */
  readonly name: string;
  /** `undefined` for a field that the vocabulary does not know, and for a computed column. */
  readonly type: FieldType | undefined;
  /** Whether its values are numbers, or strings that hold numbers, which can be added up. */
  readonly numeric: boolean;
  /** For a column that is computed from two others: what it is, and their keys in the rows. It is never added up. */
  readonly computed?: { readonly metric: DerivedMetric; readonly numerator: string; readonly denominator: string };
}

/** What a row has in a column; nothing, or null, where it has none. */
export function valueIn(row: Row, { field, computed }: PlannedColumn): Value | undefined {
  if (!computed) return row[field];
  const [numerator, denominator] = [numberIn(row, computed.numerator), numberIn(row, computed.denominator)];
  if (numerator === undefined || !denominator) return null;
  // A rate is a plain fraction in a file; people read it in percent.
  const factor = computed.metric.unit === 'percent' ? 1 : computed.metric.factor;
  return Number(((factor * numerator) / denominator).toFixed(6));
}

function numberIn(row: Row, field: string): number | undefined {
  const text = numberTextOf(row[field]);
  return text === undefined ? undefined : Number(text);
}

type PlanOptions = Pick<EncodeOptions, 'columns' | 'select' | 'normalize' | 'note'>;

/**
 * Which columns are written, and where a batch has them. Where the request is known, these are the ones that it asked
 * for, and the fields that the vocabulary does not know. A field of the vocabulary that was not asked for is left out
 * while it is null.
 */
export class ColumnPlan {
  /** In the order in which they are written; decided by the first batch. */
  columns: readonly PlannedColumn[] = [];
  /** The index in the batch's `fields` of each column, or -1. */
  indexes = new Int32Array(0);
  readonly #options: PlanOptions;
  #fields: readonly string[] | undefined;
  /** Where the batch has the fields that are left out while they are null. */
  #leftOut: readonly number[] = [];
  #isDecided = false;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  /**
   * Takes over the fields of a batch; the first one decides the columns.
   * @throws UsageError where a selected column does not exist
   * @throws IncompleteDataError where a later batch has a value in a field that has no column
   */
  follow(batch: RowBatch): void {
    if (batch.fields !== this.#fields) {
      if (!this.#isDecided) this.#decide(batch.fields, (field) => hasValue(batch, batch.fields.indexOf(field)));
      this.#fields = batch.fields;
      this.indexes = Int32Array.from(this.columns, ({ field, computed }) =>
        computed ? -1 : batch.fields.indexOf(field),
      );
      this.#leftOut = this.#findLeftOut(batch.fields);
    }
    for (const index of this.#leftOut) if (hasValue(batch, index)) throw lateColumn(batch, index);
  }

  /**
   * Decides the columns of a report that turned out to have no rows, from its CSV header or from the request; where
   * `follow` has decided them, nothing changes.
   * @throws UsageError where a selected column does not exist
   */
  settle(fields: readonly string[]): void {
    if (this.#isDecided) return;
    const { columns, select } = this.#options;
    const isKnown = fields.length > 0 || columns !== undefined;
    this.#decide(isKnown || select === 'all' ? fields : (select ?? []), () => false);
  }

  #decide(fields: readonly string[], isFilled: (field: string) => boolean): void {
    this.#isDecided = true;
    const { columns: asked, select, note = () => {} } = this.#options;
    if (select !== undefined && select !== 'all') {
      const known = [...new Set([...fields, ...(asked ?? []).map(({ field }) => field)])];
      this.columns = [...new Set(select)].map((name) => this.#selected(name, known));
      return;
    }
    if (asked === undefined) {
      this.columns = fields.map((field) => this.#planned(field, fields));
      return;
    }
    const own = asked.filter(({ hidden }) => !hidden).map((column) => this.#planned(fieldOf(column, fields), fields));
    const taken = new Set([...own.map(({ field }) => field), ...asked.map((column) => fieldOf(column, fields))]);
    const others = fields.filter((field) => !taken.has(field));
    const kept = others.filter((field) => select === 'all' || fieldTypeOf(field) === undefined || isFilled(field));
    for (const field of kept) {
      if (select === 'all' || fieldTypeOf(field) === undefined) continue;
      note(`The column ${field} was not asked for; it is kept because it has values.`);
    }
    this.columns = [...own, ...kept.map((field) => this.#planned(field, fields))];
  }

  /** Fields without a column, which must stay null. Columns that were named are all that is wanted. */
  #findLeftOut(fields: readonly string[]): number[] {
    const { columns = [], select } = this.#options;
    if (select !== undefined && select !== 'all') return [];
    const hidden = columns.filter((column) => column.hidden).map((column) => fieldOf(column, fields));
    const taken = new Set([...this.columns.map(({ field }) => field), ...hidden]);
    return [...fields.keys()].filter((index) => !taken.has(fields[index] ?? ''));
  }

  #selected(name: string, known: readonly string[]): PlannedColumn {
    const isComputed = !known.includes(name) && derivedMetrics.some(({ field }) => field === name);
    return this.#planned(isComputed ? name : fieldNamed(name, known), known);
  }

  #planned(field: string, fields: readonly string[]): PlannedColumn {
    const { columns = [], normalize = false } = this.#options;
    const computed = fields.includes(field) ? undefined : derivedMetrics.find((metric) => metric.field === field);
    if (computed) {
      const source = (name: string): string => fields.find((each) => metricOfField(each)?.name === name) ?? name;
      const sources = { numerator: source(computed.numerator), denominator: source(computed.denominator) };
      return { field, name: field, type: undefined, numeric: false, computed: { metric: computed, ...sources } };
    }
    const metric = metricOfField(field);
    const type = columns.find((column) => column.field === field)?.type ?? fieldTypeOf(field);
    const name = normalize && metric && !fields.includes(metric.name) ? metric.name : field;
    return { field, name, type, numeric: type === 'integer' || type === 'money' };
  }
}

/** The key that the rows have for a column of the request: a metric may stand there under its own name. */
function fieldOf({ field, metric }: Column, fields: readonly string[]): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fields.find((other) => metricOfField(other)?.name === metric) ?? field;
}

function lateColumn(batch: RowBatch, index: number): IncompleteDataError {
  const name = printable(batch.fields[index] ?? '');
  return new IncompleteDataError(
    `After row ${batch.firstRow}, the rows have values in the column "${name}", which the header written before lacks.`,
    {
      code: 'LATE_COLUMN',
      retryable: false,
      hint: 'Choose the columns with --columns (--columns all keeps every known one), or write --format json.',
    },
  );
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
