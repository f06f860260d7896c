import { type Column, keyOf, metricOfField } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import {
  type CheckMessage,
  type CheckResult,
  RefusedReportError,
  warningsMessage,
} from '../errors.ts';
import type { Totals } from '../folder/history-schema.ts';
import { NonZeroDetector } from '../folder/non-zero-detector.ts';
import type { CompleteReport, RecordResult } from '../folder/record-download.ts';
import { commitFiles, discardFiles } from '../output/commit-files.ts';
import { type EncodeOptions, messagesForReaders } from '../output/encoder.ts';
import type { Provenance } from '../output/provenance.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeWindow } from '../query/calendar.ts';
import { columnsOfQuery } from '../query/columns.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { NameValues } from '../query/file-name.ts';
import type { CheckFlags } from '../query/flags/check-flags.ts';
import type { Output, Part, Query } from '../query/query.ts';
import type { ReportTail, RowBatches } from '../rows/row-batch.ts';
import { type Comparison, figureDigits, figuresOf } from '../totals/figures.ts';
import { Grouping } from '../totals/grouping.ts';
import { openForUser } from './open-for-user.ts';
import { type FileOptions, openFile, type PlannedFiles, prepareFiles } from './prepare-files.ts';
import type { RunTools, StepTools } from './run-tools.ts';

/** The files of a report before its rows arrive. */
export interface PreparedOutput {
  readonly planned: PlannedFiles;

  /** Part that the rows are checked against; absent if it is not known. */
  readonly part: Part | undefined;

  /** Absent if the request is not known. */
  readonly query: Query | undefined;

  /** Warnings on the campaign list and on the report to compare with. */
  readonly earlierWarnings: readonly CheckMessage[];

  /** True if warnings are errors. */
  readonly isStrict: boolean;
  readonly comparison?: Comparison | undefined;

  /** Names of the report and its account, for runs with several. */
  readonly label?: ReportLabel | undefined;

  /**
   * Records the file in the history of its folder, and decides whether it is put in place. Throws
   * `OutputError`.
   */
  readonly beforeRename?:
    | ((report: Omit<CompleteReport, 'since' | 'until'>) => Promise<RecordResult>)
    | undefined;
}

interface ReportLabel {
  /** Name of a saved report; `null` for a report from flags alone. */
  readonly report: string | null;
  readonly account: string;

  /** Distinguishes the reports of a run. */
  readonly job: string | undefined;
}

/** What is known about a report before its rows arrive. */
interface KnownReport {
  readonly part: Part | undefined;
  readonly query: Query | undefined;
  readonly names: NameValues;
  readonly outputs: readonly Output[];
}

/** Throws as `prepareFiles`. */
export async function prepareOutput(
  tools: RunTools,
  options: FileOptions & CheckFlags,
  { part, query, names, outputs }: KnownReport,
): Promise<PreparedOutput> {
  const columns = query && columnsOfQuery(query);
  const known = { outputs, names, ...(columns && { columns }) };
  const planned = await prepareFiles(tools, options, known);
  return { planned, part, query, earlierWarnings: [], isStrict: options.strict === true };
}

/** A report whose rows are to be written: one that is arriving, or several merged ones. */
interface RowSource {
  /** Yields rows, checked as they are read. */
  batches(): RowBatches;

  /** Warnings and notes; complete once the rows are read. */
  readonly result: CheckResult;

  /** Absent for data without an id, and for merged reports. */
  readonly id?: string | undefined;

  /** Ids of merged reports; filled while the rows are read. */
  readonly reportIds?: readonly string[];

  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** A file of a report, in place. */
export interface FileInPlace {
  /** `undefined` for stdout. */
  readonly name: string | undefined;

  /** Rows of the file, also of an old file that stays; `null` if its content is unknown. */
  readonly rowCount: number | null;
  readonly sizeBytes: number;

  /** Hash of the file in hexadecimal digits; absent if it was not computed. */
  readonly sha256: string | undefined;
}

export interface WrittenReport {
  readonly files: readonly FileInPlace[];
  readonly label: ReportLabel | undefined;

  /** Columns that identify a row; empty if the request is not known. */
  readonly key: readonly string[];

  /** `null` for data without an id, and for merged reports. */
  readonly reportId: string | null;

  /** Ids of merged reports. */
  readonly reportIds?: readonly string[] | undefined;

  /** In the zone of the window, as RFC 3339; `null` if unknown. */
  readonly since: string | null;
  readonly until: string | null;
  readonly checkResult: CheckResult;

  /** Absent if the folder has no history. */
  readonly recorded: RecordResult | undefined;

  /** Metrics of the card; absent if no card is shown. */
  readonly figures: Grouping | undefined;
  readonly comparison: Comparison | undefined;
  readonly labels: EncodeOptions['labels'];
}

/**
 * Writes the rows of one report, or of several merged ones, to all of its files; after a cut from
 * the start again. No file is put in place before all are complete. Throws `OutputError`,
 * `IncompleteDataError` for damaged data, and with `--strict` `RefusedReportError`.
 */
export async function writeReport(
  tools: StepTools,
  output: PreparedOutput,
  report: RowSource,
): Promise<WrittenReport> {
  const { planned, query, comparison } = output;
  const { id: reportId } = report;
  const provenance = provenanceOf(tools, output, reportId);
  const figures = figuresFor(output);
  const figureWatch = new NonZeroDetector((query && columnsOfQuery(query)) ?? []);
  const batches = report.batches();
  const files: WrittenFile[] = [];
  try {
    for (const file of planned.files) {
      files.push(await openFile(file, { reportId, comparison, provenance }));
    }
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      figures?.observeBatch(next.value);
      figureWatch.observe(next.value);
      for (const file of files) await file.write(next.value);
    }
    const tail = next.value;
    const checkResult = checkResultOf(tools, output, report);
    const { warnings } = checkResult;
    if (output.isStrict && warnings.length > 0) throw incomplete(warnings);

    for (const file of files) await file.end(tail, messagesForReaders(checkResult));
    const { hasNumbers } = figureWatch;
    const finished = { files, checkResult, report, figures, hasNumbers };
    const recorded = await recordFile(output, finished);
    if (!recorded?.kept) await commitFiles(files);

    if (planned.opensFiles) openForUser(tools, files);
    return {
      files: recorded?.kept ? [keptFile(files, recorded.kept)] : files,
      label: output.label,
      key: keyFor(query),
      reportId: reportId ?? null,
      reportIds: report.reportIds,
      ...windowOf(output, tail),
      checkResult,
      recorded,
      figures: planned.printsTotals && !recorded?.kept ? figures : undefined,
      comparison,
      labels: planned.files[0]?.encoding.labels,
    };
  } finally {
    // After an error, this stops the download.
    await batches.return?.();
    // Files in place stay.
    await discardFiles(files);
  }
}

/** Returns the window of a report as RFC 3339: the requested one, or that of its summary. */
function windowOf(
  { part }: PreparedOutput,
  { summary }: ReportTail,
): Pick<WrittenReport, 'since' | 'until'> {
  const window = part ? describeWindow(part) : summary && formatSummaryWindow(summary);
  return { since: window?.since ?? null, until: window?.until ?? null };
}

/** Describes the file of a folder that stays, because the new report has no numbers. */
function keptFile(
  [file]: readonly WrittenFile[],
  { rows, bytes, sha256 }: NonNullable<RecordResult['kept']>,
): FileInPlace {
  return { name: file?.name, rowCount: rows, sizeBytes: bytes, sha256 };
}

/** Formats the ends of a summary's window as RFC 3339: `+01:00` for `+0100`. */
function formatSummaryWindow({
  since,
  until,
}: ReportSummary): Pick<ReportSummary, 'since' | 'until'> {
  const withColon = (time: string) => time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return { since: withColon(since), until: withColon(until) };
}

/** Describes the origin of the data, as stored in the file. */
function provenanceOf(
  { host, version }: StepTools,
  { query }: PreparedOutput,
  reportId: string | undefined,
): Provenance {
  return {
    request: query ? toRequestRecord(query) : null,
    // The user did not choose the account of a local server.
    account: query?.service === 'local' ? undefined : query?.account,
    filters: describeFilters(query?.filters ?? {}),
    key: keyFor(query),
    reportId: reportId ?? null,
    fetchedMs: host.wallClock(),
    version,
  };
}

function keyFor(query: Query | undefined): readonly string[] {
  return query ? keyOf(breakdownsToSend(query.breakdowns)) : [];
}

/** Sums the rows by time if a card is shown, otherwise only as totals. */
function figuresFor({ planned, beforeRename }: PreparedOutput): Grouping | undefined {
  if (planned.showsCard) return new Grouping('time');
  return beforeRename || planned.printsTotals ? new Grouping() : undefined;
}

/**
 * Returns warnings and notes once the rows are read, with earlier warnings, and without secrets,
 * which the service may repeat.
 */
function checkResultOf(
  { console: { redact } }: StepTools,
  { earlierWarnings }: PreparedOutput,
  { result: { warnings, notes } }: RowSource,
): CheckResult {
  const redacted = (warning: CheckMessage): CheckMessage => ({
    ...warning,
    message: redact(warning.message),
    ...(warning.forReaders && { forReaders: redact(warning.forReaders) }),
  });
  return {
    warnings: [...earlierWarnings, ...warnings].map(redacted),
    notes: notes.map(redacted),
  };
}

interface FinishedReport {
  readonly files: readonly WrittenFile[];
  readonly checkResult: CheckResult;
  readonly report: RowSource;
  readonly figures: Grouping | undefined;
  readonly hasNumbers: boolean;
}

/** Returns `undefined` for a folder without a history, and for streams. */
async function recordFile(
  { beforeRename, query }: PreparedOutput,
  { files: [file], checkResult, figures, hasNumbers, report }: FinishedReport,
): Promise<RecordResult | undefined> {
  if (!beforeRename || !figures || !file) return undefined;
  const { name, rowCount, sizeBytes, sha256 } = file;
  // Streams are not recorded.
  if (name === undefined || sha256 === undefined) return undefined;
  const columns = query && columnsOfQuery(query);
  return beforeRename({
    rowCount,
    hasNumbers,
    sizeBytes,
    sha256,
    totals: totalsOf(figures, columns),
    reportId: report.id ?? null,
    createdMs: report.createdMs,
    warnings: checkResult.warnings.map(({ message }) => message),
  });
}

/** Sums each metric exactly, by metric name. */
function totalsOf(sums: Grouping, columns: readonly Column[] = []): Totals {
  const all = sums.totals();
  const totals: Record<string, string> = {};
  // A report without rows has a sum of 0 for each metric.
  for (const { metric, type, hidden } of columns) {
    if (metric !== undefined && !hidden) totals[metric] = type === 'money' ? '0.00' : '0';
  }

  const requested = new Set<string | undefined>(columns.map(({ metric }) => metric));
  for (const figure of figuresOf(sums.metrics)) {
    const metric = metricOfField(figure.field)?.name ?? figure.field;
    if (figure.derived || !requested.has(metric)) continue;
    totals[metric] = figureDigits(figure, all) ?? '0';
  }
  return totals;
}

function incomplete(warnings: readonly CheckMessage[]): RefusedReportError {
  return new RefusedReportError(warningsMessage(warnings), {
    hint: 'Run the command again later to request a new report. Without --strict this is a warning.',
  });
}
