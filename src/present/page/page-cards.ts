import type { Comparison } from '../../figures/figures.ts';
import type { ReportSums } from '../../figures/report-sums.ts';
import { formatWithCurrency } from '../figure-text.ts';
import type { ReportModel, Total } from '../report-model.ts';
import { changeHtml, htmlText } from './page-text.ts';

/** Maximum number of cards per row. */
const maxPerRow = 4;

/** Longer totals are set in a smaller font, together with the others in their row. */
const maxLargeText = 13;

/** The sums shown in cards. */
interface CardSums {
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

/**
 * The totals of a report as cards: the main ones in two rows, the first one larger; the others can
 * be expanded.
 */
export function renderCards({ totals, otherTotals }: ReportModel, cardSums: CardSums): string {
  if (totals.length === 0) return '';

  const cards = totals.map((total) => renderCard(total, cardSums));
  const others = otherTotals.map((total) => renderCard(total, cardSums));
  const isOneMore = cards.length === maxPerRow + 1;
  const first = isOneMore ? cards : cards.slice(0, maxPerRow);
  const second = cards.slice(first.length);
  const expandable =
    others.length === 0
      ? ''
      : `<details class="all"><summary>All figures</summary>\n${cardRows(others, 'cards more')}</details>`;
  return `<section aria-label="Totals">${cardRows(first, 'cards')}${cardRows(second, 'cards more')}${expandable}</section>\n`;
}

/** Distributes cards evenly over rows; cards in a shorter row are wider. */
function cardRows(cards: readonly string[], name: string): string {
  if (cards.length === 0) return '';

  const rowCount = cards.length === maxPerRow + 1 ? 1 : Math.ceil(cards.length / maxPerRow);
  const perRow = Math.ceil(cards.length / rowCount);
  return `<dl class="${name} in${perRow}">\n${cards.join('')}</dl>`;
}

function renderCard(
  { figure, label, meaning, change }: Total,
  { sums, comparison }: CardSums,
): string {
  const text = formatWithCurrency(figure, sums.total.totals());
  const size = text.length > maxLargeText ? ' class="long"' : '';
  const before = comparison?.sums.total.totals();
  const mark = change && change.direction !== 'none' ? `${changeHtml(change)} ` : '';
  const changeLine = before
    ? `<dd class="change">${mark}<span>${htmlText(formatWithCurrency(figure, before))} before</span></dd>`
    : '';
  return `<div title="${htmlText(meaning)}"><dt>${htmlText(label)}</dt><dd${size}>${htmlText(text)}</dd>${changeLine}</div>\n`;
}
