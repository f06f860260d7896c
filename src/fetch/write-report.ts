import type { Booking, WholeReport } from '../archive/keeper.ts';
import type { Totals } from '../archive/line.ts';
import { type Context, version } from '../context.ts';
import { type Column, keyOf, metricOfField } from '../contract/columns.ts';
import { type Delivery, openFile, prepareDelivery } from '../deliver/deliver.ts';
import { FindingsError, type Judgement, type Remark } from '../errors.ts';
import { type Comparison, figureDigits, figuresOf } from '../figures/figures.ts';
import { Grouping } from '../figures/grouping.ts';
import { formats } from '../formats/index.ts';
import type { Expectation } from '../judge/check.ts';
import type { Verdict } from '../judge/verdict.ts';
import { type RowWatcher, type WrittenRows, writeRows } from '../output/encoder.ts';
import type { WholeFile } from '../output/file/output-file.ts';
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
   * Notes the file in the books of its folder, and says whether it may go into its place. Throws
   * `OutputError`.
   */
  readonly book?: ((report: ReportToBook) => Promise<Booking>) | undefined;
}

/** A report as the books note it, with its file as the user names it. */
type ReportToBook = Omit<WholeReport, 'name' | 'window'> & { readonly file: string };

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

  /** When the report was asked for, in milliseconds since 1970. */
  readonly createdMs: number;
}

/** An output that is whole. */
export interface WrittenReport {
  /** `undefined` for stdout. */
  readonly file: string | undefined;
  readonly label: ReportLabel | undefined;

  /** What the file holds: where the books keep the one that stood there, that one. */
  readonly rowCount: number;
  readonly sizeBytes: number;

  /** Of the file's bytes, in hexadecimal digits; absent where nobody asks for it. */
  readonly sha256: string | undefined;

  /** The columns that tell a row from every other one, where the request is known. */
  readonly key: readonly string[];

  /** `null` for data that came without an id, and for several reports that were merged. */
  readonly reportId: string | null;

  /** The ends of the window in its zone, as far as they are known. */
  readonly since: string | null;
  readonly until: string | null;

  /** What the report is found to be. */
  readonly judgement: Judgement;

  /** What the books of its folder say to the file; absent where none are kept. */
  readonly booking: Booking | undefined;

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

    // A file goes to its place once the books of its folder have noted it.
    const wholeFile = await begun.finish();
    const booking = await bookFile(output, { ...report, rows, figures, file, wholeFile });
    if (booking?.isKept) await begun.abort();
    else await begun.place();

    if (delivery.opensFile && file !== undefined) openFile(context, file);
    const window = expectation ? describeWindow(expectation.window) : tail.summary;
    return {
      file,
      label: output.label,
      rowCount: booking?.kept?.rows ?? rows.rowCount,
      sizeBytes: booking?.kept?.bytes ?? wholeFile?.sizeBytes ?? rows.sizeBytes,
      sha256: booking?.kept?.sha256 ?? wholeFile?.sha256,
      key: keyFor(expectation),
      reportId: reportId ?? null,
      since: window?.since ?? null,
      until: window?.until ?? null,
      judgement,
      booking,
      figures: delivery.saysTotals && !booking?.isKept ? figures : undefined,
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
function figuresFor({ delivery, book }: PreparedOutput): Grouping | undefined {
  if (delivery.showsCard) return new Grouping('time');
  return book || delivery.saysTotals ? new Grouping() : undefined;
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
  readonly wholeFile: WholeFile | undefined;
}

/** Notes a file in the books of its folder; gives nothing where none are kept. */
async function bookFile(
  { book, expectation }: PreparedOutput,
  { rows, figures, file, wholeFile, reportId, createdMs }: FinishedReport,
): Promise<Booking | undefined> {
  // What goes to a stream is no file that could be found again.
  if (!book || !figures || file === undefined || wholeFile?.sha256 === undefined) return undefined;
  return book({
    file,
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
