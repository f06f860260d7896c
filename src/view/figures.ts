import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { Row } from '../rows/row-batch.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import type { Sums } from './grouping.ts';
import { groupedText, moneyText, numberIn } from './numbers.ts';
import type { ReportSums } from './report-sums.ts';

/** What is read of a group or a report: the sum of a metric, or what two sums give. */
export interface Figure {
  readonly field: string;
  /** What the terminal calls it: its field, or `eCPM €`. */
  readonly name: string;
  readonly type: 'integer' | 'money' | 'percent';
  /** Present where the figure is computed from sums: how, and from those of which row fields. */
  readonly derived?: DerivedMetric & { readonly over: string; readonly under: string };
}

/** An earlier report, whose figures stand beside those of this one. */
export interface Comparison {
  readonly sums: ReportSums;
  readonly now: string;
  readonly before: string;
  readonly notices: readonly string[];
}

/** The sums and what derives from them, for row fields that are metrics, in their order. */
export function figuresOf(fields: readonly string[]): Figure[] {
  const metrics = fields.filter((field) => metricOfField(field));
  const derived = derivedMetrics.flatMap(({ field }) => derivedFigure(field, metrics) ?? []);
  return [
    ...metrics.map((field): Figure => {
      return { field, name: field, type: fieldTypeOf(field) === 'money' ? 'money' : 'integer' };
    }),
    ...derived,
  ];
}

/** The derived metric of that name, computed from the given row fields; `undefined` where it is none, or they lack one. */
export function derivedFigure(name: string, fields: readonly string[]): Figure | undefined {
  const metric = derivedMetrics.find(({ field }) => field === name);
  const fieldOf = (wanted: string) => fields.find((field) => metricOfField(field)?.name === wanted);
  const [over, under] = [
    metric && fieldOf(metric.numerator),
    metric && fieldOf(metric.denominator),
  ];
  if (!metric || over === undefined || under === undefined) return undefined;
  const type = metric.unit === 'percent' ? 'percent' : 'money';
  return { field: name, name: metric.name, type, derived: { ...metric, over, under } };
}

/** The figures that lead (revenue, displays, clicks, CTR), in that order, and the others in their own. */
export function leadingFirst(figures: readonly Figure[]): { leading: Figure[]; others: Figure[] } {
  // Dollars lead only where there are no euros.
  const revenue = figures.some(({ field }) => field === 'revenueEuro')
    ? 'revenueEuro'
    : 'revenueDollar';
  const leading = [revenue, 'displays', 'clicks', 'ctr'].flatMap((name) =>
    figures.filter(({ field }) => (metricOfField(field)?.name ?? field) === name),
  );
  const others = figures.filter((figure) => !leading.includes(figure));
  return leading.length > 0
    ? { leading, others }
    : { leading: others.slice(0, 1), others: others.slice(1) };
}

/** A figure of some sums as the number nearest to it, a rate in percent; `undefined` where they do not give it. */
export function figureValue({ field, derived }: Figure, sums: Sums): number | undefined {
  const [over, under = Number.NaN] = (derived ? [derived.over, derived.under] : [field]).map(
    (name) => sums.get(name),
  );
  if (!derived || over === undefined) return over === undefined ? undefined : Number(over);
  return Number(under) ? (derived.factor * Number(over)) / Number(under) : undefined;
}

export function sumsOfRow(row: Row): Sums {
  return { get: (field) => numberIn(row[field]) ?? undefined };
}

/** A derived figure as a file holds it: six decimals, a rate as a plain fraction; `null` where there is none. */
export function derivedNumber(figure: Figure, sums: Sums): number | null {
  const value = figureValue(figure, sums);
  return value === undefined
    ? null
    : Number((figure.type === 'percent' ? value / 100 : value).toFixed(6));
}

/** A figure in full, for programs: every digit of a sum, or what is derived; `null` where there is none. */
export function figureDigits(figure: Figure, sums: Sums): string | null {
  const value = figure.derived ? derivedNumber(figure, sums) : (sums.get(figure.field) ?? null);
  if (value === null) return null;
  return figure.type === 'money' && !figure.derived ? moneyText(String(value)) : String(value);
}

/** A figure as people read it, every digit of a sum: `48,665.12`, `1.94%`; `null` where there is none. */
export function figureText(figure: Figure, sums: Sums): string | null {
  if (!figure.derived) {
    const digits = figureDigits(figure, sums);
    return digits && groupedText(digits);
  }
  const value = figureValue(figure, sums);
  return value === undefined ? null : scaleText(figure, value);
}

/** A value on a scale of a figure, rounded as people read it. */
export function scaleText({ type }: Figure, value: number): string {
  if (type === 'integer') return groupedText(String(Math.round(value)));
  return groupedText(value.toFixed(2)) + (type === 'percent' ? '%' : '');
}

/** How a figure has changed, as people read it: `▲ 12.3 %`, `▼ 3.0 %`, `new` where there was none before. */
export function changeText(
  figure: Figure,
  nowSums: Sums,
  beforeSums: Sums | undefined,
  unicode = true,
): string {
  const [now, before] = [
    figureValue(figure, nowSums),
    beforeSums && figureValue(figure, beforeSums),
  ];
  if (now === undefined) return '–';
  if (before === undefined || (before === 0 && now !== 0)) return 'new';
  const percent = now === before ? 0 : (100 * (now - before)) / Math.abs(before);
  const text = `${Math.abs(percent).toFixed(1)} %`;
  const [up, down] = unicode ? ['▲', '▼'] : ['+', '-'];
  return `${text === '0.0 %' ? '=' : percent > 0 ? up : down} ${text}`;
}

/** The figure of that field or metric, in any case. */
export function findFigure(name: string, known: readonly Figure[]): Figure | undefined {
  const equals = (text: string | undefined) => text?.toLowerCase() === name.toLowerCase();
  return (
    known.find(({ field }) => equals(field)) ??
    known.find((figure) => equals(figure.derived?.name ?? metricOfField(figure.field)?.name))
  );
}

/** The figures of those metrics (`--metrics`). Throws `UsageError`. */
export function figuresNamed(names: readonly string[], known: readonly Figure[]): Figure[] {
  const found = names.map((name) => {
    const figure = findFigure(name, known);
    if (figure) return figure;
    const fields = known.map(({ field }) => field);
    throw unknownColumn(name, fields, '--metrics: the report');
  });
  return [...new Set(found)];
}

/** The error for a column that the report does not have. @param report how the sentence begins, the report named */
export function unknownColumn(
  name: string,
  known: readonly string[],
  report = 'The report',
): UsageError {
  return new UsageError(`${report} has no column "${name}".`, {
    code: 'UNKNOWN_COLUMN',
    hint: didYouMean(nearest(name, known), `It has ${known.join(', ') || 'none'}.`),
  });
}
