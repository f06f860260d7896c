import type { EncodeOptions, ReportMessages } from '../output/encoder.ts';
import { countDays, type Window } from '../query/calendar.ts';
import type { ColumnPlan } from '../query/column-plan.ts';
import type { ReportMetric } from '../query/metrics.ts';
import type { ReportTail, Row } from '../rows/row-batch.ts';
import { formatPlural, joinWords, pluralize } from '../text/quantity.ts';
import type { Change } from '../totals/change.ts';
import { type Comparison, formatComparisonNote } from '../totals/comparison.ts';
import { type DateUnit, toKeyValue } from '../totals/group-keys.ts';
import type { GroupedTotals, Sums } from '../totals/grouped-totals.ts';
import { describeReport, formatPeriod } from '../totals/report-description.ts';
import { compareMetric, metricValue } from '../totals/report-metrics.ts';
import { type Dimension, dimensionNoun, type ReportSums, rowNoun } from '../totals/report-sums.ts';
import { chooseMetrics, findLeadingMetric } from './choose-metrics.ts';
import { formatEndedGroups, listBreakdowns } from './ended-groups.ts';
import { formatHeadline } from './headline.ts';
import { listOrigin } from './report-origin.ts';
import {
  buildTable,
  type ReportTable,
  type TableParts,
  toGroupRows,
  toTableRows,
} from './report-table.ts';
import { buildTrend, type ReportTrend } from './report-trend.ts';

/** Maximum number of rows in a table on a page. */
export const maxTableRows = 300;

/** A metric of the whole report and its change. */
export interface Total {
  readonly metric: ReportMetric;

  /** `undefined` without a comparison. */
  readonly change: Change | undefined;
}

/** A breakdown with its values, such as campaigns. */
export interface ReportBreakdown {
  /** Noun for one of the values: `campaign`. */
  readonly noun: string;

  /** `undefined` if there are too many values to add up. */
  readonly table: ReportTable | undefined;

  /** `Ended: Summer (€12.00 before).` */
  readonly endedNote: string | undefined;
}

/** A table with a heading: `All campaigns`. */
export interface TitledTable {
  readonly title: string;
  readonly table: ReportTable;
}

/** Content of a page, or of the summary in a spreadsheet. */
export interface ReportModel {
  readonly title: string;

  /** Details below the title, by label: period, zone, filters. */
  readonly details: ReadonlyMap<string, string>;

  /** Lines of the sender's note. */
  readonly senderNote: readonly string[];

  /** One-sentence summary of the report. */
  readonly headline: string | undefined;

  /** Names the two periods. `undefined` without a comparison. */
  readonly comparisonNote: string | undefined;

  /** Message for a report without rows. */
  readonly emptyMessage: string | undefined;

  /** Warnings, reworded for report readers. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  readonly leadingMetric: ReportMetric | undefined;
  readonly totals: readonly Total[];
  readonly sums: Sums;

  /** `undefined` without a comparison. */
  readonly sumsBefore: Sums | undefined;
  readonly comparison: Comparison | undefined;

  /** Only set if the rows have at least two days, hours or months. */
  readonly trend: ReportTrend | undefined;

  /** Breakdowns other than time. */
  readonly breakdowns: readonly ReportBreakdown[];

  /** Tables of the first breakdown and of all rows, unless there are too many rows. */
  readonly tables: readonly TitledTable[];

  /** Period that each date represents: a day, week or month. */
  readonly dateUnit: DateUnit;

  /** Content of “About this report”, by label. */
  readonly about: ReadonlyMap<string, string>;
}

export interface ModelParts {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly tail: Pick<ReportTail, 'summary' | 'rowCount'>;
  readonly options: EncodeOptions;

  /** `undefined` if there are too many rows to list. */
  readonly rows?: readonly Row[] | undefined;

  /** `undefined` if the report was not checked. */
  readonly messages?: ReportMessages | undefined;
}

const emptyMessage = 'Nothing ran in this period, or the filters exclude everything.';

/** Chooses the content of a report for readers. */
export function buildReportModel(parts: ModelParts): ReportModel {
  const { plan, sums, tail, options, messages } = parts;
  const { comparison, provenance, senderNote } = options;
  const description = describeReport(tail.summary, sums);
  const { dateUnit } = description;
  const hasRows = tail.rowCount > 0;
  const totals = sums.total.totals();
  const sumsBefore = comparison?.sums.total.totals();

  const planned = listPlanMetrics(plan);
  const metrics = chooseMetrics(planned, hasRows ? totals : (sumsBefore ?? totals));
  const leadingMetric = findLeadingMetric(metrics);
  const context: TableContext = { ...parts, metrics, leadingMetric, dateUnit };
  return {
    title: options.title ?? description.title,
    details: listDetails(options, description),
    senderNote: senderNote === undefined ? [] : senderNote.trim().split(/\r?\n/),
    headline: leadingMetric && comparison && formatHeadline(sums, leadingMetric, comparison),
    comparisonNote: comparison && describeComparison(comparison),
    emptyMessage: hasRows ? undefined : emptyMessage,
    warnings: messages?.warnings ?? [],
    // An empty report needs no notes besides `emptyMessage`.
    notes: hasRows ? (messages?.notes ?? []) : [],
    leadingMetric,
    totals: hasRows || comparison ? listTotals(metrics, totals, comparison) : [],
    sums: totals,
    sumsBefore,
    comparison,
    trend: buildTrend({ sums, leadingMetric, dateUnit, comparison, overTime: options.overTime }),
    breakdowns: describeBreakdowns(context),
    tables: listTables(context),
    dateUnit,
    about: provenance ? listOrigin(provenance, options.labels) : new Map(),
  };
}

/** Returns the metrics of a report, in request order. */
export function listPlanMetrics(plan: ColumnPlan): ReportMetric[] {
  return plan.visibleColumns.flatMap(({ metric }) => metric ?? []);
}

/** Lists the totals of a report. Rates without a value in both reports are omitted. */
export function listTotals(
  metrics: readonly ReportMetric[],
  now: Sums,
  comparison: Comparison | undefined,
): Total[] {
  const before = comparison?.sums.total.totals();
  const totals: Total[] = [];
  for (const metric of metrics) {
    const isKnown = [now, before].some((sums) => sums && metricValue(metric, sums) !== undefined);
    if (metric.computed && !isKnown) continue;
    totals.push({ metric, change: before && compareMetric(metric, now, before) });
  }
  return totals;
}

/** Describes a comparison with its note, because a page does not show what the command prints. */
function describeComparison(comparison: Comparison): string {
  const note = formatComparisonNote(comparison.now);
  const compared = formatComparison(comparison);
  return note === undefined ? compared : `${compared} ${note}`;
}

/** Names the periods of a comparison, with their lengths if these differ. */
export function formatComparison({ now, before }: Comparison): string {
  const haveSameDays = countDays(now) === countDays(before);
  const name = (window: Window): string => {
    const period = formatPeriod(window);
    return haveSameDays ? period : `${period} (${formatPlural(countDays(window), 'day')})`;
  };
  return `Change: ${name(now)} compared with ${name(before)}.`;
}

/** Parts of a report, and choices that apply to all of its tables. */
interface TableContext extends ModelParts {
  readonly metrics: readonly ReportMetric[];
  readonly leadingMetric: ReportMetric | undefined;
  readonly dateUnit: DateUnit;
}

function describeBreakdowns(context: TableContext): ReportBreakdown[] {
  const { sums, options, leadingMetric } = context;
  const { comparison } = options;
  if (!leadingMetric) return [];

  return listBreakdowns(sums, comparison).map((dimension) => ({
    noun: dimensionNoun(dimension),
    // A ranking is always ordered by its metric.
    table: buildDimensionTable(
      { ...context, options: { ...options, keepsOrder: false } },
      dimension,
    ),
    endedNote: comparison && formatEndedGroups(dimension, leadingMetric, comparison),
  }));
}

/** Builds a table of the first breakdown, and a table of all rows unless there are too many. */
function listTables(context: TableContext): TitledTable[] {
  const { sums, rows, options, dateUnit } = context;
  const { dimensions } = sums;
  const formatTitle = (named: readonly Dimension[]): string => {
    const nouns = named.map((dimension) => pluralize(rowNoun(dimension, dateUnit)));
    return `All ${joinWords(nouns)}`;
  };

  const tables: TitledTable[] = [];
  const first = dimensions.find(({ isTime }) => !isTime) ?? dimensions[0];
  const hasOwnTable = dimensions.length === 1 || options.selectedColumns === undefined;
  const table = first && hasOwnTable ? buildDimensionTable(context, first) : undefined;
  if (first && table) tables.push({ title: formatTitle([first]), table });

  const hasFewRows = rows !== undefined && rows.length <= maxTableRows;
  if (dimensions.length > 1 && hasFewRows) {
    tables.push({ title: formatTitle(dimensions), table: buildRowTable(context, rows) });
  }
  return tables.filter(({ table }) => table.rows.length > 0);
}

function buildDimensionTable(
  context: TableContext,
  { fields, groups }: Dimension,
): ReportTable | undefined {
  const { plan, options } = context;
  if (!groups) return undefined;

  return buildReportTable(context, {
    columns: plan.visibleColumns.filter(({ field, metric }) => metric || fields.includes(field)),
    rows: toGroupRows(groups),
    findBefore: earlierRowFinder(options.comparison?.sums.findGroups({ fields })),
  });
}

function buildRowTable(context: TableContext, rows: readonly Row[]): ReportTable {
  const { plan, options } = context;
  const hasHours = plan.visibleColumns.some(({ type }) => type === 'hour');
  return buildReportTable(context, {
    // An hour includes its date.
    columns: plan.visibleColumns.filter(({ type }) => !hasHours || type !== 'date'),
    rows: toTableRows(rows),
    findBefore: earlierRowFinder(options.comparison?.sums.rows),
  });
}

const dateLabels: Readonly<Record<DateUnit, string>> = {
  day: 'Date',
  week: 'Week',
  month: 'Month',
  window: 'From',
};

function buildReportTable(
  { sums, options, metrics, leadingMetric, dateUnit }: TableContext,
  parts: Pick<TableParts, 'columns' | 'rows' | 'findBefore'>,
): ReportTable {
  return buildTable({
    ...parts,
    columns: parts.columns.map((column) =>
      column.type === 'date' ? { ...column, label: dateLabels[dateUnit] } : column,
    ),
    metrics,
    leadingMetric,
    total: sums.total.totals(),
    hasNamedColumns: options.selectedColumns !== undefined,
    keepsOrder: options.keepsOrder,
  });
}

/**
 * Returns a function that finds a row in an earlier report, or `undefined` if there is no earlier
 * report or it had too many rows.
 */
export function earlierRowFinder(earlier: GroupedTotals | undefined): TableParts['findBefore'] {
  if (!earlier) return undefined;
  return ({ getValue }) => {
    return earlier.find(earlier.by.map(({ field }) => toKeyValue(getValue(field))))?.sums;
  };
}

function listDetails(
  { comparison, provenance }: EncodeOptions,
  { window, zone }: ReturnType<typeof describeReport>,
): Map<string, string> {
  const filters = provenance?.filters ?? [];

  const details = new Map<string, string>();
  if (window !== undefined) details.set('Period', window);
  if (zone !== undefined) details.set('Time zone', zone);
  if (filters.length > 0) details.set('Filters', filters.join('; '));
  if (comparison) details.set('Compared with', formatPeriod(comparison.before));
  return details;
}
