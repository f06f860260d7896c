import { breakdownOfField, currencyOf, fieldLabel, metricOfField, nounOf } from '../../contract/columns.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { rowsOf } from '../../rows/row-batch.ts';
import { changeText } from '../../view/comparison.ts';
import { type FigureColumn, figureValue, leadingFirst } from '../../view/figure-columns.ts';
import { type Sums, strangeNotice } from '../../view/grouping.ts';
import { groupedText } from '../../view/number-text.ts';
import { nounOfUnit, ReportSums } from '../../view/report-sums.ts';
import { areMonths, layOutTime } from '../../view/time-axis.ts';
import { breakdownsOf, listWords, titleOf, windowFacts } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { type Card, type Page, renderReport } from '../html/page.ts';
import { type Charts, courseChart, rankings, shownFigure, timeCharts } from '../html/page-charts.ts';
import { mostRows, type PageColumn, PageRows, pageColumn } from '../html/page-rows.ts';
import { figuresOfColumns } from '../report-figures.ts';

/** A page to mail: everything in one file, which opens without a network and holds what it shows. */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  const rows = new PageRows();
  return {
    encode(batch: RowBatch): Pieces {
      plan.follow(batch);
      const objects = rowsOf(batch);
      sums.observe(objects, plan.columns, batch.fields);
      rows.observe(objects, sums, plan.columns, batch.fields);
      // The totals stand before the rows: nothing is written until the last of them is known.
      return [];
    },
    end(tail: ReportTail): Pieces {
      plan.settle(tail.fields);
      const page = composePage({ plan, sums, rows, tail, options });
      return renderReport(page).map((piece) => Buffer.from(piece));
    },
  };
}

/** What a page is made from, once the last row is known. */
interface Findings {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly rows: PageRows;
  readonly tail: ReportTail;
  readonly options: EncodeOptions;
}

/** Puts together what a page says; tells the user on stderr where it does not hold every row. */
function composePage({ plan, sums, rows, tail, options }: Findings): Page {
  const { comparison } = options;
  const { units, total } = sums;
  const totals = total.totals();
  const known = figuresOfColumns(plan.columns, tail.fields);
  const { leading, others: further } = leadingFirst([...known.values()]);
  const figures = [...leading, ...further];
  const time = units.find(({ unit }) => unit.isTime);
  const others = units.filter(({ unit }) => !unit.isTime);
  const asked = breakdownsOf(
    tail.summary,
    units.map(({ unit }) => unit),
  );
  const strange = plan.columns.flatMap(({ field }) => {
    const count = total.strangeCounts.get(field);
    return count === undefined ? [] : strangeNotice(fieldLabel(field), count);
  });
  const fields = plan.columns.map(({ field }) => field);
  const filled = units.flatMap(({ unit }) => unit.fields.filter((field) => fields.includes(field)));
  const summed = rows.by ? [sumsNotice(rows.by, rows.rowCount, tail.rowCount, filled)] : [];
  for (const notice of summed) options.note?.(`${notice} Every row: --format csv.`);
  for (const notice of strange) options.note?.(notice);
  const count = `${groupedText(String(tail.rowCount))} ${tail.rowCount === 1 ? 'row' : 'rows'}`;
  const times = [...(time?.groups ?? [])].map(({ key }) => key[0] ?? null);
  const against = comparison ? [`compared with ${comparison.before}`] : [];
  return {
    title: options.title ?? titleOf(asked),
    facts: [...windowFacts(tail.summary, times), count, ...against],
    notices: [...summed, ...strange, ...(comparison?.notices ?? [])],
    cards: figures.flatMap((figure) => cardOf(figure, totals, tail.rowCount === 0, options)),
    leadingCards: leading.length,
    time: chartsOf(sums, leading, further, asked.find((breakdown) => breakdown.time)?.name),
    rankings:
      figures.length === 0
        ? []
        : others.map((each) => {
            return {
              title: nounOfUnit(each.unit),
              html: rankings(
                each,
                figures.filter(({ derived }) => !derived),
                sums,
                comparison,
              ),
            };
          }),
    rankLabels: figures.filter(({ derived }) => !derived).map(({ field }) => fieldLabel(field)),
    table: {
      title: rows.by ? 'Sums' : 'Rows',
      columns: tableColumns({ plan, sums, rows, tail, options }, known, totals),
      rowCount: rows.rowCount,
    },
  };
}

function cardOf(figure: FigureColumn, totals: Sums, isEmpty: boolean, { comparison }: EncodeOptions): Card[] {
  const { field, derived, type } = figure;
  if (derived && figureValue(figure, totals) === undefined) return [];
  const zero = currencyOf(field) + (type === 'money' ? '0.00' : '0');
  const before = comparison?.sums.total.totals();
  const change = before && changeText(figureValue(figure, totals), figureValue(figure, before));
  const hint = derived?.meaning ?? metricOfField(field)?.meaning ?? '';
  const text = isEmpty ? zero : shownFigure(figure, totals);
  const earlier = before && shownFigure(figure, before);
  return [{ label: fieldLabel(field), text, hint, change: change && `${change} · ${earlier} before` }];
}

/** The charts over time: the first figure by the greatest values of a breakdown, then every figure as a whole. */
function chartsOf(
  sums: ReportSums,
  leading: readonly FigureColumn[],
  further: readonly FigureColumn[],
  asked: string | undefined,
): Page['time'] {
  const time = sums.units.find(({ unit }) => unit.isTime)?.groups;
  const groups = [...(time ?? [])];
  const axis = layOutTime(groups, asked === 'MONTHLY' || (asked !== 'DAILY' && areMonths(groups)));
  const [lead] = leading;
  if (!axis || !lead) return undefined;
  const { course } = sums;
  const unit = course && sums.units.find((each) => each.unit.breakdown === course.unit.breakdown && !each.unit.isTime);
  const none: Charts = { html: [], texts: [] };
  const lines = unit && course && axis.slots.length > 1 ? courseChart(lead, axis, unit, course.groups) : none;
  const [first, more] = [timeCharts(leading, axis), timeCharts(further, axis)];
  return {
    lines: lines.html,
    first: first.html,
    more: more.html,
    labels: axis.labels,
    texts: [...lines.texts, ...first.texts, ...more.texts],
  };
}

function sumsNotice(by: readonly string[], sumCount: number, allRows: number, fields: readonly string[]): string {
  const given = fields.filter((field) => !by.includes(field));
  const [all, most, count] = [allRows, mostRows, sumCount].map((number) => groupedText(String(number)));
  const how = by.length > 0 ? ` by ${listWords(namesOf(by))}` : '';
  const added = given.length > 0 ? `, with ${listWords(namesOf(given))} added up` : '';
  const table = sumCount === 1 ? 'the sum of all' : `${count} sums${how}`;
  return `The report has ${all} rows, more than the ${most} that a page holds: its table shows ${table} instead${added}. Totals and charts are of all rows.`;
}

/** What fields are told apart by, in words: a breakdown's fields together are one thing. */
function namesOf(fields: readonly string[]): string[] {
  const names = fields.map((field) => {
    const breakdown = breakdownOfField(field);
    return breakdown && !breakdown.time ? nounOf(breakdown) : field;
  });
  return [...new Set(names)];
}

/** The columns of the table; one without any value is left out, unless it was chosen. */
function tableColumns(
  { plan, rows, tail, options }: Findings,
  figures: ReadonlyMap<string, FigureColumn>,
  totals: Sums,
): PageColumn[] {
  const { by } = rows;
  const shown = plan.columns.filter(({ field }) => !by || figures.has(field) || by.includes(field));
  const columns = shown.map((column) => pageColumn(column, rows, figures.get(column.field), totals));
  const keepsAll = options.select !== undefined || tail.rowCount === 0;
  return keepsAll ? columns : columns.filter(({ cells }) => cells.some((cell) => cell !== null));
}
