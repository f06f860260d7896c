import { resolve } from 'node:path';
import { metricOfField } from '../../contract/columns.ts';
import type { ReportSummary } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { formats } from '../../formats/index.ts';
import { commitFiles, discardFiles } from '../../output/commit-files.ts';
import { pathKey, resolveLinks } from '../../output/file/file-name.ts';
import type { Provenance } from '../../output/provenance.ts';
import type { WrittenFile } from '../../output/written-file.ts';
import { formatEnds, formatInstant, type Window } from '../../query/calendar.ts';
import { requireSentMetrics } from '../../query/check-query.ts';
import { describeFilters, toRequestRecord } from '../../query/describe.ts';
import type { NameValues } from '../../query/file-name.ts';
import { toBreakdownNames } from '../../query/table-columns.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import { formatSize } from '../../run/announce.ts';
import type { Context } from '../../run/context.ts';
import {
  chooseOutputs,
  openFile,
  type PlannedFile,
  prepareFiles,
} from '../../run/prepare-files.ts';
import { printable, visibleJson } from '../../text/printable.ts';
import type { Comparison } from '../../totals/comparison.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import { ReportSums } from '../../totals/report-sums.ts';
import { openForUser } from '../../ui/open-file.ts';
import { toDaySpan } from '../sources/period.ts';
import { buildGroupsTable } from './groups-table.ts';
import { buildRowsTable } from './rows-table.ts';
import { isOrdered, listColumnMetrics } from './shown-metrics.ts';
import type { View, ViewTable } from './view.ts';

/**
 * Writes a view to files or stdout in the formats of `run`. Writes either all files or none.
 *
 * @param intro printed on stdout before the output
 * @throws UsageError for flags that cannot be combined, and for an output that is an input file
 * @throws OutputError for an output that cannot be written
 */
export async function writeFiles(context: Context, view: View, intro = ''): Promise<void> {
  requireComparableTop(view);
  const table = view.rows ? buildRowsTable(view, view.rows) : buildGroupsTable(view);
  const planned = await planFiles(context, view, table);
  const omitsRows = planned.some(({ format }) => !formats[format].isForReaders);
  if (omitsRows && table.omittedNote !== undefined)
    context.console.note(`Note: ${table.omittedNote}`);

  const provenance = buildProvenance(view, table, context.version);
  const files: WrittenFile[] = [];
  try {
    for (const file of planned) {
      const { isForReaders = false } = formats[file.format];
      // Without `--by`, rows keep their order, except on pages.
      const isPage = file.format === 'html' || file.format === 'pdf';
      const keepsOrder = isOrdered(view.options) || (view.rows !== undefined && !isPage);
      const comparison = await compareTable(view, table, isForReaders);
      const opened = await openFile(file, {
        ...(comparison && { comparison }),
        overTime: view.byTime,
        provenance,
        keepsOrder,
      });
      files.push(opened);
      await writeTable(opened, { view, table, isForReaders });
    }
    context.console.write(intro);
    await commitFiles(files);
  } finally {
    await discardFiles(files);
  }
  if (view.options.open) openForUser(context, files);
  for (const file of files) await announceFile(context, view, file);
}

/** Throws `UsageError` if `--top` would omit rows or days that the earlier period has. */
function requireComparableTop({ options, before, rows, groups }: View): void {
  if (!before || options.top === undefined) return;
  const hasTimes = groups.by.some(({ field }) => isTimeField(field));
  if (!rows && !hasTimes) return;
  throw new UsageError('--top cannot be used with --compare for days or single rows.', {
    about: { flag: '--top' },
    hint: 'Group by a breakdown, for example --by CAMPAIGN, or remove --top.',
  });
}

async function planFiles(
  context: Context,
  view: View,
  { columns, selected, breakdowns }: ViewTable,
): Promise<PlannedFile[]> {
  const outputs = chooseOutputs(context, view.options);
  requireSentMetrics(
    columns.map(({ field }) => field),
    outputs.map(({ format }) => format),
  );
  const names = listNameValues(view, breakdowns);
  const options = { ...view.options, outputs, names, columns: view.options.columns ?? selected };
  const planned = await prepareFiles(context, options, columns);
  for (const { target } of planned) refuseInput(context, view, target.name());
  return planned;
}

function listNameValues({ sources: { query }, window }: View, by: readonly string[]): NameValues {
  const days = window && toDaySpan(window);
  return {
    report: toBreakdownNames(by).join('-').toLowerCase() || 'total',
    ...(query && { profile: query.profile }),
    ...(days && { ...days, date: days.since }),
  };
}

/** Throws `UsageError` if an output would replace an input file, even through a link. */
function refuseInput({ host }: Context, { sources }: View, name: string | undefined): void {
  if (name === undefined) return;
  const toKey = (path: string): string => pathKey(resolveLinks(resolve(host.cwd, path)));
  const key = toKey(name);
  if (!sources.files.some(({ path }) => path !== '-' && toKey(path) === key)) return;
  throw new UsageError(`-o ${printable(name)} is one of the input files.`, {
    about: { flag: '--output' },
    hint: 'Choose another name.',
  });
}

async function writeTable(
  file: WrittenFile,
  { view, table, isForReaders }: { view: View; table: ViewTable; isForReaders: boolean },
): Promise<void> {
  let rowCount = 0;
  for await (const batch of table.batches(isForReaders)) {
    rowCount += batch.rowCount;
    await file.write(batch);
  }
  const notes = [...view.warnings, ...view.notes];
  await file.end(buildTail(view, table, rowCount), { warnings: [], notes });
}

/** Adds up the period of `--compare`, if there is one. */
async function compareTable(
  { window, sources: { earlier } }: View,
  { before }: ViewTable,
  withOthers: boolean,
): Promise<Comparison | undefined> {
  if (!window || !earlier || !before) return undefined;
  const sums = new ReportSums({ keepsRows: true });
  const columns = before.columns.map(({ field, type }) => {
    return { field, numeric: type === 'integer' || type === 'money' };
  });
  for await (const batch of before.batches(withOthers)) sums.observe(batch, columns);
  return { sums, now: window, before: earlier };
}

function buildTail(
  { window }: View,
  { fields, breakdowns }: ViewTable,
  rowCount: number,
): ReportTail {
  const summary = window && toSummary(window, breakdowns);
  const members = summary ? [{ name: 'summary', json: Buffer.from(JSON.stringify(summary)) }] : [];
  return { rowCount, fields, summary, members };
}

function toSummary({ since, until, zone }: Window, breakdowns: readonly string[]): ReportSummary {
  return {
    since: formatInstant(since, zone),
    until: formatInstant(until, zone),
    breakdowns: toBreakdownNames(breakdowns),
    timezone: zone,
  };
}

/** Describes the origin of a view: the request of its files, without the account. */
function buildProvenance(view: View, { breakdowns }: ViewTable, version: string): Provenance {
  const { sources, options, groups } = view;
  const { query, files } = sources;
  const names = listColumnMetrics(view).map(({ field }) => metricOfField(field)?.name ?? field);
  const viewFilters = (options.filter ?? []).map(
    ({ name, values }) => `${name}: ${values.join(', ')}`,
  );
  const times = files.flatMap(({ record }) => (record ? [Date.parse(record.line.created)] : []));
  return {
    request: query
      ? { ...toRequestRecord(query), breakdowns: toBreakdownNames(breakdowns), metrics: names }
      : null,
    filters: [...describeFilters(query?.filters ?? {}), ...viewFilters],
    key: groups.by.map(({ field }) => field),
    reportId: null,
    downloadedMs: times.length === files.length ? Math.max(...times) : undefined,
    version,
  };
}

/** Reports that a file is complete. With `--json`, also prints an object on stdout. */
async function announceFile(
  { console, flags, elapsedMs }: Context,
  { window, warnings, notes }: View,
  { name: file, rowCount, sizeBytes, sha256 }: WrittenFile,
): Promise<void> {
  if (file === undefined) return;
  if (flags.json) {
    const ends = window ? formatEnds(window) : { since: null, until: null };
    const details = { file, rows: rowCount, bytes: sizeBytes, sha256, ...ends };
    await console.result(visibleJson({ ...details, warnings, notes }));
  }
  console.note(`Wrote ${file}: ${formatSize({ rowCount, sizeBytes }, elapsedMs())}`);
}
