import type { Figure } from '../../figures/figures.ts';
import type { ReportModel } from '../report-model.ts';
import type { ReportTrend } from '../report-trend.ts';
import { htmlText } from './page-text.ts';
import { renderTimeChart } from './time-chart.ts';

/** Number of charts that are visible at first; the others can be expanded. */
const visibleCharts = 4;

/**
 * Charts over time: first the main figure by the largest values of a breakdown, then each figure as
 * a whole.
 */
export function renderTime({ trend, figures, facts }: ReportModel): string {
  const { lead, shown, others } = figures;
  if (!trend || !lead) return '';

  const { axis, before, lines, linesCaption, unchartedSentence } = trend;
  const byGroup =
    lines.length > 1
      ? renderTimeChart({
          figure: lead,
          axis,
          series: lines,
          caption: linesCaption,
          remark: unchartedSentence,
        })
      : '';
  const earlier = before
    ? `<p class="by"><svg class="key" aria-hidden="true"><line class="before" x1="0" x2="100%" y1="50%" y2="50%"/></svg>${htmlText(facts.get('Compared with') ?? '')}</p>`
    : '';
  const folded = chartsOf([...shown.slice(visibleCharts), ...others], trend);
  const details =
    folded === ''
      ? ''
      : `<details><summary>Other figures over time</summary>\n<div class="charts">\n${folded}</div></details>`;
  return `<section class="trend"><div class="head"><h2>Over time</h2>${earlier}</div>
${byGroup}<div class="charts">
${chartsOf(shown.slice(0, visibleCharts), trend)}</div>${details}</section>
`;
}

function chartsOf(figures: readonly Figure[], { axis, whole, before }: ReportTrend): string {
  const charts = figures.map((figure) => {
    return renderTimeChart({ figure, axis, series: [whole], before, caption: `per ${axis.step}` });
  });
  return charts.join('');
}
