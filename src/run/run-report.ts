import {
  type CheckMessage,
  type CheckResult,
  RefusedReportError,
  warningsMessage,
} from '../errors.ts';
import { NonZeroDetector } from '../folder/non-zero-detector.ts';
import {
  type FolderToFill,
  type RecordResult,
  requireSamePlace,
} from '../folder/record-download.ts';
import { commitFiles, discardFiles } from '../output/commit-files.ts';
import { messagesForReaders } from '../output/encoder.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { NameValues } from '../query/file-name.ts';
import type { Query } from '../query/query.ts';
import type { Comparison } from '../totals/comparison.ts';
import { timeKeys } from '../totals/group-keys.ts';
import { GroupedTotals } from '../totals/grouped-totals.ts';
import { openForUser } from '../ui/open-file.ts';
import { type EarlierReport, sumEarlierReport } from './compare.ts';
import type { Context } from './context.ts';
import { describeProvenance } from './describe-report.ts';
import { type FileOptions, openFile, type PlannedFiles, prepareFiles } from './prepare-files.ts';
import { recordPart } from './record-report.ts';
import { type ReportRows, ReportSource, type ReportToRead } from './report-source.ts';

/** A report to download into files. */
export interface ReportToWrite extends ReportToRead {
  /** Absent if the report is named by its id and its request is not known. */
  readonly query?: Query | undefined;

  /** Its files, as in a query. */
  readonly output: FileOptions & Pick<Query, 'outputs' | 'strict'>;

  /** Values for the placeholders of `-o`. */
  readonly names: NameValues;

  /** Names for `--json`, in a run. */
  readonly title?: ReportTitle;

  /** Folder whose history records the file; it then decides whether the file is replaced. */
  readonly filled?: FolderToFill | undefined;
}

interface ReportTitle {
  /** Name of a saved report; `null` for a report from flags alone. */
  readonly report: string | null;
  readonly account: string;
}

/** A file of a report, in place. */
export type FileInPlace = Pick<WrittenFile, 'name' | 'sizeBytes' | 'sha256'> & {
  /** Rows of the file, also of an old file that stays; `null` if its content is unknown. */
  readonly rowCount: number | null;
};

/** A report in its files. */
export interface WrittenReport {
  readonly report: ReportToWrite;
  readonly rows: ReportRows;
  readonly files: readonly FileInPlace[];
  readonly checkResult: CheckResult;

  /** Absent if the folder has no history. */
  readonly recorded: RecordResult | undefined;

  /** To be shown after a file; absent for stdout, with `-q` and with `--json`. */
  readonly metrics: GroupedTotals | undefined;
  readonly comparison: Comparison | undefined;
}

/**
 * Downloads a report into its files: with `--compare` after the earlier one, after a cut or a
 * failure from the start again. Throws as `prepareFiles`, `ReportSource` and `writeRows`.
 */
export async function runReport(context: Context, report: ReportToWrite): Promise<WrittenReport> {
  const { query, part, named, filled, output, names, options } = report;
  if (filled && part) await requireSamePlace(filled, filled.declaration.pattern.nameFor(part));
  const columns = query && listQueryColumns(query);
  const files = await prepareFiles(context, output, {
    outputs: output.outputs,
    names,
    ...(columns && { columns }),
  });
  const isCompared = !named && query?.compare !== undefined;
  const earlier = isCompared && part ? await sumEarlierReport(context, part, options) : undefined;

  const source = new ReportSource(context, report);
  for (;;) {
    try {
      const rows = await source.open();
      const written = await writeRows(context, report, { rows, files, earlier });
      // Not earlier: until the files are in place, the same command can download it again.
      await source.recordDownload();
      return written;
    } catch (error) {
      await source.recover(error);
    }
  }
}

interface RowsToWrite {
  readonly rows: ReportRows;
  readonly files: PlannedFiles;
  readonly earlier: EarlierReport | undefined;
}

/**
 * Writes the rows of a report to all of its files. No file is put in place before all are complete.
 * Throws `OutputError`, `IncompleteDataError` for damaged data, and with `--strict`
 * `RefusedReportError`.
 */
async function writeRows(
  context: Context,
  report: ReportToWrite,
  { rows, files: planned, earlier }: RowsToWrite,
): Promise<WrittenReport> {
  const { query, part, output, filled } = report;
  const { id: reportId, createdMs } = rows;
  const comparison = earlier?.comparison;
  const provenance = describeProvenance(context, query, reportId);
  const sums = sumsFor(planned, filled);
  const detector = new NonZeroDetector((query && listQueryColumns(query)) ?? []);
  const files: WrittenFile[] = [];
  try {
    for (const file of planned.files) {
      files.push(await openFile(file, { reportId, comparison, provenance }));
    }
    for await (const batch of rows.batches()) {
      sums?.observe(batch);
      detector.observe(batch);
      for (const file of files) await file.write(batch);
    }
    const checkResult = redactResult(context, earlier?.warnings ?? [], rows.result);
    const { warnings } = checkResult;
    if (output.strict && warnings.length > 0) throw strictError(warnings);

    for (const file of files) await file.end(rows.tail, messagesForReaders(checkResult));
    const [file] = files;
    const { hasNumbers } = detector;
    const complete = { file, sums, hasNumbers, warnings, reportId, createdMs };
    const recorded = filled && part && (await recordPart(filled, part, complete));
    const kept = recorded?.kept;
    if (!kept) await commitFiles(files);

    if (planned.opensFiles) openForUser(context, files);
    return {
      report,
      rows,
      files: kept ? [keptFile(file, kept)] : files,
      checkResult,
      recorded,
      metrics: planned.printsTotals && !kept ? sums : undefined,
      comparison,
    };
  } finally {
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
function sumsFor(
  { showsCard, printsTotals }: PlannedFiles,
  filled: FolderToFill | undefined,
): GroupedTotals | undefined {
  if (showsCard) return new GroupedTotals(timeKeys);
  return filled || printsTotals ? new GroupedTotals() : undefined;
}

/** Returns all warnings and the notes without secrets, which the service may repeat. */
function redactResult(
  { console: { redact } }: Context,
  earlierWarnings: readonly CheckMessage[],
  { warnings, notes }: CheckResult,
): CheckResult {
  const redacted = (found: CheckMessage): CheckMessage => ({
    ...found,
    message: redact(found.message),
    ...(found.forReaders && { forReaders: redact(found.forReaders) }),
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
