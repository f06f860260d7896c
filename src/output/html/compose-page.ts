import { metricOfField } from '../../contract/columns.ts';
import { type Breakdown, breakdowns } from '../../contract/vocabulary.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import type { Sums } from '../../view/aggregate.ts';
import { strangeNotice } from '../../view/strange-values.ts';
import { areMonths, layOutTime, type TimeAxis } from '../../view/time-axis.ts';
import { describeDays, describeWindow, describeZone } from '../../view/window-text.ts';
import { dayOf } from '../bytes/typed-value.ts';
import type { ColumnPlan, PlannedColumn } from '../columns.ts';
import type { EncodeOptions } from '../encoder.ts';
import { leadOf, rankings, timeCharts, totalFigures } from './charts.ts';
import { readColumn, type TableColumn } from './embedded-table.ts';
import type { TableRows } from './held-rows.ts';
import { breakdownOf, labelOf, nounOf } from './labels.ts';
import { showCount } from './number-text.ts';
import type { Page } from './page.ts';
import { mostRows, type ShownRows } from './shown-rows.ts';
import type { AllSums, UnitSums } from './unit-sums.ts';

/** What a page is made from, once the last row is known. */
export interface Findings {
  readonly plan: ColumnPlan;
  readonly sums: AllSums;
  readonly rows: ShownRows;
  readonly tail: ReportTail;
  readonly options: EncodeOptions;
}

/** Puts together what a page says; tells the user on stderr where it does not hold every row. */
export function composePage({ plan, sums, rows, tail, options }: Findings): Page {
  const { units, totals } = sums;
  const metrics = plan.columns.filter(({ field }) => metricOfField(field));
  const asked = askedBreakdowns(tail, units);
  const time = units.find(({ unit }) => unit.isTime);
  const axis = axisOf(time, asked);
  const tableRows = rows.rows();
  const { by, rowCount } = tableRows;
  const strange = metrics.flatMap(({ field }) => {
    const count = sums.strangeCounts.get(field);
    return count === undefined ? [] : strangeNotice(labelOf(field), count);
  });
  const notices = [...(by ? [noticeOf(by, rowCount, tail.rowCount, units)] : []), ...strange];
  for (const notice of notices)
    options.note?.(strange.includes(notice) ? notice : `${notice} Every row: --format csv.`);
  const columns = shownColumns(plan, options, tail.rowCount, by);
  const table = readTable(columns, tableRows, options.select !== undefined || tail.rowCount === 0);
  return {
    title: titleOf(asked),
    facts: factsOf(tail, time),
    notices,
    figures: totalFigures(metrics, totals, tail.rowCount === 0),
    time: axis && metrics.length > 0 ? { ...timeCharts(metrics, axis), labels: axis.labels } : undefined,
    breakdowns:
      metrics.length > 0
        ? units.filter(({ unit }) => !unit.isTime).map((each) => breakdownOn(each, metrics, totals))
        : [],
    ranks: { labels: metrics.map(({ field }) => labelOf(field)), lead: leadOf(metrics) },
    table: {
      title: by ? 'Sums' : 'Rows',
      columns: table.map(({ read }) => read),
      rowCount,
      totals: table.map(({ column }) => totals.get(column.field)?.toString()),
    },
  };
}

/** The breakdowns of the request, where the summary tells; else those that the rows show. */
function askedBreakdowns({ summary }: ReportTail, units: readonly UnitSums[]): Breakdown[] {
  const named = summary?.breakdowns.flatMap((name) => {
    return (breakdowns as readonly Breakdown[]).filter((breakdown) => breakdown.name === String(name).toUpperCase());
  });
  return named ?? units.flatMap(({ unit }) => (unit.isTime ? timeBreakdownOf(unit.fields) : unit.breakdown) ?? []);
}

function timeBreakdownOf(fields: readonly string[]): Breakdown | undefined {
  return (breakdowns as readonly Breakdown[]).find(({ time, fields: own }) => time && own.length === fields.length);
}

function axisOf(time: UnitSums | undefined, asked: readonly Breakdown[]): TimeAxis | undefined {
  if (!time?.groups) return undefined;
  const { fields } = time.unit;
  const groups = [...time.groups];
  const told = asked.find((breakdown) => breakdown.time)?.name;
  return layOutTime(groups, fields, told === 'MONTHLY' || (told !== 'DAILY' && areMonths(groups, fields)));
}

const timeWords: Readonly<Record<string, string>> = {
  DAILY: 'Daily report',
  HOURLY: 'Hourly report',
  MONTHLY: 'Monthly report',
};

/** `Daily report by campaign and city`. */
function titleOf(asked: readonly Breakdown[]): string {
  const time = asked.flatMap(({ name }) => timeWords[name] ?? [])[0] ?? 'Report';
  const nouns = asked.filter((breakdown) => !breakdown.time).map(nounOf);
  if (nouns.length === 0) return time === 'Report' ? 'Advertising report' : time;
  return `${time} by ${listWords(nouns)}`;
}

function factsOf({ summary, rowCount }: ReportTail, time: UnitSums | undefined): string[] {
  const rows = `${showCount(rowCount)} ${rowCount === 1 ? 'row' : 'rows'}`;
  if (summary) return [describeWindow(summary), describeZone(summary.timezone), rows];
  const index = time?.unit.fields.indexOf('date') ?? -1;
  const dates = [...(time?.groups ?? [])].map(({ key }) => key[index] ?? '');
  const days = dates.filter((date) => dayOf(date) !== undefined).sort();
  const [first, last] = [days[0], days.at(-1)];
  return first && last ? [describeDays(first, last), rows] : [rows];
}

function noticeOf(by: readonly string[], sumCount: number, allRows: number, units: readonly UnitSums[]): string {
  const given = units.flatMap(({ unit }) => unit.fields).filter((field) => !by.includes(field));
  const [all, most, sums] = [allRows, mostRows, sumCount].map(showCount);
  const how = by.length > 0 ? ` by ${listWords(namesOf(by))}` : '';
  const added = given.length > 0 ? `, with ${listWords(namesOf(given))} added up` : '';
  const table = sumCount === 1 ? 'the sum of all' : `${sums} sums${how}`;
  return `The report has ${all} rows, more than the ${most} that a page holds: its table shows ${table} instead${added}. Totals and charts are of all rows.`;
}

/** What fields are told apart by, in words: a breakdown's fields together are one thing. */
function namesOf(fields: readonly string[]): string[] {
  const names = fields.map((field) => {
    const breakdown = breakdownOf(field);
    return breakdown && !breakdown.time ? nounOf(breakdown) : field;
  });
  return [...new Set(names)];
}

function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

/**
 * The columns of the table: of an empty report those that were asked for, and of one that was added up those that its
 * sums are told apart by.
 */
function shownColumns(
  plan: ColumnPlan,
  { columns = [], select }: EncodeOptions,
  rowCount: number,
  by: readonly string[] | undefined,
): readonly PlannedColumn[] {
  if (by) return plan.columns.filter(({ field, numeric }) => numeric || by.includes(field));
  if (rowCount > 0 || select) return plan.columns;
  const asked = new Set(columns.filter(({ breakdown, metric }) => breakdown ?? metric).map(({ field }) => field));
  return asked.size > 0 ? plan.columns.filter(({ field }) => asked.has(field)) : plan.columns;
}

/** The columns with their cells; one without any value is left out, unless it was chosen. */
function readTable(
  columns: readonly PlannedColumn[],
  rows: TableRows,
  all: boolean,
): { column: PlannedColumn; read: TableColumn }[] {
  return columns
    .map((column) => ({ column, read: readColumn(column, rows) }))
    .filter(({ read }) => all || read.isFilled);
}

function breakdownOn(sums: UnitSums, metrics: readonly PlannedColumn[], totals: Sums): { title: string; html: string } {
  const { unit, groups } = sums;
  const title = unit.breakdown ? nounOf(unit.breakdown) : unit.fields.map(labelOf).join(', ');
  if (!groups) return { title, html: '<p class="by">Too many different values to rank.</p>' };
  return { title, html: rankings(sums, metrics, totals, leadOf(metrics)) };
}
