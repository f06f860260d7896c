import type { Comparison } from '../../totals/figures.ts';
import type { ReportSums } from '../../totals/report-sums.ts';
import { formatWithCurrency } from '../figure-text.ts';
import type { ReportModel, Total } from '../report-model.ts';
import { changeHtml, htmlText } from './page-text.ts';

/** Longer totals are set in a smaller font, so that all cards have one height. */
const maxLargeText = 12;

interface CardSums {
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

/** Renders the totals as one grid of equal cards, and the switch for the other metrics. */
export function renderCards({ totals, otherTotals }: ReportModel, cardSums: CardSums): string {
  if (totals.length === 0) return '';

  const cards = totals.map((total) => renderCard(total, cardSums, false));
  const others = otherTotals.map((total) => renderCard(total, cardSums, true));
  const allFigures = others.length === 0 ? '' : allMetricsSwitch;
  return `<section class="totals" aria-label="Totals"><dl class="cards in${perRow(cards.length)}">
${cards.join('')}${others.join('')}</dl>${allFigures}</section>\n`;
}

/** Shows the other metrics in cards, charts and tables; works without a script. */
const allMetricsSwitch =
  '<label class="switch">All metrics<input type="checkbox" id="all"></label>';

/** Returns the number of cards in a row of a wide screen. Rows are as equally long as possible. */
function perRow(count: number): number {
  return count <= 5 ? count : Math.ceil(count / Math.ceil(count / 4));
}

function renderCard(
  { figure, label, meaning, change }: Total,
  { sums, comparison }: CardSums,
  isExtra: boolean,
): string {
  const text = formatWithCurrency(figure, sums.total.totals());
  const size = text.length > maxLargeText ? ' class="long"' : '';
  const before = comparison?.sums.total.totals();
  const mark = change && change.direction !== 'none' ? `${changeHtml(change)} ` : '';
  const changeLine = before
    ? `<dd class="change">${mark}<span>${htmlText(formatWithCurrency(figure, before))} before</span></dd>`
    : '';
  return `<div${isExtra ? ' class="more"' : ''} title="${htmlText(meaning)}"><dt>${htmlText(label)}</dt><dd${size}>${htmlText(text)}</dd>${changeLine}</div>\n`;
}
