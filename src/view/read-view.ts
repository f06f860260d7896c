import type { Context } from '../context.ts';
import { tableLook } from '../deliver/deliver.ts';
import { gatherRows } from './files/gather.ts';
import { missingValueSentences, RowFilter } from './files/row-filter.ts';
import { type Form, previewRowsOf } from './form.ts';
import { isIncomplete, notesOfView, printRemarks, warningsOfView } from './remarks.ts';
import { expectRowsOfPeriod, windowOfTails } from './rows-of-period.ts';
import { expectCoarseEnough, expectWholeGroups, rowDatesOf } from './select-days.ts';
import { figuresToShow } from './shown-figures.ts';
import { findSources, type Sources } from './sources/find-sources.ts';
import { meaningsOf } from './typed-words.ts';
import type { View } from './view.ts';
import type { ViewOptions } from './view-flags.ts';

/**
 * Reads files, and prints remarks on them.
 *
 * @throws UsageError for files that are not one report together, or do not have what is asked for;
 *   WarningsError with `--strict` for warnings
 */
export async function readView(
  context: Context,
  options: ViewOptions,
  { paths, form }: { readonly paths: readonly string[]; readonly form: Form },
): Promise<View> {
  const nowMs = context.host.wallClock();
  const filters = (options.filter ?? []).map((condition) => new RowFilter(condition));
  const found = await findSources(context, options, paths);
  expectPossible(found, options, nowMs);

  const gathered = await gatherRows(context, found.files, {
    by: options.by,
    filters,
    followsTime: options.chart === 'line',
    previewRows: previewRowsOf(options, form),
    look: tableLook(context),
    spans: found.spans,
  });
  expectRowsOfPeriod(found, gathered);
  const window = found.window ?? windowOfTails(gathered.tails);
  if (window && options.by) expectWholeGroups(options.by, window, Math.floor(nowMs / 1_000));

  const view = viewOf({ paths, options, sources: { ...found, window }, gathered });
  if (options.strict && view.warnings.length > 0) throw isIncomplete(view);
  for (const meaning of meaningsOf(view)) context.console.noteOnce(meaning);
  printRemarks(context, view);
  const isFilteredOut = view.byTime.rowCount === 0 && filters.length > 0;
  if (gathered.rowCount > 0) printMissingValues(context, filters, isFilteredOut);
  return view;
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

function viewOf(read: Pick<View, 'paths' | 'options' | 'sources' | 'gathered'>): View {
  const { options, sources, gathered } = read;
  const [sums] = gathered.sums;
  if (!sums) throw new Error('There is at least one span.');

  const { groups, byTime } = sums;
  return {
    ...read,
    groups,
    byTime,
    figures: figuresToShow(groups, options, sources),
    warnings: warningsOfView(sources, gathered),
    notes: notesOfView(sources, gathered, { by: options.by ?? [], byTime }),
  };
}

/** Throws `UsageError` for requests that the files cannot answer, before reading them. */
function expectPossible(
  { spec, shown, window }: Sources,
  { by }: ViewOptions,
  nowMs: number,
): void {
  if (!spec || !by) return;
  const dates = rowDatesOf(spec.request.breakdowns, spec.split);
  expectCoarseEnough(by, { shown, dates });
  if (window) expectWholeGroups(by, window, Math.floor(nowMs / 1_000));
}
