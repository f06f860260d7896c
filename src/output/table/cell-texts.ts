import { type DerivedMetric, deriveMetrics } from '../../contract/derived.ts';
import type { MetricName } from '../../contract/vocabulary.ts';
import { DecimalSum } from '../../view/decimal-sum.ts';

/** An amount of money with two decimals at least: `5` is `5.00`; no digit is taken away. */
export function moneyText(number: string): string {
  const match = /^-?\d+(?:\.(\d+))?$/.exec(number);
  if (!match) {
    const sum = new DecimalSum();
    return sum.add(number) ? moneyText(sum.toString()) : number;
  }
  const decimals = match[1]?.length ?? 0;
  return decimals >= 2 ? number : `${number}${decimals === 0 ? '.00' : '0'}`;
}

/** An hour without the minutes and seconds that it never has: `2026-10-25 02:00+0200`. */
export function hourText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}

/** A derived metric's value as people read it: `1.94%`, `3.27`. */
export function derivedText({ unit }: DerivedMetric, value: number): string {
  return unit === 'percent' ? `${value.toFixed(2)}%` : value.toFixed(2);
}

/** The heading of a derived metric. */
export function derivedName({ name }: DerivedMetric, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}

/** The texts of derived metrics, one each; `null` where the sums do not give it. */
export function derivedTexts(
  metrics: readonly DerivedMetric[],
  sumOf: (metric: MetricName) => number | undefined,
): (string | null)[] {
  const derived = new Map(deriveMetrics(sumOf).map(({ metric, value }) => [metric.field, derivedText(metric, value)]));
  return metrics.map(({ field }) => derived.get(field) ?? null);
}

/** A number with its thousands apart, `48,665.12`, the same in every locale. */
export function groupedText(number: string): string {
  return number.replace(
    /^(-?)(\d+)/,
    (_, sign: string, digits: string) => sign + digits.replace(/\B(?=(?:\d{3})+$)/g, ','),
  );
}
