import { fieldTypeOf } from '../contract/columns.ts';
import type { TableLook } from '../output/encoder.ts';
import { derivedName, derivedText, groupedText, hourText } from '../output/table/cell-texts.ts';
import { rankColumns } from '../output/table/column-worth.ts';
import { type Cell, layOut, tableHead, tableLine, tableRule } from '../output/table/table-layout.ts';
import { type Bar, barChart, lineChart } from '../output/table/text-charts.ts';
import { printable } from '../text/printable.ts';
import type { Sums } from './aggregate.ts';
import { digitsOfFigure, type RankedGroup, type RankedGroups, valueOfFigure } from './ranked-groups.ts';
import type { FigureColumn } from './view-columns.ts';

/** Lines for people, each fit for a terminal. */
interface GroupTable {
  readonly lines: readonly string[];
  /** Names of columns for which there was no room. */
  readonly dropped: readonly string[];
}

/** Groups as a table: a line each, one for those beyond the top, one for all. */
export function groupTable(groups: RankedGroups, look: TableLook = {}): GroupTable {
  const { keys, figures, shown, others, total } = groups;
  const rows = shown.map(({ key, sums }) => [
    ...key.map((text, i) => keyText(keys[i]?.field, text)),
    ...cellsOf(figures, sums),
  ]);
  const labelled = Math.max(
    0,
    keys.findIndex(({ field }) => fieldTypeOf(field) === 'text'),
  );
  const sumRow = (label: string, sums: Sums): Cell[] => [
    ...keys.map((_, i) => (i === labelled ? label : undefined)),
    ...cellsOf(figures, sums),
  ];
  const otherRow = others && sumRow(othersLabel(others.count), others.sums);
  const totalRow = keys.length > 0 && (shown.length > 1 || others) ? sumRow('total', total) : undefined;
  const every = [...rows, ...(otherRow ? [otherRow] : []), ...(totalRow ? [totalRow] : [])];
  const judged = [...keys, ...figures].map(({ field }, i) => {
    const distinct = new Set(rows.map((row) => row[i])).size;
    return { field, type: fieldTypeOf(field), numeric: i >= keys.length, distinct };
  });
  const ranks = rankColumns(judged);
  const names = [...keys.map(({ field }) => printable(field)), ...figures.map((figure) => nameOf(figure, look))];
  const columns = judged.map(({ field, numeric, type }, i) => ({
    name: names[i] ?? '',
    numeric,
    rigid: type === 'date' || type === 'hour',
    // What was asked for by name tells the groups apart, even where all have one value; and the order must be seen.
    dispensable: field === groups.sortField ? 0.5 : numeric ? (ranks[i] ?? 0) : Math.min(ranks[i] ?? 0, 3),
    cells: every.map((row) => row[i]).concat(numeric ? [] : ['']),
  }));
  const layout = layOut(columns, look.columns);
  const line = (row: readonly Cell[]) =>
    tableLine(
      layout.columns.map(({ index }) => row[index]),
      layout.columns,
      look,
    );
  const other = otherRow ? [dimmed(line(otherRow), look)] : [];
  const end = totalRow ? [tableRule(layout.columns, look), bold(line(totalRow), look)] : [];
  return {
    lines: [...tableHead(layout.columns, look), ...rows.map(line), ...other, ...end],
    dropped: layout.dropped.map((index) => judged[index]?.field ?? ''),
  };
}

/** Groups as horizontal bars of one figure, under its name; of those beyond the top a line. */
export function groupBars(groups: RankedGroups, figure: FigureColumn, look: TableLook = {}): string[] {
  const { keys, shown, others } = groups;
  // An id before its name would only take room.
  const isNamed = keys.some(({ field }) => fieldTypeOf(field) === 'text');
  const labelled = keys.flatMap(({ field }, i) => (isNamed && fieldTypeOf(field) === 'id' ? [] : [i]));
  const label = ({ key }: RankedGroup) =>
    labelled.map((i) => keyText(keys[i]?.field, key[i] ?? null) ?? (look.unicode === false ? '-' : '–')).join(' ');
  const bars = shown.map((group): Bar => ({ label: label(group), ...valueAndText(figure, group.sums) }));
  const note = others && `${othersLabel(others.count)}: ${valueAndText(figure, others.sums).text}`;
  return [
    bold(nameOf(figure, look), look),
    ...barChart(bars, look),
    ...(note === undefined ? [] : [dimmed(note, look)]),
  ];
}

/** Groups by time as a line of one figure, under its name; the groups are in the order of time. */
export function groupLine(groups: RankedGroups, figure: FigureColumn, look: TableLook = {}): string[] {
  const { shown, keys } = groups;
  const times = shown.flatMap(({ key: [time] }) => keyText(keys[0]?.field, time ?? null) ?? []);
  const lines = lineChart(
    {
      values: shown.map(({ sums }) => valueOfFigure(figure, sums) ?? 0),
      from: times[0] ?? '',
      to: times.at(-1) ?? '',
      text: (value) => scaleText(figure, value),
    },
    look,
  );
  return [bold(nameOf(figure, look), look), ...lines];
}

function bold(text: string, { style }: TableLook): string {
  return style?.bold(text) ?? text;
}

function dimmed(text: string, { style }: TableLook): string {
  return style?.dim(text) ?? text;
}

function othersLabel(count: number): string {
  return count === 1 ? '1 other' : `${groupedText(String(count))} others`;
}

function keyText(field: string | undefined, text: string | null): string | null {
  if (text === null) return null;
  return field !== undefined && fieldTypeOf(field) === 'hour' ? hourText(printable(text)) : printable(text);
}

function cellsOf(figures: readonly FigureColumn[], sums: Sums): Cell[] {
  return figures.map((figure) => textOf(figure, sums));
}

/** A figure as a table shows it. */
function textOf(figure: FigureColumn, sums: Sums): string | null {
  if (figure.kind === 'sum') return digitsOfFigure(figure, sums);
  const value = valueOfFigure(figure, sums);
  return value === undefined ? null : derivedText(figure.metric, value);
}

function valueAndText(figure: FigureColumn, sums: Sums) {
  return { value: valueOfFigure(figure, sums), text: groupedText(textOf(figure, sums) ?? '–') };
}

function scaleText(figure: FigureColumn, value: number): string {
  if (figure.kind === 'derived') return derivedText(figure.metric, value);
  return groupedText(fieldTypeOf(figure.field) === 'money' ? value.toFixed(2) : String(Math.round(value)));
}

function nameOf(figure: FigureColumn, { unicode }: TableLook): string {
  return figure.kind === 'derived' ? derivedName(figure.metric, unicode) : printable(figure.field);
}
