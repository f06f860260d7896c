import { defaultMetrics, type ReportMetric } from '../query/metrics.ts';
import { parseName } from '../query/names.ts';
import type { Row } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { type Change, computeChange, type Fraction } from './change.ts';
import { toDecimal } from './exact-sum.ts';
import type { Sums } from './grouped-totals.ts';
import { addThousandsSeparators, padMoney, parseNumber } from './numbers.ts';

/**
 * Returns the nearest double, in percent for rates, or `undefined` if the sums do not contain the
 * metric.
 */
export function metricValue(metric: ReportMetric, sums: Sums): number | undefined {
  if (!metric.computed) {
    const sum = sums.get(metric.field);
    return sum === undefined ? undefined : Number(sum);
  }
  const fraction = toFraction(metric, sums);
  return fraction && Number(fraction.numerator) / Number(fraction.denominator);
}

/** Treats the numbers of a row as sums, from which rates are computed. */
export function toSums(row: Row): Sums {
  return { get: (field) => parseNumber(row[field]) ?? undefined };
}

/**
 * Rounds a computed metric to six significant digits, for files. Rates are fractions: 0.0194 for
 * 1.94%. `null` means no value.
 */
export function roundComputed(metric: ReportMetric, sums: Sums): number | null {
  const value = metricValue(metric, sums);
  if (value === undefined) return null;

  const plain = metric.type === 'percent' ? value / 100 : value;
  return Number(plain.toPrecision(6));
}

/** Formats a metric for programs, with full precision. `null` means no value. */
export function metricDigits(metric: ReportMetric, sums: Sums): string | null {
  const number = metric.computed ? roundComputed(metric, sums) : (sums.get(metric.field) ?? null);
  if (number === null) return null;
  const isMoney = metric.type === 'money' && !metric.computed;
  return isMoney ? padMoney(String(number)) : String(number);
}

/**
 * Formats a metric for readers: `48,665.12`, `1.94%`. Money and rates have two decimals. `null` means
 * no value.
 */
export function formatMetric(metric: ReportMetric, sums: Sums): string | null {
  const fraction = toFraction(metric, sums);
  if (!fraction) return null;

  const { numerator, denominator } = fraction;
  if (metric.type === 'integer') return addThousandsSeparators(String(numerator));
  return formatDecimals(metric, padMoney(String(numerator.dividedBy(denominator, 2))));
}

/** Rounds a value for display, with the decimals of a metric. */
export function formatOnScale(metric: ReportMetric, value: number): string {
  if (metric.type === 'integer') return addThousandsSeparators(String(Math.round(value)));
  return formatDecimals(metric, value.toFixed(2));
}

function formatDecimals({ type }: ReportMetric, number: string): string {
  return `${addThousandsSeparators(number)}${type === 'percent' ? '%' : ''}`;
}

/** Formats a sum for readers. */
export function formatSum(field: string, digits: string): string {
  const [metric] = defaultMetrics([field]);
  const sums = { get: () => Decimal.parse(digits) };
  return (metric && formatMetric(metric, sums)) ?? digits;
}

const one = new Decimal(1n, 0);

/** Returns a metric as an exact quotient, or `undefined` if the sums do not contain it. */
function toFraction({ field, computed }: ReportMetric, sums: Sums): Fraction | undefined {
  if (!computed) {
    const numerator = toDecimal(sums.get(field));
    return numerator && { numerator, denominator: one };
  }
  const { numeratorField, denominatorField, factor } = computed;
  const numerator = sumPaired(numeratorField, denominatorField, sums);
  const denominator = sumPaired(denominatorField, numeratorField, sums);
  if (!numerator || !denominator || denominator.sign === 0) return undefined;
  return { numerator: numerator.times(new Decimal(BigInt(factor), 0)), denominator };
}

/** Adds up a metric over the rows that also have the other metric. */
function sumPaired(field: string, other: string, sums: Sums): Decimal | undefined {
  const sum = toDecimal(sums.get(field));
  const unpaired = toDecimal(sums.unpaired?.(field, other));
  return sum && unpaired ? sum.minus(unpaired) : sum;
}

export function compareMetric(metric: ReportMetric, now: Sums, before: Sums | undefined): Change {
  const valueBefore = before && toFraction(metric, before);
  const change = computeChange(toFraction(metric, now), valueBefore);
  return metric.type === 'money' ? { ...change, isNeutral: true } : change;
}

/** Finds a metric by its name or an alias. Throws `UsageError` if the name is ambiguous. */
export function findReportMetric(
  text: string,
  metrics: readonly ReportMetric[],
): ReportMetric | undefined {
  const accepted = metrics.map(({ field }) => field);
  const name = parseName(text, accepted, '--metrics');
  return metrics.find(({ field }) => field === name);
}
