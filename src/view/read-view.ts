import { RefusedReportError } from '../errors.ts';
import type { Context } from '../run/context.ts';
import { groupFiles } from './groups/group-files.ts';
import { findSummaryWindow, requireRowsOfPeriod } from './model/days-of-rows.ts';
import { listNotes, listValueWarnings } from './model/messages.ts';
import { chooseShownMetrics } from './model/shown-metrics.ts';
import type { View } from './model/view.ts';
import { RowFilter } from './rows/row-filter.ts';
import type { ViewQuery } from './rows/used-columns.ts';
import { findSources, type Sources } from './sources/find-sources.ts';
import { toDaySpan } from './sources/period.ts';
import { requireGroupable, requireWholeGroups } from './sources/whole-groups.ts';
import type { ViewOptions } from './view-flags.ts';
import type { ViewForm } from './view-form.ts';

/**
 * Reads files, and prints warnings and notes. The caller closes `view.read`.
 *
 * @throws UsageError for files that do not form one report, or lack what was requested
 * @throws RefusedReportError with `--strict`, if there are warnings
 */
export async function readView(
  { host, console }: Context,
  options: ViewOptions,
  { paths, form }: { readonly paths: readonly string[]; readonly form: ViewForm },
): Promise<View> {
  const sources = await findSources(paths, options, host);
  const { by = [] } = options;
  if (sources.query) requireGroupable(by, sources.query, sources.displayPath);

  const read = await groupFiles(sources.files, toViewQuery(options, form, sources), host);
  try {
    requireRowsOfPeriod(sources, read);
    const window = sources.window ?? findSummaryWindow(read.files);
    if (window) requireWholeGroups(by, window, Math.floor(host.wallClock() / 1_000));
    const view = toView({ options, sources, read, window });
    for (const warning of view.warnings) console.warn(warning);
    for (const note of view.notes) console.note(`Note: ${note}`);
    if (options.strict && view.warnings.length > 0) throw warningsError(view);
    return view;
  } catch (error) {
    await read.close();
    throw error;
  }
}

function toViewQuery(
  { by, metrics, columns, filter = [], sort, top, chart, format }: ViewOptions,
  form: ViewForm,
  { hasPeriod, window, earlier }: Sources,
): ViewQuery {
  const spans = hasPeriod ? [window, earlier].filter((window) => window !== undefined) : [];
  const hasRows = by === undefined && chart === undefined && form !== 'document';
  const defaultTop = form === 'text' && format === undefined ? 10 : undefined;
  const named = hasRows && columns !== 'all' ? columns : undefined;
  return {
    by: by ?? (chart === 'line' ? ['DAILY'] : undefined),
    metrics: metrics ?? named,
    sort,
    top: top ?? defaultTop,
    filters: filter.map((condition) => new RowFilter(condition)),
    hasRows,
    spans: spans.map(toDaySpan),
  };
}

function toView(known: Pick<View, 'options' | 'sources' | 'read' | 'window'>): View {
  const [period, before] = known.read.periods;
  if (!period) throw new Error('There is at least one period.');

  const partial = { ...known, ...period, before };
  const view = { ...partial, metrics: chooseShownMetrics(partial) };
  return {
    ...view,
    warnings: [...known.sources.warnings, ...listValueWarnings(view)],
    notes: listNotes(view),
  };
}

function warningsError({ warnings }: View): RefusedReportError {
  return new RefusedReportError(warnings.join(' '), {
    hint: 'Without --strict this is a warning.',
  });
}
