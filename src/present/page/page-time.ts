import type { Figure } from '../../figures/figures.ts';
import type { ReportModel } from '../report-model.ts';
import type { ReportCourse } from '../report-trend.ts';
import { htmlText } from './page-text.ts';
import { renderTimeChart } from './time-chart.ts';

/** So many figures have their charts in sight; those of the others unfold. */
const chartsInSight = 4;

/**
 * The charts over time: the first figure by the greatest values of a breakdown, then every figure
 * as a whole.
 */
export function renderTime({ course, figures, facts }: ReportModel): string {
  const { lead, shown, others } = figures;
  if (!course || !lead) return '';

  const { axis, before, lines, linesCaption, withoutLine } = course;
  const byGroup =
    lines.length > 1
      ? renderTimeChart({
          figure: lead,
          axis,
          series: lines,
          caption: linesCaption,
          remark: withoutLine,
        })
      : '';
  const earlier = before
    ? `<p class="by"><svg class="key" aria-hidden="true"><line class="before" x1="0" x2="100%" y1="50%" y2="50%"/></svg>${htmlText(facts.get('Compared with') ?? '')}</p>`
    : '';
  const folded = chartsOf([...shown.slice(chartsInSight), ...others], course);
  const details =
    folded === ''
      ? ''
      : `<details><summary>Other figures over time</summary>\n<div class="charts">\n${folded}</div></details>`;
  return `<section class="course"><div class="head"><h2>Over time</h2>${earlier}</div>
${byGroup}<div class="charts">
${chartsOf(shown.slice(0, chartsInSight), course)}</div>${details}</section>
`;
}

function chartsOf(figures: readonly Figure[], { axis, whole, before }: ReportCourse): string {
  const charts = figures.map((figure) => {
    return renderTimeChart({ figure, axis, series: [whole], before, caption: `per ${axis.step}` });
  });
  return charts.join('');
}
