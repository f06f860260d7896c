import {
  type CheckMessage,
  type CheckResult,
  RefusedReportError,
  warningsMessage,
} from '../errors.ts';
import { NonZeroDetector } from '../folder/non-zero-detector.ts';
import type { FilledFolder, RecordResult } from '../folder/record-download.ts';
import { commitFiles, discardFiles } from '../output/commit-files.ts';
import { type EncodeOptions, messagesForReaders } from '../output/encoder.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { columnsOfQuery } from '../query/columns.ts';
import type { NameValues } from '../query/file-name.ts';
import type { CheckFlags } from '../query/flags/check-flags.ts';
import type { Output, Part, Query } from '../query/query.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { timeKeys } from '../totals/group-keys.ts';
import { GroupedTotals } from '../totals/grouped-totals.ts';
import type { Comparison } from '../totals/report-metrics.ts';
import type { Context } from './context.ts';
import { keyFor, provenanceOf, windowOf } from './describe-report.ts';
import { openForUser } from './open-for-user.ts';
import { type FileOptions, openFile, type PlannedFiles, prepareFiles } from './prepare-files.ts';
import { recordPart } from './record-report.ts';

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

  /** Folder whose history records the file; it then decides whether the file is replaced. */
  readonly filled?: FilledFolder | undefined;
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
  tools: Context,
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
  readonly metrics: GroupedTotals | undefined;
  readonly comparison: Comparison | undefined;
  readonly labels: EncodeOptions['labels'];
}

/**
 * Writes the rows of one report, or of several merged ones, to all of its files; after a cut from
 * the start again. No file is put in place before all are complete. Throws `OutputError`,
 * `IncompleteDataError` for damaged data, and with `--strict` `RefusedReportError`.
 */
export async function writeReport(
  tools: Pick<Context, 'console' | 'host' | 'version'>,
  output: PreparedOutput,
  report: RowSource,
): Promise<WrittenReport> {
  const { planned, part, query, comparison, filled } = output;
  const { id: reportId, createdMs } = report;
  const provenance = provenanceOf(tools, query, reportId);
  const sums = sumsFor(output);
  const detector = new NonZeroDetector((query && columnsOfQuery(query)) ?? []);
  const batches = report.batches();
  const files: WrittenFile[] = [];
  try {
    for (const file of planned.files) {
      files.push(await openFile(file, { reportId, comparison, provenance }));
    }
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      sums?.observe(next.value);
      detector.observe(next.value);
      for (const file of files) await file.write(next.value);
    }
    const tail = next.value;
    const checkResult = checkResultOf(tools, output, report);
    const { warnings } = checkResult;
    if (output.isStrict && warnings.length > 0) throw strictError(warnings);

    for (const file of files) await file.end(tail, messagesForReaders(checkResult));
    const [file] = files;
    const { hasNumbers } = detector;
    const complete = { file, sums, hasNumbers, warnings, reportId, createdMs };
    const recorded = filled && part && (await recordPart(filled, part, complete));
    const kept = recorded?.kept;
    if (!kept) await commitFiles(files);

    if (planned.opensFiles) openForUser(tools, files);
    return {
      files: kept ? [keptFile(file, kept)] : files,
      label: output.label,
      key: keyFor(query),
      reportId: reportId ?? null,
      reportIds: report.reportIds,
      ...windowOf(part, tail),
      checkResult,
      recorded,
      metrics: planned.printsTotals && !kept ? sums : undefined,
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

/** Describes the file of a folder that stays, because the new report has no numbers. */
function keptFile(
  file: WrittenFile | undefined,
  { rows, bytes, sha256 }: NonNullable<RecordResult['kept']>,
): FileInPlace {
  return { name: file?.name, rowCount: rows, sizeBytes: bytes, sha256 };
}

/** Sums the rows by time if a card is shown, otherwise as totals, if anything needs them. */
function sumsFor({ planned, filled }: PreparedOutput): GroupedTotals | undefined {
  if (planned.showsCard) return new GroupedTotals(timeKeys);
  return filled || planned.printsTotals ? new GroupedTotals() : undefined;
}

/**
 * Returns warnings and notes once the rows are read, with earlier warnings, and without secrets,
 * which the service may repeat.
 */
function checkResultOf(
  { console: { redact } }: Pick<Context, 'console'>,
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

function strictError(warnings: readonly CheckMessage[]): RefusedReportError {
  return new RefusedReportError(warningsMessage(warnings), {
    hint: 'Run the command again later to request a new report. Without --strict this is a warning.',
  });
}
