import {
  type CheckMessage,
  type CheckResult,
  joinWarnings,
  RefusedReportError,
} from '../errors.ts';
import { NonZeroDetector } from '../folder/non-zero-detector.ts';
import {
  type OutputFolder,
  type RecordResult,
  recordDownload,
  requireUnmovedFolder,
} from '../folder/record-download.ts';
import { commitFiles, discardFiles } from '../output/commit-files.ts';
import { toReaderMessages } from '../output/encoder.ts';
import { describeProvenance, type Provenance } from '../output/provenance.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { Query } from '../query/query.ts';
import { GroupedTotals } from '../totals/grouped-totals.ts';
import { openForUser } from '../ui/open-file.ts';
import { type EarlierReport, sumEarlierReport } from './compare.ts';
import type { Context } from './context.ts';
import { openFile, type PlannedFile, prepareFiles, type ReportOutput } from './prepare-files.ts';
import { type ReportRows, ReportSource, type ReportToRead } from './report-source.ts';

/** A report to download into files. */
export interface ReportToWrite extends ReportToRead {
  /** Query of the report, unless another machine requested it. */
  readonly query?: Query | undefined;

  readonly output: ReportOutput & Pick<Query, 'strict'>;

  /** Folder of the file. Its history records the file and decides whether to replace it. */
  readonly outputFolder?: OutputFolder | undefined;
}

/** A finished file. */
export type FileInPlace = Pick<WrittenFile, 'name' | 'sizeBytes' | 'sha256'> & {
  /** Rows in the file, or in the old file if that was kept; `null` if unknown. */
  readonly rowCount: number | null;
};

export interface WrittenReport {
  readonly report: ReportToWrite;

  readonly account: string;
  readonly provenance: Provenance;
  readonly rows: ReportRows;

  /** IDs of the report or its parts, and of the earlier report. */
  readonly reportIds: readonly string[];
  readonly files: readonly FileInPlace[];
  readonly checkResult: CheckResult;

  /** Entry in the folder's history, if there is a folder. */
  readonly recorded: RecordResult | undefined;

  readonly sums: GroupedTotals | undefined;
  readonly earlier: EarlierReport | undefined;
}

/**
 * Downloads a report into its files. With `--compare`, the earlier report is downloaded first. If
 * the report fails or is cut off, the download starts over.
 */
export async function runReport(context: Context, report: ReportToWrite): Promise<WrittenReport> {
  const { query, part, existing, outputFolder, output } = report;
  if (outputFolder && part) await requireUnmovedFolder(outputFolder, part);
  const columns = query && listQueryColumns(query);
  const files = await prepareFiles(context, output, columns);
  const isCompared = part && !existing && query?.compare !== undefined;
  const earlier = isCompared ? await sumEarlierReport(context, part, report) : undefined;

  const source = new ReportSource(context, report);
  for (;;) {
    try {
      const rows = await source.open();
      const written = await writeRows(context, report, { rows, files, earlier });
      // The download is recorded only now. Until the files are in place, the same command can
      // download the report again.
      await source.recordDownload();
      return { ...written, reportIds: [...source.reportIds, ...(earlier?.reportIds ?? [])] };
    } catch (error) {
      await source.recover(error);
    }
  }
}

interface RowsToWrite {
  readonly rows: ReportRows;
  readonly files: readonly PlannedFile[];
  readonly earlier: EarlierReport | undefined;
}

/**
 * Writes the rows of a report to all of its files. No file appears before all are complete. Throws
 * `OutputError`, `IncompleteDataError` for damaged data, and `RefusedReportError` with `--strict`.
 */
async function writeRows(
  context: Context,
  report: ReportToWrite,
  { rows, files: planned, earlier }: RowsToWrite,
): Promise<Omit<WrittenReport, 'reportIds'>> {
  const { query, part, output, outputFolder } = report;
  const { id: reportId, createdMs } = rows;
  const { comparison } = earlier ?? {};
  const { account, console, flags, host, version } = context;
  const provenance = describeProvenance(query, {
    reportId: reportId ?? null,
    downloadedMs: host.wallClock(),
    version,
  });
  const sums = new GroupedTotals();
  const detector = new NonZeroDetector((query && listQueryColumns(query)) ?? []);
  const files: WrittenFile[] = [];
  try {
    for (const file of planned) {
      files.push(await openFile(file, { reportId, comparison, provenance }));
    }
    const hasFile = files.some(({ name }) => name !== undefined);
    const showsTotals = hasFile && !flags.json && !console.isQuiet;
    const isSummed = outputFolder !== undefined || showsTotals;
    for await (const batch of rows.batches()) {
      if (isSummed) sums.observe(batch);
      detector.observe(batch);
      for (const file of files) await file.write(batch);
    }
    const { notes } = rows.result;
    const warnings = [...(earlier?.warnings ?? []), ...rows.result.warnings];
    const checkResult = { warnings, notes };
    if (output.strict && warnings.length > 0) throw strictWarningsError(warnings);

    for (const file of files) await file.end(rows.tail, toReaderMessages(checkResult));
    const [file] = files;
    const { hasNumbers } = detector;
    const facts = { sums, hasNumbers, warnings, reportId, createdMs };
    const isRecorded = outputFolder && part && file;
    const recorded = isRecorded && (await recordDownload(outputFolder, { part, file, ...facts }));
    const kept = recorded?.kept;
    if (!kept) await commitFiles(files);
    const { rows: rowCount = null, bytes: sizeBytes = 0, sha256 } = kept ?? {};

    if (output.open) openForUser(context, files);
    return {
      report,
      account: await account.name(),
      provenance,
      rows,
      files: kept ? [{ name: file?.name, rowCount, sizeBytes, sha256 }] : files,
      checkResult,
      recorded,
      sums: showsTotals && !kept ? sums : undefined,
      earlier,
    };
  } finally {
    // Only unfinished files are discarded.
    await discardFiles(files);
  }
}

function strictWarningsError(warnings: readonly CheckMessage[]): RefusedReportError {
  return new RefusedReportError(joinWarnings(warnings), {
    hint: 'Run the command again later to request a new report. Without --strict this is a warning.',
  });
}
