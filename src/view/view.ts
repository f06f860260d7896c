import type { Context } from '../context.ts';
import { version } from '../context.ts';
import { columnsOf, keyOf, metricOfField } from '../contract/columns.ts';
import {
  checkComparable,
  checkFormat,
  type Delivery,
  prepareDelivery,
  tableLook,
} from '../deliver/deliver.ts';
import { writeOutput } from '../deliver/write-output.ts';
import { FindingsError, UsageError } from '../errors.ts';
import { comparisonOf } from '../figures/compared-report.ts';
import {
  type Comparison,
  everyFigureOf,
  type Figure,
  figuresNamed,
  figuresOf,
  findFigure,
  leadingFirst,
} from '../figures/figures.ts';
import {
  type Grouping,
  inTimeOrder,
  isTime,
  type KeyColumn,
  strangeValueNotes,
} from '../figures/grouping.ts';
import { inServiceOrder, rankGroups, resolveKeys } from '../figures/ranked-groups.ts';
import { type FormatName, formats } from '../formats/index.ts';
import type { Expectation } from '../judge/check.ts';
import { ReportVerdict } from '../judge/report-judge.ts';
import type { RowWatcher } from '../output/encoder.ts';
import type { Provenance } from '../output/provenance.ts';
import { filtersInWords } from '../report/filter-words.ts';
import { calendarUnitsIn, describeWindow, formatDate, type Window } from '../report/window.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import {
  breakdownNames,
  columnsOfAnswer,
  hasUnevenRows,
  rowsOfAnswer,
  sentBreakdowns,
  sumsOfAnswer,
  type ViewAnswer,
} from './answer.ts';
import type { DaySpan, RowRequest } from './file-taker.ts';
import { gapSentences, openSentence } from './folder-source.ts';
import { type GatheredRows, gatherRows } from './gather.ts';
import { noMatchSentence, RowFilter } from './row-filter.ts';
import {
  cutGroupNote,
  daysOfWindow,
  expectCoarseEnough,
  expectWholeGroups,
  rowDatesOf,
} from './select-days.ts';
import { findSources, type Sources } from './sources.ts';
import type { ViewOptions } from './view-flags.ts';

/** The form of a view: text for people, the object of `--json`, or a format of `run`. */
export type Form = 'text' | 'document' | FormatName;

/** Files that were read, and the flags that say what is shown of them. */
export interface View {
  readonly paths: readonly string[];
  readonly options: ViewOptions;
  readonly sources: Sources;
  readonly gathered: GatheredRows;

  /** The groups of the window that was asked for. */
  readonly groups: Grouping;
  readonly byTime: Grouping;
  readonly figures: readonly Figure[];

  /** Sentences on missing and changed days, and on days that may still change. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** The number of rows of a preview without `--top`. */
const previewRows = 10;

/**
 * Reads files, and prints what is to be known of them.
 *
 * @throws UsageError for files that are not one report together, or do not have what is asked for;
 *   FindingsError with `--strict` for days that are missing or changed
 */
export async function readView(
  context: Context,
  options: ViewOptions,
  { paths, form }: { readonly paths: readonly string[]; readonly form: Form },
): Promise<View> {
  const filters = (options.filter ?? []).map((condition) => new RowFilter(condition));
  const sources = await findSources(context, options, paths);
  expectPossible(context, options, sources);

  const request: RowRequest = {
    by: options.by,
    filters,
    followsTime: options.chart === 'line',
    previewRows: previewRowsOf(options, form),
    look: tableLook(context),
    spans: sources.spans,
  };
  const gathered = await gatherRows(context, sources.files, request);
  const sums = gathered.sums[0];
  if (!sums) throw new Error('There is one span at least.');

  expectRowsOfPeriod(sources, gathered);
  const window = sources.window ?? windowOfTails(gathered.tails);
  if (window && options.by) {
    expectWholeGroups(options.by, window, Math.floor(context.host.wallClock() / 1_000));
  }
  const view = {
    paths,
    options,
    sources: { ...sources, window },
    gathered,
    groups: sums.groups,
    byTime: sums.byTime,
    figures: figuresToShow(sums.groups, options, sources),
    warnings: [
      ...sources.warnings,
      ...sources.folders.flatMap((folder) => gapSentences(folder, false)),
      ...sources.earlierFolders.flatMap((folder) => gapSentences(folder, true)),
      ...daysOutside(sources, gathered.tails),
    ],
    notes: notesOf(sources, { by: options.by ?? [], window, byTime: sums.byTime }),
  };
  if (options.strict && view.warnings.length > 0) throw isIncomplete(view.warnings);
  printRemarks(context, view);
  const isFilteredOut = sums.byTime.rowCount === 0 && gathered.rowCount > 0 && filters.length > 0;
  if (isFilteredOut) context.console.note(noMatchSentence(filters));
  return view;
}

/** Throws `UsageError` for files, not folders, without a row of `--period`. */
function expectRowsOfPeriod({ window, spans, folders, shown }: Sources, gathered: GatheredRows) {
  const isEmpty = gathered.periodRowCount === 0 && gathered.rowCount > 0;
  if (!window || spans.length === 0 || folders.length > 0 || !isEmpty) return;

  const name = printable(shown === '-' ? 'stdin' : shown);
  const own = windowOfTails(gathered.tails);
  const days = own && daysOfWindow(own);
  throw new UsageError(`${name} has no rows for these days.`, {
    about: { flag: '--period' },
    hint: days ? `It has ${days.since} to ${days.until}.` : 'Choose another period.',
  });
}

/** A warning on days of `--period` that the summary of a file does not cover. */
function daysOutside({ window, spans, folders }: Sources, tails: readonly ReportTail[]): string[] {
  const own = windowOfTails(tails);
  if (!own || !window || spans.length === 0 || folders.length > 0) return [];

  const days = [...calendarUnitsIn(window, 'day')];
  const missing = days.filter(({ start, over }) => start < own.since || over - 1 > own.until);
  if (missing.length === 0) return [];
  const verb = missing.length === 1 ? 'is' : 'are';
  return [`${missing.length} of ${formatPlural(days.length, 'day')} ${verb} missing.`];
}

function previewRowsOf({ by, chart, top }: ViewOptions, form: Form): number {
  const isPreview = form === 'text' && by === undefined && chart === undefined;
  return isPreview ? (top ?? previewRows) : 0;
}

/** Throws `UsageError` for what the files cannot have, before they are read. */
function expectPossible({ host }: Context, { by }: ViewOptions, sources: Sources): void {
  const { spec, shown, window } = sources;
  if (!spec || !by) return;
  const dates = rowDatesOf(spec.request.breakdowns, spec.split);
  expectCoarseEnough(by, { shown, dates });
  if (window) expectWholeGroups(by, window, Math.floor(host.wallClock() / 1_000));
}

/** The window in the summary of a single report; `undefined` without one, or of several. */
function windowOfTails(tails: readonly ReportTail[]): Window | undefined {
  const [tail, another] = tails;
  const summary = tail?.summary;
  if (!summary || another) return undefined;
  const since = Date.parse(summary.since) / 1_000;
  const until = Date.parse(summary.until) / 1_000;
  const isKnown = Number.isFinite(since) && Number.isFinite(until);
  return isKnown ? { since, until, zone: summary.timezone, notes: [] } : undefined;
}

function notesOf(
  { folders, window: known }: Sources,
  { by, window, byTime }: { by: readonly string[]; window: Window | undefined; byTime: Grouping },
): string[] {
  const notes: string[] = [...(known?.notes ?? [])];
  for (const folder of folders) {
    const sentence = openSentence(folder);
    if (sentence !== undefined) notes.push(sentence);
  }
  const days = window ? undefined : daysOfRows(byTime);
  const cut = days && cutGroupNote(by, days);
  if (cut !== undefined) notes.push(cut);
  return notes;
}

/** The first and the last day of rows; `undefined` if they have none. */
export function daysOfRows(byTime: Grouping): DaySpan | undefined {
  const points = inTimeOrder(byTime);
  const since = points[0]?.time.slice(0, 10);
  const until = points.at(-1)?.time.slice(0, 10);
  return since === undefined || until === undefined ? undefined : { since, until };
}

function printRemarks({ console }: Context, view: Omit<View, 'figures'>): void {
  const { gathered, groups, byTime, options, warnings, notes } = view;
  for (const sentence of [...warnings, ...gathered.warnings]) console.warn(sentence);
  for (const note of [...notes, ...gathered.notes]) console.note(`Note: ${note}`);

  const metrics = byTime.metrics.map((field) => ({ field, name: field }));
  for (const sentence of strangeValueNotes(byTime, metrics)) console.warn(sentence);
  if (!options.by || groups.size !== 1 || groups.rowCount <= 1) return;

  const [onlyGroup] = groups;
  const emptyKeys = groups.by.filter((_, index) => onlyGroup?.key[index] === null);
  if (emptyKeys.length === 0) return;
  const names = emptyKeys.map(({ field }) => field).join(', ');
  console.warn(`No row has a value for ${names}: the report was not broken down by it.`);
}

function isIncomplete(warnings: readonly string[]): FindingsError {
  const findings = warnings.map((message) => ({ kind: 'rows' as const, message }));
  return new FindingsError(findings, {
    hint: 'adreport repair downloads the days again. Without --strict this is a warning.',
  });
}

/** The figures of `--metrics`; else all, with those that the folder or `--sort` names. */
function figuresToShow(
  { metrics }: Grouping,
  { metrics: named, sort }: ViewOptions,
  { spec }: Sources,
): readonly Figure[] {
  const every = everyFigureOf(metrics);
  if (named) return figuresNamed(named, every);

  const sortName = sort?.replace(/:\w*$/, '').trim() ?? '';
  const figures = figuresOf(metrics);
  for (const name of [...(spec?.request.metrics ?? []), sortName]) {
    const figure = findFigure(name, every);
    if (figure && !figures.some(({ field }) => field === figure.field)) figures.push(figure);
  }
  return figures;
}

/** The figure that decides the order: the first that was named, else revenue or what leads. */
export function leadingFigure({ figures, options }: View): Figure | undefined {
  return options.metrics === undefined ? leadingFirst(figures).leading[0] : figures[0];
}

/** Writes a view in a format of `run`, on stdout or to a file. */
export async function writeView(
  context: Context,
  view: View,
  delivery: Delivery,
): Promise<WrittenView> {
  const { answer, comparison } = await answerOf(view);
  const { format } = delivery;
  if (answer.isUneven && formats[format].isServiceDocument !== true) noteUneven(context, view);
  const withOthers = formats[format].showsChanges === true && format !== 'xlsx';
  const output = await writeOutput(context, delivery, {
    batches: rowsOfAnswer(answer, withOthers),
    encoding: { ...(comparison && { comparison }), provenance: provenanceOf(view) },
    watcher: watcherOf(context, view, answer),
  });
  const own = new Set([...view.warnings, ...view.notes]);
  for (const { message, brief = message } of output.rows.judgement.notes) {
    if (!own.has(message) && brief !== '') context.console.note(`Note: ${brief}`);
  }
  return { ...output, comparison };
}

/** A view that was written. */
export type WrittenView = Awaited<ReturnType<typeof writeOutput>> & {
  readonly comparison: Comparison | undefined;
};

/** Settles the output of a view. Throws as `prepareDelivery`. */
export async function prepareViewOutput(context: Context, view: View): Promise<Delivery> {
  const { options, sources, groups } = view;
  const by = options.by ?? [];
  const isUneven = hasUnevenRows(groups);
  const columns = columnsOfAnswer({
    by,
    keys: keysOf(view),
    figures: columnFigures(view),
    isUneven,
  });
  const { window } = sources;
  const days = window && {
    since: formatDate(window.since, window.zone),
    until: formatDate(window.until, window.zone),
  };
  const report = breakdownNames(by).join('-').toLowerCase() || 'total';
  const profile = sources.spec?.request.profile;
  const names = {
    report,
    ...(profile && { profile }),
    ...(days && { ...days, date: days.since }),
  };
  const selected = isUneven ? columns.map(({ field }) => field) : undefined;
  const given = { ...options, columns: options.columns ?? selected };
  return prepareDelivery(context, given, { names, columns });
}

/** The figures that are columns of a file: computed ones only if they were named. */
function columnFigures({ figures, options, sources }: View): readonly Figure[] {
  if (options.metrics !== undefined) return figures;
  const named: readonly string[] = sources.spec?.request.metrics ?? [];
  return figures.filter(({ field, derived }) => !derived || named.includes(field));
}

function keysOf({ gathered, options, sources }: View): readonly KeyColumn[] {
  if (gathered.keys) return gathered.keys;
  const { spec } = sources;
  const { by } = options;
  if (!by || !spec) return [];
  const { profile, breakdowns, metrics } = spec.request;
  const sent = sentBreakdowns(breakdowns) ?? [];
  const fields = columnsOf(profile, { breakdowns: sent, metrics: [] }).map(({ field }) => field);
  return resolveKeys(
    by,
    fields.includes('date') || metrics.length === 0 ? fields : ['date', ...fields],
  );
}

async function answerOf(
  view: View,
): Promise<{ readonly answer: ViewAnswer; readonly comparison: Comparison | undefined }> {
  const { options, sources, groups, gathered } = view;
  const by = options.by ?? [];
  const keys = keysOf(view);
  const figures = columnFigures(view);
  const isUneven = hasUnevenRows(groups);
  const isRanked = options.sort !== undefined || options.top !== undefined;
  const lead = leadingFigure(view);
  const hasTimeKey = keys.some(({ field }) => isTime(field));
  const ranked = rankGroups(groups, view.figures, {
    sort: options.sort ?? (hasTimeKey ? undefined : lead?.field),
    count: options.top,
  });
  const answer: ViewAnswer = {
    columns: columnsOfAnswer({ by, keys, figures, isUneven }),
    groups: isRanked ? ranked.top : inServiceOrder(groups),
    others: isRanked ? ranked.others : undefined,
    summary: summaryOf(sources.window, by),
    profile: sources.spec?.request.profile,
    by: keys,
    isUneven,
    figures,
  };

  const { window, earlier } = sources;
  const before = gathered.sums[1];
  if (!window || !earlier || !before) return { answer, comparison: undefined };
  const beforeKeys = before.groups.by.length > 0 ? before.groups.by : keys;
  const sums = await sumsOfAnswer({
    ...answer,
    columns: columnsOfAnswer({
      by: by.map((name) => (name.toUpperCase() === 'WEEKLY' ? 'DAILY' : name)),
      keys: beforeKeys,
      figures,
      isUneven: false,
    }),
    by: beforeKeys,
    groups: inServiceOrder(before.groups),
    others: undefined,
  });
  return { answer, comparison: comparisonOf(window, earlier, sums) };
}

function summaryOf(window: Window | undefined, by: readonly string[]): object | undefined {
  if (!window) return undefined;
  const { since, until } = describeWindow(window);
  return { since, until, breakdowns: breakdownNames(by), timezone: window.zone };
}

/** The origin of a view: the request of its files, without whose account they are from. */
function provenanceOf(view: View): Provenance {
  const { sources, options, gathered } = view;
  const { spec, files } = sources;
  const figures = columnFigures(view);
  const by = breakdownNames(options.by ?? []);
  const typed = (options.filter ?? []).map(({ name, values }) => `${name}: ${values.join(', ')}`);
  const sent = sentBreakdowns(options.by ?? []);
  const fetched = files.flatMap(({ entry }) => (entry ? [Date.parse(entry.line.fetched)] : []));
  return {
    request: spec ? { ...spec.request, breakdowns: by, metrics: figures.map(metricName) } : null,
    filters: [...filtersInWords(spec?.request.filters ?? {}), ...typed],
    key: sent ? keyOf(sent) : (gathered.keys ?? []).map(({ field }) => field),
    reportId: null,
    fetchedMs:
      fetched.length === files.length && fetched.length > 0 ? Math.max(...fetched) : undefined,
    version,
  };
}

function metricName({ field }: Figure): string {
  return metricOfField(field)?.name ?? field;
}

/** Judges an answer like a report of the service, as far as its request is known. */
function watcherOf({ host }: Context, view: View, answer: ViewAnswer): RowWatcher {
  const { sources, options, warnings, notes } = view;
  const breakdowns = sentBreakdowns(options.by ?? []);
  const { spec, window } = sources;
  const nowMs = host.wallClock();
  const expectation: Expectation | undefined =
    spec && window && breakdowns
      ? { profile: spec.request.profile, window, breakdowns, columns: answer.columns }
      : undefined;
  const verdict = new ReportVerdict({
    expectation,
    answer: { isPart: false, hasNextLink: false, isEndMarked: true, clockAheadMs: undefined },
    origin: { createdMs: nowMs },
    nowMs,
  });
  return {
    observe: (batch) => verdict.observe(batch),
    close(tail) {
      const judged = expectation ? verdict.close(tail).notes : [];
      const own = [...warnings, ...notes].map((message) => ({ kind: 'rows' as const, message }));
      return { findings: [], notes: [...own, ...judged] };
    },
  };
}

function noteUneven({ console }: Context, { figures, options }: View): void {
  const rates = figures.filter(({ derived }) => derived);
  if (options.metrics !== undefined || rates.length === 0) return;
  console.note('Note: Some rows have clicks or revenue without displays: rates are left out.');
}

/** Throws `UsageError` for flags that do not fit together. */
export function checkView(context: Context, options: ViewOptions, form: Form): void {
  const { by, chart, sort, top, compare } = options;
  const isPreview = previewRowsOf(options, form) > 0;
  const isOrdered = sort !== undefined || (top !== undefined && !isPreview);
  const hasGroups = by !== undefined && chart !== 'line';
  if (isOrdered && !hasGroups) {
    throw new UsageError('--sort and --top are for groups, and this has none to choose from.', {
      hint: 'Add --by, for example --by CAMPAIGN; the figure of a line is chosen with --metrics.',
    });
  }
  if (form === 'text' || form === 'document') return;
  checkFormat(context, options);
  if (compare) checkComparable(context, options);
}
