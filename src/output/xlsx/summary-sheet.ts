import { fieldLabel } from '../../contract/columns.ts';
import {
  type Comparison,
  changeText,
  type Figure,
  figuresOf,
  figureValue,
  leadingFirst,
} from '../../view/figures.ts';
import type { Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { rowXml, type SheetCell, sheetBeginning, sheetEnd } from './workbook.ts';

const topCount = 10;

/** The sheet with the totals of a report and the ten greatest values of each breakdown; `facts` and `notices` stand above them. */
export function summarySheet(
  title: string,
  facts: readonly (readonly [name: string, text: string])[],
  notices: readonly string[],
  sums: ReportSums,
  comparison: Comparison | undefined,
): string {
  const { leading, others } = leadingFirst(figuresOf(sums.total.metrics));
  const units = sums.units.filter(({ isTime }) => !isTime);
  const rows: SheetCell[][] = [
    [['title', title]],
    ...facts.map(([name, text]): SheetCell[] => [
      ['note', name],
      ['plain', text],
    ]),
    ...notices.map((notice): SheetCell[] => [['note', notice]]),
    [],
    ...totalRows([...leading, ...others], sums.total.totals(), comparison),
    ...units.flatMap((each) => [[], ...breakdownRows(each, leading, comparison)]),
  ];
  const widths = [44, 20, ...Array.from({ length: Math.max(2, leading.length + 1) }, () => 16)];
  const xml = rows.map((cells, i) =>
    rowXml(i + 1, cells, cells[0]?.[0] === 'header' ? widths : undefined),
  );
  return sheetBeginning(widths, 0) + xml.join('') + sheetEnd(undefined);
}

function totalRows(
  figures: readonly Figure[],
  totals: Sums,
  comparison: Comparison | undefined,
): SheetCell[][] {
  const before = comparison?.sums.total.totals();
  const names = [
    'Totals',
    comparison?.now ?? '',
    ...(comparison ? [comparison.before, 'Change'] : []),
  ];
  return [
    names.map((name, i) => [i === 0 ? 'header' : 'numberHeader', name]),
    ...figures.map((figure): SheetCell[] => [
      ['plain', fieldLabel(figure.field)],
      figureCell(figure, totals),
      ...(before
        ? [figureCell(figure, before), ['right', changeText(figure, totals, before)] as const]
        : []),
    ]),
  ];
}

function breakdownRows(
  unit: Unit,
  figures: readonly Figure[],
  comparison: Comparison | undefined,
): SheetCell[][] {
  const { fields, groups } = unit;
  const [lead] = figures;
  const title = nounOfUnit(unit).replace(/^./, (letter) => letter.toUpperCase());
  if (!groups || !lead)
    return [[['strong', title]], [['note', 'Too many different values to rank.']]];
  const heading = `${title}: top ${Math.min(topCount, groups.size)} by ${fieldLabel(lead.field)}`;
  const names = [
    heading,
    'ID',
    ...figures.map(({ field }) => fieldLabel(field)),
    ...(comparison ? ['Change'] : []),
  ];
  const top = [...groups].sort(byFigure(lead)).slice(0, topCount);
  return [
    names.map((name, i) => [i < 2 ? 'header' : 'numberHeader', name]),
    ...top.map((group): SheetCell[] => {
      const { name, detail } = nameOfGroup(fields, group);
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

function figureCell(figure: Figure, sums: Sums): SheetCell {
  const value = figureValue(figure, sums);
  if (value === undefined) return ['right', '–'];
  return [figure.type, Number((figure.type === 'percent' ? value / 100 : value).toPrecision(15))];
}
