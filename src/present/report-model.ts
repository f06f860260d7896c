import { fieldLabel, metricOfField } from '../contract/columns.ts';
import { metrics, profiles, vocabularyOf } from '../contract/vocabulary.ts';
import type { Change } from '../figures/change.ts';
import {
  type Comparison,
  changeOf,
  type Figure,
  figureValue,
  leadingFirst,
} from '../figures/figures.ts';
import type { DateUnit, Sums } from '../figures/grouping.ts';
import type { ReportSums } from '../figures/report-sums.ts';
import { describeReport } from '../figures/window-text.ts';
import type { ColumnPlan } from '../output/columns.ts';
import type { EncodeOptions, ReportJudgement } from '../output/encoder.ts';
import { provenanceFacts } from '../output/provenance.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { formatPlural } from '../text/quantity.ts';
import { headlineOf } from './headline.ts';
import { type BreakdownRanking, rankingsOf } from './report-ranking.ts';
import { courseOfReport, type ReportCourse } from './report-trend.ts';

/** What conversions a client counts, in the order in which they are shown. */
const conversions = ['downloads', 'leads', 'landings'];

/** So many figures are read at a glance: two rows of four. */
const mostShown = 8;

/** The figures of a report as people read them. */
export interface FigureChoice {
  /**
   * What the report is ranked by, and what its changes are of: revenue, or what leads in its place.
   */
  readonly lead: Figure | undefined;

  /** What is seen first, at most eight, in the order in which they are read. */
  readonly shown: readonly Figure[];

  /** The rest of what was fetched, which stands behind “All figures”. */
  readonly others: readonly Figure[];
}

/**
 * Chooses what is seen first. Where the metrics were left to us, that is what a client reads:
 * revenue in one currency, displays, clicks, CTR, eCPM and the conversions that are not all zero;
 * else what was asked for.
 * @param figures all that the report has, in the order in which they were asked for
 */
export function chooseFigures(figures: readonly Figure[], totals: Sums): FigureChoice {
  const { leading, others } = leadingFirst(figures);
  const inOrder = [...leading, ...others];
  const shown = hasEveryMetric(figures)
    ? figuresOfClient(inOrder, totals)
    : inOrder.slice(0, mostShown);
  return { lead: shown[0], shown, others: inOrder.filter((figure) => !shown.includes(figure)) };
}

/**
 * Whether a report has the metrics of a profile, all and no others, as one has for which none was
 * named.
 */
function hasEveryMetric(figures: readonly Figure[]): boolean {
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

function figuresOfClient(figures: readonly Figure[], totals: Sums): Figure[] {
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
 * What gives way where there is no room, on paper and in a terminal, from what goes last to what
 * goes first: metrics by their names, and classes of other columns. What is earned is read before
 * all else, and names tell more than the third metric, because without them rows look alike. The
 * second currency goes first, then requests and eye trackings, then what can be computed from the
 * others.
 */
const givesWayLastToFirst = [
  'revenueEuro',
  'change of a row',
  'displays',
  'other names',
  'clicks',
  'downloads',
  'leads',
  'landings',
  'ctr',
  'ecpmEuro',
  'cpcEuro',
  'cplEuro',
  'cpdEuro',
  'eyesTrackings',
  'requests',
  'cpcDollar',
  'ecpmDollar',
  'revenueDollar',
  'told by another column',
  'the same in every row',
] as const;

/** A class of columns that are no metrics. */
type ColumnClass =
  | 'change of a row'
  | 'other names'
  | 'told by another column'
  | 'the same in every row';

/** How gladly a class of columns gives way: the higher the sooner. */
export function rankOfClass(name: ColumnClass): number {
  return givesWayLastToFirst.indexOf(name) + 1;
}

/**
 * How gladly a figure gives way: the higher the sooner; dollars stand for euros where there are
 * none.
 */
export function rankOfFigure({ field }: Figure, fields: readonly string[]): number {
  const name = metricOfField(field)?.name ?? field;
  const nameInEuro = name.replace(/Dollar$/, 'Euro');
  const rankedName = fields.includes(nameInEuro) ? name : nameInEuro;

  const order: readonly string[] = givesWayLastToFirst;
  const rank = order.indexOf(rankedName) + 1;
  // A metric that the list does not name is one that few look for.
  const isMetric = metrics.some((metric) => metric.name === name);
  return rank === 0 && isMetric ? order.indexOf('requests') + 1 : rank;
}

/** A figure of the whole report, and how it has changed. */
export interface Total {
  readonly figure: Figure;
  readonly label: string;

  /** What the figure is, in a sentence without a full stop. */
  readonly meaning: string;

  /** Absent where nothing is compared. */
  readonly change: Change | undefined;
}

/** The totals of a report by its figures, without rates that have no value, now or before. */
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

/** What is compared with what, in one sentence, and what makes the two unequal. */
export function comparisonSentence({ now, before, days, notes }: Comparison): string {
  const daysNow = days ? ` (${formatPlural(days.now, 'day')})` : '';
  const daysBefore = days ? ` (${formatPlural(days.before, 'day')})` : '';
  return [`Change: ${now}${daysNow} against ${before}${daysBefore}.`, ...notes].join(' ');
}

/** What a report for people is made of, once its last row has been read. */
export interface ReportParts {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly tail: Pick<ReportTail, 'summary' | 'rowCount'>;
  readonly options: EncodeOptions;

  /** What the report is found to be; absent for one that nobody judged. */
  readonly judgement?: ReportJudgement | undefined;
}

/** What a report for people shows: decided here, and drawn by a page, a sheet and a terminal. */
export interface ReportModel {
  readonly title: string;

  /**
   * What is said below the title, by names: the window, the zone, what the report is restricted to.
   */
  readonly facts: ReadonlyMap<string, string>;

  /** What the sender says to the readers, line by line. */
  readonly remark: readonly string[];

  /** The report in a sentence. */
  readonly headline: string | undefined;

  /** What is compared with what. */
  readonly compared: string | undefined;

  /** What is said instead of figures where there are no rows. */
  readonly empty: string | undefined;

  /** What the earlier report was, where this one has no rows and is compared with one that has. */
  readonly past: ReportModel | undefined;

  /** What proves that the report is not what was asked for, and what may be right, in sentences. */
  readonly findings: readonly string[];
  readonly notes: readonly string[];

  readonly figures: FigureChoice;

  /** The figures that are seen first, and those behind “All figures”. */
  readonly totals: readonly Total[];
  readonly otherTotals: readonly Total[];

  /** The report over time; absent where it has no time, or but one day, hour or month. */
  readonly course: ReportCourse | undefined;

  /** The greatest values of each breakdown. */
  readonly rankings: readonly BreakdownRanking[];

  /** What the dates of the report stand for. */
  readonly dateUnit: DateUnit;

  /** What stands behind “About this report”, by names. */
  readonly about: ReadonlyMap<string, string>;
}

const emptySentence = 'Nothing ran in this window, or the filters leave nothing of it.';

/** Decides what a report shows. */
export function modelOfReport(parts: ReportParts): ReportModel {
  const { plan, sums, tail, options, judgement } = parts;
  const { comparison, provenance, remark } = options;
  const description = describeReport(tail.summary, sums);
  const { dateUnit } = description;
  const hasRows = tail.rowCount > 0;
  const past = hasRows ? undefined : pastOf(parts);
  const totals = sums.total.totals();

  const candidates = plan.shown.map(({ figure }) => figure);
  const figures = chooseFigures(
    candidates.filter((figure) => figure !== undefined),
    past && comparison ? comparison.sums.total.totals() : totals,
  );
  const { lead } = figures;
  return {
    title: options.title ?? description.title,
    facts: factsOf(options, description),
    remark: remark === undefined ? [] : remark.trim().split(/\r?\n/),
    headline: headlineOf({ sums, lead, comparison, dateUnit }),
    compared: comparison && comparisonSentence(comparison),
    empty: hasRows ? undefined : emptySentence,
    past,
    findings: judgement?.findings ?? [],
    // Of a report without rows one sentence says all.
    notes: hasRows ? (judgement?.briefNotes ?? []) : [],
    figures,
    totals: hasRows || past ? totalsOf(figures.shown, totals, comparison) : [],
    otherTotals: hasRows ? totalsOf(figures.others, totals, comparison) : [],
    course: courseOfReport({ sums, lead, dateUnit, comparison }),
    rankings: rankingsOf(sums, figures.shown, comparison),
    dateUnit,
    about: provenance ? provenanceFacts(provenance) : new Map(),
  };
}

/** The model of the earlier report; `undefined` if there is none, or it has no rows. */
function pastOf(parts: ReportParts): ReportModel | undefined {
  const { comparison } = parts.options;
  const rowCount = comparison?.sums.total.rowCount ?? 0;
  if (!comparison || rowCount === 0) return undefined;

  return modelOfReport({
    ...parts,
    sums: comparison.sums,
    tail: { ...parts.tail, rowCount },
    options: { ...parts.options, comparison: undefined },
    judgement: undefined,
  });
}

function factsOf(
  { comparison, provenance }: EncodeOptions,
  { window, zone }: ReturnType<typeof describeReport>,
): Map<string, string> {
  const filters = provenance?.filters ?? [];

  const facts = new Map<string, string>();
  if (window !== undefined) facts.set('Window', window);
  if (zone !== undefined) facts.set('Zone', zone);
  if (filters.length > 0) facts.set('Filters', filters.join('; '));
  if (comparison) facts.set('Compared with', comparison.before);
  return facts;
}
