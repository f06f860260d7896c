import type { Column } from '../../contract/columns.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { RowBatch, Value } from '../../rows/row-batch.ts';
import type { MetricNumbers } from './check.ts';

/** So many rows of a report are kept; its further rows are not looked at one by one. */
const rowsAtMost = 50_000;

/** No further rows are kept once the values of their breakdowns have so many characters together. */
const charactersAtMost = 8 * 1024 * 1024;

/** The rows of a batch that lack a value, by field. */
export type EmptyRows = ReadonlyMap<string, readonly number[]>;

/** Rows that hold the sum of others. */
export interface Subtotals {
  readonly count: number;

  /** The number of the first of them, counted from 1. */
  readonly firstRow: number;
}

/** Rows that have the same values in some breakdowns, and the sums of their metrics. */
interface RowGroup {
  /** The rows that lack the other breakdowns, by their indexes. */
  readonly candidates: number[];

  /** The sums of the rows that have a value in every breakdown, and of those that lack some. */
  readonly details: GroupSums;
  readonly others: GroupSums;
}

interface GroupSums {
  count: number;
  readonly sums: Float64Array;
}

/** The number of a breakdown's value that is nothing. */
const nothing = 0;

/**
 * Keeps the first rows of a report, their breakdowns as numbers, and tells which of those that lack a value hold the sum
 * of the rows that have one: a single one of them, too.
 */
export class SubtotalFinder {
  readonly #keyFields: readonly string[];

  /** The bit that each key has in a lack; 0 for one that always has a value. */
  readonly #bits: readonly number[];

  readonly #metricFields: readonly string[];

  /** By key, then by row: the number of the value. */
  #keys: readonly Int32Array[];

  /** By metric, then by row. */
  #metrics: readonly Float64Array[];

  /** How many rows the lists have room for. */
  #room = 0;

  readonly #numbers = new Map<Value | undefined, number>();
  #characters = 0;
  #rowCount = 0;

  /** Read once all rows have come. */
  #lacks: Int32Array | undefined;

  /**
   * @param keys a column of each breakdown
   * @param nullableFields those of them that a row may lack, in the order of the bits of a lack
   */
  constructor(
    keys: readonly Column[],
    nullableFields: readonly string[],
    metricFields: readonly string[],
  ) {
    this.#keyFields = keys.map(({ field }) => field);
    this.#bits = this.#keyFields.map((field) => {
      const index = nullableFields.indexOf(field);
      return index < 0 ? 0 : 1 << index;
    });
    this.#metricFields = metricFields;
    this.#keys = keys.map(() => new Int32Array(0));
    this.#metrics = metricFields.map(() => new Float64Array(0));
  }

  observe(batch: RowBatch, numbers: MetricNumbers, emptyRows: EmptyRows): void {
    const rowCount = Math.min(batch.rowCount, rowsAtMost - this.#rowCount);
    if (rowCount === 0 || this.#characters > charactersAtMost) return;

    const first = this.#rowCount;
    this.#makeRoomFor(first + rowCount);

    for (const [index, field] of this.#keyFields.entries()) {
      const kept = this.#keys[index] as Int32Array;
      const values = valuesOf(batch, field);
      for (let row = 0; row < rowCount; row++) kept[first + row] = this.#numberOf(values[row]);
      for (const row of emptyRows.get(field) ?? []) {
        if (row < rowCount) kept[first + row] = nothing;
      }
    }
    for (const [index, field] of this.#metricFields.entries()) {
      const kept = this.#metrics[index] as Float64Array;
      const values = numbers.get(field);
      for (let row = 0; row < rowCount; row++) kept[first + row] = values?.[row] || 0;
    }
    this.#rowCount = first + rowCount;
  }

  #makeRoomFor(rowCount: number): void {
    if (rowCount <= this.#room) return;

    const room = Math.min(Math.max(rowCount, 4 * this.#room), rowsAtMost);
    this.#keys = this.#keys.map((numbers) => {
      const larger = new Int32Array(room);
      larger.set(numbers);
      return larger;
    });
    this.#metrics = this.#metrics.map((values) => {
      const larger = new Float64Array(room);
      larger.set(values);
      return larger;
    });
    this.#room = room;
  }

  /** The rows that lack just these breakdowns, a bit each, and hold the sum of others; `undefined` where there are none. */
  find(lack: number): Subtotals | undefined {
    const groups = this.#groupsOf(lack);
    let candidateCount = 0;
    let count = 0;
    let firstRow = Number.POSITIVE_INFINITY;
    let isTelling = false;

    for (const { candidates, details, others } of groups.values()) {
      // Of one row nobody can tell that another one is its sum.
      if (details.count < 2) continue;
      candidateCount += candidates.length;

      const all = details.sums.map((sum, index) => sum + (others.sums[index] ?? 0));
      for (const row of candidates) {
        const sums = this.#sumsOf(row);
        if (!haveEqualSums(sums, details.sums) && !haveEqualSums(sums, all)) continue;
        count += 1;
        firstRow = Math.min(firstRow, row + 1);
        isTelling ||= isSeldomChance(sums, this.#rowCount);
      }
    }

    const areMost = count >= 3 && 2 * count >= candidateCount;
    return isTelling || areMost ? { count, firstRow } : undefined;
  }

  #groupsOf(lack: number): ReadonlyMap<string, RowGroup> {
    const groups = new Map<string, RowGroup>();
    this.#lacks ??= this.#readLacks();
    const lacks = this.#lacks;
    for (const [row, lackOfRow] of lacks.entries()) {
      if (lackOfRow !== lack) continue;
      const name = this.#groupNameOf(row, lack);
      const group = groups.get(name) ?? this.#newGroup();
      group.candidates.push(row);
      groups.set(name, group);
    }
    if (groups.size === 0) return groups;

    for (const [row, lackOfRow] of lacks.entries()) {
      const lacksOther = (lackOfRow & ~lack) !== 0;
      if (lackOfRow === lack || lacksOther) continue;
      const group = groups.get(this.#groupNameOf(row, lack));
      if (!group) continue;

      const sums = lackOfRow === 0 ? group.details : group.others;
      sums.count += 1;
      for (const [index, value] of this.#sumsOf(row).entries()) {
        sums.sums[index] = (sums.sums[index] ?? 0) + value;
      }
    }
    return groups;
  }

  /** What each row lacks, a bit a breakdown; -1 where it lacks a value that every row has. */
  #readLacks(): Int32Array {
    const lacks = new Int32Array(this.#rowCount);
    for (const [index, bit] of this.#bits.entries()) {
      const numbers = this.#keys[index] as Int32Array;
      for (let row = 0; row < this.#rowCount; row++) {
        if (numbers[row] === nothing) lacks[row] = bit === 0 ? -1 : (lacks[row] as number) | bit;
      }
    }
    return lacks;
  }

  /** The values of a row in the breakdowns that the lack leaves. */
  #groupNameOf(row: number, lack: number): string {
    let name = '';
    for (const [index, bit] of this.#bits.entries()) {
      if ((bit & lack) === 0) name += `${this.#keys[index]?.[row]},`;
    }
    return name;
  }

  #newGroup(): RowGroup {
    const noSums = () => ({ count: 0, sums: new Float64Array(this.#metricFields.length) });
    return { candidates: [], details: noSums(), others: noSums() };
  }

  #sumsOf(row: number): Float64Array {
    return Float64Array.from(this.#metrics, (values) => values[row] ?? 0);
  }

  #numberOf(value: Value | undefined): number {
    const before = this.#numbers.get(value);
    if (before !== undefined) return before;
    const number = this.#numbers.size + 1;
    this.#numbers.set(value, number);
    if (typeof value === 'string') this.#characters += value.length;
    return number;
  }
}

/** Whether sums are so large that among so many rows hardly any two of them are equal by chance. */
export function isSeldomChance(sums: Float64Array, rowCount: number): boolean {
  let possibilities = 1;
  for (const sum of sums) possibilities *= 1 + Math.abs(sum);
  return possibilities > 10_000 * rowCount;
}

/** Whether sums are the same, of which one at least is not zero. */
export function haveEqualSums(one: Float64Array, other: Float64Array): boolean {
  let isAnyPositive = false;
  for (const [index, sum] of one.entries()) {
    const otherSum = other[index] ?? 0;
    const difference = Math.abs(sum - otherSum);
    // Sums of doubles differ in their last digits.
    const allowed = Math.max(1e-6 * Math.abs(sum), 1e-9);
    if (difference > allowed) return false;
    if (sum > 0) isAnyPositive = true;
  }
  return isAnyPositive;
}
