import { fieldLabel } from '../../contract/columns.ts';
import { printable, withoutIsolates } from '../../text/printable.ts';
import { pluralOf } from '../../text/quantity.ts';
import type { Change } from '../../totals/change.ts';
import { type Comparison, changeOf, type Figure, figureValue } from '../../totals/figures.ts';
import type { Sums } from '../../totals/grouping.ts';
import type { ReportSums } from '../../totals/report-sums.ts';
import type { ReportModel } from '../report-model.ts';
import type { BreakdownRanking, RankedGroup } from '../report-ranking.ts';
import { maxTableName } from '../short-names.ts';
import { columnWidth } from './column-width.ts';
import type { PlacedChart } from './sheet-chart.ts';
import { chartCells, chartOf, chartSize, coveredRows } from './summary-chart.ts';
import {
  columnLetters,
  headerRowXml,
  maxTextLength,
  rowXml,
  type SheetCell,
  sheetBeginning,
  sheetEnd,
} from './workbook.ts';

/** In characters: names, ids or the first metrics, and other columns. */
const nameBounds = { least: 24, most: maxTableName + 2, oneLine: 40 };
const idBounds = { least: 16, most: 30 };
const figureBounds = { least: 10, most: 24 };

/** Wider sheets are printed in landscape. */
const maxPortraitWidth = 120;

/** More rows would be too small to read on one page. */
const maxRowsOnPage = 80;

export interface SummaryParts {
  readonly model: ReportModel;
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;

  /** Notes on this spreadsheet, as sentences. */
  readonly ownNotes: readonly string[];
}

export interface SummarySheet {
  readonly xml: string;

  /** Cells after these are only drawn by the chart. */
  readonly printArea: string;
  readonly chart: PlacedChart | undefined;
}

/** Empty where the chart is. */
type SummaryRow = readonly SheetCell[];

/** Builds a chart of the leading metric, totals, and the ten largest values of each breakdown. */
export function summarySheet(parts: SummaryParts): SummarySheet {
  const { model, sums, comparison } = parts;
  const totals = sums.total.totals();

  const tables: SummaryRow[] = [];
  if (model.totals.length > 0) tables.push(...totalRows(model, totals, comparison));
  for (const ranking of model.rankings) {
    tables.push([], ...breakdownRows(ranking, model.figures.shown, comparison));
  }
  // Texts above the tables extend into the empty cells next to them.
  const widths = widthsOf(tables);

  const head = [...headRows(parts), []];
  const chart = chartOf(model, comparison);
  const covered: SummaryRow[] = chart ? [...emptyRows(coveredRows(chart)), []] : [];
  const printed = [...head, ...covered, ...tables, ...aboutRows(model)];
  const rows = chart ? [...printed, [], ...chartCells(chart)] : printed;

  let xml = sheetBeginning(widths, 'summary');
  for (const [i, row] of rows.entries()) {
    const cells = row.map(cutText);
    const isHeader = cells[0]?.style === 'header';
    xml += isHeader ? headerRowXml(i + 1, cells, widths) : rowXml(i + 1, cells);
  }
  const width = widths.reduce((sum, own) => sum + own, 0);
  const kind = width > maxPortraitWidth ? 'wide summary' : 'summary';
  const fitsOnePage = printed.length <= maxRowsOnPage;
  const size = chartSize(widths);
  return {
    xml: xml + sheetEnd(kind, { hasChart: chart !== undefined, fitsOnePage }),
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

/** Returns title, headline, facts, warnings and notes. */
function headRows({ model, ownNotes }: SummaryParts): SheetCell[][] {
  const { title, headline, remark, facts, warnings, notes, compared, empty } = model;
  const rows: SheetCell[][] = [[{ style: 'title', content: printable(title) }]];
  if (headline !== undefined)
    rows.push([{ style: 'strong', content: printable(withoutIsolates(headline)) }]);
  for (const warning of warnings) rows.push([{ style: 'warning', content: printable(warning) }]);
  if (remark.length > 0) {
    rows.push([noteCell('Note'), { style: 'plain', content: printable(remark.join(' ')) }]);
  }
  for (const [name, text] of facts) rows.push(factRow(name, text));

  const sentences = [empty, compared, ...ownNotes, ...notes.map((note) => `Note: ${note}`)];
  for (const sentence of sentences) {
    if (sentence !== undefined) rows.push([noteCell(printable(sentence))]);
  }
  return rows;
}

function aboutRows({ about }: ReportModel): SheetCell[][] {
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

/** Shortens a text, such as a long list of filters, to the maximum length of a cell. */
function cutText(cell: SheetCell): SheetCell {
  const { content } = cell;
  if (typeof content === 'number' || content.length <= maxTextLength) return cell;
  return { ...cell, content: `${content.slice(0, maxTextLength - 1)}…` };
}

/** Fits tables below each other. */
function widthsOf(rows: readonly (readonly SheetCell[])[]): number[] {
  const columnCount = Math.max(2, ...rows.map(({ length }) => length));
  const widths: number[] = [];

  for (let column = 0; column < columnCount; column++) {
    const bounds = [nameBounds, idBounds][column] ?? figureBounds;
    let width = bounds.least;
    for (const row of rows) {
      const cell = row[column];
      const isHeading = row[0]?.style === 'header';
      const heading = isHeading ? String(cell?.content ?? '') : '';
      width = Math.max(width, columnWidth(heading, isHeading ? [] : [cell], bounds));
    }
    widths.push(width);
  }
  return widths;
}

/** One row per metric, with the earlier value and the change if there is a comparison. */
function totalRows(
  { totals, facts }: ReportModel,
  now: Sums,
  comparison: Comparison | undefined,
): SheetCell[][] {
  const headings = ['Totals', comparison?.now ?? facts.get('Period') ?? ''];
  if (comparison) headings.push(comparison.before, 'Change');
  const before = comparison?.sums.total.totals();

  const rows = [headings.map((heading, i) => headingCell(heading, i > 0))];
  for (const { figure, label, change } of totals) {
    const row: SheetCell[] = [{ style: 'plain', content: label }, figureCell(figure, now)];
    if (before && change) row.push(figureCell(figure, before), changeCell(change));
    rows.push(row);
  }
  return rows;
}

/**
 * One row for each of the largest values of a breakdown, with the change of each metric. The main
 * metric has its earlier value too, which the chart draws.
 */
function breakdownRows(
  ranking: BreakdownRanking,
  figures: readonly Figure[],
  comparison: Comparison | undefined,
): SheetCell[][] {
  const { noun, figure, hasTooManyValues, topCount, groups, others, ended } = ranking;
  const title = printable(noun).replace(/^./, (letter) => letter.toUpperCase());
  if (hasTooManyValues) {
    return [
      [{ style: 'strong', content: title }],
      [noteCell('Too many different values to rank.')],
    ];
  }

  const inOrder = [figure, ...figures.filter((metric) => metric !== figure)];
  const rowOf = (group: RankedGroup): SheetCell[] => {
    const { sums, before, change } = group;
    const cells = nameCells(group);
    for (const metric of inOrder) {
      cells.push(figureCell(metric, sums));
      if (metric === figure && comparison) cells.push(figureCell(metric, before));
      const now = change?.direction === 'ended' ? undefined : sums;
      if (comparison) cells.push(changeCell(changeOf(metric, now, before)));
    }
    return cells;
  };

  const shown = [...groups.slice(0, topCount), ...(others ? [others] : [])];
  const rows = [...shown, ...ended.slice(0, topCount)].map(rowOf);
  const hasDetails = rows.some((row) => row[1]?.content !== '');
  const name = `Top ${topCount} ${topCount === 1 ? noun : pluralOf(noun)} by ${fieldLabel(figure.field)}`;
  const headings = [printable(name), hasDetails ? 'ID' : ''];
  for (const metric of inOrder) {
    headings.push(fieldLabel(metric.field));
    if (metric === figure && comparison) headings.push('Before');
    if (comparison) headings.push('Change');
  }
  return [headings.map((heading, i) => headingCell(heading, i > 1)), ...rows];
}

function nameCells({ shortName, detail }: RankedGroup): SheetCell[] {
  return [
    { style: 'plain', content: shortName },
    { style: 'plain', content: printable(detail) },
  ];
}

/** Colors a change by direction; `new` and `ended` remain text. */
function changeCell({ ratio, text, direction, isNeutral = false }: Change): SheetCell {
  if (ratio === undefined) return { style: 'right', content: text };
  if (isNeutral) return { style: 'change', content: ratio };
  if (direction === 'up') return { style: 'changeUp', content: ratio };
  return { style: direction === 'down' ? 'changeDown' : 'change', content: ratio };
}

function headingCell(content: string, isOfNumbers: boolean): SheetCell {
  return { style: isOfNumbers ? 'numberHeader' : 'header', content };
}

function figureCell(figure: Figure, sums: Sums | undefined): SheetCell {
  const value = sums && figureValue(figure, sums);
  if (value === undefined) return { style: 'right', content: '–' };

  const number = figure.type === 'percent' ? value / 100 : value;
  return { style: figure.type, content: Number(number.toPrecision(15)) };
}
