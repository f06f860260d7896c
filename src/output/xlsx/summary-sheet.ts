import { fieldLabel } from '../../contract/columns.ts';
import { type Comparison, changeText, type Figure, figuresOf, figureValue, leadingFirst } from '../../view/figures.ts';
import type { Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type UnitSums } from '../../view/report-sums.ts';
import { headerRow, lettersOf, type StyleName, sheetBeginning, sheetEnd, styleOf, textCell } from './workbook.ts';

/** What the second sheet tells of a report. */
export interface Summary {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, text: string])[];
  readonly notices: readonly string[];
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

const topCount = 10;

type SummaryCell = readonly [style: StyleName, content: string | number];

/** The sheet with the totals of a report and the ten greatest values of each breakdown. */
export function summarySheet({ title, facts, notices, sums, comparison }: Summary): string {
  const { leading, others } = leadingFirst(figuresOf(sums.total.metrics));
  const units = sums.units.filter(({ unit }) => !unit.isTime);
  const rows: (readonly SummaryCell[])[] = [
    [['title', title]],
    ...facts.map(([name, text]): SummaryCell[] => [
      ['note', name],
      ['plain', text],
    ]),
    ...notices.map((notice): SummaryCell[] => [['note', notice]]),
    [],
    ...totalRows([...leading, ...others], sums.total.totals(), comparison),
    ...units.flatMap((each) => [[], ...breakdownRows(each, leading, comparison)]),
  ];
  const widths = [44, 20, ...Array.from({ length: Math.max(2, leading.length + 1) }, () => 16)];
  const xml = rows.map((cells, r) => {
    const texts = cells.map(([, content]) => String(content));
    const begin = cells[0]?.[0] === 'header' ? headerRow(r + 1, texts, widths) : `<row r="${r + 1}">`;
    return `${begin}${cells.map((cell, c) => cellXml(cell, `${lettersOf(c)}${r + 1}`)).join('')}</row>`;
  });
  return sheetBeginning(widths, 0) + xml.join('') + sheetEnd(undefined);
}

function totalRows(figures: readonly Figure[], totals: Sums, comparison: Comparison | undefined): SummaryCell[][] {
  const before = comparison?.sums.total.totals();
  const names = ['Totals', comparison?.now ?? '', ...(comparison ? [comparison.before, 'Change'] : [])];
  return [
    names.map((name, i) => [i === 0 ? 'header' : 'numberHeader', name]),
    ...figures.map((figure): SummaryCell[] => [
      ['plain', fieldLabel(figure.field)],
      figureCell(figure, totals),
      ...(before ? [figureCell(figure, before), ['right', changeText(figure, totals, before)] as const] : []),
    ]),
  ];
}

function breakdownRows(
  { unit, groups }: UnitSums,
  figures: readonly Figure[],
  comparison: Comparison | undefined,
): SummaryCell[][] {
  const [lead] = figures;
  const title = nounOfUnit(unit).replace(/^./, (letter) => letter.toUpperCase());
  if (!groups || !lead) return [[['strong', title]], [['note', 'Too many different values to rank.']]];
  const heading = `${title}: top ${Math.min(topCount, groups.size)} by ${fieldLabel(lead.field)}`;
  const names = [heading, 'ID', ...figures.map(({ field }) => fieldLabel(field)), ...(comparison ? ['Change'] : [])];
  const top = [...groups].sort(byFigure(lead)).slice(0, topCount);
  return [
    names.map((name, i) => [i < 2 ? 'header' : 'numberHeader', name]),
    ...top.map((group): SummaryCell[] => {
      const { name, detail } = nameOfGroup(unit.fields, group);
      const change = comparison && changeText(lead, group.sums, comparison.sums.find(unit, group));
      return [
        ['plain', name],
        ['plain', detail],
        ...figures.map((figure) => figureCell(figure, group.sums)),
        ...(change ? [['right', change] as const] : []),
      ];
    }),
  ];
}

function figureCell(figure: Figure, sums: Sums): SummaryCell {
  const value = figureValue(figure, sums);
  if (value === undefined) return ['right', '–'];
  return [figure.type, figure.type === 'percent' ? value / 100 : value];
}

function cellXml([style, content]: SummaryCell, place: string): string {
  const begin = `<c r="${place}" s="${styleOf(style)}"`;
  if (typeof content === 'number') return `${begin}><v>${Number(content.toPrecision(15))}</v></c>`;
  return content === '' ? `${begin}/>` : begin + textCell(content);
}
