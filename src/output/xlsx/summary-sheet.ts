import { fieldLabel } from '../../contract/columns.ts';
import { printable } from '../../text/printable.ts';
import { endedGroups } from '../../view/ended-groups.ts';
import {
  type Change,
  type Comparison,
  changeOf,
  type Figure,
  figuresOf,
  figureValue,
  leadingFirst,
} from '../../view/figures.ts';
import type { Group, Sums } from '../../view/grouping.ts';
import { headlineOf } from '../../view/headline.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { columnWidth } from './column-width.ts';
import {
  headerRowXml,
  longestText,
  rowXml,
  type SheetCell,
  sheetBeginning,
  sheetEnd,
} from './workbook.ts';

const topCount = 10;

/** The widths of the columns in characters: of the names, of the ids or first figures, and of the others. */
const nameBounds = { least: 24, most: 60, oneLine: 48 };
const idBounds = { least: 24, most: 30 };
const figureBounds = { least: 14, most: 24 };

/** What stands above the sums of a report. */
export interface SummaryHead {
  readonly title: string;

  /** What is said of the report, by its names. */
  readonly facts: ReadonlyMap<string, SheetCell>;

  readonly notices: readonly string[];
}

/** The sheet with the totals of a report and the ten greatest values of each breakdown. */
export function summarySheet(
  { title, facts, notices }: SummaryHead,
  sums: ReportSums,
  comparison: Comparison | undefined,
): string {
  const { leading, others } = leadingFirst(figuresOf(sums.total.metrics));

  const rows: SheetCell[][] = [[{ style: 'title', content: title }]];
  const headline = headlineOf({ sums, lead: leading[0], comparison });
  if (headline !== undefined) rows.push([{ style: 'strong', content: `${printable(headline)}.` }]);
  for (const [name, cell] of facts) rows.push([{ style: 'note', content: name }, cell]);
  for (const notice of notices) rows.push([{ style: 'note', content: notice }]);
  rows.push([]);

  const tables = totalRows([...leading, ...others], sums.total.totals(), comparison);
  for (const unit of sums.units) {
    if (!unit.isTime) tables.push([], ...breakdownRows(unit, leading, comparison));
  }

  // What stands above the tables has the room of the empty cells beside it.
  const widths = widthsOf(tables);
  let xml = sheetBeginning(widths, 'summary');
  for (const [i, row] of [...rows, ...tables].entries()) {
    const cells = row.map(cutText);
    const isHeader = cells[0]?.style === 'header';
    xml += isHeader ? headerRowXml(i + 1, cells, widths) : rowXml(i + 1, cells);
  }
  return xml + sheetEnd('summary');
}

/** A cell with no more text than a cell holds: a list of filters, or a name whose characters were made visible. */
function cutText(cell: SheetCell): SheetCell {
  const { content } = cell;
  if (typeof content === 'number' || content.length <= longestText) return cell;
  return { ...cell, content: `${content.slice(0, longestText - 1)}…` };
}

/** The widths of the columns of some tables, one below the other. */
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

/** Each figure of the report in a row, with that of the earlier one and the change. */
function totalRows(
  figures: readonly Figure[],
  totals: Sums,
  comparison: Comparison | undefined,
): SheetCell[][] {
  const headings = ['Totals', comparison?.now ?? ''];
  if (comparison) headings.push(comparison.before, 'Change');
  const before = comparison?.sums.total.totals();

  const rows = [headings.map((heading, i) => headingCell(heading, i > 0))];
  for (const figure of figures) {
    const row: SheetCell[] = [
      { style: 'plain', content: fieldLabel(figure.field) },
      figureCell(figure, totals),
    ];
    if (before) {
      row.push(figureCell(figure, before), changeCell(changeOf(figure, totals, before)));
    }
    rows.push(row);
  }
  return rows;
}

/** The greatest values of a breakdown by the first figure, each in a row. */
function breakdownRows(
  unit: Unit,
  figures: readonly Figure[],
  comparison: Comparison | undefined,
): SheetCell[][] {
  const title = printable(nounOfUnit(unit)).replace(/^./, (letter) => letter.toUpperCase());
  const [lead] = figures;
  if (!unit.groups || !lead) {
    return [
      [{ style: 'strong', content: title }],
      [{ style: 'note', content: 'Too many different values to rank.' }],
    ];
  }

  const top = [...unit.groups].sort(byFigure(lead)).slice(0, topCount);
  const rows: SheetCell[][] = [];
  for (const group of top) {
    const row = nameCells(unit, group);
    for (const figure of figures) row.push(figureCell(figure, group.sums));
    if (comparison) {
      const before = comparison.sums.find(unit, group);
      row.push(figureCell(lead, before), changeCell(changeOf(lead, group.sums, before)));
    }
    rows.push(row);
  }
  if (comparison) rows.push(...endedRows(unit, figures, comparison));

  const hasDetails = rows.some((row) => row[1]?.content !== '');
  const headings = [`${title}: top ${top.length} by ${fieldLabel(lead.field)}`];
  headings.push(hasDetails ? 'ID' : '');
  for (const { field } of figures) headings.push(fieldLabel(field));
  if (comparison) headings.push('Before', 'Change');
  return [headings.map((heading, i) => headingCell(heading, i > 1)), ...rows];
}

/** The cells that name a group. */
function nameCells(unit: Unit, group: Pick<Group, 'key'>): SheetCell[] {
  const { name, detail } = nameOfGroup(unit.fields, group);
  return [
    { style: 'plain', content: printable(name) },
    { style: 'plain', content: printable(detail) },
  ];
}

/** What the earlier report has and this one has not, the greatest first. */
function endedRows(unit: Unit, figures: readonly Figure[], comparison: Comparison): SheetCell[][] {
  const [lead] = figures;
  if (!lead) return [];

  const rows: SheetCell[][] = [];
  for (const group of endedGroups(unit, comparison, lead).slice(0, topCount)) {
    rows.push([
      ...nameCells(unit, group),
      ...figures.map((): SheetCell => ({ style: 'right', content: '–' })),
      figureCell(lead, group.sums),
      changeCell(changeOf(lead, undefined, group.sums)),
    ]);
  }
  return rows;
}

/** A change as a number where it is one: `new` and `ended` are none. */
function changeCell({ ratio, text }: Change): SheetCell {
  if (ratio === undefined) return { style: 'right', content: text };
  return { style: 'change', content: ratio };
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
