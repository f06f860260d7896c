import {
  type Column,
  type FieldType,
  fieldLabel,
  fieldOfColumn,
  fieldOfMetric,
  fieldTypeOf,
  metricOfField,
} from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { readColumn, unknownColumn } from '../query/file-columns.ts';
import { defaultMetrics, findComputedMetric, type ReportMetric } from '../query/metrics.ts';
import { readField } from '../rows/column-values.ts';
import { hasValue, type RowBatch, type Value } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { padMoney, parseNumber } from '../totals/numbers.ts';
import { roundDerived } from '../totals/report-metrics.ts';
import type { RowMatcher } from '../totals/row-matcher.ts';
import type { EncodeOptions } from './encoder.ts';

export interface PlannedColumn {
  /** Row field; for a derived column its name. */
  readonly field: string;

  /** Name in the header of files for programs. */
  readonly name: string;

  /** Heading for people: `Revenue (€)`, `Week`. */
  readonly label: string;

  /** Type of the field; `undefined` for derived columns and fields unknown to the vocabulary. */
  readonly type: FieldType | undefined;

  readonly numeric: boolean;

  /** Metric of the column. A derived one is computed from other values of the row. */
  readonly metric?: ReportMetric;

  /** Finds the earlier report's value of each row, if the column has those. */
  readonly matcher?: RowMatcher;

  /** Set if its sums are strings with a decimal comma, as a DSP's money. */
  readonly hasDecimalComma?: boolean;
}

/** Returns the values of a batch in a column, in row order. */
export function columnValues(
  batch: RowBatch,
  column: PlannedColumn,
): readonly (Value | undefined)[] {
  const { field, metric } = column;
  if (column.matcher) return earlierValues(batch, column, column.matcher);
  if (!metric?.derived) return readField(batch, field);

  const { numeratorField, denominatorField } = metric.derived;
  const columns = new Map(
    [numeratorField, denominatorField].map((name) => [name, readField(batch, name)]),
  );
  const values: (number | null)[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const sums: Sums = { get: (name) => parseNumber(columns.get(name)?.[row]) ?? undefined };
    values.push(roundDerived(metric, sums));
  }
  return values;
}

/** Returns the earlier values of the rows of a batch, in the form of the later ones. */
function earlierValues(
  batch: RowBatch,
  column: PlannedColumn,
  matcher: RowMatcher,
): (Value | undefined)[] {
  return matcher.match(batch).map((sums) => sums && earlierValue(column, sums));
}

export function earlierValue(column: PlannedColumn, sums: Sums): Value | undefined {
  const { field, metric, hasDecimalComma } = column;
  if (metric?.derived) return roundDerived(metric, sums);

  const sum = sums.get(field);
  if (hasDecimalComma && sum !== undefined) return padMoney(String(sum)).replace('.', ',');
  return sum instanceof Decimal ? String(sum) : sum;
}

/**
 * Returns true for derived columns and those with earlier values, which are not fields of the rows.
 */
export function isComputed({ metric, matcher }: PlannedColumn): boolean {
  return metric?.derived !== undefined || matcher !== undefined;
}

type ColumnChoice = Pick<
  EncodeOptions,
  'columns' | 'selectedColumns' | 'normalize' | 'labels' | 'note'
>;

/**
 * Decides the columns of an output: the requested ones, if the request is known, and fields unknown
 * to the vocabulary. A vocabulary field that was not requested is omitted while it is null.
 */
export class ColumnPlan {
  columns: readonly PlannedColumn[] = [];

  readonly #choice: ColumnChoice;

  /** Columns named by the user; `undefined` if none were, or all. */
  readonly #named: readonly string[] | undefined;

  /** Fields of the latest batch. */
  #fields: readonly string[] | undefined;

  /** Fields without a column, which must not have values. */
  #fieldsLeftOut: readonly string[] = [];

  #isDecided = false;

  constructor(choice: ColumnChoice) {
    this.#choice = choice;
    this.#named = choice.selectedColumns === 'all' ? undefined : choice.selectedColumns;
  }

  /** Columns to show to people, with derived ones unless the user named the columns. */
  get shown(): readonly PlannedColumn[] {
    if (this.#named) return this.columns;

    const shown = [...this.columns];
    for (const metric of defaultMetrics(this.columns.map(({ field }) => field))) {
      const isPresent = this.columns.some(({ field }) => field === metric.field);
      if (metric.derived && !isPresent) shown.push(this.#derived(metric));
    }
    return shown;
  }

  /**
   * Updates the fields; the first batch determines the columns. Throws `UsageError` if a selected
   * column does not exist, and `IncompleteDataError` if a later batch has values in a field without
   * a column.
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
   * Decides the columns of a report without rows from its CSV header or the request. Throws like
   * `follow`.
   */
  settle(fields: readonly string[]): void {
    if (this.#isDecided) return;
    const isKnown = fields.length > 0 || this.#choice.columns !== undefined;
    this.#decide(isKnown ? fields : (this.#named ?? fields));
  }

  /** @param batch first rows; `undefined` if the report has none */
  #decide(fields: readonly string[], batch?: RowBatch): void {
    this.#isDecided = true;
    if (this.#named) {
      this.#decideNamed(this.#named, fields);
    } else {
      this.#decideDefault(fields, batch);
    }
  }

  /** Uses the columns named by the user, without duplicates. */
  #decideNamed(names: readonly string[], fields: readonly string[]): void {
    const requested = this.#choice.columns ?? [];
    const known = [...new Set([...fields, ...requested.map(({ field }) => field)])];
    const columns: PlannedColumn[] = [];
    for (const name of new Set(names)) {
      columns.push(this.#planned(this.#fieldNamed(name, known), known));
    }
    this.columns = columns;
  }

  /** Finds the field, or the derived metric, that a name means; requested ones come first. */
  #fieldNamed(name: string, known: readonly string[]): string {
    if (known.includes(name) || findComputedMetric(name, known)) return name;
    const ofMetric = fieldOfMetric(name, known);
    if (ofMetric !== undefined) return ofMetric;

    const { columns: requested = [] } = this.#choice;
    const requestedFields = requested.map(({ field }) => field);
    const field =
      readColumn(name, requestedFields, '--columns') ?? readColumn(name, known, '--columns');
    if (field === undefined) throw unknownColumn(name, known);
    return field;
  }

  /** Uses the requested columns, then other fields that have values or are unknown. */
  #decideDefault(fields: readonly string[], batch: RowBatch | undefined): void {
    const { columns: requested, selectedColumns, note } = this.#choice;
    const chosen: string[] = [];
    const taken = new Set<string>();
    for (const column of requested ?? []) {
      const field = fieldOfColumn(column, fields);
      taken.add(field);
      if (!column.hidden) chosen.push(field);
    }

    for (const field of fields) {
      if (taken.has(field)) continue;
      const isAlwaysShown =
        !requested || selectedColumns === 'all' || fieldTypeOf(field) === undefined;
      const isFilled = !isAlwaysShown && batch !== undefined && hasValue(batch, field);
      if (!isAlwaysShown && !isFilled) continue;
      if (isFilled) {
        note?.(`The column ${field} was not requested, but is kept because it has values.`);
      }
      chosen.push(field);
    }
    this.columns = chosen.map((field) => this.#planned(field, fields));
  }

  #planned(field: string, fields: readonly string[]): PlannedColumn {
    const { columns = [], normalize = false } = this.#choice;
    const derived = fields.includes(field) ? undefined : findComputedMetric(field, fields);
    if (derived) return this.#derived(derived);

    const [metric] = defaultMetrics([field]);
    const requested = columns.find((column) => column.field === field);
    const type = requested?.type ?? fieldTypeOf(field);
    const metricName = metricOfField(field)?.name;
    const isRenamed = normalize && metricName !== undefined && !fields.includes(metricName);
    const label = this.#choice.labels?.get(metricName ?? field) ?? chooseLabel(field, requested);
    return {
      field,
      name: isRenamed ? metricName : field,
      label,
      type,
      numeric: type === 'integer' || type === 'money',
      ...(metric && { metric: { ...metric, label } }),
    };
  }

  #derived(metric: ReportMetric): PlannedColumn {
    const { field } = metric;
    const label = this.#choice.labels?.get(field) ?? metric.label;
    const labelled = { ...metric, label };
    return { field, name: field, label, type: undefined, numeric: true, metric: labelled };
  }

  #findFieldsLeftOut(fields: readonly string[]): string[] {
    // Only columns named by the user may leave out values; otherwise a field without a column must
    // stay null.
    if (this.#named) return [];

    const taken = new Set(this.columns.map(({ field }) => field));
    for (const column of this.#choice.columns ?? []) {
      if (column.hidden) taken.add(fieldOfColumn(column, fields));
    }
    return fields.filter((field) => !taken.has(field));
  }
}

/** Chooses the label of a column: `Week` or `Month` for dates that represent these. */
function chooseLabel(field: string, requested: Column | undefined): string {
  if (requested?.isWeekly) return 'Week';
  return requested?.breakdown === 'MONTHLY' ? 'Month' : fieldLabel(field);
}

function lateColumn({ firstRow }: RowBatch, field: string): IncompleteDataError {
  const name = printable(field);
  const sentence = `After row ${firstRow}, the column “${name}” has values, but the header was written without it.`;
  const hint = `Select the columns with --columns, with or without ${name}, or use --format json.`;
  return new IncompleteDataError(sentence, { code: 'LATE_COLUMN', retryable: false, hint });
}
