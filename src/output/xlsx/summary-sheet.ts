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
import type { Sums } from '../../view/grouping.ts';
import { headlineOf } from '../../view/headline.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { headerRowXml, rowXml, type SheetCell, sheetBeginning, sheetEnd } from './workbook.ts';

const topCount = 10;

/** In characters: of the names, of the ids or first figures, and of the other figures. */
const nameWidth = 44;
const idWidth = 20;
const figureWidth = 16;

/** What stands above the sums of a report. */
export interface SummaryHead {
  readonly title: string;

  /** What is said of the report, by its names. */
  readonly facts: ReadonlyMap<string, string>;

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
  for (const [name, text] of facts) {
    rows.push([
      { style: 'note', content: name },
      { style: 'plain', content: text },
    ]);
  }
  for (const notice of notices) rows.push([{ style: 'note', content: notice }]);

  rows.push([], ...totalRows([...leading, ...others], sums.total.totals(), comparison));
  for (const unit of sums.units) {
    if (!unit.isTime) rows.push([], ...breakdownRows(unit, leading, comparison));
  }

  const figureColumns = Math.max(2, leading.length + 2);
  const widths = [nameWidth, idWidth, ...Array.from({ length: figureColumns }, () => figureWidth)];
  const rowTexts = rows.map((cells, i) => {
    const isHeader = cells[0]?.style === 'header';
    return isHeader ? headerRowXml(i + 1, cells, widths) : rowXml(i + 1, cells);
  });
  return sheetBeginning(widths, false) + rowTexts.join('') + sheetEnd(undefined);
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
  const title = nounOfUnit(unit).replace(/^./, (letter) => letter.toUpperCase());
  const [lead] = figures;
  if (!unit.groups || !lead) {
    return [
      [{ style: 'strong', content: title }],
      [{ style: 'note', content: 'Too many different values to rank.' }],
    ];
  }

  const count = Math.min(topCount, unit.groups.size);
  const headings = [`${title}: top ${count} by ${fieldLabel(lead.field)}`, 'ID'];
  for (const { field } of figures) headings.push(fieldLabel(field));
  if (comparison) headings.push('Before', 'Change');

  const rows = [headings.map((heading, i) => headingCell(heading, i > 1))];
  const top = [...unit.groups].sort(byFigure(lead)).slice(0, topCount);
  for (const group of top) {
    const { name, detail } = nameOfGroup(unit.fields, group);
    const row: SheetCell[] = [
      { style: 'plain', content: name },
      { style: 'plain', content: detail },
    ];
    for (const figure of figures) row.push(figureCell(figure, group.sums));
    if (comparison) {
      const before = comparison.sums.find(unit, group);
      row.push(figureCell(lead, before), changeCell(changeOf(lead, group.sums, before)));
    }
    rows.push(row);
  }
  if (comparison) rows.push(...endedRows(unit, figures, comparison));
  return rows;
}

/** What the earlier report has and this one has not, the greatest first. */
function endedRows(unit: Unit, figures: readonly Figure[], comparison: Comparison): SheetCell[][] {
  const [lead] = figures;
  if (!lead) return [];

  const rows: SheetCell[][] = [];
  for (const group of endedGroups(unit, comparison, lead).slice(0, topCount)) {
    const { name, detail } = nameOfGroup(unit.fields, group);
    rows.push([
      { style: 'plain', content: name },
      { style: 'plain', content: detail },
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
