import type { ReportMetric } from '../../query/metrics.ts';
import { pluralize } from '../../text/quantity.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { metricValue } from '../../totals/report-metrics.ts';
import { computeShare, formatWithCurrency } from '../metric-text.ts';
import type { ReportBreakdown, ReportModel } from '../report-model.ts';
import {
  compareRow,
  describeRow,
  limitRows,
  type ReportTable,
  type TableRow,
} from '../report-table.ts';
import { renderChange, renderName, renderParagraph, toHtml } from './page-text.ts';

/** Maximum number of bars. The other values are added up. */
const maxBars = 10;

/**
 * Renders the largest values of each breakdown as bars. The bars are SVG, because the page's policy
 * forbids inline styles, and printers may omit backgrounds.
 */
export function renderBars({ breakdowns, leadingMetric, sums }: ReportModel): string {
  const [first, second] = breakdowns;
  if (!first || !leadingMetric) return '';

  // A single chart needs no title besides the heading of the section.
  const isOnly = second === undefined;
  const charts = breakdowns.map((breakdown) => {
    const heading = isOnly ? '' : `<h3>${toHtml(breakdown.noun)}</h3>`;
    return `<section class="bars">${heading}${renderChart(breakdown, leadingMetric, sums)}</section>\n`;
  });
  const title = isOnly ? `Top ${pluralize(first.noun)}` : 'Top values';
  return `<section class="ranking"><div class="head"><h2>${toHtml(title)}</h2><p class="by">by <b>${toHtml(leadingMetric.label)}</b></p></div>
<div class="ranks${isOnly ? ' single' : ''}">
${charts.join('')}</div></section>
`;
}

function renderChart(
  { table, endedNote }: ReportBreakdown,
  leadingMetric: ReportMetric,
  totals: Sums,
): string {
  const endedHtml = renderParagraph('by', toHtml(endedNote ?? ''));
  if (!table) return renderParagraph('by', 'Too many different values to rank.');
  if (table.rows.length === 0) return endedHtml;

  const { rows, others } = limitRows(table, maxBars);
  const barValue = (row: TableRow): number =>
    Math.max(0, metricValue(leadingMetric, row.sums) ?? 0);
  const max = Math.max(0, ...rows.map(barValue));
  const items = rows.map((row) => {
    const { name, detail } = describeRow(table, row);
    const detailHtml = detail === '' ? '' : ` <small>${toHtml(detail)}</small>`;
    const length = max > 0 ? (100 * barValue(row)) / max : 0;
    const bar = `<svg aria-hidden="true"><rect width="${length.toFixed(1)}%" height="100%" rx="2"/></svg>`;
    return `<li><span>${renderName(name)}${detailHtml}</span>${renderNumbers(row, { table, leadingMetric, totals })}${bar}`;
  });
  if (others) {
    const { name } = describeRow(table, others);
    const numbers = renderNumbers(others, { table, leadingMetric, totals });
    items.push(`<li class="rest"><span>${toHtml(name)}</span>${numbers}`);
  }
  return `<ol${table.isCompared ? ' class="compared"' : ''}>${items.join('')}</ol>${endedHtml}`;
}

/** Renders the value next to a bar, its share, and its change if there is a comparison. */
function renderNumbers(
  row: TableRow,
  {
    table,
    leadingMetric,
    totals,
  }: { table: ReportTable; leadingMetric: ReportMetric; totals: Sums },
): string {
  const share = computeShare(leadingMetric, row.sums, totals);
  const formattedShare = share === undefined ? '–' : `${(100 * share).toFixed(1)}%`;
  const change = compareRow(table, leadingMetric, row);
  const changeElement = change ? `<small class="change">${renderChange(change)}</small>` : '';
  return `<span class="n">${toHtml(formatWithCurrency(leadingMetric, row.sums))}</span><small>${formattedShare}</small>${changeElement}`;
}
