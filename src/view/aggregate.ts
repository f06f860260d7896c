import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import type { MetricName } from '../contract/vocabulary.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { DecimalSum } from './decimal-sum.ts';
import { GroupKeys } from './group-keys.ts';
import { SumColumn } from './sum-column.ts';

/** Sums by metric field, in order of first appearance; a metric without any number is absent. */
export type Sums = ReadonlyMap<string, DecimalSum>;

/** The rows that have the same values in some fields. */
export interface Group {
  /** The values, in the order of the fields asked for: text, a number's digits, or `null` (also for an absent key). */
  readonly key: readonly (string | null)[];
  readonly rowCount: number;
  readonly sums: Sums;
}

/**
 * Sums the metrics of rows by the values of some fields, or over all rows where there are none. Iterating gives the
 * groups in order of first appearance.
 *
 * Its memory is that of the groups: the text of their values, and eight bytes a metric.
 */
export class Aggregate implements Iterable<Group> {
  /** How many rows there were so far. */
  rowCount = 0;
  /** Every key of the rows so far. */
  fields: readonly string[] = [];
  #followed: readonly string[] | undefined;
  readonly #keys: GroupKeys | undefined;
  readonly #columns = new Map<string, SumColumn>();
  #indexes: readonly number[] = [];
  #sums: readonly SumColumn[] = [];
  #rowCounts = new Float64Array(16);

  /** @param by row fields, such as `date` and `campaignName`; one that no row has is null throughout */
  constructor(by: readonly string[] = []) {
    this.#keys = by.length > 0 ? new GroupKeys(by) : undefined;
  }

  /** How many groups there are. */
  get size(): number {
    return this.#keys?.count ?? Math.min(1, this.rowCount);
  }

  /** The row fields that are metrics, in order of first appearance. */
  get metrics(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /** How many values of a metric are no numbers, by field; they are in no sum. */
  get strangeCounts(): ReadonlyMap<string, number> {
    const counts = [...this.#columns].map(([field, column]) => [field, column.strangeCount] as const);
    return new Map(counts.filter(([, count]) => count > 0));
  }

  /** Adds the rows of a batch, of which nothing is kept but copies. */
  observe(batch: RowBatch): void {
    if (batch.fields !== this.#followed) this.#follow(batch.fields);
    const { bytes, rowCount, valueStarts, valueEnds } = batch;
    const keys = this.#keys;
    const width = batch.fields.length;
    const indexes = this.#indexes;
    const sums = this.#sums;
    for (let row = 0; row < rowCount; row++) {
      const group = keys ? keys.numberOf(batch, row) : 0;
      this.#countRow(group);
      const base = row * width;
      for (let i = 0; i < indexes.length; i++) {
        const place = base + (indexes[i] as number);
        const start = valueStarts[place] as number;
        if (start >= 0) (sums[i] as SumColumn).add(group, bytes, start, valueEnds[place] as number);
      }
    }
    this.rowCount += rowCount;
  }

  *[Symbol.iterator](): Generator<Group, void, undefined> {
    for (let group = 0; group < this.size; group++) {
      const sums = [...this.#columns].flatMap(([field, column]): [string, DecimalSum][] => {
        const sum = column.at(group);
        return sum ? [[field, sum]] : [];
      });
      yield { key: this.#keys?.at(group) ?? [], rowCount: this.#rowCounts[group] as number, sums: new Map(sums) };
    }
  }

  /** The sums over all rows. */
  totals(): Sums {
    const totals = new Map<string, DecimalSum>();
    for (const [field, column] of this.#columns) {
      for (let group = 0; group < this.size; group++) {
        const sum = column.at(group);
        if (!sum) continue;
        const total = totals.get(field);
        if (total) total.addSum(sum);
        else totals.set(field, sum);
      }
    }
    return totals;
  }

  #follow(fields: readonly string[]): void {
    this.#followed = fields;
    this.fields = [...new Set([...this.fields, ...fields])];
    const metrics = fields.filter(isMetric);
    this.#indexes = metrics.map((field) => fields.indexOf(field));
    this.#sums = metrics.map((field) => {
      const column = this.#columns.get(field) ?? new SumColumn();
      this.#columns.set(field, column);
      return column;
    });
  }

  #countRow(group: number): void {
    if (group >= this.#rowCounts.length) {
      const larger = new Float64Array(Math.ceil(1.5 * this.#rowCounts.length) + 1);
      larger.set(this.#rowCounts);
      this.#rowCounts = larger;
    }
    this.#rowCounts[group] = (this.#rowCounts[group] as number) + 1;
  }
}

function isMetric(field: string): boolean {
  const type = fieldTypeOf(field);
  return type === 'integer' || type === 'money';
}

/** The sums of several groups together. */
export function addDecimals(parts: readonly Sums[]): Sums {
  const total = new Map<string, DecimalSum>();
  for (const [field, sum] of parts.flatMap((part) => [...part])) {
    const before = total.get(field) ?? new DecimalSum();
    before.addSum(sum);
    total.set(field, before);
  }
  return total;
}

/** Finds the sum of a metric by the metric's name; `undefined`: no number. */
export function sumOfMetric(sums: Sums): (metric: MetricName) => number | undefined {
  return (metric) => [...sums].find(([field]) => metricOfField(field)?.name === metric)?.[1].toNumber();
}
