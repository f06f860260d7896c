import { formatCount } from '../../text/quantity.ts';
import type { Comparison, Figure, LeadingFigures } from '../../view/figures.ts';
import { addSums, type Grouping, type Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums } from '../../view/report-sums.ts';
import { earlierSlots, layOutTime, type TimeAxis } from '../../view/time-axis.ts';
import { htmlText } from './page-text.ts';
import { renderTimeChart } from './time-chart.ts';

/** So many values of a breakdown get a line. */
const mostLines = 5;

/** What the charts over time are drawn from. */
export interface TimeSection {
  readonly sums: ReportSums;
  readonly figures: LeadingFigures;

  /** Whether the dates of the report stand for months. */
  readonly isMonthly: boolean;

  readonly comparison: Comparison | undefined;
}

/** The charts over time: the first figure by the greatest values of a breakdown, then every figure as a whole. */
export function renderTime({ sums, figures, isMonthly, comparison }: TimeSection): string {
  const time = sums.units.find(({ isTime }) => isTime);
  const axis = layOutTime(time?.groups ?? [], isMonthly);
  const [lead] = figures.leading;
  if (!time || !axis || !lead) return '';

  const earlier = comparison?.sums.groupsOf(time);
  const whole: WholeReport = {
    axis,
    now: axis.slots.map((slot) => addSums(slot, sums.total.metrics)),
    before: comparison && earlier && sumsBefore(axis, earlier, comparison),
  };
  const dashed =
    comparison && whole.before
      ? `<p class="by"><b class="dash"></b>${htmlText(comparison.before)}</p>`
      : '';
  const others = chartsOf(figures.others, whole);
  const details =
    others === ''
      ? ''
      : `<details><summary>Other figures over time</summary>\n<div class="charts">\n${others}</div></details>`;
  return `<section><div class="head"><h2>Over time</h2>${dashed}</div>
${renderCourse(lead, axis, sums)}<div class="charts">
${chartsOf(figures.leading, whole)}</div>${details}</section>
`;
}

/** The sums of a report as a whole in each slot of an axis, and those of an earlier report. */
interface WholeReport {
  readonly axis: TimeAxis;
  readonly now: readonly Sums[];
  readonly before: readonly Sums[] | undefined;
}

function sumsBefore(axis: TimeAxis, earlier: Grouping, comparison: Comparison): Sums[] {
  const slots = earlierSlots(axis, earlier, comparison.begins);
  return slots.map((slot) => addSums(slot, earlier.metrics));
}

function chartsOf(figures: readonly Figure[], { axis, now, before }: WholeReport): string {
  const charts = figures.map((figure) => {
    const series = [{ name: '', sums: now }];
    return renderTimeChart({ figure, axis, series, before, caption: `per ${axis.step}` });
  });
  return charts.join('');
}

/** The greatest values of the first breakdown over time as lines, by one figure; none where there is but one value. */
function renderCourse(figure: Figure, axis: TimeAxis, { units, course }: ReportSums): string {
  const unit = units.find(({ isTime }) => !isTime);
  const groups = unit?.groups;
  if (!groups || !course || groups.size < 2 || axis.slots.length < 2) return '';

  const top = [...groups].sort(byFigure(figure)).slice(0, mostLines);
  const series = top.map((group) => {
    const sums = axis.slots.map((slot) => {
      const times = slot.map(({ key }) => key[0] ?? null);
      const cells = times.map((time) => course.find([time, ...group.key]));
      return addSums(
        cells.filter((cell) => cell !== undefined),
        course.metrics,
      );
    });
    return { name: nameOfGroup(unit.fields, group).name, sums };
  });

  const count =
    groups.size > mostLines ? `the first ${mostLines} of ${formatCount(groups.size)}` : 'all';
  const caption = `per ${axis.step} by ${nounOfUnit(unit)}, ${count}`;
  return renderTimeChart({ figure, axis, series, caption });
}
