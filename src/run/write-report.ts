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
import type { EncodeOptions, RowWatcher } from '../output/encoder.ts';
import type { Provenance } from '../output/provenance.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeWindow } from '../query/calendar.ts';
import { columnsOfQuery } from '../query/columns.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { NameValues } from '../query/file-name.ts';
import type { CheckFlags } from '../query/flags/check-flags.ts';
import type { FormatName } from '../query/format-names.ts';
import type { Part, Query } from '../query/query.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { type Comparison, figureDigits, figuresOf } from '../totals/figures.ts';
import { Grouping } from '../totals/grouping.ts';
import { type Delivery, type DeliveryOptions, prepareDelivery } from './deliver.ts';
import type { RunTools, StepTools } from './run-tools.ts';
import { type CompleteOutput, writeOutput } from './write-output.ts';

/** An output before its rows arrive. */
export interface PreparedOutput {
  readonly delivery: Delivery;

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
  readonly format: FormatName;
}

/** Throws as `prepareDelivery`. */
export async function prepareOutput(
  tools: RunTools,
  options: DeliveryOptions & CheckFlags,
  { part, query, names, format }: KnownReport,
): Promise<PreparedOutput> {
  const columns = query && columnsOfQuery(query);
  const isKnown = { names, format, ...(columns && { columns }) };
  const delivery = await prepareDelivery(tools, options, isKnown);
  return { delivery, part, query, earlierWarnings: [], isStrict: options.strict === true };
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

export interface WrittenReport {
  /** `undefined` for stdout. */
  readonly file: string | undefined;
  readonly label: ReportLabel | undefined;

  /** Rows of the file, also of an old file that stays; `null` if its content is unknown. */
  readonly rowCount: number | null;
  readonly sizeBytes: number;

  /** Hash of the file in hexadecimal digits; absent if it was not computed. */
  readonly sha256: string | undefined;

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
 * Writes the rows of one report, or of several merged ones; after a cut from the start again.
 * Throws `OutputError`, `IncompleteDataError` for damaged data, and with `--strict`
 * `RefusedReportError`.
 */
export async function writeReport(
  tools: StepTools,
  output: PreparedOutput,
  report: RowSource,
): Promise<WrittenReport> {
  const { delivery, part, query, comparison } = output;
  const columns = query && columnsOfQuery(query);
  const { id: reportId } = report;
  const figures = figuresFor(output);
  const figureWatch = new NonZeroDetector(columns ?? []);
  let recorded: RecordResult | undefined;
  const { file, rows, wholeFile } = await writeOutput(tools, delivery, {
    batches: report.batches(),
    reportId,
    encoding: { comparison, provenance: provenanceOf(tools, output, reportId) },
    watcher: watcherFor(tools, output, { report, figures, figureWatch }),
    check: ({ checkResult: { warnings } }) => {
      if (output.isStrict && warnings.length > 0) throw incomplete(warnings);
    },
    keepsOld: async (complete) => {
      const { hasNumbers } = figureWatch;
      recorded = await recordFile(output, { ...complete, report, figures, hasNumbers });
      return recorded?.kept !== undefined;
    },
  });

  const { summary } = rows.tail;
  const window = part ? describeWindow(part) : summary && formatSummaryWindow(summary);
  const kept = recorded?.kept;
  return {
    file,
    label: output.label,
    rowCount: kept ? kept.rows : rows.rowCount,
    sizeBytes: kept?.bytes ?? wholeFile?.sizeBytes ?? rows.sizeBytes,
    sha256: kept ? kept.sha256 : wholeFile?.sha256,
    key: keyFor(query),
    reportId: reportId ?? null,
    reportIds: report.reportIds,
    since: window?.since ?? null,
    until: window?.until ?? null,
    checkResult: rows.checkResult,
    recorded,
    figures: delivery.printsTotals && !recorded?.kept ? figures : undefined,
    comparison,
    labels: delivery.encoding.labels,
  };
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
function figuresFor({ delivery, beforeRename }: PreparedOutput): Grouping | undefined {
  if (delivery.showsCard) return new Grouping('time');
  return beforeRename || delivery.printsTotals ? new Grouping() : undefined;
}

interface RowObservers {
  readonly report: RowSource;
  readonly figures: Grouping | undefined;
  readonly figureWatch: NonZeroDetector;
}

/**
 * Adds up rows while they are written. The result of their checks includes earlier warnings, and
 * has secrets removed, which the service may repeat.
 */
function watcherFor(
  { console: { redact } }: StepTools,
  { earlierWarnings }: PreparedOutput,
  { report, figures, figureWatch }: RowObservers,
): RowWatcher {
  return {
    observe(batch) {
      figures?.observeBatch(batch);
      figureWatch.observe(batch);
    },
    close() {
      const { warnings, notes } = report.result;
      const redacted = (warning: CheckMessage): CheckMessage => ({
        ...warning,
        message: redact(warning.message),
        ...(warning.forReaders && { forReaders: redact(warning.forReaders) }),
      });
      return {
        warnings: [...earlierWarnings, ...warnings].map(redacted),
        notes: notes.map(redacted),
      };
    },
  };
}

interface FinishedReport extends CompleteOutput {
  readonly report: RowSource;
  readonly figures: Grouping | undefined;
  readonly hasNumbers: boolean;
}

/** Returns `undefined` for a folder without a history, and for streams. */
async function recordFile(
  { beforeRename, query }: PreparedOutput,
  { rows, figures, hasNumbers, file, wholeFile, report }: FinishedReport,
): Promise<RecordResult | undefined> {
  // Streams are not recorded.
  const isFile = file !== undefined && wholeFile?.sha256 !== undefined;
  if (!beforeRename || !figures || !isFile) return undefined;
  const columns = query && columnsOfQuery(query);
  return beforeRename({
    rowCount: rows.rowCount,
    hasNumbers,
    sizeBytes: wholeFile.sizeBytes,
    sha256: wholeFile.sha256,
    totals: totalsOf(figures, columns),
    reportId: report.id ?? null,
    createdMs: report.createdMs,
    warnings: rows.checkResult.warnings.map(({ message }) => message),
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
