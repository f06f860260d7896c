import { fieldTypeOf } from '../../contract/columns.ts';
import { printable } from '../../text/printable.ts';
import { type FigureColumn, figureText, figureValue, scaleText } from '../../view/figure-columns.ts';
import type { Group, Sums } from '../../view/grouping.ts';
import { groupedText, hourText } from '../../view/number-text.ts';
import { isName, type RankedGroups } from '../../view/ranked-groups.ts';
import type { TableLook } from '../encoder.ts';
import { plainName, rankColumns } from './report-table.ts';
import { type CellText, clip, TableLayout } from './table-layout.ts';
import { type Bar, barChart, lineChart } from './text-charts.ts';

/** Groups as a table: a line each, one for those beyond the top, one for all; and the columns it has no room for. */
export function groupTable(
  { keys, figures, shown, others, total, sortField }: RankedGroups,
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
    const distinct = new Set(rows.map((row) => row[i])).size;
    return { field, type: fieldTypeOf(field), numeric: i >= keys.length, distinct };
  });
  const ranks = rankColumns(judged);
  const names = [
    ...keys.map(({ field }) => clip(printable(field))),
    ...figures.map(({ name }) => plainName(name, look.unicode)),
  ];
  const columns = judged.map(({ field, numeric, type }, i) => ({
    name: names[i] ?? '',
    numeric,
    rigid: type === 'date' || type === 'hour',
    // What was asked for by name tells the groups apart, even where all have one value; and the order must be seen.
    dispensable: field === sortField ? 0.5 : numeric ? (ranks[i] ?? 0) : Math.min(ranks[i] ?? 0, 3),
    cells: every.map((row) => row[i]).concat(numeric ? [] : ['']),
  }));
  const layout = new TableLayout(columns, look);
  const other = otherRow ? [dimmed(layout.line(otherRow), look)] : [];
  const end = totalRow ? [layout.rule(), bold(layout.line(totalRow), look)] : [];
  return {
    lines: [...layout.head(), ...rows.map((row) => layout.line(row)), ...other, ...end],
    dropped: layout.dropped.map((index) => judged[index]?.field ?? ''),
  };
}

/** Groups as horizontal bars of one figure, under its name; of those beyond the top a line. */
export function groupBars(groups: RankedGroups, figure: FigureColumn, look: TableLook = {}): string[] {
  const { keys, shown, others } = groups;
  // An id before its name would only take room.
  const isNamed = keys.some(({ field }) => isName(field));
  const labelled = keys.flatMap(({ field }, i) => (isNamed && fieldTypeOf(field) === 'id' ? [] : [i]));
  const dash = look.unicode === false ? '-' : '–';
  const label = ({ key }: Group) => labelled.map((i) => keyCell(keys[i]?.field, key[i] ?? null) ?? dash).join(' ');
  const shownText = (sums: Sums) => figureText(figure, sums) ?? '–';
  const bars = shown.map((group): Bar => {
    return { label: label(group), value: figureValue(figure, group.sums), text: shownText(group.sums) };
  });
  const note = others && `${othersLabel(others.count)}: ${shownText(others.sums)}`;
  return [
    bold(plainName(figure.name, look.unicode), look),
    ...barChart(bars, look),
    ...(note === undefined ? [] : [dimmed(note, look)]),
  ];
}

/** Groups by time as a line of one figure, under its name; the groups are in the order of time. */
export function groupLine({ shown, keys }: RankedGroups, figure: FigureColumn, look: TableLook = {}): string[] {
  const times = shown.flatMap(({ key: [time] }) => keyCell(keys[0]?.field, time ?? null) ?? []);
  const line = {
    values: shown.map(({ sums }) => figureValue(figure, sums) ?? 0),
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    text: (value: number) => scaleText(figure, value),
  };
  return [bold(plainName(figure.name, look.unicode), look), ...lineChart(line, look)];
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

function keyCell(field: string | undefined, text: string | null): string | null {
  if (text === null) return null;
  return clip(printable(field !== undefined && fieldTypeOf(field) === 'hour' ? hourText(text) : text));
}
