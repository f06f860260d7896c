import { currencyOf, fieldLabel, metricOfField } from '../../contract/columns.ts';
import { type Comparison, changeOf, type Figure, type LeadingFigures } from '../../view/figures.ts';
import type { ReportSums } from '../../view/report-sums.ts';
import { changeHtml, figureOnPage, htmlNumber, htmlText } from './page-text.ts';

/** So many cards stand beside each other, and one more where it would be alone in the next row. */
const mostInRow = 4;

/** A total of more characters has no room in its size: it, and those beside it, are set smaller. */
const shortText = 13;

/** The totals of a report as cards, those that lead larger than the others. */
export function renderCards(
  sums: ReportSums,
  { leading, others }: LeadingFigures,
  comparison: Comparison | undefined,
): string {
  const first = cardsOf(leading, sums, comparison);
  if (first.length === 0) return '';

  const more = cardsOf(others, sums, comparison);
  // A single card would have a row of its own.
  if (more.length === 1) first.push(...more.splice(0));
  return `<section aria-label="Totals">${listOf(first, 'cards')}${listOf(more, 'cards more')}</section>\n`;
}

/** Cards in rows of as equal lengths as can be; what stands in a shorter row is wider, so that no hole is left. */
function listOf(cards: readonly string[], name: string): string {
  if (cards.length === 0) return '';

  const isOneMore = cards.length === mostInRow + 1;
  const rowCount = isOneMore ? 1 : Math.ceil(cards.length / mostInRow);
  const perRow = Math.ceil(cards.length / rowCount);
  return `<dl class="${name} in${perRow}">\n${cards.join('')}</dl>`;
}

function cardsOf(
  figures: readonly Figure[],
  sums: ReportSums,
  comparison: Comparison | undefined,
): string[] {
  const totals = sums.total.totals();
  const before = comparison?.sums.total.totals();

  const cards: string[] = [];
  for (const figure of figures) {
    const { field, derived } = figure;
    const text = sums.total.rowCount === 0 ? zeroOf(figure) : figureOnPage(figure, totals);
    if (derived && text === '–') continue;

    const hint = derived?.meaning ?? metricOfField(field)?.meaning ?? '';
    const size = text.length > shortText ? ' class="long"' : '';
    const change = before && changeOf(figure, totals, before);
    const changeLine = change
      ? `<dd class="change">${changeHtml(change)} <span>${htmlNumber(figureOnPage(figure, before))} before</span></dd>`
      : '';
    cards.push(
      `<div title="${htmlText(hint)}"><dt>${htmlText(fieldLabel(field))}</dt><dd${size}>${htmlNumber(text)}</dd>${changeLine}</div>\n`,
    );
  }
  return cards;
}

/** What a report without rows comes to. */
function zeroOf({ field, derived, type }: Figure): string {
  if (derived) return '–';
  return type === 'money' ? `${currencyOf(field)}0.00` : '0';
}
