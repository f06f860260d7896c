import type { Context } from '../run/context.ts';
import { figuresToShow } from './answer/shown-figures.ts';
import {
  printWarningsAndNotes,
  strictViewError,
  viewNotes,
  viewWarnings,
} from './output/warnings-and-notes.ts';
import { chooseRows, type OutputKind } from './output-kind.ts';
import { closeRows, collect, type Question } from './rows/collect.ts';
import { missingValueSentences, RowFilter } from './rows/row-filter.ts';
import { expectRowsOfPeriod, findSummaryWindow } from './rows/rows-of-period.ts';
import { findSources, type Sources } from './sources/find-sources.ts';
import { UnusableFileError } from './sources/source-file.ts';
import { expectCoarseEnough, expectWholeGroups, finestDateUnit } from './sources/whole-groups.ts';
import type { View } from './view.ts';
import type { ViewOptions } from './view-flags.ts';

/**
 * Reads files, and prints warnings and notes on them. The caller ends the view with `closeRows`.
 * Files are read once. Only if one turns out not to have the bytes of its history line, all are
 * read again without it.
 *
 * @throws UsageError for files that are not one report together, or lack what was requested;
 * RefusedReportError with `--strict` for warnings
 */
export async function readView(
  tools: Context,
  options: ViewOptions,
  asked: Pick<Attempt, 'paths' | 'form'>,
): Promise<View> {
  const unusable: UnusableFileError[] = [];
  for (;;) {
    try {
      return await tryToRead(tools, options, { ...asked, unusable });
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      unusable.push(error);
    }
  }
}

interface Attempt {
  readonly paths: readonly string[];
  readonly form: OutputKind;

  /** Files that earlier attempts found not to have the bytes of their history lines. */
  readonly unusable: readonly UnusableFileError[];
}

async function tryToRead(
  tools: Context,
  options: ViewOptions,
  { paths, form, unusable }: Attempt,
): Promise<View> {
  const nowMs = tools.host.wallClock();
  const filters = (options.filter ?? []).map((condition) => new RowFilter(condition));
  const sources = await findSources(tools, options, { paths, unusable });
  expectPossible(sources, options, nowMs);

  const question = questionOf(options, { filters, form, spans: sources.spans });
  const collected = await collect(tools, sources.files, question);
  try {
    const view = checkedView({ paths, options, sources, collected }, nowMs);
    printView(tools, view, filters);
    return view;
  } catch (error) {
    await closeRows(collected);
    throw error;
  }
}

/**
 * Throws `UsageError` for rows that do not fit the flags, and `RefusedReportError` with `--strict`.
 */
function checkedView(read: Read, nowMs: number): View {
  const { options, sources, collected } = read;
  expectRowsOfPeriod(sources, collected);
  const window = sources.window ?? findSummaryWindow(collected.tails);
  if (window && !sources.window && options.by) {
    expectWholeGroups(options.by, window, Math.floor(nowMs / 1_000));
  }

  const view = toDataView({ ...read, sources: { ...sources, window } });
  if (options.strict && view.warnings.length > 0) throw strictViewError(view);
  return view;
}

/** Prints warnings and notes, and filters without rows. */
function printView(tools: Context, view: View, filters: readonly RowFilter[]): void {
  printWarningsAndNotes(tools, view);
  const isFilteredOut = view.byTime.rowCount === 0 && filters.length > 0;
  if (view.collected.rowCount > 0) printMissingValues(tools, filters, isFilteredOut);
}

function questionOf(
  options: ViewOptions,
  { filters, form, spans }: Pick<Question, 'filters' | 'spans'> & { readonly form: OutputKind },
): Question {
  const { by, metrics, sort, chart, columns } = options;
  const rows = chooseRows(options, form);
  const isOfRows = rows !== undefined && columns !== undefined && columns !== 'all';
  return {
    by,
    metrics,
    columns: isOfRows ? columns : undefined,
    sort,
    filters,
    followsTime: chart === 'line' && by === undefined,
    rows,
    spans,
  };
}

/** Prints which values of filters no row has, or that no row has all. */
function printMissingValues(
  { console }: Context,
  filters: readonly RowFilter[],
  isFilteredOut: boolean,
): void {
  const sentences = missingValueSentences(filters);
  for (const sentence of sentences) console.note(sentence);
  if (sentences.length === 0 && isFilteredOut) console.note('No row matches every --filter.');
}

type Read = Pick<View, 'paths' | 'options' | 'sources' | 'collected'>;

function toDataView(read: Read): View {
  const { options, sources, collected } = read;
  const [answer] = collected.answers;
  if (!answer) throw new Error('There is at least one span.');

  const { groups, byTime, rows } = answer;
  const figures = figuresToShow(groups, options, { sources, fields: collected.fields });
  const view = { ...read, groups, byTime, rows, figures };
  return {
    ...view,
    warnings: viewWarnings(sources, collected),
    notes: viewNotes(view),
  };
}

/** Throws `UsageError` for flags that the files cannot satisfy, before reading them. */
function expectPossible(
  { query, shown, asked, window }: Sources,
  { by }: ViewOptions,
  nowMs: number,
): void {
  if (!query || !by) return;
  const dates = finestDateUnit(query.breakdowns, query.split);
  expectCoarseEnough(by, { shown, dates });
  const whole = asked ?? window;
  if (whole) expectWholeGroups(by, whole, Math.floor(nowMs / 1_000));
}
