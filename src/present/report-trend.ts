import type { Comparison, Figure } from '../figures/figures.ts';
import { nameOfGroup } from '../figures/group-name.ts';
import {
  addSums,
  type DateUnit,
  type Group,
  type Grouping,
  type Sums,
} from '../figures/grouping.ts';
import { byFigure } from '../figures/ranked-groups.ts';
import { type ReportSums, unitNoun } from '../figures/report-sums.ts';
import { earlierSlots, layOutTime, type TimeAxis } from '../figures/time-axis.ts';
import { printable } from '../text/printable.ts';
import { formatCount, pluralOf } from '../text/quantity.ts';
import { figureWithCurrency, shareOf } from './figure-text.ts';

/** So many values of a breakdown get a line. */
const mostLines = 5;

/** The sums of something in each slot of an axis. */
export interface TimeSeries {
  /** Empty for the report as a whole. */
  readonly name: string;

  readonly sums: readonly Sums[];
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

  /** The greatest values of the first breakdown; empty if it has fewer than two. */
  readonly lines: readonly TimeSeries[];

  /** What the lines are: `per day by campaign`. */
  readonly linesCaption: string;

  /** How much the values without a line are, in a sentence; `undefined` if there are none. */
  readonly withoutLine: string | undefined;
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
    withoutLine: lines?.withoutLine,
  };
}

function earlierSeries(axis: TimeAxis, earlier: Grouping, { begins }: Comparison): EarlierSeries {
  const { slots, labels } = earlierSlots(axis, earlier, begins);
  return { sums: slots.map((slot) => addSums(slot, earlier.metrics)), labels };
}

/** Lines, what they are, and what has none. */
interface CaptionedLines {
  readonly series: readonly TimeSeries[];
  readonly caption: string;
  readonly withoutLine: string | undefined;
}

/**
 * The greatest values of the first breakdown over time, by one figure; `undefined` where there is
 * but one value.
 */
function linesOf(
  figure: Figure,
  axis: TimeAxis,
  { units, course, total }: ReportSums,
): CaptionedLines | undefined {
  const unit = units.find(({ isTime }) => !isTime);
  const groups = unit?.groups;
  if (!groups || !course || groups.size < 2) return undefined;

  const ranked = [...groups].sort(byFigure(figure));
  const series = ranked.slice(0, mostLines).map((group): TimeSeries => {
    const { name } = nameOfGroup(unit.fields, group);
    return { name: printable(name), sums: sumsInSlots(group, axis, course) };
  });

  const noun = unitNoun(unit);
  const rest = ranked.slice(mostLines);
  const withoutLine = rest.length > 0 ? notDrawn(rest, groups, { figure, noun, total }) : undefined;
  return { series, caption: `per ${axis.step} by ${noun}`, withoutLine };
}

/** The sums of a group in each slot of an axis. */
function sumsInSlots({ key }: Group, axis: TimeAxis, course: Grouping): Sums[] {
  return axis.slots.map((slot) => {
    const cells = slot.map(({ key: [time] }) => course.find([time ?? null, ...key]));
    return addSums(
      cells.filter((cell) => cell !== undefined),
      course.metrics,
    );
  });
}

/** What a sentence on groups needs to know. */
interface RestWords {
  readonly figure: Figure;

  /** What a group is called. */
  readonly noun: string;

  /** The whole report. */
  readonly total: Grouping;
}

/** The groups that have no line: `Not drawn: 55 other campaigns, €94,884.11 together (82.1%).` */
function notDrawn(
  rest: readonly Group[],
  { metrics }: Grouping,
  { figure, noun, total }: RestWords,
): string {
  const isOne = rest.length === 1;
  const subject = `${formatCount(rest.length)} other ${isOne ? noun : pluralOf(noun)}`;

  const sums = addSums(rest, metrics);
  const amount = `${figureWithCurrency(figure, sums)}${isOne ? '' : ' together'}`;
  const share = shareOf(figure, sums, total.totals());
  const percent = share === undefined ? '' : ` (${(100 * share).toFixed(1)}%)`;
  return `Not drawn: ${subject}, ${amount}${percent}.`;
}
