import type { Figure } from '../../totals/figures.ts';
import type { ReportModel } from '../report-model.ts';
import type { ReportTrend } from '../report-trend.ts';
import { htmlText } from './page-text.ts';
import { renderTimeChart } from './time-chart.ts';

/** Renders the leading metric by the largest values of a breakdown, then each metric as a whole. */
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
  const extra = chartsOf(others, trend, true);
  return `<section class="trend"><div class="head"><h2>Over time</h2>${earlier}</div>
${byGroup}<div class="charts">
${chartsOf(shown, trend)}${extra}</div></section>
`;
}

function chartsOf(
  figures: readonly Figure[],
  { axis, whole, before }: ReportTrend,
  isExtra = false,
): string {
  const series = [whole];
  const caption = `per ${axis.step}`;
  const charts = figures.map((figure) => {
    return renderTimeChart({ figure, axis, series, before, caption, isExtra });
  });
  return charts.join('');
}
