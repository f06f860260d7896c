import type { ReportAnswer } from '../api/client.ts';
import { type Context, version } from '../context.ts';
import { type Column, keyOf, metricOfField } from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { type RowWatcher, writeRows } from '../output/encoder.ts';
import { createEncoder } from '../output/formats/index.ts';
import type { Provenance } from '../output/provenance.ts';
import type { Changes, Totals } from '../report/book-line.ts';
import type { FetchedFile } from '../report/books.ts';
import { clockFindings } from '../report/checks/clock-check.ts';
import { type Expectation, limitWarning, ReportCheck } from '../report/completeness.ts';
import { filtersInWords } from '../report/filter-words.ts';
import type { Question } from '../report/question.ts';
import { describeWindow } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import type { ReportTail, RowBatch, RowBatches } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import { type Comparison, figureDigits, figuresOf } from '../view/figures.ts';
import { Grouping } from '../view/grouping.ts';
import { type Delivery, openFile, prepareDelivery } from './deliver.ts';
import { type OutputFlags, outputFlags } from './flags/output-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { typedAccountFlags, typedCommand, typedFlags } from './flags/typed-command.ts';
import type { WaitFlags } from './flags/wait-flags.ts';
import {
  createReport,
  isGone,
  isOfAnother,
  noteFetched,
  pickUpReport,
  type ReportOrigin,
  type ReportTools,
  type TakeReport,
} from './order.ts';
import type { ProfilePlan, ReportFacts } from './plan.ts';
import { downloadWhenReady, incompleteReport, withResumeHint } from './wait.ts';

/** What takes the data of a report. */
export interface Intake<T> {
  readonly take: TakeReport<T>;
  /** The file that the data goes to. Absent where that is not where it stays: then `noteFetched` is the caller's. */
  file?(reportId?: string): string | undefined;
}

/** A report that is to be fetched. */
export interface ReportFetch<T> {
  readonly plan: ProfilePlan;
  /** How it is fetched, and what a command that goes on with it repeats. */
  readonly options: WaitFlags & Partial<RunFlags>;
  readonly intake: Intake<T>;
}

/**
 * Creates a report, or picks up an unfinished one of the same request, waits for it, and hands its data on. What it
 * throws names the report and, where that can still be had, the command that goes on with it.
 */
export async function fetchReport<T>(tools: ReportTools, fetch: ReportFetch<T>): Promise<T> {
  const { plan, options, intake } = fetch;
  const mayPickUp = !options.fresh && !options.direct;
  const unfinished = mayPickUp ? await pickUpReport(tools, plan) : undefined;

  if (unfinished) {
    try {
      return await receiveReport(tools, unfinished, fetch);
    } catch (error) {
      if (!isGone(error) && !isOfAnother(error)) throw error;
      const shownId = printable(unfinished.id);
      tools.console.note(
        `The service does not have report ${shownId} any more: creating a new one.`,
      );
    }
  }

  const order = { plan, isStrict: options.strict === true };
  const created = await createReport(tools, order, intake.take);
  if (created.kind === 'data') return created.result;
  return receiveReport(tools, created, fetch);
}

/** A report that was asked for. */
type BegunReport = ReportOrigin & {
  readonly id: string;
  /** What makes it doubtful so far, in sentences. */
  readonly notices?: readonly string[];
};

/** Waits for a report and hands its data on; what becomes of it is noted in the ledger. */
async function receiveReport<T>(
  tools: ReportTools,
  { id: reportId, createdMs, notices = [] }: BegunReport,
  fetch: ReportFetch<T>,
): Promise<T> {
  const { options, intake } = fetch;
  const resume = await wayToGoOn(tools, reportId, fetch);

  const result = await withResumeHint(tools, { reportId, resume }, () =>
    downloadWhenReady(tools, { reportId, flags: options }, (answer) => {
      const withNotices = { ...answer, notices: [...notices, ...answer.notices] };
      return intake.take(withNotices, { id: reportId, createdMs });
    }),
  );
  if (intake.file) await noteFetched(tools, reportId, intake.file(reportId));
  return result;
}

/** How to go on with a report; `undefined` where nothing can, because its service ends with this process. */
async function wayToGoOn(
  { account }: ReportTools,
  reportId: string,
  { options, intake }: Pick<ReportFetch<unknown>, 'options' | 'intake'>,
): Promise<string | undefined> {
  if (account.isLocal) return undefined;

  // A saved report may have an account of its own, which no other command would take from the file.
  const settings = await account.settings();
  const isFromFile = settings.account.source === 'file';
  const own = isFromFile ? { ...options, account: settings.account.value } : options;
  const flags = ['--wait', ...typedAccountFlags(own)];
  if (intake.file) {
    flags.push(...typedFlags(outputFlags, { ...options, output: intake.file(reportId) }));
  }
  const elsewhere = typedCommand('download', reportId, flags);
  return `Run the same command again; on another machine: ${elsewhere}`;
}

/** The rows of a download, which is shown as it goes on. */
export async function* readAnswer(
  tools: ReportTools,
  { body, contentType, sizeBytes }: Pick<ReportAnswer, 'body' | 'contentType' | 'sizeBytes'>,
): RowBatches {
  const meter = (await tools.progress()).transfer('Downloading', sizeBytes);
  let bytes = 0;
  let rows = 0;
  async function* metered(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      tools.signal.throwIfAborted();
      bytes += piece.length;
      meter.update({ bytes, rows });
      yield piece;
    }
  }

  const batches = readRows(metered(), { contentType });
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      rows = next.value.firstRow + next.value.rowCount;
      yield next.value;
    }
  } finally {
    meter.stop();
    await batches.return?.();
  }
}

/** What is settled of an output before its rows come. */
export interface PreparedOutput {
  readonly delivery: Delivery;
  /** What the rows are checked against, where they can be. */
  readonly expectation: Expectation | undefined;
  /** Whether rows that are not all there are an error (`--strict`). */
  readonly isStrict: boolean;
  /** The earlier report that this one is held against. */
  readonly comparison?: Comparison | undefined;
  /** What the report and its account are called, where a run has several. */
  readonly label?: ReportLabel;
  /** What the report answers, where it is known. */
  readonly question?: Question | undefined;
  /** Notes the file in the books of its folder, and tells which totals are not what they were. */
  readonly record?: ((file: FetchedFile) => Changes | undefined) | undefined;
}

/** What a report is called, and whose it is. */
interface ReportLabel {
  /** The name of a saved report; `null` for what flags alone describe. */
  readonly report: string | null;
  readonly account: string;
  /** What tells it from the other reports of its run. */
  readonly job: string | undefined;
}

/** Settles where the rows of a report go, and what they are checked against. Throws as `prepareDelivery`. */
export async function prepareOutput(
  context: Context,
  flags: OutputFlags & { readonly strict?: boolean },
  { names, columns, expectation }: ReportFacts,
): Promise<PreparedOutput> {
  const nowMs = context.host.wallClock();
  return {
    delivery: await prepareDelivery(context, flags, { names, columns }),
    expectation: expectation && { ...expectation, nowMs },
    isStrict: flags.strict === true,
  };
}

/** An output that is whole. */
export interface WrittenReport {
  /** `undefined` for stdout. */
  readonly file: string | undefined;
  readonly label?: ReportLabel | undefined;
  readonly rowCount: number;
  readonly sizeBytes: number;
  /** Of the file's bytes, in hexadecimal digits; absent where nobody asks for it. */
  readonly sha256?: string | undefined;
  /** The columns that tell a row from every other one, where the request is known. */
  readonly key: readonly string[];
  /** When the report was asked for, in milliseconds since 1970. */
  readonly createdMs: number;
  /** The totals that are not what they were when the file was fetched before. */
  readonly changes?: Changes | undefined;
  /** `null` for data that came without an id, and for several reports that were merged. */
  readonly reportId: string | null;
  /** The ends of the window in its zone, as far as they are known. */
  readonly since: string | null;
  readonly until: string | null;
  /** What differs from the request, in sentences. */
  readonly warnings: readonly string[];
  /** What the card shows; absent where none is to be shown. */
  readonly figures: Grouping | undefined;
  readonly comparison: Comparison | undefined;
}

/** An intake that writes a report to its output. */
export function writingIntake(
  context: Context,
  tools: ReportTools,
  output: PreparedOutput,
): Intake<WrittenReport> {
  return {
    take: (answer, { id: reportId, createdMs }) => {
      const { expectation } = output;
      const verdict = new ReportVerdict(context, { answer, expectation, reportId });
      const batches = readAnswer(tools, answer);
      return writeReport(context, output, { batches, verdict, reportId, createdMs });
    },
    file: (reportId) => output.delivery.target.name(reportId),
  };
}

/** Judges rows on their way to the output. */
export interface Verdict {
  observe(batch: RowBatch): void;

  /** What differs from the request, in sentences; with `--strict` any of them is an error. */
  findings(tail: ReportTail): string[];

  /** What may be wrong, in sentences. */
  doubts(tail: ReportTail): string[];
}

const mayBeCut =
  'The report may be cut: its last line has no line end, and the end of the connection alone marked the end of the answer.';

/** What one report is judged by. */
interface JudgedReport {
  readonly answer: Omit<ReportAnswer, 'body' | 'contentType' | 'sizeBytes'>;
  readonly expectation: Expectation | undefined;
  readonly reportId: string | undefined;
}

/** Judges one report: by its rows, and by what the service said around it. */
export class ReportVerdict implements Verdict {
  readonly #report: JudgedReport;
  readonly #nowMs: number;
  readonly #check: ReportCheck;

  constructor({ host }: Pick<Context, 'host'>, report: JudgedReport) {
    const { expectation, reportId } = report;
    this.#report = report;
    this.#nowMs = host.wallClock();
    this.#check = new ReportCheck({ expectation, reportId, nowMs: this.#nowMs });
  }

  observe(batch: RowBatch): void {
    this.#check.observe(batch);
  }

  findings(tail: ReportTail): string[] {
    const { answer, expectation } = this.#report;
    const findings = [...this.#check.findings(tail), ...answer.notices];
    if (tail.isLineOpen && !answer.isEndTold) findings.push(mayBeCut);
    const { toldRows = tail.rowCount } = answer;
    if (toldRows !== tail.rowCount) {
      const counts = `${formatCount(toldRows)} instead of ${formatCount(tail.rowCount)}`;
      findings.push(`The answer tells of another number of rows than came: ${counts}.`);
    }
    if (!expectation) return findings;

    const clocks = { nowMs: this.#nowMs, aheadMs: answer.clockAheadMs };
    return [...findings, ...clockFindings(expectation.window, clocks)];
  }

  doubts({ rowCount }: ReportTail): string[] {
    const warning = limitWarning(rowCount);
    return warning === undefined ? [] : [warning];
  }
}

/** What is written, and who judges it. */
interface ReportToWrite {
  readonly batches: RowBatches;
  readonly verdict: Verdict;
  readonly reportId?: string | undefined;
  /** When the report was asked for, in milliseconds since 1970. */
  readonly createdMs: number;
}

/**
 * Takes rows to their output, of one report or of several that were merged; called anew, from zero, for each try. Throws
 * `OutputError`, and `IncompleteDataError` for data that is damaged, or with `--strict` not all there.
 */
export async function writeReport(
  context: Pick<Context, 'console' | 'host'>,
  { delivery, expectation, isStrict, comparison, label, question, record }: PreparedOutput,
  { batches, verdict, reportId, createdMs }: ReportToWrite,
): Promise<WrittenReport> {
  const { console } = context;
  const key = expectation ? keyOf(expectation.breakdowns) : [];
  const provenance: Provenance = {
    request: question?.request ?? null,
    account: question?.request.account,
    filters: filtersInWords(question?.request.filters ?? {}),
    key,
    reportId: reportId ?? null,
    fetchedMs: context.host.wallClock(),
    version,
  };
  const encoder = await createEncoder(delivery.format, {
    ...delivery.encoding,
    comparison,
    provenance,
  });
  const figures = delivery.showsCard ? new Grouping('time') : undefined;
  const sums = record ? new Grouping() : undefined;
  const output = await delivery.target.open(reportId);

  try {
    let findings: readonly string[] = [];
    const watcher: RowWatcher = {
      observe(batch) {
        verdict.observe(batch);
        figures?.observeBatch(batch);
        sums?.observeBatch(batch);
      },
      warningsOf(tail) {
        findings = verdict.findings(tail);
        return [...findings, ...verdict.doubts(tail)];
      },
    };
    const { rowCount, sizeBytes, tail, warnings } = await writeRows(
      batches,
      encoder,
      output,
      watcher,
    );
    if (isStrict && findings.length > 0) throw incomplete(findings);
    // The file's time says how much of its window was over, in folders without books too.
    const fileFacts = await output.commit(createdMs);

    for (const warning of warnings) console.alarm(warning);
    const file = delivery.target.name(reportId);
    if (delivery.opensFile && file !== undefined) openFile(context, file);

    const window = expectation ? describeWindow(expectation.window) : tail.summary;
    const written: WrittenReport = {
      file,
      label,
      rowCount,
      sizeBytes: fileFacts?.sizeBytes ?? sizeBytes,
      sha256: fileFacts?.sha256,
      key,
      createdMs,
      reportId: reportId ?? null,
      since: window?.since ?? null,
      until: window?.until ?? null,
      warnings,
      figures,
      comparison,
    };
    if (!sums || !record) return written;
    return {
      ...written,
      changes: record({ ...written, totals: totalsOf(sums, expectation?.columns) }),
    };
  } catch (error) {
    await output.abort();
    throw error;
  }
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

function incomplete(warnings: readonly string[]): IncompleteDataError {
  return new IncompleteDataError(warnings.join(' '), {
    code: incompleteReport,
    // A second download would give the same report.
    retryable: false,
    hint: 'Run the command again later: it creates a new report. Without --strict this is a warning.',
  });
}
