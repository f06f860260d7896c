import { currencyOf } from '../contract/columns.ts';
import { type Figure, figureText } from '../figures/figures.ts';
import type { Sums } from '../figures/grouping.ts';
import { Decimal } from '../text/decimal.ts';

/** A figure for readers: money with its sign and two decimals, `–` where there is none. */
export function figureWithCurrency(figure: Figure, sums: Sums): string {
  const sum = figure.type === 'money' && !figure.derived ? sums.get(figure.field) : undefined;
  const text = sum === undefined ? figureText(figure, sums) : roundedText(String(sum));
  return text === null ? '–' : withCurrency(figure, text);
}

/** An amount of money with the sign of its currency; any other number as it is. */
export function withCurrency({ field, type }: Figure, text: string): string {
  if (type !== 'money') return text;
  return text.replace(/^-?/, (sign) => sign + currencyOf(field));
}

/** Made when it is first needed: that takes 15 ms, for which every command would wait. */
let cents: Intl.NumberFormat | undefined;

/**
 * A number with its thousands apart and two decimals, rounded where it has more; what is no number
 * stays.
 */
export function roundedText(number: string): string {
  if (!Decimal.parse(number)) return number;

  cents ??= new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return cents.format(number as `${number}`);
}
