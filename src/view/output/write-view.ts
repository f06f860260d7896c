import { resolve } from 'node:path';
import type { Expectation } from '../../checks/expectation.ts';
import { ReportCheck } from '../../checks/report-check.ts';
import { listKeyFields, metricOfField } from '../../contract/columns.ts';
import type { ReportSummary } from '../../contract/messages.ts';
import { type CheckResult, UsageError } from '../../errors.ts';
import { formats } from '../../formats/index.ts';
import { commitFiles, discardFiles } from '../../output/commit-files.ts';
import { messagesForReaders } from '../../output/encoder.ts';
import { pathKey } from '../../output/file/file-name.ts';
import type { Provenance } from '../../output/provenance.ts';
import type { WrittenFile } from '../../output/written-file.ts';
import { expectSent } from '../../query/check-query.ts';
import { describeFilters, toRequestRecord } from '../../query/describe.ts';
import type { NameValues } from '../../query/file-name.ts';
import { formatFacts } from '../../query/format-names.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { chooseOutputs } from '../../run/choose-outputs.ts';
import type { Context } from '../../run/context.ts';
import {
  openFile,
  type PlannedFile,
  type PlannedFiles,
  prepareFiles,
} from '../../run/prepare-files.ts';
import { printable } from '../../text/printable.ts';
import type { Comparison, ReportMetric } from '../../totals/report-metrics.ts';
import { openForUser } from '../../ui/open-file.ts';
import { breakdownNames, sentBreakdowns, type ViewAnswer } from '../answer/answer.ts';
import { columnFigures } from '../answer/shown-figures.ts';
import { daysOfWindow } from '../sources/period.ts';
import type { View } from '../view.ts';

/**
 * Prepares the files of a view. Throws as `prepareFiles`, and `UsageError` for an output that is
 * one of the input files.
 */
export async function prepareViewOutput(
  tools: Context,
  view: View,
  { breakdowns, columns, selectedColumns }: ViewAnswer,
): Promise<PlannedFiles> {
  const outputs = chooseOutputs(tools, view.options);
  expectSent(
    columns.map(({ field }) => field),
    outputs.map(({ format }) => format),
  );
  const options = { ...view.options, columns: view.options.columns ?? selectedColumns };
  const names = namesOf(view, breakdowns);
  const planned = await prepareFiles(tools, options, { outputs, names, columns });
  for (const file of planned.files) expectNotInputFile(tools, view, file);
  return planned;
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
function expectNotInputFile({ host }: Context, { sources }: View, { target }: PlannedFile): void {
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

/** A view in its files. */
export interface WrittenView {
  readonly files: readonly WrittenFile[];

  /** Of the rows; absent if their period is not known. */
  readonly summary: ReportSummary | undefined;

  /** Sentences on the view and its rows. */
  readonly notes: readonly string[];
  readonly comparison: Comparison | undefined;
}

/** Writes a view in formats of `run`, to stdout or files. */
export async function writeView(
  tools: Context,
  { view, answer, planned }: { view: View; answer: ViewAnswer; planned: PlannedFiles },
): Promise<WrittenView> {
  const formatsOfFiles = planned.files.map(({ format }) => format);
  const hasColumns = formatsOfFiles.some((format) => !formatFacts[format].isServiceDocument);
  if (answer.isUneven && hasColumns) printOmittedRatesNote(tools, view);

  const comparison = await answer.compare();
  const leavesOut = formatsOfFiles.some((format) => !formats[format].isForReaders);
  if (leavesOut && answer.leftOut !== undefined) tools.console.note(`Note: ${answer.leftOut}`);

  const files: WrittenFile[] = [];
  const notes = new Set<string>();
  let summary: ReportSummary | undefined;
  try {
    for (const file of planned.files) {
      const isForReaders = formats[file.format].isForReaders === true;
      const opened = await openFile(file, {
        ...(comparison && { comparison }),
        overTime: view.byTime,
        keepsOrder: keepsOrder(view, isForReaders),
        provenance: provenanceOf(tools, view, answer),
      });
      files.push(opened);
      const written = await writeRows(tools, { view, answer }, { file, opened });
      for (const { message } of written.notes) notes.add(message);
      summary = written.summary;
    }
    await commitFiles(files);
  } finally {
    await discardFiles(files);
  }

  const known = [...view.warnings, ...view.notes];
  for (const note of notes) if (!known.includes(note)) tools.console.note(`Note: ${note}`);
  if (planned.opensFiles) openForUser(tools, files);
  return { files, summary, notes: [...notes], comparison };
}
/** Writes the rows of one file, in the form of its format. Returns their summary and notes. */
async function writeRows(
  tools: Context,
  { view, answer }: { readonly view: View; readonly answer: ViewAnswer },
  { file, opened }: { readonly file: PlannedFile; readonly opened: WrittenFile },
): Promise<Pick<CheckResult, 'notes'> & Pick<WrittenView, 'summary'>> {
  const hasColumns = !formatFacts[file.format].isServiceDocument;
  const withOthers = formats[file.format].isForReaders === true;
  const check = createViewCheck(tools, view, answer);
  const batches = answer.rows({ withOthers, hasColumns });
  try {
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      check.observe(next.value);
      await opened.write(next.value);
    }
    const tail = next.value;
    const result = check.close(tail);
    await opened.end(tail, messagesForReaders(result));
    return { notes: result.notes, summary: tail.summary };
  } finally {
    await batches.return?.();
  }
}

/** Rows that are not grouped stay as they are in files for programs. */
function keepsOrder({ options }: View, isForReaders: boolean): boolean {
  const { by, sort, top } = options;
  return sort !== undefined || top !== undefined || (by === undefined && !isForReaders);
}

function printOmittedRatesNote({ console }: Context, { figures, groups, options }: View): void {
  const parts = figures.flatMap(({ derived }) => {
    return derived ? [derived.numeratorField, derived.denominatorField] : [];
  });
  const missing = [...new Set(parts)].filter((field) => groups.missingCounts.has(field));
  if (options.metrics !== undefined || missing.length === 0) return;
  console.note(`Note: Some rows have no ${missing.join(' or no ')}: rates are left out.`);
}

/** Has the request of the files, without the account. */
function provenanceOf(
  { version }: Context,
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
    key: sent ? listKeyFields(sent) : (collected.keys ?? []).map(({ field }) => field),
    reportId: null,
    fetchedMs:
      fetched.length === files.length && fetched.length > 0 ? Math.max(...fetched) : undefined,
    version,
  };
}

function metricName({ field }: ReportMetric): string {
  return metricOfField(field)?.name ?? field;
}

/** Checks the rows of a view as they are written. */
interface ViewCheck {
  observe(batch: RowBatch): void;

  /** Returns the notes of the view, and those on its rows; called once, after the last row. */
  close(tail: ReportTail): CheckResult;
}

/** Checks rows like a report from the service, if their request is known. */
function createViewCheck({ host }: Context, view: View, answer: ViewAnswer): ViewCheck {
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
