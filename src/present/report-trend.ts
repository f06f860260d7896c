import type { ReportMetric } from '../query/metrics.ts';
import { printable } from '../text/printable.ts';
import { formatCount, pluralize } from '../text/quantity.ts';
import type { Comparison } from '../totals/comparison.ts';
import type { DateUnit } from '../totals/group-keys.ts';
import { addSums, type Group, type GroupedTotals, type Sums } from '../totals/grouped-totals.ts';
import { byMetric } from '../totals/ranked-groups.ts';
import { nameUnit, type ReportSums } from '../totals/report-sums.ts';
import { alignEarlier, layOutTime, type TimeAxis } from '../totals/time-axis.ts';
import { groupName } from './group-name.ts';
import { computeShare, formatWithCurrency } from './metric-text.ts';

/** Number of values of a breakdown that are drawn as lines. */
const maxLines = 5;

/** Sums in each slot of an axis. */
export interface TimeSeries {
  /** Name of the series; empty for the report as a whole. */
  readonly name: string;

  readonly sums: readonly Sums[];
}

/** Sums of the earlier report, aligned with the slots of an axis. */
export interface EarlierSeries {
  readonly sums: readonly Sums[];

  /** Label of each slot in the earlier window: `Tue 1 Sep 2026`. */
  readonly labels: readonly string[];
}

export interface ReportTrend {
  readonly axis: TimeAxis;

  /** The report as a whole. */
  readonly whole: TimeSeries;

  /** The earlier report as a whole. */
  readonly before: EarlierSeries | undefined;

  /** Largest values of the first breakdown; empty if it has fewer than two. */
  readonly lines: readonly TimeSeries[];

  /** Caption of the lines: `per day by campaign`. */
  readonly linesCaption: string;

  /** Describes the values without a line; `undefined` if there are none. */
  readonly unchartedSentence: string | undefined;
}

/** Builds the trend of a report; `undefined` if the rows have no times, or only one. */
export function reportTrend(parts: {
  readonly sums: ReportSums;
  readonly lead: ReportMetric | undefined;
  readonly dateUnit: DateUnit;
  readonly comparison: Comparison | undefined;

  /** Report by time, if its rows have no times. */
  readonly overTime?: GroupedTotals | undefined;
}): ReportTrend | undefined {
  const { sums, lead, dateUnit, comparison, overTime } = parts;
  const time = sums.units.find(({ isTime }) => isTime);
  const axis = layOutTime(time?.groups ?? overTime ?? [], dateUnit);
  // A single day shows no trend.
  if (!axis || axis.slots.length < 2) return undefined;

  const whole = { name: '', sums: axis.slots.map((slot) => addSums(slot, sums.total.metrics)) };
  const earlier = time && comparison?.sums.findGroups(time);
  const before = comparison && earlier && buildEarlierSeries(axis, earlier, comparison);
  const lines = lead && time ? buildLines(lead, axis, sums) : undefined;
  return {
    axis,
    whole,
    before,
    lines: lines?.series ?? [],
    linesCaption: lines?.caption ?? '',
    unchartedSentence: lines?.unchartedSentence,
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
 * Draws the largest values of the first breakdown by one metric; `undefined` if there are fewer
 * than two values.
 */
function buildLines(
  metric: ReportMetric,
  axis: TimeAxis,
  { trend, total }: ReportSums,
): { series: TimeSeries[]; caption: string; unchartedSentence: string | undefined } | undefined {
  const byTime = trend?.groups;
  const groups = trend?.unit.groups;
  if (!byTime || !groups || groups.size < 2) return undefined;

  const { unit } = trend;

  const ranked = [...groups].sort(byMetric(metric));
  const series = ranked.slice(0, maxLines).map((group): TimeSeries => {
    const name = printable(groupName(unit.fields, group.key));
    return { name, sums: sumsInSlots(group, axis, byTime) };
  });

  const noun = nameUnit(unit);
  const rest = ranked.slice(maxLines);
  const unchartedSentence =
    rest.length > 0 ? unchartedNote(rest, groups, { metric, noun, total }) : undefined;
  return { series, caption: `per ${axis.step} by ${noun}`, unchartedSentence };
}

function sumsInSlots({ key }: Group, axis: TimeAxis, byTime: GroupedTotals): Sums[] {
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
function unchartedNote(
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
