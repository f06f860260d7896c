import {
  breakdownOfField,
  type Column,
  fieldTypeOf,
  metricOfField,
} from '../../contract/columns.ts';
import { type BreakdownName, findAnyBreakdown } from '../../contract/vocabulary.ts';
import { ColumnPlan } from '../../output/column-plan.ts';
import { formatInstant, type Window } from '../../query/calendar.ts';
import type { RowBatches } from '../../rows/row-batch.ts';
import type { KeyColumn } from '../../totals/group-keys.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import type { Comparison, ReportMetric } from '../../totals/report-metrics.ts';
import { ReportSums } from '../../totals/report-sums.ts';

export interface AnswerForm {
  /** Adds a row for those that `--top` leaves out. */
  readonly withOthers: boolean;

  /** For a format with columns, which are known from the first row. */
  readonly hasColumns: boolean;
}

/** View in the form of a report of the service. */
export interface ViewAnswer {
  readonly columns: readonly Column[];

  /** As in `--by`. */
  readonly breakdowns: readonly string[];

  /** Fields to write; `undefined` for all that the rows have. */
  readonly selectedColumns: readonly string[] | undefined;

  /** Rates are then written as values, because rows without both metrics do not count. */
  readonly isUneven: boolean;

  /** Sentence on what `--top` leaves out, for formats without a row for it. */
  readonly leftOut: string | undefined;
  rows(form: AnswerForm): RowBatches;

  /** Compares with the period before; `undefined` without `--compare`. */
  compare(): Promise<Comparison | undefined>;
}

/** Yields a report document; `rows` are JSON with commas between them. */
export async function* reportDocument(
  rows: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  summary: object | undefined,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"data":[');
  yield* rows;
  yield Buffer.from(summary ? `],"summary":${JSON.stringify(summary)}}` : ']}');
}

/** Returns the `summary` of a report; `undefined` if its window is not known. */
export function buildViewSummary(
  window: Window | undefined,
  by: readonly string[],
): object | undefined {
  if (!window) return undefined;
  const { since, until, zone } = window;
  return {
    since: formatInstant(since, zone),
    until: formatInstant(until, zone),
    breakdowns: breakdownNames(by),
    timezone: zone,
  };
}

export async function sumRows(batches: RowBatches): Promise<ReportSums> {
  const sums = new ReportSums({ keepsRows: true });
  const columns = new ColumnPlan({});
  for await (const batch of batches) {
    if (columns.columns.length === 0) columns.follow(batch);
    sums.observe(batch, columns.columns);
  }
  return sums;
}

/** Parts of a view that determine its columns. */
interface AnswerColumns {
  /** As in `--by`. */
  readonly by: readonly string[];
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly ReportMetric[];
  readonly isUneven: boolean;
}

/** Returns keys in the order of `--by`, then metrics. */
export function listAnswerColumns({ by, keys, figures, isUneven }: AnswerColumns): Column[] {
  const columns: Column[] = [];
  for (const key of keys) columns.push(...columnsOfKey(key, by));

  return [...columns, ...columnsOfFigures(figures, { isUneven })];
}

/** Returns one column per metric, and hidden ones for the metrics that rates are computed from. */
export function columnsOfFigures(
  figures: readonly ReportMetric[],
  { isUneven = false }: { readonly isUneven?: boolean } = {},
): Column[] {
  const columns = figures.map(columnOfFigure);
  if (isUneven) return columns;

  const shown = new Set(figures.map(({ field }) => field));
  for (const { derived } of figures) {
    for (const field of derived ? [derived.numeratorField, derived.denominatorField] : []) {
      if (!shown.has(field)) columns.push({ ...columnOfField(field), hidden: true });
      shown.add(field);
    }
  }
  return columns;
}

function columnsOfKey({ field, unit, describes }: KeyColumn, by: readonly string[]): Column[] {
  const type = fieldTypeOf(field) ?? 'text';
  if (unit === 'week') return [{ field, type, breakdown: 'RANGE', isOfWeeks: true }];
  if (unit === 'month') return [{ field, type, breakdown: 'MONTHLY' }];
  // The day of an hour is written before it.
  if (field === 'date' && describes === 'hour') return [];
  if (field === 'hour' && by.some((name) => name.toUpperCase() === 'HOURLY')) {
    return [
      { field: 'date', type: 'date', breakdown: 'HOURLY' },
      { field, type, breakdown: 'HOURLY' },
    ];
  }
  const breakdown = breakdownOfField(field)?.name;
  return [{ field, type, ...(breakdown && { breakdown }) }];
}

function columnOfFigure({ field, derived }: ReportMetric): Column {
  return derived ? { field, type: 'money' } : columnOfField(field);
}

export function columnOfField(field: string): Column {
  const metric = metricOfField(field)?.name;
  const breakdown = breakdownOfField(field)?.name;
  const type = fieldTypeOf(field) ?? 'integer';
  return { field, type, ...(metric && { metric }), ...(breakdown && { breakdown }) };
}

export function breakdownNames(by: readonly string[]): string[] {
  return by.map((name) => {
    return findAnyBreakdown(name)?.name ?? breakdownOfField(name)?.name ?? name;
  });
}

/** Returns the breakdowns to request from the service; `undefined` if one is not a breakdown. */
export function sentBreakdowns(by: readonly string[]): BreakdownName[] | undefined {
  const names: BreakdownName[] = [];
  for (const name of by) {
    const breakdown = findAnyBreakdown(name);
    if (!breakdown) return undefined;
    names.push('sentAs' in breakdown ? breakdown.sentAs : (breakdown.name as BreakdownName));
  }
  return names;
}

export function hasUnevenRows(groups: GroupedTotals): boolean {
  return groups.isUneven;
}
