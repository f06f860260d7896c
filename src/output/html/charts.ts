import { metricOfField } from '../../contract/columns.ts';
import { type DerivedMetric, derivedMetrics, deriveMetrics } from '../../contract/derived.ts';
import { printable } from '../../text/printable.ts';
import type { Group, Sums } from '../../view/aggregate.ts';
import { addDecimals as addSums, sumOfMetric } from '../../view/aggregate.ts';
import { DecimalSum } from '../../view/decimal-sum.ts';
import type { TimeAxis } from '../../view/time-axis.ts';
import type { PlannedColumn } from '../columns.ts';
import { derivedText, groupedText } from '../table/cell-texts.ts';
import { type Bar, drawBars, type Ranking } from './bar-chart.ts';
import { currencyOf, labelOf } from './labels.ts';
import { showNumber } from './number-text.ts';
import { drawTimeChart, type TimeSeries } from './time-chart.ts';
import type { UnitSums } from './unit-sums.ts';

/** How many bars a breakdown gets; the others are added up. */
const mostBars = 10;

/** A number of a page as it is shown, and what it is called. */
export interface Figure {
  readonly label: string;
  readonly text: string;
  readonly hint: string;
}

/**
 * The totals of the metrics, then what derives from them.
 * @param isEmpty whether the report has no rows: the sums are zero then, where otherwise they are not known
 */
export function totalFigures(metrics: readonly PlannedColumn[], totals: Sums, isEmpty: boolean): Figure[] {
  const sums = metrics.map((column) => {
    const sum = totals.get(column.field)?.toString() ?? (isEmpty ? '0' : undefined);
    return {
      label: labelOf(column.field),
      text: sum === undefined ? '–' : showSum(column, sum),
      hint: metricOfField(column.field)?.meaning ?? '',
    };
  });
  return [
    ...sums,
    ...derivedOf(metrics, totals).map(({ metric, value }) => ({
      label: metric.name,
      text: showDerived(metric, value),
      hint: metric.meaning,
    })),
  ];
}

/** The charts of every metric and derived metric over time, and their numbers for the page's script. */
export function timeCharts(
  metrics: readonly PlannedColumn[],
  { step, labels, marks, slots }: TimeAxis,
): { html: string; numbers: (string | null)[][] } {
  const sums = slots.map((groups) => addSums(groups.map((group) => group.sums)));
  const derived = sums.map((sum) => derivedOf(metrics, sum));
  const series: TimeSeries[] = [
    ...metrics.map((column) => ({
      label: labelOf(column.field),
      values: sums.map((sum) => sum.get(column.field)?.toNumber()),
      currency: currencyOf(column.field),
      percent: false,
      show: (value: number) => showSum(column, String(value)),
    })),
    ...derivedMetrics
      .filter(({ name }) => derived.some((found) => found.some(({ metric }) => metric.name === name)))
      .map((metric) => ({
        label: metric.name,
        values: derived.map((found) => found.find((each) => each.metric.name === metric.name)?.value),
        currency: currencyOf(metric.numerator),
        percent: metric.unit === 'percent',
        show: (value: number) => showDerived(metric, value),
      })),
  ]
    .filter(({ values }) => values.some((value) => value !== undefined))
    .map((each) => ({ ...each, step, labels, marks }));
  return {
    html: series.map(drawTimeChart).join(''),
    numbers: series.map(({ values, show }) => values.map((value) => (value === undefined ? null : show(value)))),
  };
}

/**
 * The rankings of a breakdown's values, one by each metric; that of `lead` is the one to be seen first.
 * @param totals the sums of all rows, which are those of all values
 */
export function rankings(
  { unit, groups = [] }: UnitSums,
  metrics: readonly PlannedColumn[],
  totals: Sums,
  lead: number,
): string {
  const tops = metrics.map((): Top => ({ count: 0, best: [] }));
  for (const { key, sums } of groups) {
    for (const [i, { field }] of metrics.entries()) {
      const sum = sums.get(field);
      const top = tops[i];
      if (sum && top) enter(top, { key, sum, value: sum.toNumber() });
    }
  }
  const drawn = tops.map((top, i) => {
    const column = metrics[i];
    const total = column && totals.get(column.field);
    return total ? drawBars(rank(unit.fields, top, column, total), i, i === lead) : '';
  });
  return drawn.join('');
}

interface Contender {
  readonly key: Group['key'];
  readonly sum: DecimalSum;
  readonly value: number;
}

interface Top {
  /** How many values have a sum. */
  count: number;
  /** The greatest of them, in order; of equals the first come. */
  readonly best: Contender[];
}

function enter(top: Top, contender: Contender): void {
  const { best } = top;
  top.count++;
  // One more than the bars: "1 other" would take as much room as that one itself.
  if (best.length > mostBars && contender.value <= (best.at(-1)?.value ?? 0)) return;
  const place = best.findIndex(({ value }) => value < contender.value);
  best.splice(place < 0 ? best.length : place, 0, contender);
  if (best.length > mostBars + 1) best.pop();
}

/** The metric to rank by first: what was earned, else the first there is. */
export function leadOf(metrics: readonly PlannedColumn[]): number {
  return Math.max(
    0,
    metrics.findIndex(({ type }) => type === 'money'),
  );
}

function rank(fields: readonly string[], { count, best }: Top, column: PlannedColumn, total: DecimalSum): Ranking {
  const shown = best.slice(0, count > mostBars + 1 ? mostBars : count);
  const rest = new DecimalSum();
  rest.addSum(total);
  for (const { sum } of shown) rest.subtractSum(sum);
  return {
    bars: shown.map(({ key, sum, value }): Bar => {
      return { ...nameOf(fields, key), value, text: showSum(column, sum.toString()) };
    }),
    rest: { count: count - shown.length, value: rest.toNumber(), text: showSum(column, rest.toString()) },
    total: total.toNumber(),
  };
}

/** A group's name, and beside it what else is known of it: of a campaign its id. */
function nameOf(fields: readonly string[], key: Group['key']): { name: string; detail: string } {
  const values = fields.flatMap((field, i) => {
    const value = key[i];
    return value === null || value === undefined || value === '' ? [] : [{ field, value: printable(value) }];
  });
  const named = values.find(({ field }) => /name$/i.test(field)) ?? values[0];
  const details = values.filter((each) => each !== named).map(({ value }) => value);
  return { name: named?.value ?? '–', detail: details[0] ?? '' };
}

/** What derives from the sums of the metrics that are shown: one left out does not come in by its quotient. */
function derivedOf(metrics: readonly PlannedColumn[], sums: Sums): { metric: DerivedMetric; value: number }[] {
  const shown = [...sums].filter(([field]) => metrics.some((column) => column.field === field));
  return deriveMetrics(sumOfMetric(new Map(shown)));
}

function showSum(column: PlannedColumn, number: string): string {
  return withCurrency(showNumber(number, column.type === 'money' ? 'money' : 'integer'), currencyOf(column.field));
}

function showDerived(metric: DerivedMetric, value: number): string {
  const text = groupedText(derivedText(metric, value));
  return metric.unit === 'percent' ? text : withCurrency(text, currencyOf(metric.numerator));
}

function withCurrency(number: string, sign: string): string {
  return number.startsWith('-') ? `-${sign}${number.slice(1)}` : sign + number;
}
