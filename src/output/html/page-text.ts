import { currencyOf } from '../../contract/columns.ts';
import { escapeHtml, printable } from '../../text/printable.ts';
import { type Change, type Figure, figureText } from '../../view/figures.ts';
import type { Sums } from '../../view/grouping.ts';
import { Decimal } from '../../view/numbers.ts';

/** Text of the report as HTML. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

/** A number as HTML, which stays on one line with its percent sign. */
export function htmlNumber(text: string): string {
  return htmlText(text).replace(' %', '\u00a0%');
}

/** A figure of a page as it is shown: money with its sign and two decimals, `–` where there is none. */
export function figureOnPage(figure: Figure, sums: Sums): string {
  const sum = figure.type === 'money' && !figure.derived ? sums.get(figure.field) : undefined;
  const text = sum === undefined ? figureText(figure, sums) : roundedText(String(sum));
  return text === null ? '–' : withCurrency(figure, text);
}

/** An amount of money with the sign of its currency; any other number as it is. */
export function withCurrency({ field, type }: Figure, text: string): string {
  if (type !== 'money') return text;
  return text.replace(/^-?/, (sign) => sign + currencyOf(field));
}

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A number with its thousands apart and two decimals, rounded where it has more; what is no number stays. */
export function roundedText(number: string): string {
  return Decimal.parse(number) ? cents.format(number as `${number}`) : number;
}

/** A change as HTML, coloured by its direction, which its arrow tells without colour too. */
export function changeHtml({ direction, text }: Change): string {
  return `<b class="${direction}">${htmlNumber(text)}</b>`;
}
