import type { Comparison, Figure } from '../figures/figures.ts';
import { nameOfGroup } from '../figures/group-name.ts';
import { addSums, type DateUnit, type Grouping, type Sums } from '../figures/grouping.ts';
import { byFigure } from '../figures/ranked-groups.ts';
import { nounOfUnit, type ReportSums } from '../figures/report-sums.ts';
import { earlierSlots, layOutTime, type TimeAxis } from '../figures/time-axis.ts';
import { formatCount } from '../text/quantity.ts';

/** So many values of a breakdown get a line; the others have one together. */
const mostLines = 5;

/** The sums of something in each slot of an axis. */
export interface TimeSeries {
  /** Empty for the report as a whole. */
  readonly name: string;

  readonly sums: readonly Sums[];

  /** Whether it is what is left beside the greatest values. */
  readonly isRest?: boolean;
}

/** An earlier report in the slots of an axis. */
export interface EarlierSeries {
  readonly sums: readonly Sums[];

  /** What each slot was called then: `Tue 1 Sep 2026`. */
  readonly labels: readonly string[];
}

/** A report over time. */
export interface ReportCourse {
  readonly axis: TimeAxis;

  /** The report as a whole. */
  readonly whole: TimeSeries;

  /** The same in the earlier report. */
  readonly before: EarlierSeries | undefined;

  /**
   * The greatest values of the first breakdown, and the others together; empty where there is one
   * value, or none.
   */
  readonly lines: readonly TimeSeries[];

  /** What the lines are: `per day by campaign`. */
  readonly linesCaption: string;
}

/** What decides the course of a report. */
export interface CourseParts {
  readonly sums: ReportSums;
  readonly lead: Figure | undefined;
  readonly dateUnit: DateUnit;
  readonly comparison: Comparison | undefined;
}

/** The course of a report over time; `undefined` where there is no time, or but one of it. */
export function courseOfReport(parts: CourseParts): ReportCourse | undefined {
  const { sums, lead, dateUnit, comparison } = parts;
  const time = sums.units.find(({ isTime }) => isTime);
  const axis = layOutTime(time?.groups ?? [], dateUnit);
  // One day has no course.
  if (!time || !axis || axis.slots.length < 2) return undefined;

  const whole = { name: '', sums: axis.slots.map((slot) => addSums(slot, sums.total.metrics)) };
  const earlier = comparison?.sums.groupsOf(time);
  const before = comparison && earlier && earlierSeries(axis, earlier, comparison);
  const lines = lead ? linesOf(lead, axis, sums) : undefined;
  return {
    axis,
    whole,
    before,
    lines: lines?.series ?? [],
    linesCaption: lines?.caption ?? '',
  };
}

function earlierSeries(axis: TimeAxis, earlier: Grouping, { begins }: Comparison): EarlierSeries {
  const { slots, labels } = earlierSlots(axis, earlier, begins);
  return { sums: slots.map((slot) => addSums(slot, earlier.metrics)), labels };
}

/** Lines, and what they are. */
interface CaptionedLines {
  readonly series: readonly TimeSeries[];
  readonly caption: string;
}

/**
 * The greatest values of the first breakdown over time, by one figure; `undefined` where there is
 * but one value.
 */
function linesOf(
  figure: Figure,
  axis: TimeAxis,
  { units, course }: ReportSums,
): CaptionedLines | undefined {
  const unit = units.find(({ isTime }) => !isTime);
  const groups = unit?.groups;
  if (!groups || !course || groups.size < 2) return undefined;

  const sumsOver = (members: readonly { readonly key: readonly (string | null)[] }[]): Sums[] => {
    return axis.slots.map((slot) => {
      const cells = members.flatMap(({ key }) => {
        return slot.map(({ key: [time] }) => course.find([time ?? null, ...key]));
      });
      return addSums(
        cells.filter((cell) => cell !== undefined),
        course.metrics,
      );
    });
  };

  const ranked = [...groups].sort(byFigure(figure));
  // "1 other" would take as much room as that one itself.
  const lineCount = ranked.length > mostLines + 1 ? mostLines : ranked.length;
  const series = ranked.slice(0, lineCount).map((group): TimeSeries => {
    return { name: nameOfGroup(unit.fields, group).name, sums: sumsOver([group]) };
  });

  const rest = ranked.slice(lineCount);
  if (rest.length > 0) {
    const name = `${formatCount(rest.length)} others`;
    series.push({ name, sums: sumsOver(rest), isRest: true });
  }
  return { series, caption: `per ${axis.step} by ${nounOfUnit(unit)}` };
}
