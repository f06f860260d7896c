import { resolve } from 'node:path';

import type { Expectation } from '../../checks/expectation.ts';
import { ReportCheck } from '../../checks/report-check.ts';

import { keyOf, metricOfField } from '../../contract/columns.ts';
import { UsageError } from '../../errors.ts';
import { formats } from '../../formats/index.ts';
import type { RowWatcher } from '../../output/encoder.ts';
import { pathKey } from '../../output/file/file-name.ts';
import type { Provenance } from '../../output/provenance.ts';
import { expectSent } from '../../query/check-query.ts';
import { describeFilters, toRequestRecord } from '../../query/describe.ts';
import type { NameValues } from '../../query/file-name.ts';
import { formatFacts } from '../../query/format-names.ts';
import { chooseOutputs } from '../../run/choose-outputs.ts';
import { type Delivery, prepareDelivery } from '../../run/deliver.ts';
import { type CompleteOutput, writeOutput } from '../../run/write-output.ts';
import { printable } from '../../text/printable.ts';
import type { Comparison, Figure } from '../../totals/figures.ts';
import { breakdownNames, sentBreakdowns, type ViewAnswer } from '../answer/answer.ts';
import { columnFigures } from '../answer/shown-figures.ts';
import { daysOfWindow } from '../sources/period.ts';
import type { View } from '../view.ts';
import type { ViewTools } from '../view-tools.ts';

/**
 * Prepares the output of a view. Throws as `prepareDelivery`, and `UsageError` for an output that
 * is one of the input files.
 */
export async function prepareViewOutput(
  tools: ViewTools,
  view: View,
  { breakdowns, columns, selectedColumns }: ViewAnswer,
): Promise<Delivery> {
  const [{ path: output, format }] = chooseOutputs(tools, view.options);
  expectSent(
    columns.map(({ field }) => field),
    [format],
  );
  const options = { ...view.options, output, columns: view.options.columns ?? selectedColumns };
  const delivery = await prepareDelivery(tools, options, {
    format,
    names: namesOf(view, breakdowns),
    columns,
  });
  expectNotInputFile(tools, view, delivery);
  return delivery;
}

function namesOf({ sources }: View, breakdowns: readonly string[]): NameValues {
  const { window, query } = sources;
  const report = breakdownNames(breakdowns).join('-').toLowerCase() || 'total';
  const days = window && daysOfWindow(window);
  return {
    report,
    ...(query && { profile: query.profile }),
    ...(days && { ...days, date: days.since }),
  };
}

/** Throws `UsageError` for an output that would replace a file it is made from. */
function expectNotInputFile({ host }: ViewTools, { sources }: View, { target }: Delivery): void {
  const name = target.name();
  if (name === undefined) return;
  const key = pathKey(resolve(host.cwd, name));
  const source = sources.files.find(
    ({ path }) => path !== '-' && pathKey(resolve(host.cwd, path)) === key,
  );
  if (!source) return;
  throw new UsageError(`-o ${printable(name)} is one of the input files.`, {
    about: { flag: '--output' },
    hint: 'Choose another name.',
  });
}

/** Writes a view in a format of `run`, to stdout or a file. */
export async function writeView(
  tools: ViewTools,
  { view, answer, delivery }: { view: View; answer: ViewAnswer; delivery: Delivery },
): Promise<CompleteOutput & { readonly comparison: Comparison | undefined }> {
  const { isForReaders = false } = formats[delivery.format];
  const { isServiceDocument } = formatFacts[delivery.format];
  if (answer.isUneven && isServiceDocument !== true) printOmittedRatesNote(tools, view);

  const comparison = await answer.compare();
  if (!isForReaders && answer.leftOut !== undefined) {
    tools.console.note(`Note: ${answer.leftOut}`);
  }
  const output = await writeOutput(tools, delivery, {
    batches: answer.rows({ withOthers: isForReaders, hasColumns: isServiceDocument !== true }),
    encoding: {
      ...(comparison && { comparison }),
      overTime: view.byTime,
      keepsOrder: keepsOrder(view, isForReaders),
      provenance: provenanceOf(tools, view, answer),
    },
    watcher: createViewWatcher(tools, view, answer),
  });

  const known = new Set([...view.warnings, ...view.notes]);
  for (const { message } of output.rows.checkResult.notes) {
    if (!known.has(message)) tools.console.note(`Note: ${message}`);
  }
  return { ...output, comparison };
}

/** Rows that are not grouped stay as they are in files for programs. */
function keepsOrder({ options }: View, isForReaders: boolean): boolean {
  const { by, sort, top } = options;
  return sort !== undefined || top !== undefined || (by === undefined && !isForReaders);
}

function printOmittedRatesNote({ console }: ViewTools, { figures, groups, options }: View): void {
  const parts = figures.flatMap(({ derived }) => {
    return derived ? [derived.numeratorField, derived.denominatorField] : [];
  });
  const missing = [...new Set(parts)].filter((field) => groups.missingCounts.has(field));
  if (options.metrics !== undefined || missing.length === 0) return;
  console.note(`Note: Some rows have no ${missing.join(' or no ')}: rates are left out.`);
}

/** Has the request of the files, without the account. */
function provenanceOf(
  { version }: ViewTools,
  view: View,
  { breakdowns }: Pick<ViewAnswer, 'breakdowns'>,
): Provenance {
  const { sources, options, collected } = view;
  const { query, files } = sources;
  const figures = columnFigures(view);
  const by = breakdownNames(breakdowns);
  const typed = (options.filter ?? []).map(({ name, values }) => `${name}: ${values.join(', ')}`);
  const sent = sentBreakdowns(breakdowns);
  const fetched = files.flatMap(({ line }) => (line ? [Date.parse(line.created)] : []));
  return {
    request: query
      ? { ...toRequestRecord(query), breakdowns: by, metrics: figures.map(metricName) }
      : null,
    filters: [...describeFilters(query?.filters ?? {}), ...typed],
    key: sent ? keyOf(sent) : (collected.keys ?? []).map(({ field }) => field),
    reportId: null,
    fetchedMs:
      fetched.length === files.length && fetched.length > 0 ? Math.max(...fetched) : undefined,
    version,
  };
}

function metricName({ field }: Figure): string {
  return metricOfField(field)?.name ?? field;
}

/** Checks rows like a report from the service, if their request is known. */
function createViewWatcher({ host }: ViewTools, view: View, answer: ViewAnswer): RowWatcher {
  const { sources, warnings, notes } = view;
  const breakdowns = sentBreakdowns(answer.breakdowns);
  const { query, window } = sources;
  const nowMs = host.wallClock();
  const expectation: Expectation | undefined =
    query && window && breakdowns && answer.leftOut === undefined
      ? { profile: query.profile, window, breakdowns, columns: answer.columns }
      : undefined;
  const check = new ReportCheck({ expectation, isPart: false, nowMs });
  return {
    observe: (batch) => check.observe(batch),
    close(tail) {
      const own = [...warnings, ...notes];
      const found = expectation ? check.close(tail).notes : [];
      const others = found.filter(({ message }) => !own.includes(message));
      const known = own.map((message) => ({ kind: 'rows' as const, message }));
      return { warnings: [], notes: [...known, ...others] };
    },
  };
}
