import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { momentOf } from '../contract/values.ts';
import type { Row, Value } from '../rows/row-batch.ts';
import { Decimal, numberIn } from './numbers.ts';

/** Sums by metric field, exact to the last digit; a metric without any number is absent. */
export interface Sums {
  get(field: string): Decimal | number | undefined;
}

/** The rows that have the same values in some fields. */
export interface Group {
  /** The values, in the order of the fields asked for: text, a number's digits, or `null` (also for an absent key). */
  readonly key: readonly (string | null)[];
  readonly sums: RunningSums;
}

/** A field by whose values rows are grouped; `byMonth` makes days the first of their month. */
export interface KeyColumn {
  readonly field: string;
  readonly byMonth?: boolean;
}

/** Up to this many hundredths a double counts exactly. */
const mostHundredths = 1e15;

/** Sums while rows go by: whole hundredths in one number a metric, and beside it what does not fit. */
export class RunningSums implements Sums {
  /** By the index of the metric; a hole where there has been no number. Plain numbers alone, which take the least memory. */
  readonly #hundredths: number[] = [];
  readonly #beside: Decimal[] = [];
  readonly #fields: readonly string[];

  /** @param fields the metrics, which whoever made this may add to */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(index: number, value: number | Decimal): void {
    const sum = this.#hundredths[index] ?? 0;
    const hundredths = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
    const isWhole = hundredths / 100 === value && Math.abs(sum + hundredths) < mostHundredths;
    this.#hundredths[index] = isWhole ? sum + hundredths : sum;
    if (isWhole) return;
    const decimal = typeof value === 'number' ? Decimal.parse(String(value)) : value;
    if (decimal) this.#beside[index] = this.#beside[index]?.plus(decimal) ?? decimal;
  }

  addAll(other: Sums): void {
    for (const [index, field] of this.#fields.entries()) {
      const value = other.get(field);
      if (value !== undefined) this.add(index, value);
    }
  }

  get(field: string): Decimal | number | undefined {
    const index = this.#fields.indexOf(field);
    const [hundredths, beside] = [this.#hundredths[index], this.#beside[index]];
    if (hundredths === undefined) return undefined;
    return beside ? new Decimal(BigInt(hundredths), 2).plus(beside) : hundredths / 100;
  }
}

/**
 * Sums the metrics of rows by the values of some fields, or over all rows where there are none. Iterating gives the
 * groups in order of first appearance. Its memory is that of the groups.
 */
export class Grouping implements Iterable<Group> {
  rowCount = 0;
  readonly metrics: string[] = [];
  /** How many values of a metric are no numbers, by field; they are in no sum. */
  readonly strangeCounts = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  #by: readonly KeyColumn[] | undefined;
  #fields: readonly string[] = [];

  /** @param by row fields, or `time`: the hours or else the days of the rows, if they have any */
  constructor(by: readonly (string | KeyColumn)[] | 'time' = []) {
    if (by !== 'time')
      this.#by = by.map((field) => (typeof field === 'string' ? { field } : field));
  }

  get by(): readonly KeyColumn[] {
    return this.#by ?? [];
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Adds rows; `fields` are all the keys so far. */
  observe(rows: readonly Row[], fields: readonly string[]): void {
    if (fields !== this.#fields) {
      this.#fields = fields;
      this.#by ??= timeFieldOf(fields).map((field) => ({ field }));
      this.#addMetrics(fields.filter(metricOfField));
    }
    for (const row of rows) {
      const key = this.by.map(({ field, byMonth }) => {
        const text = keyText(row[field]);
        return byMonth && text !== null ? `${text.slice(0, 7)}-01` : text;
      });
      const { sums } = this.#groupAt(key);
      for (const [index, field] of this.metrics.entries()) {
        const value = numberIn(row[field]);
        if (value === undefined)
          this.strangeCounts.set(field, (this.strangeCounts.get(field) ?? 0) + 1);
        else if (value !== null) sums.add(index, value);
      }
    }
    this.rowCount += rows.length;
  }

  /** Adds the groups of another grouping, by as many of its keys as this one has; a key that it lacks is null. */
  absorb(other: Grouping): void {
    this.#by ??= other.by;
    this.#addMetrics(other.metrics);
    for (const { key, sums } of other)
      this.#groupAt(this.by.map((_, i) => key[i] ?? null)).sums.addAll(sums);
    this.rowCount += other.rowCount;
  }

  totals(): RunningSums {
    return addSums([...this], this.metrics);
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  find(key: Group['key']): Group | undefined {
    return this.#groups.get(idOf(key));
  }

  /** Groups as rows of a report: their values by key, their sums as numbers or the digits of numbers. */
  rowsOf(groups: Iterable<Omit<Group, 'sums'> & { readonly sums: Sums }> = this): Row[] {
    return [...groups].map(({ key, sums }) =>
      Object.fromEntries([
        ...this.by.map(({ field }, i): [string, Value] => [field, key[i] ?? null]),
        ...this.metrics.map((field): [string, Value] => {
          const sum = sums.get(field);
          return [field, typeof sum === 'object' ? String(sum) : (sum ?? null)];
        }),
      ]),
    );
  }

  #addMetrics(fields: readonly string[]): void {
    this.metrics.push(...fields.filter((field) => !this.metrics.includes(field)));
  }

  #groupAt(key: Group['key']): Group {
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
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isTime(field: string): boolean {
  return ['date', 'hour'].includes(fieldTypeOf(field) ?? '');
}

/** The field that tells the time of rows best, if any does. */
export function timeFieldOf(fields: readonly string[]): string[] {
  return ['hour', 'date'].filter((field) => fields.includes(field)).slice(0, 1);
}

/** The sums of groups that have the same metrics. */
export function addSums(groups: readonly Group[], metrics: readonly string[]): RunningSums {
  const all = new RunningSums(metrics);
  for (const { sums } of groups) all.addAll(sums);
  return all;
}

/** The groups that have a time, in its order: at the end of summer 02:00+0200 comes before 02:00+0100. */
export function inTimeOrder(groups: Iterable<Group>): (Group & { readonly time: string })[] {
  const timed = [...groups].flatMap((group) => {
    const time = group.key[0] ?? '';
    // A text that is empty, or `total`, has no place on a line of time.
    return /^\d{4}-\d\d-\d\d/.test(time) ? [{ ...group, time }] : [];
  });
  return timed.sort((a, b) => compareTimes(a.time, b.time));
}

export function compareTimes(a: string, b: string): number {
  const [first, second] = [a, b].map((time) => momentOf(time)?.instantMs ?? Date.parse(time));
  return (first ?? 0) - (second ?? 0) || Number(a > b) - Number(a < b);
}

/** Says how many values of metrics are in none of the sums: who reads a total has to know what is not in it. */
export function strangeNotices(
  { strangeCounts }: Grouping,
  columns: readonly { field: string; name: string }[],
) {
  return columns.flatMap(({ field, name }) => {
    const count = strangeCounts.get(field);
    if (count === undefined) return [];
    return count === 1
      ? `1 value of ${name} is no number, and is in no sum.`
      : `${count.toLocaleString('en')} values of ${name} are no numbers, and are in no sum.`;
  });
}
