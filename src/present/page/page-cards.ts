import type { Comparison } from '../../figures/figures.ts';
import type { ReportSums } from '../../figures/report-sums.ts';
import { figureWithCurrency } from '../figure-text.ts';
import type { ReportModel, Total } from '../report-model.ts';
import { changeHtml, htmlText } from './page-text.ts';

/** So many cards stand beside each other. */
const mostInRow = 4;

/** A total of more characters has no room in its size: it, and those beside it, are set smaller. */
const shortText = 13;

/** What the figures of some totals are read from. */
interface CardSums {
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

/**
 * The totals of a report as cards: those that are read first in two rows, the first of them larger;
 * the others unfold.
 */
export function renderCards({ totals, otherTotals }: ReportModel, cardSums: CardSums): string {
  if (totals.length === 0) return '';

  const cards = totals.map((total) => renderCard(total, cardSums));
  const others = otherTotals.map((total) => renderCard(total, cardSums));
  const isOneMore = cards.length === mostInRow + 1;
  const first = isOneMore ? cards : cards.slice(0, mostInRow);
  const second = cards.slice(first.length);
  const unfolded =
    others.length === 0
      ? ''
      : `<details class="all"><summary>All figures</summary>\n${listOf(others, 'cards more')}</details>`;
  return `<section aria-label="Totals">${listOf(first, 'cards')}${listOf(second, 'cards more')}${unfolded}</section>\n`;
}

/**
 * Cards in rows of as equal lengths as can be; what stands in a shorter row is wider, so that no
 * hole is left.
 */
function listOf(cards: readonly string[], name: string): string {
  if (cards.length === 0) return '';

  const rowCount = cards.length === mostInRow + 1 ? 1 : Math.ceil(cards.length / mostInRow);
  const perRow = Math.ceil(cards.length / rowCount);
  return `<dl class="${name} in${perRow}">\n${cards.join('')}</dl>`;
}

function renderCard(
  { figure, label, meaning, change }: Total,
  { sums, comparison }: CardSums,
): string {
  const text = figureWithCurrency(figure, sums.total.totals());
  const size = text.length > shortText ? ' class="long"' : '';
  const before = comparison?.sums.total.totals();
  const mark = change && change.direction !== 'none' ? `${changeHtml(change)} ` : '';
  const changeLine = before
    ? `<dd class="change">${mark}<span>${htmlText(figureWithCurrency(figure, before))} before</span></dd>`
    : '';
  return `<div title="${htmlText(meaning)}"><dt>${htmlText(label)}</dt><dd${size}>${htmlText(text)}</dd>${changeLine}</div>\n`;
}
