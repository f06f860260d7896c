import { fieldTypeOf } from '../../contract/columns.ts';
import { printable } from '../../text/printable.ts';
import { type Figure, figureText, figureValue, scaleText } from '../../view/figures.ts';
import type { Group, Sums } from '../../view/grouping.ts';
import { groupedText, hourText } from '../../view/number-text.ts';
import { isName, type RankedGroups } from '../../view/ranked-groups.ts';
import type { TableLook } from '../encoder.ts';
import { plainName, rankColumns } from '../formats/table.ts';
import { type CellText, clip, TableLayout } from './table-layout.ts';
import { barChart, lineChart } from './text-charts.ts';

/** Groups as a table: a line each, one for those beyond the top, one for all; and the columns it has no room for. */
export function groupTable(
  { keys, figures, shown, others, total, sortedBy }: RankedGroups,
  look: TableLook = {},
): { readonly lines: readonly string[]; readonly dropped: readonly string[] } {
  const cellsOf = (sums: Sums): CellText[] => figures.map((figure) => figureText(figure, sums));
  const rows = shown.map(({ key, sums }) => [...key.map((text, i) => keyCell(keys[i]?.field, text)), ...cellsOf(sums)]);
  const labelled = Math.max(
    0,
    keys.findIndex(({ field }) => isName(field)),
  );
  const sumRow = (label: string, sums: Sums): CellText[] => [
    ...keys.map((_, i) => (i === labelled ? label : undefined)),
    ...cellsOf(sums),
  ];
  const otherRow = others && sumRow(othersLabel(others.count), others.sums);
  const totalRow = keys.length > 0 && (shown.length > 1 || others) ? sumRow('total', total) : undefined;
  const every = [...rows, ...(otherRow ? [otherRow] : []), ...(totalRow ? [totalRow] : [])];
  const judged = [...keys, ...figures].map(({ field }, i) => {
    return { field, type: fieldTypeOf(field), numeric: i >= keys.length };
  });
  const ranks = rankColumns(judged, rows);
  const columns = judged.map(({ field, numeric, type }, i) => ({
    name: numeric ? plainName(figures[i - keys.length]?.name ?? '', look.unicode) : clip(printable(field)),
    numeric,
    rigid: type === 'date' || type === 'hour',
    // What was asked for by name tells the groups apart, even where all have one value; and the order must be seen.
    dispensable: field === sortedBy?.field ? 0.5 : numeric ? (ranks[i] ?? 0) : Math.min(ranks[i] ?? 0, 3),
    cells: every.map((row) => row[i]).concat(numeric ? [] : ['']),
  }));
  const layout = new TableLayout(columns, look);
  return {
    lines: [
      ...layout.head(),
      ...rows.map((row) => layout.line(row)),
      ...(otherRow ? [dimmed(layout.line(otherRow), look)] : []),
      ...(totalRow ? layout.foot(totalRow) : []),
    ],
    dropped: layout.dropped.map((index) => judged[index]?.field ?? ''),
  };
}

/** Groups as horizontal bars of one figure, under its name; of those beyond the top a line. */
export function groupBars({ keys, shown, others }: RankedGroups, figure: Figure, look: TableLook = {}): string[] {
  // An id before its name would only take room.
  const isNamed = keys.some(({ field }) => isName(field));
  const labelled = keys.flatMap(({ field }, i) => (isNamed && fieldTypeOf(field) === 'id' ? [] : [i]));
  const dash = look.unicode === false ? '-' : '–';
  const label = ({ key }: Group) => labelled.map((i) => keyCell(keys[i]?.field, key[i] ?? null) ?? dash).join(' ');
  const textOf = (sums: Sums) => figureText(figure, sums) ?? dash;
  const bars = shown.map((group) => {
    return { label: label(group), value: figureValue(figure, group.sums) ?? 0, text: textOf(group.sums) };
  });
  const rest = others ? [dimmed(`${othersLabel(others.count)}: ${textOf(others.sums)}`, look)] : [];
  return [heading(figure, look), ...barChart(bars, look), ...rest];
}

/** Groups by time as a line of one figure, under its name; the groups are in the order of time. */
export function groupLine({ shown, keys }: RankedGroups, figure: Figure, look: TableLook = {}): string[] {
  const times = shown.flatMap(({ key: [time] }) => keyCell(keys[0]?.field, time ?? null) ?? []);
  const line = {
    values: shown.map(({ sums }) => figureValue(figure, sums) ?? 0),
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    text: (value: number) => scaleText(figure, value),
  };
  return [heading(figure, look), ...lineChart(line, look)];
}

function heading({ name }: Figure, { style, unicode }: TableLook): string {
  const text = plainName(name, unicode);
  return style?.bold(text) ?? text;
}

function dimmed(text: string, { style }: TableLook): string {
  return style?.dim(text) ?? text;
}

function othersLabel(count: number): string {
  return count === 1 ? '1 other' : `${groupedText(String(count))} others`;
}

function keyCell(field: string | undefined, text: string | null): string | null {
  if (text === null) return null;
  return clip(printable(field !== undefined && fieldTypeOf(field) === 'hour' ? hourText(text) : text));
}
