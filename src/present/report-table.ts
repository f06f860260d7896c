import type { PlannedColumn } from '../query/column-plan.ts';
import type { ReportMetric } from '../query/metrics.ts';
import type { Row, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { Change } from '../totals/change.ts';
import { isTimeField, toKeyValue } from '../totals/group-keys.ts';
import { addSums, type Group, type GroupedTotals, type Sums } from '../totals/grouped-totals.ts';
import { shortenHour } from '../totals/numbers.ts';
import { othersLabel } from '../totals/ranked-groups.ts';
import { compareMetric, formatMetric, metricValue, toSums } from '../totals/report-metrics.ts';
import { byValue } from '../totals/sorting.ts';
import { formatName, idIfUnnamed, unnamedLabel } from './group-name.ts';

/** A table of a report for people. Pages, sheets and terminals draw the same table differently. */
export interface ReportTable {
  readonly columns: readonly TableColumn[];

  /** All rows, in display order. */
  readonly rows: readonly TableRow[];

  /** Sums of all rows. */
  readonly total: Sums;

  /** Metric by which the rows are sorted and compared. */
  readonly leadingMetric: ReportMetric | undefined;

  /** Whether each row is compared with an earlier report. */
  readonly isCompared: boolean;
}

/** A `name` without a value is shown as `unnamedLabel`. Cells of other kinds stay empty. */
type TableColumnKind = 'time' | 'id' | 'name' | 'other' | 'metric';

export interface TableColumn {
  readonly field: string;
  readonly label: string;
  readonly kind: TableColumnKind;

  /** Set for a column of the kind `metric`. */
  readonly metric?: ReportMetric | undefined;
}

/** A row or group of a report, or the sum of several. */
export interface TableRow {
  readonly sums: Sums;

  /** Sums in the earlier report, if it has the row. */
  readonly before?: Sums | undefined;

  getValue(field: string): Value | undefined;
}

/** Converts the rows of a report. */
export function toTableRows(rows: readonly Row[]): TableRow[] {
  return rows.map((row) => ({ sums: toSums(row), getValue: (field) => row[field] }));
}

/** Converts groups to rows: all of them, or some in the given order. */
export function toGroupRows(all: GroupedTotals, groups: Iterable<Group> = all): TableRow[] {
  const positions = new Map(all.by.map(({ field }, i) => [field, i]));
  return [...groups].map(({ key, sums }) => {
    const getValue = (field: string) => key[positions.get(field) ?? -1] ?? null;
    return { sums, getValue };
  });
}

export interface TableParts {
  /** Columns in the order of the report. */
  readonly columns: readonly PlannedColumn[];

  /** Metrics to show, in order; other metrics are omitted. */
  readonly metrics: readonly ReportMetric[];
  readonly leadingMetric: ReportMetric | undefined;
  readonly rows: readonly TableRow[];
  readonly total: Sums;

  /** Finds a row in the earlier report. Only set for a comparison. */
  readonly findBefore?: ((row: TableRow) => Sums | undefined) | undefined;

  /** Whether the user chose the columns. If so, none is omitted or moved. */
  readonly hasNamedColumns?: boolean;

  /** Whether the user chose the order of the rows. */
  readonly keepsOrder?: boolean;
}

/**
 * Builds a table. Breakdowns come before metrics, columns without a value are omitted, and the
 * largest rows come first unless there is a time. Rows with a time are not compared individually,
 * nor are rows whose columns the user chose.
 */
export function buildTable(parts: TableParts): ReportTable {
  const { columns, metrics, leadingMetric, total, findBefore, hasNamedColumns, keepsOrder } = parts;
  const visibleColumns = hasNamedColumns ? columns : sortForReading(columns, metrics);
  const hasTime = columns.some(({ field }) => isTimeField(field));
  const isCompared = findBefore !== undefined && leadingMetric && !hasTime && !hasNamedColumns;

  const rows = isCompared
    ? parts.rows.map((row) => ({ ...row, before: findBefore(row) }))
    : [...parts.rows];
  if (leadingMetric && !hasTime && !keepsOrder) {
    rows.sort(
      byValue(
        ({ sums }) => metricValue(leadingMetric, sums),
        (a, b) => b - a,
      ),
    );
  }
  const tableColumns = visibleColumns.map(toTableColumn);
  return {
    columns: hasNamedColumns
      ? tableColumns
      : tableColumns.filter((column) => hasValue(column, rows)),
    rows,
    total,
    leadingMetric,
    isCompared: isCompared === true,
  };
}

/** Puts the breakdowns first, as requested, then the metrics, then unknown fields. */
function sortForReading(
  columns: readonly PlannedColumn[],
  metrics: readonly ReportMetric[],
): PlannedColumn[] {
  const known = columns.filter(({ metric, type }) => !metric && type !== undefined);
  const unknown = columns.filter(({ metric, type }) => !metric && type === undefined);
  const ordered = metrics.flatMap(({ field }) => {
    return columns.filter((column) => column.metric && column.field === field);
  });
  return [...known, ...ordered, ...unknown];
}

function toTableColumn({ field, label, type, metric }: PlannedColumn): TableColumn {
  return { field, label, metric, kind: metric ? 'metric' : chooseKind(field, type) };
}

function chooseKind(field: string, type: PlannedColumn['type']): TableColumnKind {
  if (isTimeField(field)) return 'time';
  if (type === 'id') return 'id';
  return type === 'text' ? 'name' : 'other';
}

/** Whether any row has a value in the column. Without rows, every column counts as filled. */
function hasValue({ field, metric }: TableColumn, rows: readonly TableRow[]): boolean {
  if (rows.length === 0) return true;
  return rows.some(({ sums, getValue }) => {
    if (metric) return metricValue(metric, sums) !== undefined;
    const value = getValue(field);
    return value !== null && value !== undefined;
  });
}

/** The first rows of a table, and the sum of the other rows. */
export interface LimitedRows {
  readonly rows: readonly TableRow[];
  readonly others: TableRow | undefined;
}

/**
 * Limits the number of rows. If only one row would be omitted, returns all rows, because “1 other”
 * takes as much space.
 */
export function limitRows({ columns, rows, isCompared }: ReportTable, count: number): LimitedRows {
  if (rows.length <= count + 1) return { rows, others: undefined };

  const rest = rows.slice(count);
  return { rows: rows.slice(0, count), others: sumRows(rest, columns, isCompared) };
}

/** Adds up rows. The sum is labeled in the name column. */
function sumRows(
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  isCompared: boolean,
): TableRow {
  const before = rows.flatMap((row) => (row.before ? [{ sums: row.before }] : []));
  const label = othersLabel(rows.length);
  const labelField = findNameColumn(columns)?.field;
  return {
    sums: addRows(rows, columns),
    before: isCompared && before.length > 0 ? addRows(before, columns) : undefined,
    getValue: (field) => (field === labelField ? label : null),
  };
}

/** Adds up the metrics of the columns, and the metrics from which rates are computed. */
function addRows(rows: readonly Pick<TableRow, 'sums'>[], columns: readonly TableColumn[]): Sums {
  const fields = new Set<string>();
  for (const { field, metric } of columns) {
    if (metric?.computed) {
      fields.add(metric.computed.numeratorField).add(metric.computed.denominatorField);
    } else if (metric) fields.add(field);
  }
  return addSums(rows, [...fields]);
}

/** Finds the name column: the first that has names, or else the first that is not a metric. */
export function findNameColumn(columns: readonly TableColumn[]): TableColumn | undefined {
  const breakdowns = columns.filter(({ kind }) => kind !== 'metric');
  return breakdowns.find(({ kind }) => kind === 'name') ?? breakdowns[0];
}

/** Returns the name of a row, and its ID or another value. Either may be empty. */
export function describeRow(
  { columns }: ReportTable,
  row: TableRow,
): { readonly name: string; readonly detail: string } {
  const named = findNameColumn(columns);
  const other = columns.find((column) => column !== named && column.kind !== 'metric');
  return {
    name: (named && formatCell(named, row)) ?? unnamedLabel,
    detail: (other && toKeyValue(row.getValue(other.field))) ?? '',
  };
}

/** Formats a cell with control characters visible. Returns `null` if there is no value. */
export function formatCell({ field, kind, metric }: TableColumn, row: TableRow): string | null {
  // A metric that is not a number is shown as received.
  const number = metric && formatMetric(metric, row.sums);
  if (number || metric?.computed) return number ?? null;
  if (idIfUnnamed(field, (name) => row.getValue(name)) !== undefined) return unnamedLabel;
  const text = toKeyValue(row.getValue(field));
  if (text === null) return kind === 'name' ? unnamedLabel : null;
  if (kind === 'time') return printable(shortenHour(text));
  return printable(kind === 'name' ? formatName(text) : text);
}

/** Compares a metric of a row with the earlier report, if the table compares its rows. */
export function compareRow(
  { isCompared }: ReportTable,
  metric: ReportMetric,
  { sums, before }: Pick<TableRow, 'sums' | 'before'>,
): Change | undefined {
  return isCompared ? compareMetric(metric, sums, before) : undefined;
}
