import { fieldTypeOf } from '../../contract/columns.ts';
import { type Figure, figureText, figureValue, scaleText } from '../../view/figures.ts';
import type { Group, Sums } from '../../view/grouping.ts';
import { groupedText } from '../../view/numbers.ts';
import { isName, type RankedGroups } from '../../view/ranked-groups.ts';
import { ColumnPlan } from '../columns.ts';
import type { TableLook } from '../encoder.ts';
import { keyCell, plainName, ReportTable } from '../formats/table.ts';
import { barChart, lineChart } from './text-charts.ts';

/** Groups as a table: a line each, one for those beyond the top, one for all. */
export function groupTable(
  { all, figures, shown, others }: RankedGroups,
  look: TableLook,
  note: (sentence: string) => void,
): string[] {
  const plan = new ColumnPlan({
    selectedColumns: [...all.by, ...figures].map(({ field }) => field),
  });
  const labelled = all.by.find(({ field }) => isName(field)) ?? all.by[0];
  const label = (each: unknown) => (others && each === labelled ? othersLabel(others.count) : null);
  const rest = others ? [{ key: all.by.map(label), sums: others.sums }] : [];
  const fields = [...all.by.map(({ field }) => field), ...all.metrics];
  plan.settle(fields);
  const table = new ReportTable(plan, { table: look, note });
  return [...table.add(all.rowsOf([...shown, ...rest]), fields), ...table.end()];
}

/** Groups as horizontal bars of one figure, under its name; of those beyond the top a line. */
export function groupBars(
  { all: { by: keys }, shown, others }: RankedGroups,
  figure: Figure,
  look: TableLook = {},
): string[] {
  // An id before its name would only take room.
  const isNamed = keys.some(({ field }) => isName(field));
  const labelled = keys.flatMap(({ field }, i) =>
    isNamed && fieldTypeOf(field) === 'id' ? [] : [i],
  );
  const typeOf = (i: number) => fieldTypeOf(keys[i]?.field ?? '');
  const dash = look.unicode === false ? '-' : '–';
  const label = ({ key }: Group) =>
    labelled.map((i) => keyCell(key[i] ?? null, typeOf(i)) ?? dash).join(' ');
  const textOf = (sums: Sums) => figureText(figure, sums) ?? dash;
  const bars = shown.map((group) => {
    return {
      label: label(group),
      value: figureValue(figure, group.sums) ?? 0,
      text: textOf(group.sums),
    };
  });
  const rest = others ? [`${othersLabel(others.count)}: ${textOf(others.sums)}`] : [];
  return [
    heading(figure, look),
    ...barChart(bars, look),
    ...rest.map((text) => look.style?.dim(text) ?? text),
  ];
}

/** Groups by time as a line of one figure, under its name; the groups are in the order of time. */
export function groupLine(
  { shown, all: { by: keys } }: RankedGroups,
  figure: Figure,
  look: TableLook = {},
): string[] {
  const times = shown.flatMap(
    ({ key: [time] }) => keyCell(time ?? null, fieldTypeOf(keys[0]?.field ?? '')) ?? [],
  );
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

function othersLabel(count: number): string {
  return count === 1 ? '1 other' : `${groupedText(String(count))} others`;
}
