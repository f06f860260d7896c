import { currencyOf } from '../contract/columns.ts';
import { type Figure, figureValue, formatFigure } from '../totals/figures.ts';
import type { Sums } from '../totals/grouping.ts';

/** Adds currency sign and two decimals to money; `–` if there is no value. */
export function formatWithCurrency(figure: Figure, sums: Sums): string {
  const text = formatFigure(figure, sums);
  return text === null ? '–' : withCurrency(figure, text);
}

/** Leaves anything but money unchanged. */
export function withCurrency({ field, type }: Figure, text: string): string {
  if (type !== 'money') return text;
  return text.replace(/^-?/, (sign) => sign + currencyOf(field));
}

/** Returns 0 to 1; `undefined` for rates, and if it cannot be computed. */
export function shareOf(figure: Figure, part: Sums, whole: Sums): number | undefined {
  if (figure.derived) return undefined;
  const value = figureValue(figure, part) ?? 0;
  const all = figureValue(figure, whole) ?? 0;
  return all > 0 && value >= 0 ? value / all : undefined;
}
