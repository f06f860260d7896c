import { currencyOf } from '../contract/columns.ts';
import { type Figure, figureText } from '../figures/figures.ts';
import type { Sums } from '../figures/grouping.ts';
import { roundedText } from '../figures/numbers.ts';

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
