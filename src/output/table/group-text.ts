import { fieldTypeOf } from '../../contract/columns.ts';
import { formatCount } from '../../text/quantity.ts';
import { type Figure, figureText, figureValue, scaleText } from '../../view/figures.ts';
import type { GroupKey, KeyedSums, Sums } from '../../view/grouping.ts';

import { isName, type RankedGroups } from '../../view/ranked-groups.ts';
import { noName } from '../../view/report-sums.ts';
import { ColumnPlan } from '../columns.ts';
import type { TableLook } from '../encoder.ts';
import { keyCell, plainName, ReportTable } from '../formats/table.ts';
import { type Bar, barChart, lineChart } from './text-charts.ts';

/** Groups as a table: a line each, one for those beyond the top, one for all. */
export function groupTable(
  { all, figures, top, others }: RankedGroups,
  look: TableLook,
  note: (sentence: string) => void,
): string[] {
  const groups: KeyedSums[] = [...top];
  if (others) {
    // The line of the others is labelled in the column that names the groups.
    const labelled = all.by.find(({ field }) => isName(field)) ?? all.by[0];
    const key = all.by.map((each) => (each === labelled ? othersLabel(others.count) : null));
    groups.push({ key, sums: others.sums });
  }

  const selectedColumns = [...all.by, ...figures].map(({ field }) => field);
  const plan = new ColumnPlan({ selectedColumns });
  const fields = [...all.by.map(({ field }) => field), ...all.metrics];
  plan.settle(fields);

  const table = new ReportTable(plan, { table: look, note });
  return [...table.add(all.rowsOf(groups), fields), ...table.end()];
}

/** Groups as horizontal bars of one figure, under its name; of those beyond the top a line. */
export function groupBars(
  { all, top, others }: RankedGroups,
  figure: Figure,
  look: TableLook = {},
): string[] {
  const dash = look.unicode === false ? '-' : '–';
  const textOf = (sums: Sums) => figureText(figure, sums) ?? dash;
  const labelOf = labeller(all.by.map(({ field }) => field));

  const bars = top.map(({ key, sums }): Bar => {
    return { label: labelOf(key), value: figureValue(figure, sums) ?? 0, text: textOf(sums) };
  });
  const lines = [heading(figure, look), ...barChart(bars, look)];

  if (others) {
    const rest = `${othersLabel(others.count)}: ${textOf(others.sums)}`;
    lines.push(look.style?.dim(rest) ?? rest);
  }
  return lines;
}

/** What names a group in a line: its values, without an id beside a name, which would only take room. */
function labeller(fields: readonly string[]): (key: GroupKey) => string {
  const hasName = fields.some(isName);

  return (key) => {
    const texts: string[] = [];
    for (const [i, field] of fields.entries()) {
      const type = fieldTypeOf(field);
      if (hasName && type === 'id') continue;
      texts.push(keyCell(key[i] ?? null, type) ?? noName);
    }
    return texts.join(' ');
  };
}

/** Groups by time as a line of one figure, under its name; the groups are in the order of time. */
export function groupLine(
  { top, all }: RankedGroups,
  figure: Figure,
  look: TableLook = {},
): string[] {
  const timeType = fieldTypeOf(all.by[0]?.field ?? '');
  const times: string[] = [];
  for (const { key } of top) {
    const time = keyCell(key[0] ?? null, timeType);
    if (time !== null) times.push(time);
  }

  const line = {
    values: top.map(({ sums }) => figureValue(figure, sums) ?? 0),
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    textOf: (value: number) => scaleText(figure, value),
  };
  return [heading(figure, look), ...lineChart(line, look)];
}

function heading({ name }: Figure, { style, unicode }: TableLook): string {
  const text = plainName(name, unicode);
  return style?.bold(text) ?? text;
}

function othersLabel(count: number): string {
  return count === 1 ? '1 other' : `${formatCount(count)} others`;
}
