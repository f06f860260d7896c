import { type Context, version } from '../context.ts';
import { type Column, keyOf, metricOfField } from '../contract/columns.ts';
import { type Delivery, openFile, prepareDelivery } from '../deliver/deliver.ts';
import { FindingsError, type Judgement, type Remark } from '../errors.ts';
import { type Comparison, figureDigits, figuresOf } from '../figures/figures.ts';
import { Grouping } from '../figures/grouping.ts';
import type { Totals } from '../folder/history.ts';
import type { CompleteReport, Recorded } from '../folder/writer.ts';
import { formats } from '../formats/index.ts';
import type { Expectation } from '../judge/check.ts';
import type { Verdict } from '../judge/verdict.ts';
import { type RowWatcher, type WrittenRows, writeRows } from '../output/encoder.ts';
import type { CompleteFile } from '../output/file/output-file.ts';
import type { Provenance } from '../output/provenance.ts';
import type { OutputFlags } from '../plan/flags/output-flags.ts';
import type { ReportOutput } from '../plan/plan.ts';
import { filtersInWords } from '../report/filter-words.ts';
import type { ReportSpec } from '../report/spec.ts';
import { describeWindow } from '../report/window.ts';
import type { RowBatches } from '../rows/row-batch.ts';

/** What is settled of an output before its rows come. */
export interface PreparedOutput {
  readonly delivery: Delivery;

  /** What the rows are checked against, where they can be. */
  readonly expectation: Expectation | undefined;

  /**
   * Findings from before the report was asked for: on the list of campaigns, and on the report that
   * it is compared with.
   */
  readonly earlierFindings: readonly Remark[];

  /** Whether a finding is an error (`--strict`). */
  readonly isStrict: boolean;

  /** The earlier report that this one is held against. */
  readonly comparison?: Comparison | undefined;

  /** What the report and its account are called, where a run has several. */
  readonly label?: ReportLabel | undefined;

  /** What was asked for, if it is known. */
  readonly spec?: ReportSpec | undefined;

  /**
   * Records the file in the history of its folder, and decides whether it is put in place. Throws
   * `OutputError`.
   */
  readonly beforeRename?: ((report: UnplacedReport) => Promise<Recorded>) | undefined;
}

/** A report whose file is complete and not in place yet. */
type UnplacedReport = Omit<CompleteReport, 'path' | 'window' | 'overAt'>;

/** What a report is called, and whose it is. */
interface ReportLabel {
  /** The name of a saved report; `null` for what flags alone describe. */
  readonly report: string | null;
  readonly account: string;

  /** What tells it from the other reports of its run. */
  readonly job: string | undefined;
}

/**
 * Settles where the rows of a report go, and what they are checked against. Throws as
 * `prepareDelivery`.
 */
export async function prepareOutput(
  context: Context,
  options: OutputFlags & { readonly strict?: boolean },
  { names, columns, expectation, earlierFindings = [] }: ReportOutput,
): Promise<PreparedOutput> {
  return {
    delivery: await prepareDelivery(context, options, { names, columns }),
    expectation,
    earlierFindings,
    isStrict: options.strict === true,
  };
}

/** What is written, and who judges it. */
interface JudgedRows {
  readonly batches: RowBatches;
  readonly verdict: Verdict;

  /** Absent for data that came without an id, and for several reports that are merged. */
  readonly reportId?: string | undefined;

  /** The ids of several reports that are merged, which come with their rows. */
  readonly reportIds?: readonly string[];

  /** When the report was asked for, in milliseconds since 1970. */
  readonly createdMs: number;
}

/** An output that is whole. */
export interface WrittenReport {
  /** `undefined` for stdout. */
  readonly file: string | undefined;
  readonly label: ReportLabel | undefined;

  /**
   * Those of the file, also if it is the old one that stays; `null` if nobody knows what is in
   * that one.
   */
  readonly rowCount: number | null;
  readonly sizeBytes: number;

  /** Of the file's bytes, in hexadecimal digits; absent where nobody asks for it. */
  readonly sha256: string | undefined;

  /** The columns that tell a row from every other one, where the request is known. */
  readonly key: readonly string[];

  /** `null` for data that came without an id, and for several reports that were merged. */
  readonly reportId: string | null;

  /** Of the reports that were merged. */
  readonly reportIds?: readonly string[] | undefined;

  /** The ends of the window in its zone, as far as they are known. */
  readonly since: string | null;
  readonly until: string | null;

  /** What the report is found to be. */
  readonly judgement: Judgement;

  /** What became of it in the history of its folder; absent if that has none. */
  readonly recorded: Recorded | undefined;

  /** What the card shows; absent where none is to be shown. */
  readonly figures: Grouping | undefined;
  readonly comparison: Comparison | undefined;
}

type WritingContext = Pick<Context, 'console' | 'host'>;

/**
 * Takes rows to their output, of one report or of several that were merged; called anew, from zero,
 * for each try. Throws `OutputError`, and `IncompleteDataError` for data that is damaged, or with
 * `--strict` not all there.
 */
export async function writeReport(
  context: WritingContext,
  output: PreparedOutput,
  report: JudgedRows,
): Promise<WrittenReport> {
  const { delivery, expectation, comparison } = output;
  const { batches, verdict, reportId } = report;
  const provenance = provenanceOf(context, output, reportId);
  const encoding = { ...delivery.encoding, comparison, provenance };
  const encoder = await formats[delivery.format].createEncoder(encoding);
  const figures = figuresFor(output);
  const file = delivery.target.name(reportId);
  const begun = await delivery.target.open(reportId);

  try {
    const watcher = watcherOf(context, output, { verdict, figures });
    const rows = await writeRows(batches, encoder, begun, watcher);
    const { judgement, tail } = rows;
    if (output.isStrict && judgement.findings.length > 0) throw incomplete(judgement.findings);

    const wholeFile = await begun.finish();
    const recorded = await recordFile(output, { ...report, rows, figures, file, wholeFile });
    if (recorded?.isKept) await begun.abort();
    else await begun.place();

    if (delivery.opensFile && file !== undefined) openFile(context, file);
    const window = expectation ? describeWindow(expectation.window) : tail.summary;
    const kept = recorded?.kept;
    return {
      file,
      label: output.label,
      rowCount: kept ? kept.rows : rows.rowCount,
      sizeBytes: kept?.bytes ?? wholeFile?.sizeBytes ?? rows.sizeBytes,
      sha256: kept ? kept.sha256 : wholeFile?.sha256,
      key: keyFor(expectation),
      reportId: reportId ?? null,
      reportIds: report.reportIds,
      since: window?.since ?? null,
      until: window?.until ?? null,
      judgement,
      recorded,
      figures: delivery.saysTotals && !recorded?.isKept ? figures : undefined,
      comparison,
    };
  } catch (error) {
    await begun.abort();
    throw error;
  }
}

/** What a file tells of the report that it holds. */
function provenanceOf(
  { host }: WritingContext,
  { spec, expectation }: PreparedOutput,
  reportId: string | undefined,
): Provenance {
  return {
    request: spec?.request ?? null,
    // Nobody chose the account of a local server.
    account: spec?.service === 'local' ? undefined : spec?.account,
    filters: filtersInWords(spec?.request.filters ?? {}),
    key: keyFor(expectation),
    reportId: reportId ?? null,
    fetchedMs: host.wallClock(),
    version,
  };
}

function keyFor(expectation: Expectation | undefined): readonly string[] {
  return expectation ? keyOf(expectation.breakdowns) : [];
}

/** What adds the rows up: by their time for a card alone, as more is not asked for elsewhere. */
function figuresFor({ delivery, beforeRename }: PreparedOutput): Grouping | undefined {
  if (delivery.showsCard) return new Grouping('time');
  return beforeRename || delivery.saysTotals ? new Grouping() : undefined;
}

/** Who sees the rows on their way. */
interface RowObservers {
  readonly verdict: Verdict;
  readonly figures: Grouping | undefined;
}

/**
 * Judges and adds up the rows on their way. The judgement has the findings from before it too, and
 * no secrets, which the service may repeat.
 */
function watcherOf(
  { console: { redact } }: WritingContext,
  { earlierFindings }: PreparedOutput,
  { verdict, figures }: RowObservers,
): RowWatcher {
  return {
    observe(batch) {
      verdict.observe(batch);
      figures?.observeBatch(batch);
    },
    close(tail) {
      const { findings, notes } = verdict.close(tail);
      const redacted = (remark: Remark): Remark => ({
        ...remark,
        message: redact(remark.message),
        ...(remark.brief !== undefined && { brief: redact(remark.brief) }),
      });
      return {
        findings: [...earlierFindings, ...findings].map(redacted),
        notes: notes.map(redacted),
      };
    },
  };
}

/** A report whose last row is written. */
interface FinishedReport extends Pick<JudgedRows, 'reportId' | 'createdMs'> {
  readonly rows: WrittenRows;
  readonly figures: Grouping | undefined;

  /** Both are `undefined` for stdout. */
  readonly file: string | undefined;
  readonly wholeFile: CompleteFile | undefined;
}

/** Records a file in the history of its folder, if that has one. */
async function recordFile(
  { beforeRename, expectation }: PreparedOutput,
  { rows, figures, file, wholeFile, reportId, createdMs }: FinishedReport,
): Promise<Recorded | undefined> {
  // What goes to a stream is no file that could be found again.
  const isFile = file !== undefined && wholeFile?.sha256 !== undefined;
  if (!beforeRename || !figures || !isFile) return undefined;
  return beforeRename({
    rowCount: rows.rowCount,
    sizeBytes: wholeFile.sizeBytes,
    sha256: wholeFile.sha256,
    totals: totalsOf(figures, expectation?.columns),
    reportId: reportId ?? null,
    createdMs,
    findings: rows.judgement.findings.map(({ message }) => message),
  });
}

/** The exact sum of each metric, by the metric's own name. */
function totalsOf(sums: Grouping, columns: readonly Column[] = []): Totals {
  const all = sums.totals();
  const totals: Record<string, string> = {};
  // A report without rows has nothing of each metric.
  for (const { metric, type, hidden } of columns) {
    if (metric !== undefined && !hidden) totals[metric] = type === 'money' ? '0.00' : '0';
  }

  for (const figure of figuresOf(sums.metrics)) {
    if (figure.derived) continue;
    const metric = metricOfField(figure.field)?.name ?? figure.field;
    totals[metric] = figureDigits(figure, all) ?? '0';
  }
  return totals;
}

function incomplete(findings: readonly Remark[]): FindingsError {
  return new FindingsError(findings, {
    hint: 'Run the command again later: it creates a new report. Without --strict this is a warning.',
  });
}
