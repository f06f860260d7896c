import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import {
  type DerivedMetric,
  derivedMetrics,
  isCalled,
  type VocabularyEntry,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { Row } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { type Change, changeBetween, type Fraction } from './change.ts';
import type { Sums } from './grouping.ts';
import { decimalOf, groupedText, moneyText, numberIn } from './numbers.ts';
import type { ReportSums } from './report-sums.ts';

/** What is read of a group or a report: the sum of a metric, or what two sums give. */
export interface Figure {
  readonly field: string;

  /** What the terminal calls it: its field, or `eCPM €`. */
  readonly name: string;

  readonly type: 'integer' | 'money' | 'percent';

  /** Present where the figure is computed from sums. */
  readonly derived?: Derivation;
}

/** How a figure is computed, and from the sums of which row fields. */
interface Derivation extends DerivedMetric {
  readonly over: string;
  readonly under: string;
}

/** An earlier report, whose figures stand beside those of this one. */
export interface Comparison {
  readonly sums: ReportSums;

  /** The window of this report, and that of the earlier one, for people. */
  readonly now: string;
  readonly before: string;

  /**
   * When each window begins, `2026-10-01T00:00:00+0200`: what lies as far from its beginning is
   * drawn in one place.
   */
  readonly begins?: {
    readonly now: string;
    readonly before: string;
  };

  /** How many days both windows have, where that is not the same. */
  readonly days?: {
    readonly now: number;
    readonly before: number;
  };

  /** What else makes the two unequal, in sentences. */
  readonly notes: readonly string[];
}

/**
 * The figures that are shown where none is named: the sums of metrics, in their order, and what
 * most people derive.
 */
export function figuresOf(fields: readonly string[]): Figure[] {
  return everyFigureOf(fields).filter(({ derived }) => !derived?.onlyWhenNamed);
}

/**
 * Every figure that can be named: the sums of the row fields that are metrics, in their order, and
 * all that derives.
 */
export function everyFigureOf(fields: readonly string[]): Figure[] {
  const metrics = fields.filter((field) => metricOfField(field));
  const figures = metrics.map((field): Figure => {
    const type = fieldTypeOf(field) === 'money' ? 'money' : 'integer';
    return { field, name: field, type };
  });

  for (const { field } of derivedMetrics) {
    const figure = derivedFigure(field, metrics);
    if (figure) figures.push(figure);
  }
  return figures;
}

/**
 * The derived metric of that name, computed from the given row fields; `undefined` where it is
 * none, or they lack one.
 */
export function derivedFigure(name: string, fields: readonly string[]): Figure | undefined {
  const metric = derivedMetrics.find(({ field }) => field === name);
  if (!metric) return undefined;

  const over = fields.find((field) => metricOfField(field)?.name === metric.numerator);
  const under = fields.find((field) => metricOfField(field)?.name === metric.denominator);
  if (over === undefined || under === undefined) return undefined;

  const type = metric.unit === 'percent' ? 'percent' : 'money';
  return { field: name, name: metric.name, type, derived: { ...metric, over, under } };
}

/** Figures parted into those that a reader looks for first, and the others. */
export interface LeadingFigures {
  /** Revenue, displays, clicks and CTR, in that order; without any of them the first figure. */
  readonly leading: readonly Figure[];

  readonly others: readonly Figure[];
}

/** Parts figures into those that lead and the others, which keep their own order. */
export function leadingFirst(figures: readonly Figure[]): LeadingFigures {
  const hasEuros = figures.some(({ field }) => field === 'revenueEuro');
  const leadingNames = [hasEuros ? 'revenueEuro' : 'revenueDollar', 'displays', 'clicks', 'ctr'];

  const leading: Figure[] = [];
  for (const name of leadingNames) {
    const named = figures.filter(({ field }) => (metricOfField(field)?.name ?? field) === name);
    leading.push(...named);
  }
  if (leading.length === 0) return { leading: figures.slice(0, 1), others: figures.slice(1) };

  return { leading, others: figures.filter((figure) => !leading.includes(figure)) };
}

/**
 * A figure of some sums as the number nearest to it, a rate in percent; `undefined` where they do
 * not give it.
 */
export function figureValue({ field, derived }: Figure, sums: Sums): number | undefined {
  if (!derived) {
    const sum = sums.get(field);
    return sum === undefined ? undefined : Number(sum);
  }

  const over = pairedSum(derived.over, derived.under, sums);
  const under = Number(pairedSum(derived.under, derived.over, sums) ?? 0);
  if (over === undefined || under === 0 || Number.isNaN(under)) return undefined;

  return (derived.factor * Number(over)) / under;
}

/** The sums of a single row: its own numbers. */
export function sumsOfRow(row: Row): Sums {
  return { get: (field) => numberIn(row[field]) ?? undefined };
}

/**
 * A derived figure as a file holds it: six decimals, a rate as a plain fraction; `null` where there
 * is none.
 */
export function derivedNumber(figure: Figure, sums: Sums): number | null {
  const value = figureValue(figure, sums);
  if (value === undefined) return null;

  const plain = figure.type === 'percent' ? value / 100 : value;
  return Number(plain.toFixed(6));
}

/**
 * A figure in full, for programs: every digit of a sum, or what is derived; `null` where there is
 * none.
 */
export function figureDigits(figure: Figure, sums: Sums): string | null {
  if (figure.derived) {
    const value = derivedNumber(figure, sums);
    return value === null ? null : String(value);
  }

  const sum = sums.get(figure.field);
  if (sum === undefined) return null;
  return figure.type === 'money' ? moneyText(String(sum)) : String(sum);
}

/**
 * A figure as people read it, every digit of a sum: `48,665.12`, `1.94%`; `null` where there is
 * none.
 */
export function figureText(figure: Figure, sums: Sums): string | null {
  if (!figure.derived) {
    const digits = figureDigits(figure, sums);
    return digits === null ? null : groupedText(digits);
  }

  const fraction = fractionOf(figure, sums);
  if (!fraction) return null;

  const rounded = fraction.over.dividedBy(fraction.under, 2);
  const text = groupedText(moneyText(String(rounded)));
  return figure.type === 'percent' ? `${text}%` : text;
}

/** A value on a scale of a figure, rounded as people read it. */
export function scaleText({ type }: Figure, value: number): string {
  if (type === 'integer') return groupedText(String(Math.round(value)));
  const text = groupedText(value.toFixed(2));
  return type === 'percent' ? `${text}%` : text;
}

const one = new Decimal(1n, 0);

/** A figure without any rounding; `undefined` where the sums do not give it. */
function fractionOf({ field, derived }: Figure, sums: Sums): Fraction | undefined {
  if (!derived) {
    const sum = exactSum(field, sums);
    return sum && { over: sum, under: one };
  }
  const over = pairedSum(derived.over, derived.under, sums);
  const under = pairedSum(derived.under, derived.over, sums);
  if (!over || !under || under.sign === 0) return undefined;
  return { over: over.times(new Decimal(BigInt(derived.factor), 0)), under };
}

/** The sum of a metric over the rows that have another one too. */
function pairedSum(field: string, other: string, sums: Sums): Decimal | undefined {
  const sum = exactSum(field, sums);
  const unpaired = sums.unpaired?.(field, other);
  const excess = unpaired === undefined ? undefined : decimalOf(unpaired);
  return excess && sum ? sum.minus(excess) : sum;
}

function exactSum(field: string, sums: Sums): Decimal | undefined {
  const sum = sums.get(field);
  return sum === undefined ? undefined : decimalOf(sum);
}

/** How a figure has changed; the text of an arrow is ASCII without `unicode`. */
export function changeOf(
  figure: Figure,
  nowSums: Sums | undefined,
  beforeSums: Sums | undefined,
  unicode = true,
): Change {
  const now = nowSums && fractionOf(figure, nowSums);
  const before = beforeSums && fractionOf(figure, beforeSums);
  return changeBetween(now, before, { isGone: nowSums === undefined, unicode });
}

/**
 * The figure of that field or metric, in any case; or the first that one of the trade's other words
 * means.
 */
export function findFigure(name: string, figures: readonly Figure[]): Figure | undefined {
  const isNamed = (text: string | undefined): boolean => {
    return text?.toLowerCase() === name.toLowerCase();
  };
  const byField = figures.find(({ field }) => isNamed(field));
  if (byField) return byField;

  const byMetric = figures.find(({ field, derived }) => {
    return isNamed(derived?.name ?? metricOfField(field)?.name);
  });
  return byMetric ?? figures.find((figure) => isCalled(entryOf(figure), name));
}

/** What the vocabulary says of a figure, the trade's other words for it among that. */
function entryOf({ field, derived }: Figure): VocabularyEntry {
  const entry = derived ?? metricOfField(field);
  return entry ?? { name: field, profiles: [], meaning: '' };
}

/** The figures of those metrics (`--metrics`), each once. Throws `UsageError`. */
export function figuresNamed(names: readonly string[], figures: readonly Figure[]): Figure[] {
  const named = new Set<Figure>();
  for (const name of names) {
    const figure = findFigure(name, figures);
    if (!figure) {
      const fields = figures.map(({ field }) => field);
      throw unknownColumn(name, fields, '--metrics: the report');
    }
    named.add(figure);
  }
  return [...named];
}

/**
 * The error for a column that the report does not have.
 * @param columns the names of those that it has
 * @param report how the sentence begins, the report named
 */
export function unknownColumn(
  name: string,
  columns: readonly string[],
  report = 'The report',
): UsageError {
  const list = columns.join(', ') || 'none';
  return new UsageError(`${report} has no column “${name}”.`, {
    code: 'UNKNOWN_COLUMN',
    hint: didYouMean(nearest(name, columns), `It has ${list}.`),
  });
}
