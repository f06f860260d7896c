import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import type { Row, Value } from '../rows/row-batch.ts';
import { Decimal, numberIn } from './decimal.ts';

/** Sums by metric field, exact to the last digit; a metric without any number is absent. */
export interface Sums {
  get(field: string): Decimal | undefined;
  keys(): Iterable<string>;
}

/** The rows that have the same values in some fields. */
export interface Group {
  /** The values, in the order of the fields asked for: text, a number's digits, or `null` (also for an absent key). */
  readonly key: readonly (string | null)[];
  readonly sums: Sums;
}

/** A field by whose values rows are grouped. */
export interface KeyColumn {
  readonly field: string;
  /** Whether days are grouped by their month, which is named by its first day. */
  readonly byMonth?: boolean;
}

/** Up to this many hundredths a double counts exactly, and the digits of a number in them are those that stood there. */
const mostHundredths = 1e15;

/** The sums of one group while rows go by: whole hundredths in one number a metric, and beside it what does not fit. */
class RunningSums implements Sums {
  readonly #fields: readonly string[];
  /** By the metric's index in `#fields`; NaN where there has been no number. */
  readonly #hundredths: number[] = [];
  #beside: Map<number, Decimal> | undefined;

  /** @param fields the metrics, which the caller may add to */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(index: number, value: number | Decimal): void {
    while (this.#hundredths.length <= index) this.#hundredths.push(Number.NaN);
    const before = this.#hundredths[index] ?? Number.NaN;
    const sum = Number.isNaN(before) ? 0 : before;
    if (typeof value === 'number') {
      const hundredths = Math.round(value * 100);
      const next = sum + hundredths;
      if (hundredths / 100 === value && Math.abs(hundredths) < mostHundredths && Math.abs(next) < mostHundredths) {
        this.#hundredths[index] = next;
        return;
      }
    }
    const decimal = typeof value === 'number' ? (Decimal.parse(String(value)) ?? Decimal.zero) : value;
    this.#hundredths[index] = sum;
    this.#beside ??= new Map();
    this.#beside.set(index, (this.#beside.get(index) ?? Decimal.zero).plus(decimal));
  }

  get(field: string): Decimal | undefined {
    const index = this.#fields.indexOf(field);
    const hundredths = this.#hundredths[index];
    if (hundredths === undefined || Number.isNaN(hundredths)) return undefined;
    const sum = new Decimal(BigInt(hundredths), 2);
    const beside = this.#beside?.get(index);
    return beside ? sum.plus(beside) : sum;
  }

  keys(): string[] {
    return this.#fields.filter((_, index) => !Number.isNaN(this.#hundredths[index] ?? Number.NaN));
  }
}

/**
 * Sums the metrics of rows by the values of some fields, or over all rows where there are none. Iterating gives the
 * groups in order of first appearance. Its memory is that of the groups.
 */
export class Grouping implements Iterable<Group> {
  /** How many rows there were so far. */
  rowCount = 0;
  /** The row fields that are metrics, in order of first appearance. */
  readonly metrics: string[] = [];
  /** How many values of a metric are no numbers, by field; they are in no sum. */
  readonly strangeCounts = new Map<string, number>();
  readonly by: readonly KeyColumn[];
  readonly #groups = new Map<string, Group & { readonly sums: RunningSums }>();
  #fields: readonly string[] = [];

  /**
   * @param by row fields, such as `date` and `campaignName`; one that no row has is null throughout
   * @param earlier the rows before these, none of which had a value for `by`
   */
  constructor(by: readonly (string | KeyColumn)[] = [], earlier?: Grouping) {
    this.by = by.map((field) => (typeof field === 'string' ? { field } : field));
    if (!earlier || earlier.rowCount === 0) return;
    this.rowCount = earlier.rowCount;
    this.metrics.push(...earlier.metrics);
    const { sums } = this.#groupOf({});
    const totals = earlier.totals();
    for (const [index, field] of this.metrics.entries()) {
      const total = totals.get(field);
      if (total) sums.add(index, total);
    }
  }

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size;
  }

  /** Adds rows; `fields` are all the keys that rows have had so far. */
  observe(rows: readonly Row[], fields: readonly string[]): void {
    if (fields !== this.#fields) {
      this.#fields = fields;
      this.metrics.push(...fields.filter((field) => isMetric(field) && !this.metrics.includes(field)));
    }
    for (const row of rows) {
      const { sums } = this.#groupOf(row);
      for (const [index, field] of this.metrics.entries()) {
        const value = numberIn(row[field]);
        if (value === undefined) this.strangeCounts.set(field, (this.strangeCounts.get(field) ?? 0) + 1);
        else if (value !== null) sums.add(index, value);
      }
    }
    this.rowCount += rows.length;
  }

  /** The sums over all rows. */
  totals(): Sums {
    return addSums([...this].map(({ sums }) => sums));
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  /** The group with these values, if any row had them. */
  find(key: Group['key']): Group | undefined {
    return this.#groups.get(idOf(key));
  }

  #groupOf(row: Row) {
    const key = this.by.map(({ field, byMonth }) => {
      const text = keyText(row[field]);
      return byMonth && text !== null ? `${text.slice(0, 7)}-01` : text;
    });
    const id = idOf(key);
    const known = this.#groups.get(id);
    if (known) return known;
    const group = { key, sums: new RunningSums(this.metrics) };
    this.#groups.set(id, group);
    return group;
  }
}

/** A text that no other key has: each value follows its length. */
function idOf(key: Group['key']): string {
  let id = '';
  for (const text of key) id += text === null ? '-' : `${text.length}:${text}`;
  return id;
}

/** A row's value as a key of groups: its text, the digits of a number, JSON of anything else. */
export function keyText(value: Value | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Whether a row field holds a metric's values. */
export function isMetric(field: string): boolean {
  return metricOfField(field) !== undefined;
}

/** Whether a row field holds days or hours. */
export function isTime(field: string): boolean {
  const type = fieldTypeOf(field);
  return type === 'date' || type === 'hour';
}

/** The sums of several groups together. */
export function addSums(parts: readonly Sums[]): Map<string, Decimal> {
  const total = new Map<string, Decimal>();
  for (const part of parts) {
    for (const field of part.keys()) {
      total.set(field, (total.get(field) ?? Decimal.zero).plus(part.get(field) ?? Decimal.zero));
    }
  }
  return total;
}

/**
 * Says how many values of a metric are in none of its sums: who reads a total has to know what is not in it.
 * @param words what they are instead of numbers, for one and for several
 */
export function strangeNotice(
  name: string,
  count: number,
  words: readonly [string, string] = ['no number', 'no numbers'],
): string {
  return count === 1
    ? `1 value of ${name} is ${words[0]}, and is in no sum.`
    : `${count.toLocaleString('en')} values of ${name} are ${words[1]}, and are in no sum.`;
}
