import { type Column, deriveNoun } from '../contract/columns.ts';
import { breakdowns } from '../contract/vocabulary.ts';
import { findEmptyRows } from '../rows/empty-rows.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { toDecimal } from '../totals/exact-sum.ts';
import { numberAt } from '../totals/numbers.ts';
import type { Check, CheckMessages } from './check.ts';
import type { ValueCheck } from './value-check.ts';

/** Sums above this limit are rarely equal by chance. A total must have two such sums. */
const significantSum = new Decimal(1_000n, 0);

const zero = new Decimal(0n, 0);
const halfCent = new Decimal(5n, 3);

/** ID fields that must be empty in a total. The name field may contain a word such as “Total”. */
const idFields: Readonly<Record<string, string>> = { CAMPAIGN: 'campaignId', ADUNIT: 'adId' };

/** A row without breakdown values, which may be a total. */
interface Candidate {
  /** 1-based. */
  readonly row: number;

  /** Value of each metric, or 0 if there is no number. */
  readonly values: readonly Decimal[];

  /** Sum of the absolute values. */
  readonly size: number;
}

/**
 * Finds a total among the rows. In a total, every breakdown other than time is empty, and the
 * metrics are the sums of all other rows. In a report by time only, the time is empty.
 *
 * The value checks have to observe each batch before this check.
 */
export class TotalCheck implements Check {
  readonly #metrics: readonly ValueCheck[];
  readonly #keys: readonly Column[];

  /** Largest candidate, because a total is as large as all other rows together. */
  #largest: Candidate | undefined;

  constructor(columns: readonly Column[], metrics: readonly ValueCheck[]) {
    this.#metrics = metrics;
    const keys = columns.filter(({ breakdown }) => breakdown !== undefined);
    const others = keys.filter(({ type }) => type !== 'date' && type !== 'hour');
    this.#keys = others.length > 0 ? others : keys;
  }

  observe(batch: RowBatch): void {
    if (this.#keys.length === 0) return;

    for (const row of findEmptyRows(batch, this.#listEmptyFields(batch))) {
      const values = this.#metrics.map(({ column }) => {
        return toDecimal(numberAt(batch, column.field, row) ?? 0) ?? zero;
      });
      let size = 0;
      for (const value of values) size += Math.abs(Number(value));
      if (this.#largest && this.#largest.size >= size) continue;
      this.#largest = { row: batch.firstRow + row + 1, values, size };
    }
  }

  close({ rowCount }: ReportTail, messages: CheckMessages): void {
    if (!this.#largest || rowCount < 3) return;

    const { row, values } = this.#largest;
    const isTotal = this.#metrics.every((metric, index) => {
      return isSumOfOthers(metric, values[index] ?? zero);
    });
    const large = values.filter((value) => value.minus(significantSum).sign > 0);
    if (!isTotal || large.length < 2) return;

    const keys = new Set(this.#keys.map(({ breakdown }) => breakdown));
    const nouns = breakdowns.filter(({ name }) => keys.has(name)).map(deriveNoun);
    messages.addWarning(
      'total',
      `Row ${row} is a total: it has no ${nouns.join(' or ')}, and its metrics are the sums of all other rows. Adding up all rows counts everything twice.`,
    );
  }

  /** Lists the fields that are empty in a total. */
  #listEmptyFields({ fields }: RowBatch): string[] {
    const empty: string[] = [];
    for (const { field, breakdown = '' } of this.#keys) {
      const id = idFields[breakdown];
      if (field === id || id === undefined || !fields.includes(id)) empty.push(field);
    }
    return empty;
  }
}

/** Whether a value is half the sum of its metric, within half a cent. */
function isSumOfOthers({ sum }: ValueCheck, value: Decimal): boolean {
  const total = toDecimal(sum.get() ?? 0) ?? zero;
  const difference = total.minus(value).minus(value);
  return difference.minus(halfCent).sign <= 0 && difference.plus(halfCent).sign >= 0;
}
