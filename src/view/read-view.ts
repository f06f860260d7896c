import type { Context } from '../context.ts';
import { tableLook } from '../deliver/deliver.ts';
import type { RowRequest } from './files/file-taker.ts';
import { gatherRows } from './files/gather.ts';
import { noMatchSentence, RowFilter } from './files/row-filter.ts';
import { type Form, previewRowsOf } from './form.ts';
import { isIncomplete, notesOfView, printRemarks } from './remarks.ts';
import { daysOutside, expectRowsOfPeriod, windowOfTails } from './rows-of-period.ts';
import { expectCoarseEnough, expectWholeGroups, rowDatesOf } from './select-days.ts';
import { figuresToShow } from './shown-figures.ts';
import { findSources, type Sources } from './sources/find-sources.ts';
import { gapSentences } from './sources/gap-sentences.ts';
import type { View } from './view.ts';
import type { ViewOptions } from './view-flags.ts';

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
    notes: notesOfView(sources, { by: options.by ?? [], window, byTime: sums.byTime }),
  };
  if (options.strict && view.warnings.length > 0) throw isIncomplete(view.warnings);
  printRemarks(context, view);
  const isFilteredOut = sums.byTime.rowCount === 0 && gathered.rowCount > 0 && filters.length > 0;
  if (isFilteredOut) context.console.note(noMatchSentence(filters));
  return view;
}

/** Throws `UsageError` for what the files cannot have, before they are read. */
function expectPossible({ host }: Context, { by }: ViewOptions, sources: Sources): void {
  const { spec, shown, window } = sources;
  if (!spec || !by) return;
  const dates = rowDatesOf(spec.request.breakdowns, spec.split);
  expectCoarseEnough(by, { shown, dates });
  if (window) expectWholeGroups(by, window, Math.floor(host.wallClock() / 1_000));
}
