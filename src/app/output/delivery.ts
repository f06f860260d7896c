import type { ReportAnswer } from '../../api/client.ts';
import type { OutputFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../contract/columns.ts';
import { IncompleteDataError } from '../../errors.ts';
import type { EncodeOptions } from '../../output/encoder.ts';
import type { NameValues } from '../../output/file/file-name.ts';
import { csvDialectOf } from '../../output/formats/csv.ts';
import type { Expectation } from '../../report/parts/completeness.ts';
import type { RowBatch, RowBatches } from '../../rows/row-batch.ts';
import type { Figures } from '../../view/figures.ts';
import { chooseFormat, columnsNamed, tableLook } from './output-flags.ts';
import { openTarget } from './output-target.ts';

/** Where a report goes and in what form: decided and checked before anything is asked for. */
export interface Delivery {
  /** Takes a report's data to the output; called anew, from zero, for each try of a download. */
  readonly take: (answer: ReportAnswer, reportId?: string) => Promise<Delivered>;
  /** Takes rows to the output, of one report or of several that were merged. */
  readonly write: (batches: RowBatches, reportId?: string) => Promise<Delivered>;
  /** The file, as the user named it, placeholders filled; `undefined` for stdout. */
  readonly file: (reportId: string) => string | undefined;
}

/** An output that is whole. */
export interface Delivered {
  readonly rowCount: number;
  /** Of what was written. */
  readonly sizeBytes: number;
  /** The file, as the user named it; `undefined` for stdout. */
  readonly file: string | undefined;
  /** What the report comes to, where somebody sits there to read it. */
  readonly figures?: Figures;
}

/** What is known of a report before its data comes. */
export interface ReportFacts {
  readonly names: NameValues;
  /** What the request leads to: the header of an empty report. */
  readonly columns?: readonly Column[];
  /** What its rows are to be checked against; what is missing is said on stderr. */
  readonly expectation?: Omit<Expectation, 'nowMs'>;
  /** Whether a report that is found incomplete is an error, and no file is written. */
  readonly strict?: boolean;
}

/** Writes the rows of batches to the output, told of each batch on the way. */
type WriteRows = (batches: RowBatches, reportId?: string, observe?: (batch: RowBatch) => void) => Promise<Delivered>;

/** The code of the error for a whole document whose rows are not all there (`--strict`). */
export const incompleteReport = 'INCOMPLETE_REPORT';

/**
 * The delivery that the output flags describe. Throws `UsageError` for flags that do not fit, and `OutputError` for a
 * target that cannot be written. Its functions throw `OutputError`, and `IncompleteDataError` for data that is damaged,
 * or with `strict` not all there.
 */
export async function prepareDelivery(context: Context, flags: OutputFlags, facts: ReportFacts): Promise<Delivery> {
  const { expectation, strict = false } = facts;
  const [{ createEncoder }, { writeRows }, completeness, figures] = await Promise.all([
    import('../../output/formats/index.ts'),
    import('../../output/encoder.ts'),
    expectation && import('../../report/parts/completeness.ts'),
    showsCard(context, flags) ? import('../../view/figures.ts') : undefined,
  ]);
  const format = chooseFormat(context, flags);
  const options = encodeOptions(context, flags, facts);
  const target = await openTarget(context, flags, facts.names);
  const nowMs = context.host.wallClock();

  const write: WriteRows = async (batches, reportId, observe = () => {}) => {
    const encoder = await createEncoder(format, options);
    const check = expectation && completeness?.checkCompleteness({ ...expectation, nowMs });
    const output = await target.open(reportId);
    const counter = figures && new figures.FigureCounter();
    try {
      const { rowCount, sizeBytes } = await writeRows({
        batches,
        encoder,
        sink: output,
        observe: (batch) => {
          observe(batch);
          check?.observe(batch);
          counter?.observe(batch);
        },
      });
      const problems = check?.problems() ?? [];
      if (strict && problems.length > 0) throw incomplete(problems);
      await output.commit();
      for (const problem of problems) context.console.warn(problem);
      const file = target.name(reportId);
      return { rowCount, sizeBytes, file, ...(counter ? { figures: counter.figures() } : {}) };
    } catch (error) {
      await output.abort();
      throw error;
    }
  };

  return { file: target.name, write, take: takeWith(context, write) };
}

/** Reads an answer's body for `write`, with a meter of what has arrived. */
function takeWith(context: Context, write: WriteRows): Delivery['take'] {
  return async (answer, reportId) => {
    const [{ readRows }, progress] = await Promise.all([import('../../rows/read-rows.ts'), context.progress()]);
    const meter = progress.transfer('Downloading', answer.sizeBytes);
    let rows = 0;
    const body = counted(answer.body, (bytes) => meter.update({ bytes, rows }));
    try {
      return await write(readRows(body, { contentType: answer.contentType }), reportId, (batch) => {
        rows = batch.firstRow + batch.rowCount;
      });
    } finally {
      meter.stop();
    }
  };
}

function incomplete(problems: readonly string[]): IncompleteDataError {
  return new IncompleteDataError(problems.join(' '), {
    code: incompleteReport,
    // The same report would be downloaded again, to no avail.
    retryable: false,
    hint: 'Run the command again later: it creates a new report. Without --strict this is a warning.',
  });
}

/** Whether a card with the figures of what was written is to be shown: to a person at a terminal, of a file. */
function showsCard({ console, flags: { json, progress } }: Context, { output }: OutputFlags): boolean {
  const isFile = output !== undefined && output !== '-';
  return isFile && console.err.isTerminal && !console.isQuiet && !json && ['auto', 'bar'].includes(progress);
}

function encodeOptions(context: Context, flags: OutputFlags, facts: ReportFacts): EncodeOptions {
  const select = columnsNamed(flags);
  return {
    ...(facts.columns ? { columns: facts.columns } : {}),
    ...(select ? { select } : {}),
    ...(flags.normalize ? { normalize: true } : {}),
    csv: csvDialectOf(flags),
    table: tableLook(context, flags),
    note: context.console.note,
  };
}

/** The same bytes; `tell` hears after each piece how many there were so far. */
export async function* counted(body: AsyncIterable<Buffer>, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    tell(bytes);
    yield piece;
  }
}
