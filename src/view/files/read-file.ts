import { factsOfFile, ReportCheck } from '../../checks/report-check.ts';
import { fieldTypeOf } from '../../contract/columns.ts';
import type { CheckResult } from '../../errors.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { CsvCells } from '../../rows/csv-rows.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import type { ReadingContext, ReportSource } from './report-source.ts';
import { CellSurvey, isRounded } from './survey.ts';

/** Receives the rows of a file in one pass. */
export interface RowTaker {
  observe(batch: RowBatch): void;

  /** True if the request depends on the dates of the rows. */
  readonly needsDates: boolean;
}

/** A file that was read. */
export interface ReadFile<Taker extends RowTaker> {
  readonly taker: Taker;
  readonly tail: ReportTail;
  readonly sizeBytes: number;

  /** Sentences for stderr. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** The result of one pass through a file. */
interface Pass<Taker extends RowTaker> {
  readonly taker: Taker;
  readonly tail: ReportTail;
  readonly sizeBytes: number;
  readonly checkResult: CheckResult;

  readonly hasRoundedIds: boolean;
}

/** Options for reading a file. */
interface ReadingOptions<Taker extends RowTaker> {
  /** Creates the receiver of a pass. */
  readonly makeTaker: () => Taker;

  /** Called with the bytes of the file that a pass has read so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Reads a report file in constant memory: once, and again if its cells have the forms of other
 * programs.
 * @throws UsageError for ambiguous cells, IncompleteDataError for an incomplete file
 */
export async function readReport<Taker extends RowTaker>(
  context: ReadingContext,
  source: ReportSource,
  { makeTaker, onBytes }: ReadingOptions<Taker>,
): Promise<ReadFile<Taker>> {
  const read = (options: Pick<PassOptions<Taker>, 'cells'>) =>
    readOnce(context, source, { ...options, taker: makeTaker(), onBytes });
  const survey = new CellSurvey();
  const first = await read({ cells: survey });
  const reading = survey.decide(first.taker.needsDates);
  const last = reading ? await read({ cells: reading }) : first;
  const { taker, tail, sizeBytes } = last;
  return {
    taker,
    tail,
    sizeBytes,
    warnings: [...survey.numberRemarks.warnings, ...warningsOf(last), ...idWarnings(survey, last)],
    notes: survey.numberRemarks.notes,
  };
}

function idWarnings({ idWarning }: CellSurvey, { hasRoundedIds }: Pass<RowTaker>): string[] {
  if (idWarning !== undefined) return [idWarning];
  if (!hasRoundedIds) return [];
  return [
    'Some ids are powers of ten: they were rounded by another program, so that the rows of several may be one.',
  ];
}

/** The warnings on a file alone. */
function warningsOf({ tail, checkResult }: Pass<RowTaker>): string[] {
  const warnings: string[] = [];
  const hasRequest = tail.members.some(({ name }) => name === 'request');
  for (const { kind, message } of checkResult.warnings) {
    // The columns show which metrics a file has, but not which breakdowns make a row unique.
    const isProof = kind === 'values' || kind === 'total' || (kind === 'rows' && hasRequest);
    if (isProof) warnings.push(message);
  }
  return warnings;
}

/** Options for one pass. */
interface PassOptions<Taker extends RowTaker> {
  readonly taker: Taker;
  readonly cells: CsvCells | undefined;
  readonly onBytes: (bytes: number) => void;
}

async function readOnce<Taker extends RowTaker>(
  context: ReadingContext,
  source: ReportSource,
  { taker, cells, onBytes }: PassOptions<Taker>,
): Promise<Pass<Taker>> {
  const { signal, wallClock } = context.host;
  const nowMs = wallClock();
  const check = new ReportCheck({
    expectation: undefined,
    answer: factsOfFile,
    origin: { createdMs: nowMs },
    nowMs,
  });
  let hasRoundedIds = false;

  const report = await source.read(cells);
  const { batches } = report;
  try {
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      signal.throwIfAborted();
      const batch = next.value;
      hasRoundedIds ||= hasRoundedId(batch);
      check.observe(batch);
      taker.observe(batch);
      onBytes(report.readBytes());
    }
    const checkResult = check.close(next.value);
    const sizeBytes = report.sizeBytes ?? report.readBytes();
    return {
      taker,
      tail: next.value,
      sizeBytes,
      checkResult,
      hasRoundedIds,
    };
  } finally {
    await batches.return?.();
  }
}

/** True if an id is a number too large for a double, so that digits are lost. */
function hasRoundedId(batch: RowBatch): boolean {
  return batch.fields.some((field) => {
    if (fieldTypeOf(field) !== 'id') return false;
    return valuesOf(batch, field).some((value) => {
      const isFloat = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
      return isFloat || (typeof value === 'string' && isRounded(value));
    });
  });
}
