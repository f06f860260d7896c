import type { Column } from '../contract/columns.ts';
import { hundredthsOf, notHundredths, numberFactsOf, valuesOf } from '../rows/column-values.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { EdgeWords, emptyRowsOf, rowsWithWord, ShortTexts } from '../rows/row-keys.ts';
import { Decimal } from '../text/decimal.ts';
import { ExactSum } from './exact-sum.ts';
import type { MetricValues } from './metric-values.ts';
import type { Check, CheckMessages } from './row-check.ts';

/** With more times than this (a year of hours), totals are not looked for. */
const timesAtMost = 10_000;

/** How many candidates are kept for each time: those with the largest sums. */
const candidatesAtMost = 4;

/** Sums above this are rarely equal by chance. */
const significantSum = new Decimal(1_000n, 0);

const zero = new Decimal(0n, 0);

/** The words for a total in English, French, German, Spanish and Italian. */
const totalWords = [
  ...['total', 'totals', 'subtotal', 'sum', 'all', 'overall'],
  ...['totaux', 'somme', 'tous', 'toutes', 'ensemble'],
  ...['gesamt', 'gesamtsumme', 'gesamtergebnis', 'summe', 'zwischensumme', 'insgesamt', 'alle'],
  ...['totales', 'suma', 'todos', 'todas'],
  ...['totale', 'totali', 'somma', 'tutti', 'tutte'],
];

const wordsAtEdge = new EdgeWords(totalWords);

/** True if the text begins or ends with a word for a total. */
export function namesTotal(text: string): boolean {
  const json = Buffer.from(JSON.stringify(text));
  return wordsAtEdge.matchesEdge(json, 0, json.length);
}

/** Texts that services write for an empty breakdown. */
const emptyTexts = new ShortTexts(/^(?:0|-1|\(not set\)|[ *—–-]*)$/i, {
  initials: '0(- *—–',
  bytesAtMost: 30,
});

/** Texts that services write for an empty time: the same, or a word for a total. */
const timelessTexts = new ShortTexts(
  new RegExp(`^(?:\\(not set\\)|[ *—–-]*(?:grand )?(?:${totalWords.join('|')})?[ :*—–-]*)$`, 'i'),
  { initials: '(- *—–tgaiseoz', bytesAtMost: 30 },
);

/** A row that may be a total, judging by its breakdowns other than time. */
interface Candidate {
  /** Counted from 1. */
  readonly row: number;

  /** One value per metric; `undefined` if the row has no number. */
  readonly values: readonly (Decimal | undefined)[];

  /** The sum of the absolute values. */
  readonly size: number;

  /** True if the row has a word for a total; otherwise all its breakdowns are empty. */
  readonly hasWord: boolean;
}

/** The rows of one time. */
interface TimeRows {
  /** The day that the time is in. */
  readonly date: string;

  count: number;

  readonly sums: readonly ExactSum[];

  readonly candidates: Candidate[];
}

/** A number of rows with the sums of their metrics. */
interface Total {
  readonly count: number;

  readonly sums: readonly Decimal[];
}

/**
 * Finds total rows: one for the report, or one per day, hour or month. A total row has a word for a
 * total in a breakdown other than time, or no breakdown values at all, and its metrics are exactly
 * the sums of the other rows.
 */
export class TotalCheck implements Check {
  readonly #metrics: readonly MetricValues[];

  /** The fields of the breakdowns other than time. */
  readonly #fields: readonly string[];

  readonly #timeFields: readonly string[];

  /** By the finest time in the rows; empty if rows are not added up by time. */
  readonly #times = new Map<string, TimeRows>();

  /** Candidates without a time. */
  readonly #grand: Candidate[] = [];

  #totalRows: readonly number[] = [];
  #sumRow: number | undefined;

  constructor(columns: readonly Column[], metrics: readonly MetricValues[]) {
    this.#metrics = metrics;
    const breakdowns = columns.filter(({ breakdown }) => breakdown !== undefined);
    const isTime = ({ type }: Column): boolean => type === 'date' || type === 'hour';
    this.#fields = breakdowns.filter((column) => !isTime(column)).map(({ field }) => field);
    this.#timeFields = breakdowns.filter(isTime).map(({ field }) => field);
  }

  /** The row that has the sums of all others, however small; `undefined` without one. */
  get sumRow(): number | undefined {
    return this.#sumRow;
  }

  /** The total rows found by `close`, counted from 1. */
  get totalRows(): readonly number[] {
    return this.#totalRows;
  }

  observe(batch: RowBatch): void {
    if (this.#isFull) return;
    const worded = rowsWithWord(batch, this.#fields, wordsAtEdge);
    const candidates = this.#candidateRows(batch, worded);
    const timeless = this.#timelessRows(batch, candidates);
    const timeField = this.#timeFields.at(-1);
    const isTimed = timeField !== undefined && this.#fields.length > 0;
    if (isTimed) this.#addTimes(batch, timeField, timeless);

    for (const row of candidates) {
      const isOfTime = isTimed && !timeless.has(row);
      const kept = isOfTime ? this.#timeAt(batch, timeField, row).candidates : this.#grand;
      const size = this.#sizeAt(batch, row);
      if (makeRoom(kept, size)) {
        kept.push(this.#candidateAt(batch, row, { size, isWorded: worded.has(row) }));
      }
    }
  }

  close({ rowCount }: ReportTail, messages: CheckMessages): void {
    if (this.#isFull) return;

    const all: Total = { count: rowCount, sums: this.#metrics.map(({ sum }) => sum.value) };
    const times = [...this.#times.values()];
    const timed = times.flatMap(({ candidates }) => candidates);
    const only = [...this.#grand, ...timed].find((one) => isTotalOf(one, without(one, all)));
    const [grand] = this.#grand;
    if (grand && this.#grand.length === 1 && isSumOf(grand, without(grand, all))) {
      this.#sumRow = grand.row;
    }
    if (only) {
      this.#totalRows = [only.row];
      messages.addWarning(
        'total',
        `Row ${only.row} is a total: its values are the sums of the other rows.`,
      );
      return;
    }

    const ofTimes = totalsOfTimes(times) ?? totalsOfTimes(daysOf(times));
    const [first] = ofTimes ?? [];
    if (!ofTimes || !first) return;
    this.#totalRows = ofTimes.map(({ row }) => row);
    messages.addWarning(
      'total',
      `The report has a total row for each of its times (first: row ${first.row}).`,
    );
  }

  get #isFull(): boolean {
    return this.#times.size > timesAtMost;
  }

  /** The rows of a batch that may be totals. */
  #candidateRows(batch: RowBatch, worded: ReadonlySet<number>): ReadonlySet<number> {
    // In a report by time only, a total row has no time.
    if (this.#fields.length === 0) {
      return new Set(emptyRowsOf(batch, this.#timeFields, timelessTexts));
    }
    return new Set([...worded, ...emptyRowsOf(batch, this.#fields, emptyTexts)]);
  }

  /** The candidates without a time, if the report is broken down by time. */
  #timelessRows(batch: RowBatch, candidates: ReadonlySet<number>): ReadonlySet<number> {
    if (this.#timeFields.length === 0 || candidates.size === 0) return new Set();
    const timeless = emptyRowsOf(batch, this.#timeFields, timelessTexts);
    return new Set(timeless.filter((row) => candidates.has(row)));
  }

  /** The sum of a row's absolute values. */
  #sizeAt(batch: RowBatch, row: number): number {
    let size = 0;
    for (const metric of this.#metrics) size += metric.sizeAt(batch, row);
    return size;
  }

  #candidateAt(
    batch: RowBatch,
    row: number,
    { size, isWorded }: { readonly size: number; readonly isWorded: boolean },
  ): Candidate {
    const values = this.#metrics.map((metric) => metric.numberAt(batch, row));
    const hasWord =
      isWorded ||
      this.#timeFields.some((field) => {
        const value = valuesOf(batch, field)[row];
        const isDate = typeof value === 'string' && /\d/.test(value);
        return typeof value === 'string' && !isDate && /\p{L}/u.test(value);
      });
    return { row: batch.firstRow + row + 1, values, size, hasWord };
  }

  /** Adds up the rows of a batch by time. */
  #addTimes(batch: RowBatch, field: string, isGrand: ReadonlySet<number>): void {
    const texts = valuesOf(batch, field);
    const timeOfRow: (TimeRows | undefined)[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      const isSame = row > 0 && typeof texts[row] === 'string' && texts[row] === texts[row - 1];
      if (isGrand.size > 0 && isGrand.has(row)) timeOfRow.push(undefined);
      else timeOfRow.push((isSame && timeOfRow[row - 1]) || this.#timeAt(batch, field, row));
    }

    const [first] = timeOfRow;
    let isOneTime = true;
    for (const time of timeOfRow) {
      if (time) time.count += 1;
      if (time !== first) isOneTime = false;
    }
    for (const [at, metric] of this.#metrics.entries()) {
      // The value check has already computed the sum of the batch.
      const ofBatch = isOneTime ? numberFactsOf(batch, metric.column.field) : undefined;
      if (ofBatch?.exactHundredths !== undefined) {
        first?.sums[at]?.addHundredths(ofBatch.exactHundredths);
        continue;
      }

      const values = hundredthsOf(batch, metric.column.field);
      // Rows of the same time are usually adjacent.
      let time: TimeRows | undefined;
      let sum: ExactSum | undefined;
      for (let row = 0; row < values.length; row++) {
        if (timeOfRow[row] !== time) {
          time = timeOfRow[row];
          sum = time?.sums[at];
        }
        const value = values[row] as number;
        if (value < notHundredths) sum?.addHundredths(value);
        else sum?.add(metric.numberAt(batch, row) ?? zero);
      }
    }
  }

  #timeAt(batch: RowBatch, field: string, row: number): TimeRows {
    const date = String(valuesOf(batch, 'date')[row] ?? '');
    const own = valuesOf(batch, field)[row];
    const hasTime = typeof own === 'string' && /\d/.test(own);
    // A row for a whole day among hours is its own time.
    const name = hasTime ? own : `day ${date}`;
    let time = this.#times.get(name);
    if (!time) {
      time = { date, count: 0, sums: this.#metrics.map(() => new ExactSum()), candidates: [] };
      this.#times.set(name, time);
    }
    return time;
  }
}

/**
 * Makes room for a candidate if it is larger than one of those kept: a total is larger than any row
 * it includes. Returns true if there is room.
 */
function makeRoom(kept: Candidate[], size: number): boolean {
  if (kept.length < candidatesAtMost) return true;

  const smallest = kept.reduce((least, one) => (one.size < least.size ? one : least));
  if (size <= smallest.size) return false;
  kept.splice(kept.indexOf(smallest), 1);
  return true;
}

/** The other rows: a total without one candidate. */
function without({ values }: Candidate, { count, sums }: Total): Total {
  return { count: count - 1, sums: sums.map((sum, at) => sum.minus(values[at] ?? zero)) };
}

function isTotalOf(candidate: Candidate, others: Total): boolean {
  return others.count >= 2 && isSumOf(candidate, others) && isSignificant(candidate);
}

function isSumOf({ values }: Candidate, { sums }: Total): boolean {
  return sums.every((sum, at) => sum.minus(values[at] ?? zero).sign === 0);
}

/** True if the sums can hardly be equal by chance. */
function isSignificant({ values, hasWord }: Candidate): boolean {
  const large = values.filter((value) => value && value.minus(significantSum).sign > 0);
  return large.length >= (hasWord ? 1 : 2);
}

/** One total row per time; `undefined` if a time has none. */
function totalsOfTimes(times: readonly TimeRows[]): Candidate[] | undefined {
  const totals: Candidate[] = [];
  let hasProof = false;

  for (const { count, sums, candidates } of times) {
    const rows: Total = { count, sums: sums.map(({ value }) => value) };
    const total = candidates.find((one) => isSumOf(one, without(one, rows)));
    if (!total) return undefined;

    totals.push(total);
    hasProof ||= isTotalOf(total, without(total, rows));
  }
  return hasProof ? totals : undefined;
}

/** The rows of hours, grouped by day. */
function daysOf(hours: readonly TimeRows[]): TimeRows[] {
  const days = new Map<string, TimeRows>();
  for (const { date, count, sums, candidates } of hours) {
    let day = days.get(date);
    if (!day) {
      day = { date, count: 0, sums: sums.map(() => new ExactSum()), candidates: [] };
      days.set(date, day);
    }
    day.count += count;
    for (const [at, sum] of sums.entries()) day.sums[at]?.add(sum.value);
    day.candidates.push(...candidates);
  }
  return [...days.values()];
}
