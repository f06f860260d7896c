import {
  fieldOfMetric,
  fieldTypeOf,
  isComputedMetric,
  metricOfField,
} from '../../contract/columns.ts';
import { metrics } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { type KeyColumn, parseSort, resolveKeys } from '../../query/file-columns.ts';
import { listAllMetrics, listSourceFields, type ReportMetric } from '../../query/metrics.ts';
import { findTimeField, isTimeField } from '../../totals/group-keys.ts';
import { findReportMetric } from '../../totals/report-metrics.ts';
import type { DaySpan } from '../sources/period.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { OpenFile } from './open-files.ts';
import { requireDistinctColumns } from './read-cells.ts';
import type { RowFilter } from './row-filter.ts';

/** Flags of a view that determine its columns and rows. */
export interface ViewQuery extends Pick<ViewOptions, 'by' | 'metrics' | 'sort' | 'top'> {
  readonly filters: readonly RowFilter[];

  /** Whether the view shows rows, and not only sums. */
  readonly hasRows: boolean;

  /**
   * Periods to add up separately: the selected period and that of `--compare`. Empty for all rows.
   */
  readonly spans: readonly DaySpan[];
}

/** Columns of a file that a view uses. */
export interface UsedColumns {
  /** All columns except those of comparisons. */
  readonly fields: readonly string[];

  /** Date for rows without a time: the first day of their file in a folder. */
  readonly day: string | undefined;

  /** Columns to keep of each row, or `undefined` for all. */
  readonly kept: readonly string[] | undefined;

  /** Columns that are added up. */
  readonly summed: readonly string[];

  /** Columns by which rows are grouped or selected. */
  readonly grouped: readonly string[];

  /** Columns of each filter. */
  readonly filtered: readonly (readonly string[])[];

  /** Column of currencies, if money is added up. */
  readonly currency: string | undefined;
}

/** Finds the columns that a view uses. Files with the same header share the result. */
export class ColumnFinder {
  /** Keys of `--by`, once a file with columns has been read. */
  keys: readonly KeyColumn[] | undefined;

  /** Columns of all files. */
  fields: readonly string[] = [];

  /** Columns that are added up. */
  readonly summed = new Set<string>();

  readonly #query: ViewQuery;
  readonly #found = new Map<string, Omit<UsedColumns, 'day'>>();

  constructor(query: ViewQuery) {
    this.#query = query;
  }

  /**
   * @param header columns of a file
   * @throws UsageError if two columns are the same, or if a flag has an unknown column
   */
  find(header: readonly string[], { source }: OpenFile): UsedColumns {
    const hasTime = findTimeField(header) !== undefined;
    const day = hasTime ? undefined : source.record?.part.firstDay;
    const fields = day === undefined ? header : ['date', ...header];
    const id = JSON.stringify(fields);
    const columns = this.#found.get(id) ?? this.#find(fields, source.displayPath);
    this.#found.set(id, columns);
    return { ...columns, day };
  }

  #find(header: readonly string[], displayPath: string): Omit<UsedColumns, 'day'> {
    requireDistinctColumns(header, displayPath);
    const fields = header.filter((field) => !isComparisonColumn(field));
    const { by = [], filters, spans } = this.#query;
    if (spans.length > 0 && !fields.some(isTimeField)) throw noDatesError(displayPath);
    this.keys ??= resolveKeys(by, fields);
    this.fields = [...new Set([...fields, ...this.fields])];
    for (const field of this.#listSummedFields(fields)) this.summed.add(field);

    const filtered = filters.map((filter) => filter.findColumns(fields));
    const grouped = new Set([...this.keys.map(({ field }) => field), ...filtered.flat()]);
    if (spans.length > 0) grouped.add(findDayField(fields));
    const summed = fields.filter((field) => this.summed.has(field));
    const hasMoney = summed.some((field) => fieldTypeOf(field) === 'money');
    const kept = fields.filter((field) => this.#isKept(field));
    return {
      fields,
      kept: kept.length < header.length ? kept : undefined,
      summed,
      grouped: fields.filter((field) => grouped.has(field)),
      filtered,
      currency: hasMoney ? fields.find((field) => field.toLowerCase() === 'currency') : undefined,
    };
  }

  #isKept(field: string): boolean {
    const isNamed = this.#query.metrics?.includes(field) ?? true;
    const isMetric = metricOfField(field) || isComputedMetric(field);
    return isNamed || !isMetric || this.summed.has(field);
  }

  /** Returns the metrics of a file, or the columns that `--metrics` and `--sort` need. */
  #listSummedFields(fields: readonly string[]): readonly string[] {
    const { metrics: named, sort } = this.#query;
    if (!named) return fields.filter((field) => metricOfField(field));
    const names = sort === undefined ? named : [...named, parseSort(sort).name];
    return names.flatMap((name) => findSummedFields(name, fields));
  }
}

/** Returns the column in which the first ten characters are the day. */
export function findDayField(fields: readonly string[]): string {
  return fields.includes('date') ? 'date' : 'hour';
}

/** Matches the columns that `--compare` writes: `revenueEuroBefore`. */
function isComparisonColumn(field: string): boolean {
  const name = /^(.+)Before$/.exec(field)?.[1];
  return name !== undefined && (metricOfField(name) !== undefined || isComputedMetric(name));
}

/**
 * Finds a metric or rate by name. A column with exactly that name also counts, even if it is not in
 * the vocabulary.
 */
export function findNamedMetric(name: string, fields: readonly string[]): ReportMetric | undefined {
  const isUnknown = fieldTypeOf(name) === undefined && !isComputedMetric(name);
  if (isUnknown && fields.includes(name)) return { field: name, label: name, type: 'integer' };
  return findReportMetric(name, listAllMetrics(fields));
}

/** Returns the columns whose sums a metric needs. Empty for a name that is not a metric. */
function findSummedFields(name: string, fields: readonly string[]): readonly string[] {
  // Another file may have the column that a rate lacks here.
  const absent = metrics.filter((metric) => fieldOfMetric(metric.name, fields) === undefined);
  const all = [...fields, ...absent.map((metric) => metric.name)];
  const metric = findNamedMetric(name, fields) ?? findNamedMetric(name, all);
  return metric ? listSourceFields(metric) : [];
}

function noDatesError(displayPath: string): UsageError {
  return new UsageError(`The rows of ${displayPath} have no dates, so no period can be selected.`, {
    about: { flag: '--period' },
    hint: 'Remove --period, --since and --until, or view the folder filled by run.',
  });
}
