import {
  type Column,
  type FieldType,
  fieldLabel,
  fieldOfColumn,
  fieldOfMetric,
  fieldTypeOf,
  isComputedMetric,
  metricOfField,
} from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { hasValue, type RowBatch } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { parseColumn, unknownColumnError } from './file-columns.ts';
import { defaultMetrics, hasAllMetrics, type ReportMetric, toReportMetric } from './metrics.ts';

// Decides on the columns of an output, their order and their names. The formats only write them.

export interface PlannedColumn {
  /** Row field; for a computed metric, the name of the metric. */
  readonly field: string;

  /** Name in the header of files for programs. */
  readonly name: string;

  /** Heading for people: `Revenue (€)`, `Week`. */
  readonly label: string;

  /** Type of the field; `undefined` for computed metrics and unknown fields. */
  readonly type: FieldType | undefined;

  readonly numeric: boolean;

  /** Metric of the column, which may be computed from other values of the row. */
  readonly metric?: ReportMetric;

  /** Whether the column contains values of the earlier report. */
  readonly isEarlier?: true;
}

/** Settings that determine the columns of an output. */
export interface ColumnChoice {
  /** Requested columns, if the request is known. */
  readonly columns?: readonly Column[];

  /** Columns to write, in order (`--columns`). Default: the requested columns, or all. */
  readonly selectedColumns?: readonly string[] | 'all';

  /** Whether to name dollars `revenueDollar` in both profiles (`--normalize`). */
  readonly normalize?: boolean;

  /** Labels for people by metric (`--label`). */
  readonly labels?: ReadonlyMap<string, string> | undefined;
}

/** Whether the values of a column are computed instead of read from a field of the rows. */
export function isComputed({ metric, isEarlier }: PlannedColumn): boolean {
  return isEarlier === true || metric?.computed !== undefined;
}

/**
 * Plans the columns for rows with these fields: the columns that the user chose, or else the
 * requested columns, then fields outside the vocabulary. Known fields that were not requested are
 * omitted while they are null. Throws `UsageError` if a named column does not exist.
 *
 * @param rows first rows, if any
 */
export function planColumns(
  choice: ColumnChoice,
  fields: readonly string[],
  rows?: RowBatch,
): PlannedColumn[] {
  const named = namedColumns(choice);
  if (!named) {
    const chosen = chooseFields(choice, fields, rows);
    return chosen.map((field) => toPlannedColumn(field, fields, choice));
  }

  const requested = choice.columns?.map(({ field }) => field) ?? [];
  // No row has a field for a computed metric.
  const expected = requested.filter((field) => !isComputedMetric(field));
  const known = [...new Set([...fields, ...expected])];
  const chosen = new Set(named);
  return [...chosen].map((name) => {
    return toPlannedColumn(findNamedField(name, requested, known), known, choice);
  });
}

/** Returns the columns that the user chose, or `undefined` for none or `all`. */
function namedColumns({ selectedColumns }: ColumnChoice): readonly string[] | undefined {
  return selectedColumns === 'all' ? undefined : selectedColumns;
}

/**
 * Resolves a name in `--columns` to a field or computed metric, with preference for requested
 * columns. Throws `UsageError` if there is no match.
 *
 * @param known possible fields of the rows
 */
export function findNamedField(
  name: string,
  requested: readonly string[],
  known: readonly string[],
): string {
  if (known.includes(name) || toReportMetric(name, known)) return name;

  const field =
    fieldOfMetric(name, known) ??
    parseColumn(name, requested, '--columns') ??
    parseColumn(name, known, '--columns');
  if (field === undefined) throw unknownColumnError(name, known);
  return field;
}

/**
 * Chooses the requested fields, then other fields that have values or are not in the vocabulary.
 */
function chooseFields(
  { columns: requested, selectedColumns }: ColumnChoice,
  fields: readonly string[],
  rows: RowBatch | undefined,
): string[] {
  const chosen: string[] = [];
  const taken = new Set<string>();
  for (const column of requested ?? []) {
    const field = fieldOfColumn(column, fields);
    taken.add(field);
    if (!column.hidden) chosen.push(field);
  }

  for (const field of fields) {
    if (taken.has(field)) continue;
    const isUnknown = fieldTypeOf(field) === undefined;
    const hasValues = rows !== undefined && hasValue(rows, field);
    if (!requested || selectedColumns === 'all' || isUnknown || hasValues) chosen.push(field);
  }
  return chosen;
}

/** @param fields fields of the rows */
function toPlannedColumn(
  field: string,
  fields: readonly string[],
  { columns = [], normalize = false, labels }: ColumnChoice,
): PlannedColumn {
  const metric = toReportMetric(field, fields);
  const requested = columns.find((column) => column.field === field);
  const type = metric?.computed ? undefined : (requested?.type ?? fieldTypeOf(field));
  const metricName = metricOfField(field)?.name;
  const isRenamed = normalize && metricName !== undefined && !fields.includes(metricName);
  const label = labels?.get(metricName ?? field) ?? chooseLabel(field, requested);
  return {
    field,
    name: isRenamed ? metricName : field,
    label,
    type,
    numeric: type === 'integer' || type === 'money' || metric !== undefined,
    ...(metric && { metric: { ...metric, label } }),
  };
}

/** Chooses the label of a column: `Week` or `Month` for dates that represent one. */
function chooseLabel(field: string, requested: Column | undefined): string {
  if (requested?.isWeekly) return 'Week';
  return requested?.breakdown === 'MONTHLY' ? 'Month' : fieldLabel(field);
}

/** Adds the usual rates for readers, unless the user chose columns or metrics. */
function addDefaultRates(
  columns: readonly PlannedColumn[],
  choice: ColumnChoice,
): readonly PlannedColumn[] {
  const fields = columns.map(({ field }) => field);
  const hasNamedMetrics = choice.columns !== undefined && !hasAllMetrics(fields);
  if (namedColumns(choice) || hasNamedMetrics) return columns;

  const rates = defaultMetrics(fields).filter(({ computed, field }) => {
    return computed && !fields.includes(field);
  });
  return [...columns, ...rates.map(({ field }) => toPlannedColumn(field, fields, choice))];
}

/**
 * Adds a column such as `clicksBefore` after each metric, for `--compare` in files for programs.
 */
export function addEarlierColumns(columns: readonly PlannedColumn[]): PlannedColumn[] {
  return columns.flatMap((column) => {
    const { name, label, metric } = column;
    if (!metric) return [column];
    return [
      column,
      { ...column, name: `${name}Before`, label: `${label} before`, isEarlier: true },
    ];
  });
}

/** Columns of one output, planned from its first rows. */
export class ColumnPlan {
  columns: readonly PlannedColumn[] = [];

  readonly #choice: ColumnChoice;

  /** Fields of the latest batch. */
  #fields: readonly string[] | undefined;

  /** Fields without a column, which must stay null. */
  #fieldsLeftOut: readonly string[] = [];

  constructor(choice: ColumnChoice) {
    this.#choice = choice;
  }

  /** Columns to show to people. */
  get visibleColumns(): readonly PlannedColumn[] {
    return addDefaultRates(this.columns, this.#choice);
  }

  /**
   * Plans the columns from the first batch. Throws like `planColumns`, and throws
   * `IncompleteDataError` if a later batch has values in a field without a column.
   */
  addBatch(batch: RowBatch): void {
    const { fields } = batch;
    if (!this.#fields) this.columns = planColumns(this.#choice, fields, batch);
    if (fields !== this.#fields) this.#fieldsLeftOut = this.#findFieldsLeftOut(fields);
    this.#fields = fields;

    for (const field of this.#fieldsLeftOut) {
      if (hasValue(batch, field)) throw lateColumnError(batch, field);
    }
  }

  /**
   * Plans the columns of a report without rows from the CSV header or the request. Throws like
   * `planColumns`.
   */
  finish(header: readonly string[]): void {
    if (this.#fields) return;
    const isKnown = header.length > 0 || this.#choice.columns !== undefined;
    this.#fields = isKnown ? header : (namedColumns(this.#choice) ?? []);
    this.columns = planColumns(this.#choice, this.#fields);
  }

  #findFieldsLeftOut(fields: readonly string[]): string[] {
    // Values may be dropped only if the user chose the columns.
    if (namedColumns(this.#choice)) return [];

    const taken = new Set(this.columns.map(({ field }) => field));
    for (const column of this.#choice.columns ?? []) {
      if (column.hidden) taken.add(fieldOfColumn(column, fields));
    }
    return fields.filter((field) => !taken.has(field));
  }
}

function lateColumnError({ firstRow }: RowBatch, field: string): IncompleteDataError {
  const name = printable(field);
  const message = `After row ${firstRow}, the column “${name}” has values, but the header was written without it.`;
  const hint = `Select the columns with --columns, with or without ${name}, or use --format json.`;
  return new IncompleteDataError(message, { code: 'LATE_COLUMN', retryable: false, hint });
}
