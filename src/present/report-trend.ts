import type { ReportMetric } from '../query/metrics.ts';
import { printable } from '../text/printable.ts';
import { formatCount, pluralize } from '../text/quantity.ts';
import type { Comparison } from '../totals/comparison.ts';
import type { DateUnit } from '../totals/group-keys.ts';
import { addSums, type Group, type GroupedTotals, type Sums } from '../totals/grouped-totals.ts';
import { byMetric } from '../totals/ranked-groups.ts';
import { dimensionNoun, type ReportSums } from '../totals/report-sums.ts';
import { alignEarlier, layOutTime, type TimeAxis } from '../totals/time-axis.ts';
import { formatGroupName } from './group-name.ts';
import { computeShare, formatWithCurrency } from './metric-text.ts';

/** Maximum number of lines, each for a value of the breakdown. */
const maxLines = 5;

/** A line: the sums in each slot of an axis. */
export interface TimeSeries {
  /** Empty for the whole report. */
  readonly name: string;

  readonly sums: readonly Sums[];
}

/** Sums of the earlier report, aligned with the slots of an axis. */
export interface EarlierSeries {
  readonly sums: readonly Sums[];

  /** Label of each slot in the earlier period: `Tue 1 Sep 2026`. */
  readonly labels: readonly string[];
}

export interface ReportTrend {
  readonly axis: TimeAxis;

  /** Sums of the whole report. */
  readonly whole: TimeSeries;

  /** Sums of the whole earlier report. `undefined` without a comparison. */
  readonly before: EarlierSeries | undefined;

  /** Largest values of the first breakdown. Empty if it has fewer than two values. */
  readonly lines: readonly TimeSeries[];

  /** Caption of the lines: `per day by campaign`. */
  readonly linesCaption: string;

  /** Note about the values without a line, or `undefined` if every value has a line. */
  readonly unchartedNote: string | undefined;
}

/** Builds the trend of a report, or returns `undefined` if its rows do not have several times. */
export function buildTrend(parts: {
  readonly sums: ReportSums;
  readonly leadingMetric: ReportMetric | undefined;
  readonly dateUnit: DateUnit;
  readonly comparison: Comparison | undefined;

  /** Groups by time, for a report whose rows have no times. */
  readonly overTime?: GroupedTotals | undefined;
}): ReportTrend | undefined {
  const { sums, leadingMetric, dateUnit, comparison, overTime } = parts;
  const time = sums.dimensions.find(({ isTime }) => isTime);
  const axis = layOutTime(time?.groups ?? overTime ?? [], dateUnit);
  // A trend needs at least two points.
  if (!axis || axis.slots.length < 2) return undefined;

  const whole = { name: '', sums: axis.slots.map((slot) => addSums(slot, sums.total.metrics)) };
  const earlier = time && comparison?.sums.findGroups(time);
  const before = comparison && earlier && buildEarlierSeries(axis, earlier, comparison);
  const lines = leadingMetric && time ? buildLines(leadingMetric, axis, sums) : undefined;
  return {
    axis,
    whole,
    before,
    lines: lines?.series ?? [],
    linesCaption: lines?.caption ?? '',
    unchartedNote: lines?.unchartedNote,
  };
}

function buildEarlierSeries(
  axis: TimeAxis,
  earlier: GroupedTotals,
  comparison: Comparison,
): EarlierSeries {
  const { slots, labels } = alignEarlier(axis, earlier, comparison);
  return { sums: slots.map((slot) => addSums(slot, earlier.metrics)), labels };
}

/**
 * Builds a line for each of the largest values of the first breakdown. Returns `undefined` if there
 * are fewer than two values.
 */
function buildLines(
  metric: ReportMetric,
  axis: TimeAxis,
  { trend, total }: ReportSums,
): { series: TimeSeries[]; caption: string; unchartedNote: string | undefined } | undefined {
  const byTime = trend?.groups;
  const groups = trend?.dimension.groups;
  if (!byTime || !groups || groups.size < 2) return undefined;

  const { dimension } = trend;

  const ranked = [...groups].sort(byMetric(metric));
  const series = ranked.slice(0, maxLines).map((group): TimeSeries => {
    const name = printable(formatGroupName(dimension.fields, group.key));
    return { name, sums: sumSlots(group, axis, byTime) };
  });

  const noun = dimensionNoun(dimension);
  const rest = ranked.slice(maxLines);
  const unchartedNote =
    rest.length > 0 ? formatUncharted(rest, groups, { metric, noun, total }) : undefined;
  return { series, caption: `per ${axis.step} by ${noun}`, unchartedNote };
}

function sumSlots({ key }: Group, axis: TimeAxis, byTime: GroupedTotals): Sums[] {
  return axis.slots.map((slot) => {
    const cells = slot.flatMap(({ time }) => byTime.find([time, ...key]) ?? []);
    return addSums(cells, byTime.metrics);
  });
}

/**
 * Formats `Not charted: 55 other campaigns, €94,884.11 in total (82.1%).`
 *
 * @param noun word for a group: `campaign`
 * @param total sums of the whole report
 */
function formatUncharted(
  rest: readonly Group[],
  { metrics }: GroupedTotals,
  { metric, noun, total }: { metric: ReportMetric; noun: string; total: GroupedTotals },
): string {
  const isOne = rest.length === 1;
  const subject = `${formatCount(rest.length)} other ${isOne ? noun : pluralize(noun)}`;

  const sums = addSums(rest, metrics);
  const amount = `${formatWithCurrency(metric, sums)}${isOne ? '' : ' in total'}`;
  const share = computeShare(metric, sums, total.totals());
  const percent = share === undefined ? '' : ` (${(100 * share).toFixed(1)}%)`;
  return `Not charted: ${subject}, ${amount}${percent}.`;
}
