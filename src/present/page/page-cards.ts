import { metricOfField } from '../../contract/columns.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import { formatWithCurrency } from '../metric-text.ts';
import type { ReportModel, Total } from '../report-model.ts';
import { renderChange, toHtml } from './page-text.ts';

/**
 * Maximum length in the normal font. Longer totals get a smaller font, so that all cards have the
 * same height.
 */
const maxLargeLength = 12;

/** Renders the totals as a grid of equal cards. */
export function renderCards(model: ReportModel): string {
  const { totals } = model;
  if (totals.length === 0) return '';

  const cards = totals.map((total) => renderCard(total, model));
  return `<section class="totals" aria-label="Totals"><dl class="cards in${chooseCardsPerRow(cards.length)}">
${cards.join('')}</dl></section>\n`;
}

/** Chooses the number of cards per row on a wide screen, so that rows are about equally long. */
function chooseCardsPerRow(count: number): number {
  return count <= 5 ? count : Math.ceil(count / Math.ceil(count / 4));
}

function renderCard({ metric, change }: Total, { sums, sumsBefore }: ReportModel): string {
  const text = formatWithCurrency(metric, sums);
  const size = text.length > maxLargeLength ? ' class="long"' : '';
  const mark = change && change.direction !== 'none' ? `${renderChange(change)} ` : '';
  const before = sumsBefore && toHtml(formatWithCurrency(metric, sumsBefore));
  const changeLine =
    before === undefined ? '' : `<dd class="change">${mark}<span>${before} before</span></dd>`;
  return `<div title="${toHtml(findMeaning(metric))}"><dt>${toHtml(metric.label)}</dt><dd${size}>${toHtml(text)}</dd>${changeLine}</div>\n`;
}

function findMeaning({ field, computed }: ReportMetric): string {
  return computed?.meaning ?? metricOfField(field)?.meaning ?? '';
}
