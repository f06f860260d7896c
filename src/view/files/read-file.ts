import { factsOfFile, ReportCheck } from '../../checks/report-check.ts';
import { namesTotal } from '../../checks/total-check.ts';
import { fieldTypeOf } from '../../contract/columns.ts';
import type { CheckResult } from '../../errors.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { CsvCells } from '../../rows/csv-rows.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { formatPlural } from '../../text/quantity.ts';
import type { ReadingContext, ReportSource } from './report-source.ts';
import { CellSurvey, isRounded } from './survey.ts';

/** Receives the rows of a file in one pass. */
export interface RowTaker {
  /**
   * Receives a batch; the rows in `leftOut`, counted from 1 in the file, are not part of the
   * report.
   */
  observe(batch: RowBatch, leftOut: ReadonlySet<number>): void;

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

  /** The rows that are proven to be totals, and those with a total word in a date or an id. */
  readonly totals: ReadonlySet<number>;
  readonly named: ReadonlySet<number>;

  /** The row that has the sums of all others. */
  readonly sumRow: number | undefined;
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
 * programs or if it has rows of totals.
 * @throws UsageError for ambiguous cells, IncompleteDataError for an incomplete file
 */
export async function readReport<Taker extends RowTaker>(
  context: ReadingContext,
  source: ReportSource,
  { makeTaker, onBytes }: ReadingOptions<Taker>,
): Promise<ReadFile<Taker>> {
  const read = (options: Pick<PassOptions<Taker>, 'cells' | 'leftOut'>) =>
    readOnce(context, source, { ...options, taker: makeTaker(), onBytes });
  const survey = new CellSurvey();
  const first = await read({ cells: survey });
  const reading = survey.decide(first.taker.needsDates);
  const second = reading ? await read({ cells: reading }) : first;

  const leftOut = new Set([...second.totals, ...second.named]);
  const last = leftOut.size === 0 ? second : await read({ cells: reading, leftOut });
  const { taker, tail, sizeBytes } = last;
  return {
    taker,
    tail,
    sizeBytes,
    warnings: [
      ...survey.numberRemarks.warnings,
      ...warningsOf(second),
      ...idWarnings(survey, second),
    ],
    notes: [...survey.numberRemarks.notes, ...totalNotes(leftOut)],
  };
}

function idWarnings({ idWarning }: CellSurvey, { hasRoundedIds }: Pass<RowTaker>): string[] {
  if (idWarning !== undefined) return [idWarning];
  if (!hasRoundedIds) return [];
  return [
    'Some ids are powers of ten: they were rounded by another program, so that the rows of several may be one.',
  ];
}

/** The warnings on a file alone, and a warning on total rows with wrong sums. */
function warningsOf({ tail, checkResult, totals, named, sumRow }: Pass<RowTaker>): string[] {
  const warnings: string[] = [];
  const hasRequest = tail.members.some(({ name }) => name === 'request');
  for (const { kind, message } of checkResult.warnings) {
    // The columns show which metrics a file has, but not which breakdowns make a row unique.
    if (kind === 'values' || (kind === 'rows' && hasRequest)) warnings.push(message);
  }
  const unproven = [...named].filter((row) => !totals.has(row) && row !== sumRow);
  const [first] = unproven;
  if (first !== undefined) {
    const rows =
      unproven.length === 1
        ? `Row ${first} names`
        : `${unproven.length} rows, the first is row ${first}, name`;
    warnings.push(`${rows} a total that is not the sum of the other rows.`);
  }
  return warnings;
}

function totalNotes(leftOut: ReadonlySet<number>): string[] {
  if (leftOut.size === 0) return [];
  const verb = leftOut.size === 1 ? 'is' : 'are';
  return [`${formatPlural(leftOut.size, 'row')} of totals ${verb} left out.`];
}

/** Options for one pass. */
interface PassOptions<Taker extends RowTaker> {
  readonly taker: Taker;
  readonly cells: CsvCells | undefined;
  readonly leftOut?: ReadonlySet<number>;
  readonly onBytes: (bytes: number) => void;
}

const noRows: ReadonlySet<number> = new Set();

async function readOnce<Taker extends RowTaker>(
  context: ReadingContext,
  source: ReportSource,
  { taker, cells, leftOut = noRows, onBytes }: PassOptions<Taker>,
): Promise<Pass<Taker>> {
  const { signal, wallClock } = context.host;
  const nowMs = wallClock();
  const check = new ReportCheck({
    expectation: undefined,
    answer: factsOfFile,
    origin: { createdMs: nowMs },
    nowMs,
  });
  const named = new Set<number>();
  let hasRoundedIds = false;

  const report = await source.read(cells);
  const { batches } = report;
  try {
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      signal.throwIfAborted();
      const batch = next.value;
      for (const row of rowsNamingTotals(batch)) named.add(row);
      hasRoundedIds ||= hasRoundedId(batch);
      check.observe(batch);
      taker.observe(batch, leftOut);
      onBytes(report.readBytes());
    }
    const checkResult = check.close(next.value);
    const sizeBytes = report.sizeBytes ?? report.readBytes();
    const totals = new Set(check.totalRows);
    const { sumRow } = check;
    return {
      taker,
      tail: next.value,
      sizeBytes,
      checkResult,
      totals,
      sumRow,
      named,
      hasRoundedIds,
    };
  } finally {
    await batches.return?.();
  }
}

/** The rows with a total word instead of a date or an id, counted from 1. */
function* rowsNamingTotals(batch: RowBatch): Generator<number> {
  for (const field of batch.fields) {
    const type = fieldTypeOf(field);
    if (type !== 'date' && type !== 'hour' && type !== 'id') continue;
    for (const [row, value] of valuesOf(batch, field).entries()) {
      const isName = typeof value === 'string' && /^[^\d]/.test(value) && namesTotal(value);
      if (isName) yield batch.firstRow + row + 1;
    }
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
