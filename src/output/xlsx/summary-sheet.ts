import { fieldLabel } from '../../contract/columns.ts';
import { type Comparison, changeText } from '../../view/comparison.ts';
import { type FigureColumn, figuresOf, figureValue, leadingFirst } from '../../view/figure-columns.ts';
import type { Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type UnitSums } from '../../view/report-sums.ts';
import { headerRow, lettersOf, type StyleName, sheetBeginning, sheetEnd, styleOf, textCell } from './workbook.ts';

/** What the second sheet tells of a report. */
export interface Summary {
  readonly title: string;
  /** Pairs such as `Window` and `1–31 October 2026`. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** Sentences that a reader must know to read the numbers right. */
  readonly notices: readonly string[];
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

/** How many values of a breakdown are ranked. */
const topCount = 10;

type SummaryCell = { readonly style: StyleName; readonly content: string | number };

/** The sheet with the totals of a report and the ten greatest values of each breakdown. */
export function summarySheet({ title, facts, notices, sums, comparison }: Summary): string {
  const { leading, others } = leadingFirst(figuresOf(sums.total.metrics));
  const rows: SummaryCell[][] = [
    [{ style: 'title', content: title }],
    ...facts.map(([name, text]) => [
      { style: 'note' as const, content: name },
      { style: 'plain' as const, content: text },
    ]),
    ...notices.map((notice) => [{ style: 'note' as const, content: notice }]),
    [],
    ...totalRows([...leading, ...others], sums.total.totals(), comparison),
    ...sums.units
      .filter(({ unit }) => !unit.isTime)
      .flatMap((each) => [[], ...breakdownRows(each, leading, comparison)]),
  ];
  const widths = [44, 20, ...Array.from({ length: Math.max(2, leading.length + 1) }, () => 16)];
  const xml = rows.map((cells, r) => {
    const texts = cells.map(({ content }) => String(content));
    const begin = cells[0]?.style === 'header' ? headerRow(r + 1, texts, widths) : `<row r="${r + 1}">`;
    return `${begin}${cells.map((cell, c) => cellXml(cell, c, r + 1)).join('')}</row>`;
  });
  return sheetBeginning(widths, 0) + xml.join('') + sheetEnd(undefined, 'landscape');
}

function totalRows(
  figures: readonly FigureColumn[],
  totals: Sums,
  comparison: Comparison | undefined,
): SummaryCell[][] {
  const before = comparison?.sums.total.totals();
  const header = ['Totals', comparison?.now ?? '', ...(comparison ? [comparison.before, 'Change'] : [])];
  return [
    header.map((content, i) => ({ style: i === 0 ? 'header' : 'numberHeader', content })),
    ...figures.map((figure): SummaryCell[] => [
      { style: 'plain', content: fieldLabel(figure.field) },
      figureCell(figure, totals),
      ...(before ? [figureCell(figure, before), changeCell(figure, totals, before)] : []),
    ]),
  ];
}

function breakdownRows(
  { unit, groups }: UnitSums,
  figures: readonly FigureColumn[],
  comparison: Comparison | undefined,
): SummaryCell[][] {
  const [lead] = figures;
  const noun = nounOfUnit(unit);
  const title = noun.charAt(0).toUpperCase() + noun.slice(1);
  if (!groups || !lead) {
    return [[{ style: 'strong', content: title }], [{ style: 'note', content: 'Too many different values to rank.' }]];
  }
  const earlier = comparison?.sums.units.find((each) => nounOfUnit(each.unit) === noun)?.groups;
  const header = [
    `${title}: top ${Math.min(topCount, groups.size)} by ${fieldLabel(lead.field)}`,
    'ID',
    ...figures.map(({ field }) => fieldLabel(field)),
  ];
  const top = [...groups].sort(byFigure(lead)).slice(0, topCount);
  return [
    [...header, ...(comparison ? ['Change'] : [])].map((content, i) => ({
      style: i < 2 ? 'header' : 'numberHeader',
      content,
    })),
    ...top.map((group): SummaryCell[] => {
      const { name, detail } = nameOfGroup(unit.fields, group);
      const before = earlier?.find(group.key)?.sums;
      return [
        { style: 'plain', content: name },
        { style: 'plain', content: detail },
        ...figures.map((figure) => figureCell(figure, group.sums)),
        ...(comparison ? [changeCell(lead, group.sums, before)] : []),
      ];
    }),
  ];
}

function figureCell(figure: FigureColumn, sums: Sums): SummaryCell {
  const value = figureValue(figure, sums);
  if (value === undefined) return { style: 'right', content: '–' };
  return { style: figure.type, content: figure.type === 'percent' ? value / 100 : value };
}

function changeCell(figure: FigureColumn, now: Sums, before: Sums | undefined): SummaryCell {
  const text = changeText(figureValue(figure, now), before && figureValue(figure, before));
  return { style: 'right', content: text };
}

function cellXml({ style, content }: SummaryCell, column: number, row: number): string {
  const place = `<c r="${lettersOf(column)}${row}" s="${styleOf(style)}"`;
  if (typeof content === 'number') return `${place}><v>${Number(content.toPrecision(15))}</v></c>`;
  return content === '' ? `${place}/>` : place + textCell(content);
}
