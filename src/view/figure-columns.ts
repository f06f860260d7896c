import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { Row } from '../rows/row-batch.ts';
import { nearest } from '../text/nearest.ts';
import { Decimal, numberIn } from './decimal.ts';
import { isMetric, type Sums } from './grouping.ts';
import { derivedText, groupedText, moneyText } from './number-text.ts';

/** A figure of a group: a sum, or what sums give. */
export interface FigureColumn {
  /** The row field of the metric, or the field of the derived one. */
  readonly field: string;
  /** What the terminal calls it: its field, or `eCPM €`. */
  readonly name: string;
  readonly type: 'integer' | 'money' | 'percent';
  /** Present where the figure is computed from sums: how, and from those of which row fields. */
  readonly derived?: DerivedMetric & { readonly over: string; readonly under: string };
}

/** The sums and what derives from them, for row fields that are metrics, in their order. */
export function figuresOf(fields: readonly string[]): FigureColumn[] {
  const metrics = fields.filter(isMetric);
  const fieldOf = (name: string) => metrics.find((field) => metricOfField(field)?.name === name);
  return [
    ...metrics.map((field): FigureColumn => {
      return { field, name: field, type: fieldTypeOf(field) === 'money' ? 'money' : 'integer' };
    }),
    ...(derivedMetrics as readonly DerivedMetric[]).flatMap((metric): FigureColumn[] => {
      const [over, under] = [fieldOf(metric.numerator), fieldOf(metric.denominator)];
      if (over === undefined || under === undefined) return [];
      const { field, name, unit } = metric;
      return [{ field, name, type: unit === 'percent' ? 'percent' : 'money', derived: { ...metric, over, under } }];
    }),
  ];
}

/** What people look for first. */
const leadingNames = ['revenueEuro', 'revenueDollar', 'displays', 'clicks', 'ctr'];

/** The figures that lead (revenue, displays, clicks, CTR), in that order, and the others in their own. */
export function leadingFirst(figures: readonly FigureColumn[]): { leading: FigureColumn[]; others: FigureColumn[] } {
  const hasEuros = figures.some(({ field }) => field === 'revenueEuro');
  // Dollars lead only where there are no euros.
  const wanted = leadingNames.filter((name) => name !== 'revenueDollar' || !hasEuros);
  const leading = wanted.flatMap((name) =>
    figures.filter(({ field }) => (metricOfField(field)?.name ?? field) === name),
  );
  const others = figures.filter((figure) => !leading.includes(figure));
  return leading.length > 0 ? { leading, others } : { leading: others.slice(0, 1), others: others.slice(1) };
}

/** A figure of some sums as the number nearest to it; `undefined` where they do not give it. */
export function figureValue({ field, derived }: FigureColumn, sums: Pick<Sums, 'get'>): number | undefined {
  const numberOf = (name: string) => sums.get(name)?.toNumber();
  return derived ? ratioOf(derived, numberOf) : numberOf(field);
}

/** A derived figure from what it is computed of; `undefined` where that is missing, or zero stands below. */
function ratioOf(
  { over, under, factor }: NonNullable<FigureColumn['derived']>,
  numberOf: (field: string) => number | undefined,
): number | undefined {
  const [above, below] = [numberOf(over), numberOf(under)];
  return above === undefined || !below ? undefined : (factor * above) / below;
}

/** A derived figure of one row. */
export function derivedInRow({ derived }: FigureColumn, row: Row): number | undefined {
  return (
    derived &&
    ratioOf(derived, (field) => {
      const value = numberIn(row[field]);
      return typeof value === 'number' ? value : value?.toNumber();
    })
  );
}

/** The numbers of one row as sums. */
export function sumsOfRow(row: Row): Pick<Sums, 'get'> {
  return {
    get(field) {
      const value = numberIn(row[field]);
      if (value === null || value === undefined) return undefined;
      return typeof value === 'number' ? Decimal.parse(String(value)) : value;
    },
  };
}

/** A figure in full, for programs: every digit of a sum, six decimals of what is derived; `null` where there is none. */
export function figureDigits(figure: FigureColumn, sums: Pick<Sums, 'get'>): string | null {
  if (figure.derived) {
    const value = figureValue(figure, sums);
    if (value === undefined) return null;
    // A rate is a plain fraction in a file; people read it in percent.
    return String(Number((figure.type === 'percent' ? value / 100 : value).toFixed(6)));
  }
  const digits = sums.get(figure.field)?.toString();
  return digits === undefined ? null : figure.type === 'money' ? moneyText(digits) : digits;
}

/** A figure as people read it: `48,665.12`, `1.94%`; `null` where there is none. */
export function figureText(figure: FigureColumn, sums: Pick<Sums, 'get'>): string | null {
  const digits = figure.derived ? figureValue(figure, sums) : figureDigits(figure, sums);
  if (digits === null || digits === undefined) return null;
  return figure.derived ? derivedText(figure.derived, Number(digits)) : groupedText(String(digits));
}

/** A value on a scale of a figure, rounded as the figure is shown. */
export function scaleText({ type, derived }: FigureColumn, value: number): string {
  if (derived) return derivedText(derived, value);
  return groupedText(type === 'money' ? value.toFixed(2) : String(Math.round(value)));
}

/** The figure of a name in any case: its field, its metric, or a derived metric (`ctr`, `eCPM €`). */
export function findFigure(name: string, known: readonly FigureColumn[]): FigureColumn | undefined {
  const equals = (text: string | undefined) => text?.toLowerCase() === name.toLowerCase();
  return (
    known.find(({ field }) => equals(field)) ??
    known.find(({ field, derived }) => equals(derived?.name ?? metricOfField(field)?.name))
  );
}

/**
 * The figures that a flag names.
 * @throws UsageError for a name that is no figure of the report
 */
export function figuresNamed(names: readonly string[], known: readonly FigureColumn[], flag: string): FigureColumn[] {
  const found = names.map((name) => {
    const figure = findFigure(name, known);
    if (figure) return figure;
    const fields = known.map(({ field }) => field);
    throw unknownColumn(name, fields, flag);
  });
  return [...new Set(found)];
}

/** The error for a column that the report does not have. */
export function unknownColumn(name: string, known: readonly string[], flag: string): UsageError {
  const suggestion = nearest(name, known);
  return new UsageError(`${flag}: the report has no column "${name}".`, {
    code: 'UNKNOWN_COLUMN',
    hint: suggestion ? `Did you mean ${suggestion}?` : `It has ${known.join(', ') || 'none'}.`,
  });
}
