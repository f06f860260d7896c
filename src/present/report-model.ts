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
import { nameRow, nameUnit, type ReportSums, type Unit } from '../totals/report-sums.ts';
import { chooseMetrics, findLeadingMetric } from './choose-metrics.ts';
import { endedSentence, listBreakdowns } from './ended-groups.ts';
import { formatHeadline } from './headline.ts';
import { listOriginFacts } from './origin-facts.ts';
import {
  buildTable,
  groupRows,
  type ReportTable,
  type TableParts,
  toTableRows,
} from './report-table.ts';
import { type ReportTrend, reportTrend } from './report-trend.ts';

/** Number of rows in a table of a page. */
export const maxTableRows = 300;

/** A metric of the whole report and its change. */
export interface Total {
  readonly metric: ReportMetric;

  /** `undefined` without a comparison. */
  readonly change: Change | undefined;
}

/** Values of a breakdown, such as campaigns. */
export interface ReportBreakdown {
  /** Noun for one of the values: `campaign`. */
  readonly noun: string;

  /** `undefined` if there are too many values to add up. */
  readonly table: ReportTable | undefined;

  /** `Ended: Summer (€12.00 before).` */
  readonly endedSentence: string | undefined;
}

/** A table with a heading: `All campaigns`. */
export interface TitledTable {
  readonly title: string;
  readonly table: ReportTable;
}

/** What pages and spreadsheets show of a report. */
export interface ReportModel {
  readonly title: string;

  /** Facts below the title, by label: period, zone, filters. */
  readonly facts: ReadonlyMap<string, string>;

  /** Lines of the sender's note. */
  readonly senderNote: readonly string[];

  /** The report in one sentence. */
  readonly headline: string | undefined;

  /** Sentence on the comparison. */
  readonly comparisonSentence: string | undefined;

  /** Sentence for a report without rows. */
  readonly emptyMessage: string | undefined;

  /** Sentences for readers. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  readonly lead: ReportMetric | undefined;
  readonly totals: readonly Total[];
  readonly sums: Sums;

  /** `undefined` without a comparison. */
  readonly sumsBefore: Sums | undefined;
  readonly comparison: Comparison | undefined;

  /** `undefined` without times, or with only one day, hour or month. */
  readonly trend: ReportTrend | undefined;

  /** Breakdowns other than time. */
  readonly breakdowns: readonly ReportBreakdown[];

  /** The first breakdown, and all rows if they are few. */
  readonly tables: readonly TitledTable[];

  /** Unit that the report's dates represent. */
  readonly dateUnit: DateUnit;

  /** Content of “About this report”, by label. */
  readonly about: ReadonlyMap<string, string>;
}

export interface ModelParts {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly tail: Pick<ReportTail, 'summary' | 'rowCount'>;
  readonly options: EncodeOptions;

  /** Rows of the report; `undefined` if there are too many to list. */
  readonly rows?: readonly Row[] | undefined;

  /** `undefined` if the report was not checked. */
  readonly messages?: ReportMessages | undefined;
}

const emptySentence = 'Nothing ran in this period, or the filters exclude everything.';

/** Chooses the content of a report for readers. */
export function buildReportModel(parts: ModelParts): ReportModel {
  const { plan, sums, tail, options, messages } = parts;
  const { comparison, provenance, remark } = options;
  const description = describeReport(tail.summary, sums);
  const { dateUnit } = description;
  const hasRows = tail.rowCount > 0;
  const totals = sums.total.totals();
  const sumsBefore = comparison?.sums.total.totals();

  const planned = listPlanMetrics(plan);
  const metrics = chooseMetrics(planned, hasRows ? totals : (sumsBefore ?? totals));
  const lead = findLeadingMetric(metrics);
  const context: TableContext = { ...parts, metrics, lead, dateUnit };
  return {
    title: options.title ?? description.title,
    facts: reportFacts(options, description),
    senderNote: remark === undefined ? [] : remark.trim().split(/\r?\n/),
    headline: lead && comparison && formatHeadline(sums, lead, comparison),
    comparisonSentence: comparison && describeComparison(comparison),
    emptyMessage: hasRows ? undefined : emptySentence,
    warnings: messages?.warnings ?? [],
    // For an empty report the `empty` sentence is enough.
    notes: hasRows ? (messages?.notes ?? []) : [],
    lead,
    totals: hasRows || comparison ? listTotals(metrics, totals, comparison) : [],
    sums: totals,
    sumsBefore,
    comparison,
    trend: reportTrend({ sums, lead, dateUnit, comparison, overTime: options.overTime }),
    breakdowns: describeBreakdowns(context),
    tables: listTables(context),
    dateUnit,
    about: provenance ? listOriginFacts(provenance, options.labels) : new Map(),
  };
}

/** Returns the metrics of a report, in request order. */
export function listPlanMetrics(plan: ColumnPlan): ReportMetric[] {
  return plan.shown.flatMap(({ metric }) => metric ?? []);
}

/** Lists the totals of a report. Rates without a value in both reports are left out. */
export function listTotals(
  metrics: readonly ReportMetric[],
  now: Sums,
  comparison: Comparison | undefined,
): Total[] {
  const before = comparison?.sums.total.totals();
  const totals: Total[] = [];
  for (const metric of metrics) {
    const isKnown = [now, before].some((sums) => sums && metricValue(metric, sums) !== undefined);
    if (metric.derived && !isKnown) continue;
    totals.push({ metric, change: before && compareMetric(metric, now, before) });
  }
  return totals;
}

/** Describes a comparison on a page, where the notes of the command are not shown. */
function describeComparison(comparison: Comparison): string {
  const note = formatComparisonNote(comparison.now);
  const sentence = comparisonSentence(comparison);
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** Describes the comparison and the differences between the two periods. */
export function comparisonSentence({ now, before }: Comparison): string {
  const haveSameDays = countDays(now) === countDays(before);
  const name = (window: Window): string => {
    const period = formatPeriod(window);
    return haveSameDays ? period : `${period} (${formatPlural(countDays(window), 'day')})`;
  };
  return `Change: ${name(now)} compared with ${name(before)}.`;
}

/** What the tables of one report have in common. */
interface TableContext extends ModelParts {
  readonly metrics: readonly ReportMetric[];
  readonly lead: ReportMetric | undefined;
  readonly dateUnit: DateUnit;
}

function describeBreakdowns(context: TableContext): ReportBreakdown[] {
  const { sums, options, lead } = context;
  const { comparison } = options;
  if (!lead) return [];

  return listBreakdowns(sums, comparison).map((unit) => ({
    noun: nameUnit(unit),
    // A ranking follows its metric, whatever the order of the rows is.
    table: buildUnitTable({ ...context, options: { ...options, keepsOrder: false } }, unit),
    endedSentence: comparison && endedSentence(unit, lead, comparison),
  }));
}

/** Lists the values of the first breakdown. Also lists the rows, unless there are too many. */
function listTables(context: TableContext): TitledTable[] {
  const { sums, rows, options, dateUnit } = context;
  const { units } = sums;
  const formatTitle = (shown: readonly Unit[]): string => {
    const nouns = shown.map((unit) => pluralize(nameRow(unit, dateUnit)));
    return `All ${joinWords(nouns)}`;
  };

  const tables: TitledTable[] = [];
  const first = units.find(({ isTime }) => !isTime) ?? units[0];
  const hasOwnTable = units.length === 1 || options.selectedColumns === undefined;
  const table = first && hasOwnTable ? buildUnitTable(context, first) : undefined;
  if (first && table) tables.push({ title: formatTitle([first]), table });

  const hasFewRows = rows !== undefined && rows.length <= maxTableRows;
  if (units.length > 1 && hasFewRows) {
    tables.push({ title: formatTitle(units), table: buildRowTable(context, rows) });
  }
  return tables.filter(({ table }) => table.rows.length > 0);
}

function buildUnitTable(context: TableContext, { fields, groups }: Unit): ReportTable | undefined {
  const { plan, options } = context;
  if (!groups) return undefined;

  return buildReportTable(context, {
    columns: plan.shown.filter(({ field, metric }) => metric || fields.includes(field)),
    rows: groupRows(groups),
    findBefore: findIn(options.comparison?.sums.findGroups({ fields })),
  });
}

function buildRowTable(context: TableContext, rows: readonly Row[]): ReportTable {
  const { plan, options } = context;
  const hasHours = plan.shown.some(({ type }) => type === 'hour');
  return buildReportTable(context, {
    // An hour includes its date.
    columns: plan.shown.filter(({ type }) => !hasHours || type !== 'date'),
    rows: toTableRows(rows),
    findBefore: findIn(options.comparison?.sums.rows),
  });
}

const dateLabels: Readonly<Record<DateUnit, string>> = {
  day: 'Date',
  week: 'Week',
  month: 'Month',
  window: 'From',
};

function buildReportTable(
  { sums, options, metrics, lead, dateUnit }: TableContext,
  own: Pick<TableParts, 'columns' | 'rows' | 'findBefore'>,
): ReportTable {
  return buildTable({
    ...own,
    columns: own.columns.map((column) =>
      column.type === 'date' ? { ...column, label: dateLabels[dateUnit] } : column,
    ),
    metrics,
    lead,
    total: sums.total.totals(),
    hasNamedColumns: options.selectedColumns !== undefined,
    keepsOrder: options.keepsOrder,
  });
}

/**
 * Returns a function that finds rows in an earlier report; `undefined` if that report has no
 * groups.
 */
export function findIn(earlier: GroupedTotals | undefined): TableParts['findBefore'] {
  if (!earlier) return undefined;
  return ({ valueIn }) => {
    return earlier.find(earlier.by.map(({ field }) => toKeyValue(valueIn(field))))?.sums;
  };
}

function reportFacts(
  { comparison, provenance }: EncodeOptions,
  { window, zone }: ReturnType<typeof describeReport>,
): Map<string, string> {
  const filters = provenance?.filters ?? [];

  const facts = new Map<string, string>();
  if (window !== undefined) facts.set('Period', window);
  if (zone !== undefined) facts.set('Time zone', zone);
  if (filters.length > 0) facts.set('Filters', filters.join('; '));
  if (comparison) facts.set('Compared with', formatPeriod(comparison.before));
  return facts;
}
