import { fieldOfMetric, metricOfField } from '../contract/columns.ts';
import { computedMetrics } from '../contract/vocabulary.ts';
import type { KeyColumn } from '../query/file-columns.ts';
import { notCents, readField, summarizeNumbers, toCents } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import type { Decimal } from '../text/decimal.ts';
import { ExactSum } from './exact-sum.ts';
import { findTimeField, type GroupKey, readDay, toGroupValue } from './group-keys.ts';
import { numberAt } from './numbers.ts';

/** Exact sums by metric field. A metric without numbers has no sum. */
export interface Sums {
  get(field: string): Decimal | number | undefined;

  /**
   * Returns the part of a sum that comes from rows without the other metric of a rate. Rates are
   * computed only from rows that have both.
   */
  unpaired?(field: string, other: string): Decimal | number | undefined;
}

/** Rows with the same values in some fields. */
export interface Group {
  /** Values of the key. Names are those of the newest day, because a campaign may be renamed. */
  readonly key: GroupKey;
  readonly sums: Sums;
}

/** Chooses the columns to group by, given the fields of the first rows. */
type KeyFinder = (fields: readonly string[]) => readonly KeyColumn[];

/** The two metrics of a rate, and the sum of the first over rows that lack the other. */
interface RatePair {
  readonly field: string;
  readonly other: string;
  readonly sum: ExactSum;
}

/**
 * Adds up metrics by the values of some fields, or over all rows if there are no fields. Iteration
 * is in order of first appearance. Memory grows only with the number of groups.
 */
export class GroupedTotals implements Iterable<Group> {
  rowCount = 0;

  readonly metrics: string[] = [];

  /** Total length of all keys. */
  keyCharacters = 0;

  /** Groups by their identifying values. */
  readonly #groups = new Map<string, IndexedGroup>();

  /** Sums of all groups, by metric. */
  readonly #sums = new Map<string, ExactSum>();
  #pairs: readonly RatePair[] = [];

  /** Columns to group by. Not known before the first rows. */
  #by: readonly KeyColumn[] | undefined;

  /** For each value of a key, the index of the ID that it describes, or -1. */
  #ids: readonly number[] = [];

  /** Fields of the latest batch. */
  #fields: readonly string[] = [];
  readonly #findKeys: KeyFinder;
  readonly #isSummed: (field: string) => boolean;

  /**
   * @param by columns to group by
   * @param isSummed selects the columns to add up; default: the metrics of the vocabulary
   */
  constructor(
    by: readonly KeyColumn[] | KeyFinder = [],
    isSummed = (field: string): boolean => metricOfField(field) !== undefined,
  ) {
    this.#isSummed = isSummed;
    this.#findKeys = typeof by === 'function' ? by : () => by;
    if (typeof by !== 'function') this.#groupBy(by);
  }

  get by(): readonly KeyColumn[] {
    return this.#by ?? [];
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Metrics that are missing in some rows with the other metric of a rate. */
  get incompleteMetrics(): ReadonlySet<string> {
    const uneven = this.#pairs.filter(({ sum }) => !sum.isEmpty);
    return new Set(uneven.map(({ other }) => other));
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  find(key: GroupKey): Group | undefined {
    return this.#groups.get(this.#identify(key));
  }

  totals(): Sums {
    return addSums(this, this.metrics);
  }

  /** Adds the keys and metrics of a report, which may have no rows. */
  addFields(fields: readonly string[]): void {
    if (fields === this.#fields) return;
    this.#fields = fields;
    if (!this.#by) this.#groupBy(this.#findKeys(fields));
    this.#addMetrics(fields.filter(this.#isSummed));
  }

  /**
   * Adds rows of a batch, column by column.
   *
   * @param rows indexes in the batch; default: all
   */
  observe(batch: RowBatch, rows: readonly number[] = listRows(batch)): void {
    this.addFields(batch.fields);
    const groups = this.#findGroups(batch, rows);
    this.rowCount += rows.length;
    if (rows.length === 0) return;

    const isOneGroup = groups.every((group) => group === groups[0]);
    const isWhole = isOneGroup && rows.length === batch.rowCount;
    for (const field of this.metrics) {
      const sums = this.#sumsFor(field);
      // The checks have usually cached this sum already.
      const sum = isWhole ? summarizeNumbers(batch, field).exactCents : undefined;
      if (sum !== undefined) {
        sums.addCents(sum, groups[0]);
        continue;
      }

      const cents = toCents(batch, field);
      for (const [index, row] of rows.entries()) {
        const number = cents[row] as number;
        if (Number.isNaN(number)) continue;
        if (number !== notCents) sums.addCents(number, groups[index]);
        // Values that are not numbers are reported by the checks.
        else sums.add(numberAt(batch, field, row) ?? 0, groups[index]);
      }
    }
    this.#addUnpaired(batch, rows, groups);
  }

  /** Adds sums to the group with this key. */
  add(key: GroupKey, sums: Sums, namedOn = ''): void {
    const { index } = this.#groupAt(key, namedOn);
    for (const field of this.metrics) {
      const sum = sums.get(field);
      if (sum !== undefined) this.#sumsFor(field).add(sum, index);
    }
    for (const { field, other, sum } of this.#pairs) {
      const unpairedSum = sums.get(other) === undefined ? sums.get(field) : undefined;
      const unpaired = sums.unpaired?.(field, other) ?? unpairedSum;
      if (unpaired !== undefined) sum.add(unpaired, index);
    }
  }

  /** Adds the groups of another report. Fields that it lacks become null. */
  addAll(other: GroupedTotals): void {
    if (!this.#by) this.#groupBy(other.by);
    this.#addMetrics(other.metrics);
    const positions = this.by.map(({ field }) => other.by.findIndex((key) => key.field === field));
    for (const { key, sums, namedOn } of other.#groups.values()) {
      const ownKey = positions.map((position) => key[position] ?? null);
      this.add(ownKey, sums, namedOn);
    }
    this.rowCount += other.rowCount;
  }

  /** @param group index of the group */
  groupSum(group: number, field: string): Decimal | number | undefined {
    return this.#sums.get(field)?.get(group);
  }

  /** Returns the part of a sum that `Sums.unpaired` describes. */
  unpairedSum(group: number, field: string, other: string): Decimal | number | undefined {
    const pair = this.#pairs.find((pair) => pair.field === field && pair.other === other);
    return pair?.sum.get(group);
  }

  #addUnpaired(batch: RowBatch, rows: readonly number[], groups: readonly number[]): void {
    for (const { field, other, sum } of this.#pairs) {
      if (summarizeNumbers(batch, other).areAllNumbers) continue;

      for (const [index, row] of rows.entries()) {
        if (numberAt(batch, other, row) !== undefined) continue;
        const number = numberAt(batch, field, row);
        if (number !== undefined) sum.add(number, groups[index]);
      }
    }
  }

  #sumsFor(field: string): ExactSum {
    const known = this.#sums.get(field);
    if (known) return known;

    const sums = new ExactSum();
    this.#sums.set(field, sums);
    return sums;
  }

  #groupBy(by: readonly KeyColumn[]): void {
    this.#by = by;
    this.#ids = by.map(({ describes }) => by.findIndex(({ field }) => field === describes));
  }

  /** Adds metrics that did not occur before. */
  #addMetrics(fields: readonly string[]): void {
    const added = fields.filter((field) => !this.metrics.includes(field));
    if (added.length === 0) return;
    this.metrics.push(...added);

    const before = this.#pairs;
    this.#pairs = listRatePairs(this.metrics).map(({ field, other }) => {
      const known = before.find((pair) => pair.field === field && pair.other === other);
      if (known) return known;

      const sum = new ExactSum();
      for (const group of this.#groups.values()) {
        const unpaired = group.get(field);
        if (unpaired !== undefined) sum.add(unpaired, group.index);
      }
      return { field, other, sum };
    });
  }

  /** Returns the group index of each row. Consecutive rows often share a group. */
  #findGroups(batch: RowBatch, rows: readonly number[]): number[] {
    const columns = this.by.map((key) => ({ key, values: readField(batch, key.field) }));
    const hasNames = this.by.some(({ describes }) => describes !== undefined);
    const days = hasNames ? readField(batch, findTimeField(batch.fields) ?? 'date') : [];

    const groups: number[] = [];
    let group: number | undefined;
    let before = -1;
    for (const row of rows) {
      const last = before;
      const isSame = columns.every(({ values }) => values[row] === values[last]);
      if (group === undefined || !isSame || days[row] !== days[last]) {
        const key = columns.map((column) => toGroupValue(column.key, column.values[row]));
        group = this.#groupAt(key, readDay(days[row])).index;
      }
      groups.push(group);
      before = row;
    }
    return groups;
  }

  /** @param day day of the row with this key; empty if unknown */
  #groupAt(key: GroupKey, day: string): IndexedGroup {
    const id = this.#identify(key);
    const existing = this.#groups.get(id);
    if (!existing) {
      const group = new IndexedGroup(this, key, this.size);
      group.namedOn = day;
      this.#groups.set(id, group);
      for (const text of key) this.keyCharacters += text?.length ?? 0;
      return group;
    }

    if (day < existing.namedOn) return existing;
    const isRenamed = key.some((text, i) => text !== null && text !== existing.key[i]);
    if (isRenamed) existing.key = existing.key.map((text, i) => key[i] ?? text);
    existing.namedOn = day;
    return existing;
  }

  /** Returns a string that is unique per group: each value is prefixed with its length. */
  #identify(key: GroupKey): string {
    let id = '';
    for (const [i, text] of key.entries()) {
      const isDescription = (key[this.#ids[i] ?? -1] ?? null) !== null;
      if (isDescription) continue;
      id += text === null ? '-' : `${text.length}:${text}`;
    }
    return id;
  }
}

export function listRows({ rowCount }: RowBatch): number[] {
  return Array.from({ length: rowCount }, (_, row) => row);
}

/**
 * A group that looks up its sums by index. An object of sums for each group would use too much
 * memory.
 */
class IndexedGroup implements Group, Sums {
  /** Values of the key. The name may be replaced by a newer name. */
  key: GroupKey;

  /** Day of the newest row, `2026-11-01`; empty if unknown. */
  namedOn = '';

  readonly index: number;
  readonly #totals: GroupedTotals;

  constructor(totals: GroupedTotals, key: GroupKey, index: number) {
    this.#totals = totals;
    this.key = key;
    this.index = index;
  }

  get sums(): Sums {
    return this;
  }

  get(field: string): Decimal | number | undefined {
    return this.#totals.groupSum(this.index, field);
  }

  unpaired(field: string, other: string): Decimal | number | undefined {
    return this.#totals.unpairedSum(this.index, field, other);
  }
}

/** Lists the metrics that rates are computed from, each with the other metric of its rate. */
function listRatePairs(metrics: readonly string[]): Pick<RatePair, 'field' | 'other'>[] {
  return computedMetrics.flatMap(({ numerator, denominator }) => {
    const over = fieldOfMetric(numerator, metrics);
    const under = fieldOfMetric(denominator, metrics);
    if (over === undefined || under === undefined) return [];
    return [
      { field: over, other: under },
      { field: under, other: over },
    ];
  });
}

/** Adds up the given metrics of groups. */
export function addSums(groups: Iterable<Pick<Group, 'sums'>>, metrics: readonly string[]): Sums {
  const all = new GroupedTotals([], () => true);
  all.addFields(metrics);
  for (const { sums } of groups) all.add([], sums);
  return all.find([])?.sums ?? noSums;
}

const noSums: Sums = { get: () => undefined };
