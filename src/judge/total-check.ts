import type { Column } from '../contract/columns.ts';
import { hundredthsOf, lookCloser, numberFactsOf, valuesOf } from '../rows/column-values.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { emptyRowsOf, ShortTexts } from '../rows/row-keys.ts';
import { Decimal } from '../text/decimal.ts';
import type { Check, Sayings } from './check.ts';
import { ExactSum } from './exact-sum.ts';
import type { MetricValues } from './metric-values.ts';

/**
 * More times than this (a year of hours) are not added up one by one, nor more rows that may be
 * totals kept.
 */
const timesAtMost = 10_000;

/** Sums that are larger are seldom equal by chance. */
const tellingSum = new Decimal(1_000n, 0);

const zero = new Decimal(0n, 0);

/**
 * The words for a total in English, French, German, Spanish and Italian, or nothing but blanks,
 * stars and dashes.
 */
const totalWords = new ShortTexts(
  /^[ *—–-]*(?:grand total|totals?|sum|all|overall|total g[ée]n[ée]ral|totaux|somme|tous|toutes|ensemble|gesamt(?:summe)?|summe|insgesamt|alle|total general|totales|suma|todos|todas|totale(?: generale)?|totali|somma|tutti|tutte)?[ :*—–-]*$/i,
  { initials: 'tgaiseo *—–-', bytesAtMost: 30 },
);

/** A row without a value, or with a word for a total, in every breakdown but the time. */
interface Candidate {
  /** Counted from 1. */
  readonly row: number;

  /** By the metrics; nothing where the row has no number. */
  readonly values: readonly (Decimal | undefined)[];

  readonly hasWord: boolean;
}

/** The rows of one time. */
interface TimeRows {
  /** The day, where the time is an hour. */
  readonly date: string;

  count: number;

  readonly sums: readonly ExactSum[];

  readonly candidates: Candidate[];
}

/** Rows with the sums of their metrics. */
interface Total {
  readonly count: number;

  readonly sums: readonly Decimal[];
}

/**
 * Finds a row, or one for each day, hour or month, that has nothing or a word for a total in every
 * breakdown but the time, beside rows that add up to it exactly.
 */
export class TotalCheck implements Check {
  readonly #metrics: readonly MetricValues[];

  /** The fields of the breakdowns but the time. */
  readonly #fields: readonly string[];

  readonly #timeFields: readonly string[];

  /** By the finest time that the rows have. Empty where no row is added up by its time. */
  readonly #times = new Map<string, TimeRows>();

  /** The candidates that have no time. */
  readonly #grand: Candidate[] = [];

  #candidateCount = 0;

  constructor(columns: readonly Column[], metrics: readonly MetricValues[]) {
    this.#metrics = metrics;
    const breakdowns = columns.filter(({ breakdown }) => breakdown !== undefined);
    const isTime = ({ type }: Column): boolean => type === 'date' || type === 'hour';
    this.#fields = breakdowns.filter((column) => !isTime(column)).map(({ field }) => field);
    this.#timeFields = breakdowns.filter(isTime).map(({ field }) => field);
  }

  observe(batch: RowBatch): void {
    if (this.#isTooMuch) return;
    const isGrand = this.#grandRows(batch);
    const timeField = this.#timeFields.at(-1);
    const isTimed = timeField !== undefined && this.#fields.length > 0;
    if (isTimed) this.#addTimes(batch, timeField, isGrand);

    const candidates = new Set(
      this.#fields.length > 0 ? emptyRowsOf(batch, this.#fields, totalWords) : isGrand,
    );
    for (const row of candidates) {
      const candidate = this.#candidateAt(batch, row);
      this.#candidateCount += 1;
      const time = isTimed && !isGrand.has(row) ? this.#timeAt(batch, timeField, row) : undefined;
      if (time) time.candidates.push(candidate);
      else this.#grand.push(candidate);
    }
  }

  close({ rowCount }: ReportTail, sayings: Sayings): void {
    if (this.#isTooMuch || this.#candidateCount === 0) return;

    const all: Total = { count: rowCount, sums: this.#metrics.map(({ sum }) => sum.value) };
    const times = [...this.#times.values()];
    const timed = times.flatMap(({ candidates }) => candidates);
    const details = minus(all, [...this.#grand, ...timed]);

    const [grand] = this.#grand;
    if (grand && this.#grand.length === 1 && isTotalOf(grand, details)) {
      sayings.find('total', `Row ${grand.row} is a total of the others: it holds their sums.`);
      return;
    }
    const [only] = timed;
    if (only && timed.length === 1 && isTotalOf(only, details)) {
      sayings.find('total', `Row ${only.row} is a total of the others: it holds their sums.`);
      return;
    }
    const first = firstOfTimes(times) ?? firstOfTimes(daysOf(times));
    if (first) {
      sayings.find(
        'total',
        `The report has a total among the rows of each of its times; the first is row ${first.row}.`,
      );
    }
  }

  get #isTooMuch(): boolean {
    return this.#times.size > timesAtMost || this.#candidateCount > timesAtMost;
  }

  /** The rows of a batch that have no time, nor anything else, of a report that has times. */
  #grandRows(batch: RowBatch): ReadonlySet<number> {
    if (this.#timeFields.length === 0) return new Set();
    return new Set(emptyRowsOf(batch, [...this.#timeFields, ...this.#fields], totalWords));
  }

  #candidateAt(batch: RowBatch, row: number): Candidate {
    const values = this.#metrics.map((metric) => metric.numberAt(batch, row));
    const hasWord = [...this.#fields, ...this.#timeFields].some((field) => {
      const value = valuesOf(batch, field)[row];
      const isDate = typeof value === 'string' && /\d/.test(value);
      return typeof value === 'string' && !isDate && /\p{L}/u.test(value);
    });
    return { row: batch.firstRow + row + 1, values, hasWord };
  }

  /** Adds the rows of a batch up by their times. */
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
      // The checks of the values have asked for the sum of the batch already.
      const ofBatch = isOneTime ? numberFactsOf(batch, metric.column.field) : undefined;
      if (ofBatch?.exactHundredths !== undefined) {
        first?.sums[at]?.addHundredths(ofBatch.exactHundredths);
        continue;
      }

      const values = hundredthsOf(batch, metric.column.field);
      // Rows of one time stand together, most often.
      let time: TimeRows | undefined;
      let sum: ExactSum | undefined;
      for (let row = 0; row < values.length; row++) {
        if (timeOfRow[row] !== time) {
          time = timeOfRow[row];
          sum = time?.sums[at];
        }
        const value = values[row] as number;
        if (value < lookCloser) sum?.addHundredths(value);
        else sum?.add(metric.numberAt(batch, row) ?? zero);
      }
    }
  }

  #timeAt(batch: RowBatch, field: string, row: number): TimeRows {
    const date = String(valuesOf(batch, 'date')[row] ?? '');
    const own = valuesOf(batch, field)[row];
    const isTold = typeof own === 'string' && /\d/.test(own);
    // A row of a day among those of hours has a time of its own.
    const name = isTold ? own : `day ${date}`;
    let time = this.#times.get(name);
    if (!time) {
      time = { date, count: 0, sums: this.#metrics.map(() => new ExactSum()), candidates: [] };
      this.#times.set(name, time);
    }
    return time;
  }
}

/** Some rows without the candidates among them. */
function minus({ count, sums }: Total, candidates: readonly Candidate[]): Total {
  const left = sums.map((sum, at) =>
    candidates.reduce((rest, { values }) => rest.minus(values[at] ?? zero), sum),
  );
  return { count: count - candidates.length, sums: left };
}

function isTotalOf(candidate: Candidate, others: Total): boolean {
  return others.count >= 2 && isSumOf(candidate, others) && isTelling(candidate);
}

function isSumOf({ values }: Candidate, { sums }: Total): boolean {
  return sums.every((sum, at) => sum.minus(values[at] ?? zero).sign === 0);
}

/** Whether the sums can hardly be equal by chance. */
function isTelling({ values, hasWord }: Candidate): boolean {
  const large = values.filter((value) => value && value.minus(tellingSum).sign > 0);
  return large.length >= (hasWord ? 1 : 2);
}

/** The first candidate, where each time has one that is the sum of its other rows. */
function firstOfTimes(times: readonly TimeRows[]): Candidate | undefined {
  let isTold = false;
  for (const { count, sums, candidates } of times) {
    const [candidate] = candidates;
    if (!candidate || candidates.length > 1) return undefined;

    const others = minus({ count, sums: sums.map(({ value }) => value) }, candidates);
    if (!isSumOf(candidate, others)) return undefined;
    isTold ||= isTotalOf(candidate, others);
  }
  return isTold ? times[0]?.candidates[0] : undefined;
}

/** The rows of hours as those of their days. */
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
