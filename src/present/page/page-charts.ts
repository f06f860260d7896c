import type { ReportModel } from '../report-model.ts';
import { toHtml } from './page-text.ts';
import { renderTimeChart } from './time-chart.ts';

/** Renders a chart of the leading metric by its largest values, then a chart of each total. */
export function renderCharts({ trend, leadingMetric, totals, details }: ReportModel): string {
  if (!trend || !leadingMetric) return '';

  const { axis, whole, before, lines, linesCaption, unchartedNote } = trend;
  const byGroup =
    lines.length > 1
      ? renderTimeChart({
          metric: leadingMetric,
          axis,
          series: lines,
          caption: linesCaption,
          footnote: unchartedNote,
        })
      : '';
  const earlier = before
    ? `<p class="by"><svg class="key" aria-hidden="true"><line class="before" x1="0" x2="100%" y1="50%" y2="50%"/></svg>${toHtml(details.get('Compared with') ?? '')}</p>`
    : '';
  const charts = totals.map(({ metric }) => {
    return renderTimeChart({ metric, axis, series: [whole], before, caption: `per ${axis.step}` });
  });
  return `<section class="trend"><div class="head"><h2>Over time</h2>${earlier}</div>
${byGroup}<div class="charts">
${charts.join('')}</div></section>
`;
}
