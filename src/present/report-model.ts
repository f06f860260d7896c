import { fieldLabel, metricOfField } from '../contract/columns.ts';
import { profiles, revenueMeaning, vocabularyOf } from '../contract/vocabulary.ts';
import type { ColumnPlan, PlannedColumn } from '../output/column-plan.ts';
import type { EncodeOptions, ReportMessages } from '../output/encoder.ts';
import { type Provenance, provenanceFacts } from '../output/provenance.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { formatPlural } from '../text/quantity.ts';
import type { Change } from '../totals/change.ts';
import {
  type Comparison,
  changeOf,
  type Figure,
  figureValue,
  splitLeadingMetrics,
} from '../totals/figures.ts';
import type { DateUnit, Sums } from '../totals/grouping.ts';
import type { ReportSums } from '../totals/report-sums.ts';
import { describeReport } from '../totals/window-text.ts';
import { formatHeadline } from './headline.ts';
import { type BreakdownRanking, rankingsOf } from './report-ranking.ts';
import { type ReportTrend, reportTrend } from './report-trend.ts';

/** In display order. */
const conversions = ['downloads', 'leads', 'landings'];

/** Two rows of four cards. */
const maxCards = 8;

/** Metrics in display order. */
export interface FigureChoice {
  /** For rankings and changes: revenue, or the metric that replaces it. */
  readonly lead: Figure | undefined;

  /** Shown first, at most eight. */
  readonly shown: readonly Figure[];

  /** Shown under “All figures”. */
  readonly others: readonly Figure[];

  /** All metrics in the order of a table's columns: as requested, if the user named them. */
  readonly columns: readonly Figure[];
}

/**
 * Chooses the metrics to show first. Without `--metrics` these are revenue in one currency,
 * displays, clicks, CTR, eCPM and conversions that are not all zero; otherwise the requested ones.
 * @param figures all metrics of the report, in request order
 */
export function chooseFigures(figures: readonly Figure[], totals: Sums): FigureChoice {
  const { leading, others } = splitLeadingMetrics(figures);
  const leadFirst = [...leading, ...others];
  const isDefault = hasAllMetrics(figures);
  const shown = isDefault ? defaultFigures(leadFirst, totals) : leadFirst.slice(0, maxCards);
  const rest = leadFirst.filter((figure) => !shown.includes(figure));
  const columns = isDefault ? [...shown, ...rest] : figures;
  return { lead: shown[0], shown, others: rest, columns };
}

/** Matches exactly the metrics of a profile, which a report has if the user named none. */
function hasAllMetrics(figures: readonly Figure[]): boolean {
  const sums = figures.filter(({ derived }) => !derived);
  const fields = new Set(sums.map(({ field }) => field));
  return profiles.some((profile) => {
    const every = vocabularyOf(profile).metrics;
    const areThere = every.every(({ name, rowField }) => {
      return fields.has(name) || fields.has(rowField?.[profile] ?? name);
    });
    return areThere && every.length === fields.size;
  });
}

function defaultFigures(figures: readonly Figure[], totals: Sums): Figure[] {
  const nameOf = ({ field }: Figure): string => metricOfField(field)?.name ?? field;
  const named = (name: string): Figure | undefined => {
    return figures.find((figure) => nameOf(figure) === name);
  };

  const currency = named('revenueEuro') ? 'Euro' : 'Dollar';
  const chosen: Figure[] = [];
  for (const name of [`revenue${currency}`, 'displays', 'clicks', 'ctr', `ecpm${currency}`]) {
    const figure = named(name);
    if (figure) chosen.push(figure);
  }
  for (const name of conversions) {
    const figure = named(name);
    if (figure && figureValue(figure, totals)) chosen.push(figure);
  }
  return chosen;
}

/**
 * Puts the breakdowns first, as requested, then the metrics, then fields that the vocabulary does
 * not know.
 */
export function inReadingOrder(
  columns: readonly PlannedColumn[],
  { columns: figures }: FigureChoice,
): PlannedColumn[] {
  const ordered = columns.filter(({ figure, type }) => !figure && type !== undefined);
  for (const { field } of figures) {
    ordered.push(...columns.filter((column) => column.field === field));
  }
  return [...ordered, ...columns.filter(({ figure, type }) => !figure && type === undefined)];
}

/** A metric of the whole report and its change. */
export interface Total {
  readonly figure: Figure;
  readonly label: string;

  /** A sentence without a full stop. */
  readonly meaning: string;

  /** `undefined` without a comparison. */
  readonly change: Change | undefined;
}

/** Omits rates that have no value in either report. */
export function totalsOf(
  figures: readonly Figure[],
  now: Sums,
  comparison: Comparison | undefined,
  unicode = true,
): Total[] {
  const before = comparison?.sums.total.totals();
  const totals: Total[] = [];
  for (const figure of figures) {
    const { field, derived } = figure;
    const isKnown = [now, before].some((sums) => sums && figureValue(figure, sums) !== undefined);
    if (derived && !isKnown) continue;

    const meaning = derived?.meaning ?? metricOfField(field)?.meaning ?? '';
    const change = before && changeOf(figure, now, before, unicode);
    totals.push({ figure, label: fieldLabel(field), meaning, change });
  }
  return totals;
}

/** Describes the comparison and the differences between the two windows. */
export function comparisonSentence({ now, before, days, notes }: Comparison): string {
  const daysNow = days ? ` (${formatPlural(days.now, 'day')})` : '';
  const daysBefore = days ? ` (${formatPlural(days.before, 'day')})` : '';
  return [`Change: ${now}${daysNow} compared with ${before}${daysBefore}.`, ...notes].join(' ');
}

export interface ReportParts {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly tail: Pick<ReportTail, 'summary' | 'rowCount'>;
  readonly options: EncodeOptions;

  /** `undefined` if the report was not checked. */
  readonly messages?: ReportMessages | undefined;
}

/** Drawn by pages, spreadsheets and the terminal. */
export interface ReportModel {
  readonly title: string;

  /** Facts below the title, by label: window, zone, filters. */
  readonly facts: ReadonlyMap<string, string>;

  /** Lines of the sender's note. */
  readonly remark: readonly string[];

  /** Whole report in one sentence. */
  readonly headline: string | undefined;

  /** A sentence. */
  readonly compared: string | undefined;

  /** A sentence shown instead of metrics if there are no rows. */
  readonly empty: string | undefined;

  /** Earlier report, if this one has no rows and that one does. */
  readonly past: ReportModel | undefined;

  /** Sentences. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  readonly figures: FigureChoice;

  /** Shown first, and under “All figures”. */
  readonly totals: readonly Total[];
  readonly otherTotals: readonly Total[];

  /** `undefined` without times, or with only one day, hour or month. */
  readonly trend: ReportTrend | undefined;

  /** One for each breakdown. */
  readonly rankings: readonly BreakdownRanking[];

  /** Unit that the report's dates represent. */
  readonly dateUnit: DateUnit;

  /** Content of “About this report”, by label. */
  readonly about: ReadonlyMap<string, string>;
}

const emptySentence = 'Nothing ran in this period, or the filters exclude everything.';

/** Decides what a report shows. */
export function buildReportModel(parts: ReportParts): ReportModel {
  const { plan, sums, tail, options, messages } = parts;
  const { comparison, provenance, remark } = options;
  const description = describeReport(tail.summary, sums);
  const { dateUnit } = description;
  const hasRows = tail.rowCount > 0;
  const past = hasRows ? undefined : earlierModel(parts);
  const totals = sums.total.totals();

  const candidates = plan.shown.map(({ figure }) => figure);
  const figures = chooseFigures(
    candidates.filter((figure) => figure !== undefined),
    past && comparison ? comparison.sums.total.totals() : totals,
  );
  const { lead } = figures;
  return {
    title: options.title ?? description.title,
    facts: reportFacts(options, description),
    remark: remark === undefined ? [] : remark.trim().split(/\r?\n/),
    headline: formatHeadline(sums, lead, comparison),
    compared: comparison && comparisonSentence(comparison),
    empty: hasRows ? undefined : emptySentence,
    past,
    warnings: messages?.warnings ?? [],
    // For an empty report the `empty` sentence is enough.
    notes: hasRows ? (messages?.briefNotes ?? []) : [],
    figures,
    totals: hasRows || past ? totalsOf(figures.shown, totals, comparison) : [],
    otherTotals: hasRows ? totalsOf(figures.others, totals, comparison) : [],
    trend: reportTrend({ sums, lead, dateUnit, comparison, overTime: options.overTime }),
    rankings: rankingsOf(sums, figures.shown, comparison),
    dateUnit,
    about: provenance ? aboutReport(provenance, candidates) : new Map(),
  };
}

function aboutReport(
  provenance: Provenance,
  columns: readonly (Figure | undefined)[],
): Map<string, string> {
  const about = provenanceFacts(provenance);
  const hasRevenue = columns.some((figure) => figure?.field.startsWith('revenue'));
  if (hasRevenue) about.set('Revenue', revenueMeaning);
  return about;
}

/** Returns `undefined` if there is no earlier report or it has no rows. */
function earlierModel(parts: ReportParts): ReportModel | undefined {
  const { comparison } = parts.options;
  const rowCount = comparison?.sums.total.rowCount ?? 0;
  if (!comparison || rowCount === 0) return undefined;

  return buildReportModel({
    ...parts,
    sums: comparison.sums,
    tail: { ...parts.tail, rowCount },
    options: { ...parts.options, comparison: undefined },
    messages: undefined,
  });
}

function reportFacts(
  { comparison, provenance }: EncodeOptions,
  { window, zone }: ReturnType<typeof describeReport>,
): Map<string, string> {
  const filters = provenance?.filters ?? [];

  const facts = new Map<string, string>();
  if (window !== undefined) facts.set('Period', window);
  if (zone !== undefined) facts.set('Time zone', zone);
  if (filters.length > 0) facts.set('Filters', filters.join('; '));
  if (comparison) facts.set('Compared with', comparison.before);
  return facts;
}
