import { findNames } from '../contract/aliases.ts';
import { fieldLabel, fieldOfMetric, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { closestHint, readName } from '../query/names.ts';
import type { Row } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { type Change, changeBetween, type Fraction } from './change.ts';
import { toDecimal } from './exact-sum.ts';
import type { Sums } from './grouped-totals.ts';
import { addThousandsSeparators, moneyText, numberIn } from './numbers.ts';
import type { ReportSums } from './report-sums.ts';

/** Metric of a group or a report: a sum, or a quotient of two sums. */
export interface ReportMetric {
  readonly field: string;

  /** For people: `Revenue (€)`, or what `--label` says. */
  readonly label: string;

  readonly type: 'integer' | 'money' | 'percent';

  /** Formula of a metric that is computed from sums, with the row fields it reads. */
  readonly derived?: DerivedMetric & {
    readonly numeratorField: string;
    readonly denominatorField: string;
  };
}

/** Earlier report whose metrics are shown next to those of this one. */
export interface Comparison {
  readonly sums: ReportSums;

  /** Windows of this report and of the earlier one, for display. */
  readonly now: string;
  readonly before: string;

  /**
   * Beginning of each window and end of this one, `2026-10-01T00:00:00+0200`, and their zone. Times
   * are compared by their distance from the beginning.
   */
  readonly windows: {
    readonly now: string;
    readonly before: string;
    readonly until: string;
    readonly zone: string;
  };

  /** Days in each window, if they differ. */
  readonly days?: {
    readonly now: number;
    readonly before: number;
  };

  /** Other reasons why the two are not strictly comparable, as sentences. */
  readonly notes: readonly string[];
}

/** Returns the metrics shown by default: sums in field order, and the usual derived metrics. */
export function defaultMetrics(fields: readonly string[]): ReportMetric[] {
  return listAllMetrics(fields).filter(({ derived }) => !derived?.onlyWhenNamed);
}

/** Returns all available metrics: sums in field order, and all derived metrics. */
export function listAllMetrics(fields: readonly string[]): ReportMetric[] {
  const summed = fields.filter((field) => metricOfField(field));
  const metrics = summed.map((field): ReportMetric => {
    const type = fieldTypeOf(field) === 'money' ? 'money' : 'integer';
    return { field, label: fieldLabel(field), type };
  });

  for (const { field } of derivedMetrics) {
    const metric = findComputedMetric(field, summed);
    if (metric) metrics.push(metric);
  }
  return metrics;
}

/**
 * Computes the derived metric of that name from the given row fields; `undefined` if there is no
 * such metric or a field is missing.
 */
export function findComputedMetric(
  name: string,
  fields: readonly string[],
): ReportMetric | undefined {
  const metric = derivedMetrics.find(({ field }) => field === name);
  if (!metric) return undefined;

  const numeratorField = fieldOfMetric(metric.numerator, fields);
  const denominatorField = fieldOfMetric(metric.denominator, fields);
  if (numeratorField === undefined || denominatorField === undefined) return undefined;

  const type = metric.unit === 'percent' ? 'percent' : 'money';
  return {
    field: name,
    label: fieldLabel(name),
    type,
    derived: { ...metric, numeratorField, denominatorField },
  };
}

/**
 * Returns revenue, displays, clicks and CTR, in that order; the first metric if none of them is
 * present. Keeps the order of the others.
 */
export function splitLeadingMetrics(metrics: readonly ReportMetric[]): {
  readonly leading: readonly ReportMetric[];
  readonly others: readonly ReportMetric[];
} {
  const hasEuros = metrics.some(({ field }) => field === 'revenueEuro');
  const leadingNames = [hasEuros ? 'revenueEuro' : 'revenueDollar', 'displays', 'clicks', 'ctr'];

  const leading: ReportMetric[] = [];
  for (const name of leadingNames) {
    const named = metrics.filter(({ field }) => (metricOfField(field)?.name ?? field) === name);
    leading.push(...named);
  }
  if (leading.length === 0) return { leading: metrics.slice(0, 1), others: metrics.slice(1) };

  return { leading, others: metrics.filter((metric) => !leading.includes(metric)) };
}

/**
 * Returns the value as the nearest double, rates in percent; `undefined` if the sums do not contain
 * it.
 */
export function metricValue({ field, derived }: ReportMetric, sums: Sums): number | undefined {
  if (!derived) {
    const sum = sums.get(field);
    return sum === undefined ? undefined : Number(sum);
  }

  const numerator = pairedSum(derived.numeratorField, derived.denominatorField, sums);
  const denominator = Number(
    pairedSum(derived.denominatorField, derived.numeratorField, sums) ?? 0,
  );
  if (numerator === undefined || denominator === 0 || Number.isNaN(denominator)) return undefined;

  return (derived.factor * Number(numerator)) / denominator;
}

export function sumsOfRow(row: Row): Sums {
  return { get: (field) => numberIn(row[field]) ?? undefined };
}

/**
 * Rounds a derived metric for files to six significant digits, rates as plain fractions; `null` if
 * there is no value.
 */
export function derivedNumber(metric: ReportMetric, sums: Sums): number | null {
  const value = metricValue(metric, sums);
  if (value === undefined) return null;

  const plain = metric.type === 'percent' ? value / 100 : value;
  return Number(plain.toPrecision(6));
}

/** Keeps all digits, for programs; `null` if there is no value. */
export function metricDigits(metric: ReportMetric, sums: Sums): string | null {
  if (metric.derived) {
    const value = derivedNumber(metric, sums);
    return value === null ? null : String(value);
  }

  const sum = sums.get(metric.field);
  if (sum === undefined) return null;
  return metric.type === 'money' ? moneyText(String(sum)) : String(sum);
}

/**
 * Formats a metric for readers: `48,665.12`, `1.94%`; `null` if there is no value. Money and rates
 * have two decimals, counts all their digits.
 */
export function formatMetric(metric: ReportMetric, sums: Sums): string | null {
  const fraction = fractionOf(metric, sums);
  if (!fraction) return null;

  const { numerator, denominator } = fraction;
  if (metric.type === 'integer') return addThousandsSeparators(String(numerator));

  const rounded = numerator.dividedBy(denominator, 2);
  const text = addThousandsSeparators(moneyText(String(rounded)));
  return metric.type === 'percent' ? `${text}%` : text;
}

/** Rounds a value for display, with the decimals of a metric. */
export function formatOnScale({ type }: ReportMetric, value: number): string {
  if (type === 'integer') return addThousandsSeparators(String(Math.round(value)));
  const text = addThousandsSeparators(value.toFixed(2));
  return type === 'percent' ? `${text}%` : text;
}

const one = new Decimal(1n, 0);

/** Does not round; `undefined` if the sums do not contain the metric. */
function fractionOf({ field, derived }: ReportMetric, sums: Sums): Fraction | undefined {
  if (!derived) {
    const sum = exactSum(field, sums);
    return sum && { numerator: sum, denominator: one };
  }
  const numerator = pairedSum(derived.numeratorField, derived.denominatorField, sums);
  const denominator = pairedSum(derived.denominatorField, derived.numeratorField, sums);
  if (!numerator || !denominator || denominator.sign === 0) return undefined;
  return { numerator: numerator.times(new Decimal(BigInt(derived.factor), 0)), denominator };
}

/** Adds up a metric over the rows that also have another one. */
function pairedSum(field: string, other: string, sums: Sums): Decimal | undefined {
  const sum = exactSum(field, sums);
  const unpaired = sums.unpaired?.(field, other);
  const excess = unpaired === undefined ? undefined : toDecimal(unpaired);
  return excess && sum ? sum.minus(excess) : sum;
}

function exactSum(field: string, sums: Sums): Decimal | undefined {
  const sum = sums.get(field);
  return sum === undefined ? undefined : toDecimal(sum);
}

/** Compares a metric of two groups or reports; without `unicode` the arrows are ASCII. */
export function changeOf(
  metric: ReportMetric,
  nowSums: Sums | undefined,
  beforeSums: Sums | undefined,
  unicode = true,
): Change {
  const now = nowSums && fractionOf(metric, nowSums);
  const before = beforeSums && fractionOf(metric, beforeSums);
  const change = changeBetween(now, before, { isGone: nowSums === undefined, unicode });
  return metric.type === 'money' ? { ...change, isNeutral: true } : change;
}

/**
 * Finds the metric that a name or an alias means; `undefined` if none. Throws
 * `UsageError` if it means several.
 */
export function findReportMetric(
  text: string,
  metrics: readonly ReportMetric[],
  flag = '--metrics',
): ReportMetric | undefined {
  const accepted = metrics.map(({ field }) => field);
  const name = readName({ flag, text, accepted });
  return metrics.find(({ field }) => field === name);
}

/**
 * Finds the column that a name of `--columns` means: one of the fields, or a rate that can be
 * computed from them; `undefined` if there is none. Throws `UsageError` if it means several.
 */
export function readColumnName(text: string, fields: readonly string[]): string | undefined {
  const metrics = listAllMetrics(fields).map(({ field }) => field);
  const accepted = [...new Set([...fields, ...metrics])];
  return readName({ flag: '--columns', text, accepted });
}

/**
 * Finds the metrics of `--metrics`, without duplicates. Throws `UsageError` for an unknown name.
 */
export function findReportMetrics(
  names: readonly string[],
  metrics: readonly ReportMetric[],
): ReportMetric[] {
  const named = new Set<ReportMetric>();
  for (const name of names) {
    const metric = findReportMetric(name, metrics);
    if (!metric) {
      const fields = metrics.map(({ field }) => field);
      throw unknownMetric(name, fields, '--metrics');
    }
    named.add(metric);
  }
  return [...named];
}

/** As `unknownColumn`; for a computed metric it names the columns that are missing. */
export function unknownMetric(name: string, columns: readonly string[], flag: string): UsageError {
  const computed = derivedMetrics.map(({ field }) => field);
  const [field, another] = findNames(name, computed);
  const metric = derivedMetrics.find((each) => each.field === field);
  if (!metric || another !== undefined) return unknownColumn(name, columns, flag);

  const { numerator, denominator } = metric;
  const present = new Set(columns.map((column) => metricOfField(column)?.name));
  const missing = [numerator, denominator].filter((part) => !present.has(part));
  return new UsageError(
    `Cannot compute ${field} (${numerator} ÷ ${denominator}): there is no ${missing.join(' and no ')}.`,
    { code: 'UNKNOWN_COLUMN', hint: columnChoice(columns) },
  );
}

/**
 * @param columns names of the existing columns
 * @param flag the flag that names the column
 */
export function unknownColumn(
  name: string,
  columns: readonly string[],
  flag = '--columns',
): UsageError {
  return new UsageError(`Unknown column “${name}” in ${flag}.`, {
    code: 'UNKNOWN_COLUMN',
    hint: closestHint({ text: name, accepted: columns }, columnChoice(columns)),
  });
}

function columnChoice(columns: readonly string[]): string {
  return columns.length > 0 ? `Choose from ${columns.join(', ')}.` : 'There are no columns.';
}
