import type { ReportMetric } from '../../query/metrics.ts';
import { printable } from '../../text/printable.ts';
import { pluralize } from '../../text/quantity.ts';
import type { Change } from '../../totals/change.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { formatPeriod } from '../../totals/report-description.ts';
import type { ReportBreakdown, ReportModel } from '../report-model.ts';
import { compareRow, describeRow, limitRows, type TableRow } from '../report-table.ts';
import { measureColumn } from './column-width.ts';
import { cellNumber, metricStyle, type SheetCell } from './sheet-cells.ts';
import type { PositionedChart } from './sheet-chart.ts';
import {
  columnLetters,
  renderHeaderRow,
  renderRow,
  renderSheetEnd,
  renderSheetStart,
} from './spreadsheet.ts';
import {
  chooseChart,
  countCoveredRows,
  fitChart,
  listChartCells,
  maxSummaryRows,
} from './summary-chart.ts';

/** Column widths in characters. The second column has IDs, or the first metric. */
const nameBounds = { min: 24, max: 50, oneLine: 40 };
const idBounds = { min: 16, max: 30 };
const metricBounds = { min: 10, max: 24 };

export interface SummarySheet {
  readonly xml: string;

  /** Range of the printed cells. The cells below it hold the data of the chart. */
  readonly printArea: string;
  readonly chart: PositionedChart | undefined;
}

/** Cells of a row. Rows that the chart covers are empty. */
type SummaryRow = readonly SheetCell[];

/**
 * Builds the summary: a chart of the leading metric, the totals, and the largest values of each
 * breakdown.
 * @param sheetNotes notes about the spreadsheet, such as the zone of its hours
 */
export function buildSummarySheet(model: ReportModel, sheetNotes: readonly string[]): SummarySheet {
  const tables: SummaryRow[] = [];
  if (model.totals.length > 0) tables.push(...buildTotalRows(model));
  for (const breakdown of model.breakdowns)
    tables.push([], ...buildBreakdownRows(breakdown, model));
  // Sentences above the tables extend into the empty cells next to them.
  const widths = fitColumnWidths(tables);

  const head = [...buildHeadRows(model, sheetNotes), []];
  const chart = chooseChart(model);
  const covered: SummaryRow[] = chart ? [...emptyRows(countCoveredRows(chart)), []] : [];
  const printed = [...head, ...covered, ...tables, ...buildAboutRows(model)];
  const rows = chart ? [...printed, [], ...listChartCells(chart)] : printed;

  let xml = renderSheetStart(widths, 'summary');
  for (const [i, row] of rows.entries()) {
    const isHeader = row[0]?.style === 'header';
    // Other rows have sentences, which are not wrapped.
    const isTable = tables.includes(row);
    xml += isHeader
      ? renderHeaderRow(i + 1, row, widths)
      : renderRow(i + 1, row, isTable ? widths : []);
  }
  const size = fitChart(widths);
  return {
    xml: xml + renderSheetEnd({ hasChart: chart !== undefined }),
    printArea: `$A$1:$${columnLetters(size.columnCount - 1)}$${printed.length}`,
    chart: chart && {
      ...chart,
      firstRow: head.length + 1,
      cellsRow: printed.length + 2,
      width: size.width,
    },
  };
}

function emptyRows(count: number): SummaryRow[] {
  return Array.from({ length: count }, () => []);
}

/** Builds the rows for title, headline, details, warnings and notes. */
function buildHeadRows(model: ReportModel, sheetNotes: readonly string[]): SheetCell[][] {
  const { title, headline, senderNote, details, warnings, notes, comparisonNote, emptyMessage } =
    model;
  const rows: SheetCell[][] = [[{ style: 'title', content: printable(title) }]];
  if (headline !== undefined) rows.push([{ style: 'strong', content: printable(headline) }]);
  for (const warning of warnings) rows.push([{ style: 'warning', content: printable(warning) }]);
  if (senderNote.length > 0) rows.push(factRow('Note', senderNote.join(' ')));
  for (const [name, text] of details) rows.push(factRow(name, text));

  const noteSentences = [...sheetNotes, ...notes.map((note) => `Note: ${note}`)];
  for (const sentence of [emptyMessage, comparisonNote, ...noteSentences]) {
    if (sentence !== undefined) rows.push([noteCell(printable(sentence))]);
  }
  return rows;
}

function buildAboutRows({ about }: ReportModel): SheetCell[][] {
  if (about.size === 0) return [];

  const rows: SheetCell[][] = [[], [{ style: 'strong', content: 'About this report' }]];
  for (const [name, text] of about) rows.push(factRow(name, text));
  return rows;
}

function factRow(name: string, text: string): SheetCell[] {
  return [noteCell(name), { style: 'plain', content: printable(text) }];
}

function noteCell(content: string): SheetCell {
  return { style: 'note', content };
}

/** Chooses column widths that fit all tables of the sheet. */
function fitColumnWidths(rows: readonly (readonly SheetCell[])[]): number[] {
  const columnCount = Math.max(2, ...rows.map(({ length }) => length));
  const widths: number[] = [];

  for (let column = 0; column < columnCount; column++) {
    const bounds = [nameBounds, idBounds][column] ?? metricBounds;
    let width = bounds.min;
    for (const row of rows) {
      const cell = row[column];
      const isHeading = row[0]?.style === 'header';
      const heading = isHeading ? String(cell?.content ?? '') : '';
      width = Math.max(width, measureColumn(heading, isHeading ? [] : [cell], bounds));
    }
    widths.push(width);
  }
  return widths;
}

/** Builds a row per metric, with the earlier value and the change if there is a comparison. */
function buildTotalRows({
  totals,
  details,
  sums,
  sumsBefore,
  comparison,
}: ReportModel): SheetCell[][] {
  const period = comparison ? formatPeriod(comparison.now) : details.get('Period');
  const headings = ['Totals', period ?? ''];
  if (comparison) headings.push(formatPeriod(comparison.before), 'Change');

  const rows = [headings.map((heading, i) => headingCell(heading, i > 0))];
  for (const { metric, change } of totals) {
    const row: SheetCell[] = [{ style: 'plain', content: metric.label }, metricCell(metric, sums)];
    if (sumsBefore && change) row.push(metricCell(metric, sumsBefore), changeCell(change));
    rows.push(row);
  }
  return rows;
}

/**
 * Builds a row for each of the largest values of a breakdown. With a comparison, the leading metric
 * also has its earlier value, which the chart draws, and its change.
 */
function buildBreakdownRows(
  { noun, table, endedNote }: ReportBreakdown,
  { totals, leadingMetric }: ReportModel,
): SheetCell[][] {
  if (!table || !leadingMetric) {
    const title = printable(noun).replace(/^./, (letter) => letter.toUpperCase());
    return [
      [{ style: 'strong', content: title }],
      [noteCell('Too many different values to rank.')],
    ];
  }

  const { rows, others } = limitRows(table, maxSummaryRows);
  const metrics = totals
    .map(({ metric }) => metric)
    .filter(({ field }) => field !== leadingMetric.field);
  const hasDetails = rows.some((row) => describeRow(table, row).detail !== '');
  const buildCells = (row: TableRow): SheetCell[] => {
    const { name, detail } = describeRow(table, row);
    const cells: SheetCell[] = [
      { style: 'plain', content: name },
      { style: 'plain', content: printable(detail) },
      metricCell(leadingMetric, row.sums),
    ];
    const change = compareRow(table, leadingMetric, row);
    if (change) cells.push(metricCell(leadingMetric, row.before), changeCell(change));
    return [...cells, ...metrics.map((metric) => metricCell(metric, row.sums))];
  };

  const count = rows.length;
  const name = `Top ${count} ${count === 1 ? noun : pluralize(noun)} by ${leadingMetric.label}`;
  const headings = [printable(name), hasDetails ? 'ID' : '', leadingMetric.label];
  if (table.isCompared) headings.push('Before', 'Change');
  headings.push(...metrics.map(({ label }) => label));
  const shown = [...rows, ...(others ? [others] : [])].map(buildCells);
  const ended = endedNote === undefined ? [] : [[noteCell(printable(endedNote))]];
  if (rows.length === 0) return ended;
  return [headings.map((heading, i) => headingCell(heading, i > 1)), ...shown, ...ended];
}

const changeStyles = { up: 'changeUp', down: 'changeDown', same: 'change' } as const;

/** Colors a change by its direction. “new” stays a string. */
function changeCell({ ratio, text, direction, isNeutral }: Change): SheetCell {
  if (ratio === undefined || direction === 'new' || direction === 'none') {
    return { style: 'right', content: text };
  }
  // A change that rounds to 0.0% is written as 0, because any other value gets an arrow.
  const content = direction === 'same' ? 0 : ratio;
  return { style: isNeutral ? 'change' : changeStyles[direction], content };
}

function headingCell(content: string, isNumeric: boolean): SheetCell {
  return { style: isNumeric ? 'numberHeader' : 'header', content };
}

function metricCell(metric: ReportMetric, sums: Sums | undefined): SheetCell {
  const content = sums && cellNumber(metric, sums);
  return content === undefined
    ? { style: 'right', content: '–' }
    : { style: metricStyle(metric), content };
}
