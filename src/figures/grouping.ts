import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { dayOf, dayText, momentOf } from '../contract/values.ts';
import {
  exactHundredthsAtMost,
  hundredthsOf,
  lookCloser,
  numberFactsOf,
  valuesOf,
} from '../rows/column-values.ts';
import type { Row, RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { formatCount } from '../text/quantity.ts';
import { decimalOf, numberIn } from './numbers.ts';

/** Sums by metric field, exact to the last digit; a metric without any number is absent. */
export interface Sums {
  get(field: string): Decimal | number | undefined;

  /**
   * What rows that have a metric and lack the other one of a rate add to the sum of that metric: a
   * rate comes from the rows that have both.
   */
  unpaired?(field: string, other: string): Decimal | number | undefined;
}

/**
 * The values of some fields, in their order: text, a number's digits, or `null` (also for an absent
 * field).
 */
export type GroupKey = readonly (string | null)[];

/** The rows that have the same values in some fields. */
export interface Group {
  /** Its names are those of the row that came last: a campaign may be renamed. */
  readonly key: GroupKey;
  readonly sums: RunningSums;
}

/** The values of some fields, and the sums that belong to them, however they were made. */
export interface KeyedSums {
  readonly key: GroupKey;
  readonly sums: Sums;
}

/**
 * What the dates of rows stand for: a week is called by its Monday, a month and the window of a
 * report by its first day.
 */
export type DateUnit = 'day' | 'week' | 'month' | 'window';

/**
 * A field by whose values rows are grouped; a `unit` makes days the first of their week or month.
 */
export interface KeyColumn {
  readonly field: string;
  readonly unit?: Exclude<DateUnit, 'day' | 'window'> | undefined;

  /**
   * The field of the id that this one belongs to: rows with that id are one group, whatever they
   * have here.
   */
  readonly describes?: string;
}

/**
 * Sums while rows go by: whole hundredths in one number a metric, and beside it what does not fit.
 */
export class RunningSums implements Sums {
  /**
   * By the index of the metric; a hole where there has been no number. Plain numbers alone, which
   * take the least memory.
   */
  readonly #hundredths: number[] = [];

  readonly #beside: Decimal[] = [];

  readonly #fields: readonly string[];

  /** Of rows that lack a metric the sums of the others, by both names. */
  readonly #unpaired = new Map<string, Decimal>();

  /** @param fields the metrics, which whoever made this may add to */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(index: number, value: number | Decimal): void {
    const sum = this.#hundredths[index] ?? 0;
    const hundredths = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
    const isWhole =
      hundredths / 100 === value && Math.abs(sum + hundredths) < exactHundredthsAtMost;
    if (isWhole) {
      this.#hundredths[index] = sum + hundredths;
      return;
    }

    // A sum is there from the first number on, also where all of it stands beside.
    this.#hundredths[index] = sum;
    const decimal = typeof value === 'number' ? Decimal.parse(String(value)) : value;
    if (decimal) this.#beside[index] = this.#beside[index]?.plus(decimal) ?? decimal;
  }

  /** Adds a number of whole hundredths, less than 10¹⁵ of them. */
  addHundredths(index: number, hundredths: number): void {
    const sum = (this.#hundredths[index] ?? 0) + hundredths;
    if (Math.abs(sum) < exactHundredthsAtMost) this.#hundredths[index] = sum;
    else this.add(index, hundredths / 100);
  }

  /** Takes a value of a row that lacks another metric. */
  addUnpaired(field: string, other: string, value: number | Decimal): void {
    const decimal = decimalOf(value);
    const pair = pairName(field, other);
    if (decimal) this.#unpaired.set(pair, this.#unpaired.get(pair)?.plus(decimal) ?? decimal);
  }

  unpaired(field: string, other: string): Decimal | undefined {
    return this.#unpaired.get(pairName(field, other));
  }

  addAll(other: Sums): void {
    for (const field of this.#fields) {
      for (const each of this.#fields) {
        const value = other.unpaired?.(field, each);
        if (value !== undefined) this.addUnpaired(field, each, value);
      }
    }
    for (const [index, field] of this.#fields.entries()) {
      const value = other.get(field);
      if (value !== undefined) this.add(index, value);
    }
  }

  get(field: string): Decimal | number | undefined {
    const index = this.#fields.indexOf(field);
    const hundredths = this.#hundredths[index];
    if (hundredths === undefined) return undefined;

    const beside = this.#beside[index];
    return beside ? new Decimal(BigInt(hundredths), 2).plus(beside) : hundredths / 100;
  }
}

function pairName(field: string, other: string): string {
  return `${field} ${other}`;
}

/**
 * The first day of the week or the month that a day, or an hour, lies in; a text that is neither
 * stays itself.
 */
function firstDayOf(unit: Exclude<DateUnit, 'day' | 'window'>, text: string): string {
  if (unit === 'month') return `${text.slice(0, 7)}-01`;

  const day = dayOf(text.slice(0, 10));
  if (day === undefined) return text;
  // 1970 began with a Thursday.
  const monday = Math.floor((day + 3) / 7) * 7 - 3;
  return dayText(monday);
}

/**
 * Sums the metrics of rows by the values of some fields, or over all rows where there are none.
 * Iterating gives the groups in order of first appearance. Its memory is that of the groups.
 */
export class Grouping implements Iterable<Group> {
  rowCount = 0;

  readonly metrics: string[] = [];

  /** How many values of a metric are no numbers, by field; they are in no sum. */
  readonly strangeCounts = new Map<string, number>();

  /** How many characters the keys of the groups have together. */
  keyCharacters = 0;

  readonly #groups = new Map<string, NamedGroup>();

  /** `undefined` until the first rows tell which field their time is in. */
  #by: readonly KeyColumn[] | undefined;

  /**
   * For each value of a key the index of the id that it belongs to; -1 for a value that tells
   * groups apart by itself.
   */
  #ids: readonly number[] = [];

  #fields: readonly string[] = [];

  /** @param by row fields, or `time`: the hours or else the days of the rows, if they have any */
  constructor(by: readonly (string | KeyColumn)[] | 'time' = []) {
    if (by === 'time') return;
    this.#groupBy(by.map((field) => (typeof field === 'string' ? { field } : field)));
  }

  get by(): readonly KeyColumn[] {
    return this.#by ?? [];
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Adds rows; `fields` are all the keys so far. */
  observe(rows: readonly Row[], fields: readonly string[]): void {
    this.#follow(fields);
    for (const row of rows) {
      const values = this.by.map(({ field }) => row[field]);
      const { sums } = this.#groupAt(this.#keyOf(values));
      for (const [index, field] of this.metrics.entries()) {
        this.#addValue(sums, index, field, row[field]);
      }
      this.#addUnpaired(sums, (field) => row[field]);
    }
    this.rowCount += rows.length;
  }

  /** Adds the rows of a batch, column by column: the same sums, without an object for each row. */
  observeBatch(batch: RowBatch): void {
    this.#follow(batch.fields);
    const groups = this.#groupsOf(batch);
    const [first] = groups;
    const isOneGroup = groups.every((group) => group === first);

    for (const [index, field] of this.metrics.entries()) {
      // The checks have mostly asked for the sum of the batch already.
      const sum = isOneGroup ? numberFactsOf(batch, field).exactHundredths : undefined;
      if (sum !== undefined) {
        first?.sums.addHundredths(index, sum);
        continue;
      }

      const hundredths = hundredthsOf(batch, field);
      for (let row = 0; row < batch.rowCount; row++) {
        const number = hundredths[row] as number;
        if (Number.isNaN(number)) continue;

        const { sums } = groups[row] as Group;
        if (number !== lookCloser) sums.addHundredths(index, number);
        else this.#addValue(sums, index, field, valuesOf(batch, field)[row]);
      }
    }
    this.#addUnpairedOf(batch, groups);
    this.rowCount += batch.rowCount;
  }

  /** Notes the rows of a batch that have some metrics and lack others. */
  #addUnpairedOf(batch: RowBatch, groups: readonly Group[]): void {
    const hasAll = this.metrics.every((field) => numberFactsOf(batch, field).areAllNumbers);
    if (hasAll || this.metrics.length < 2) return;

    const columns = new Map(this.metrics.map((field) => [field, valuesOf(batch, field)]));
    for (let row = 0; row < batch.rowCount; row++) {
      this.#addUnpaired((groups[row] as Group).sums, (field) => columns.get(field)?.[row]);
    }
  }

  #addUnpaired(sums: RunningSums, valueIn: (field: string) => Value | undefined): void {
    const lacked: string[] = [];
    const had: { readonly field: string; readonly number: number | Decimal }[] = [];
    for (const field of this.metrics) {
      const number = numberIn(valueIn(field));
      if (number === null || number === undefined) lacked.push(field);
      else had.push({ field, number });
    }
    for (const other of lacked) {
      for (const { field, number } of had) sums.addUnpaired(field, other, number);
    }
  }

  /**
   * Adds the groups of another grouping, by as many of its keys as this one has; a key that it
   * lacks is null.
   */
  absorb(other: Grouping): void {
    if (!this.#by) this.#groupBy(other.by);
    this.#addMetrics(other.metrics);
    for (const { key, sums } of other) {
      const own = this.#groupAt(this.by.map((_, i) => key[i] ?? null));
      own.sums.addAll(sums);
    }
    this.rowCount += other.rowCount;
  }

  totals(): RunningSums {
    return addSums([...this], this.metrics);
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  find(key: GroupKey): Group | undefined {
    return this.#groups.get(this.#idOf(key));
  }

  /**
   * Groups as rows of a report: their values by key, their sums as numbers or the digits of
   * numbers.
   */
  rowsOf(groups: Iterable<KeyedSums> = this): Row[] {
    const rows: Row[] = [];
    for (const { key, sums } of groups) {
      const row = new Map<string, Value>();
      for (const [i, { field }] of this.by.entries()) row.set(field, key[i] ?? null);
      for (const field of this.metrics) {
        const sum = sums.get(field) ?? null;
        row.set(field, sum instanceof Decimal ? String(sum) : sum);
      }
      rows.push(Object.fromEntries(row));
    }
    return rows;
  }

  /** Takes over what a report has got so far, where that has changed. */
  #follow(fields: readonly string[]): void {
    if (fields === this.#fields) return;
    this.#fields = fields;
    if (!this.#by) this.#groupBy(timeFieldOf(fields).map((field) => ({ field })));
    this.#addMetrics(fields.filter(metricOfField));
  }

  #addValue(sums: RunningSums, index: number, field: string, value: Value | undefined): void {
    const number = numberIn(value);
    if (number === null) return;
    if (number !== undefined) sums.add(index, number);
    else this.strangeCounts.set(field, (this.strangeCounts.get(field) ?? 0) + 1);
  }

  /** The group of each row. Rows that follow each other often have the same. */
  #groupsOf(batch: RowBatch): Group[] {
    const columns = this.by.map(({ field }) => valuesOf(batch, field));
    const groups: Group[] = [];
    let group: Group | undefined;
    for (let row = 0; row < batch.rowCount; row++) {
      const isSame = columns.every((values) => values[row] === values[row - 1]);
      if (!group || !isSame) group = this.#groupAt(this.#keyOf(columns.map((each) => each[row])));
      groups.push(group);
    }
    return groups;
  }

  /** @param values what a row has in the fields of `by` */
  #keyOf(values: readonly (Value | undefined)[]): GroupKey {
    return values.map((value, i) => {
      const text = keyText(value);
      const unit = this.by[i]?.unit;
      return unit && text !== null ? firstDayOf(unit, text) : text;
    });
  }

  #groupBy(by: readonly KeyColumn[]): void {
    this.#by = by;
    this.#ids = by.map(({ describes }) => by.findIndex(({ field }) => field === describes));
  }

  #addMetrics(fields: readonly string[]): void {
    for (const field of fields) {
      if (!this.metrics.includes(field)) this.metrics.push(field);
    }
  }

  #groupAt(key: GroupKey): Group {
    const id = this.#idOf(key);
    const existing = this.#groups.get(id);
    if (!existing) {
      const group = { key, sums: new RunningSums(this.metrics) };
      this.#groups.set(id, group);
      for (const text of key) this.keyCharacters += text?.length ?? 0;
      return group;
    }

    const isRenamed = key.some((text, i) => text !== null && text !== existing.key[i]);
    if (isRenamed) existing.key = existing.key.map((text, i) => key[i] ?? text);
    return existing;
  }

  /** A text that no other group has: each value follows its length. */
  #idOf(key: GroupKey): string {
    let id = '';
    for (const [i, text] of key.entries()) {
      const belongsToId = (key[this.#ids[i] ?? -1] ?? null) !== null;
      if (belongsToId) continue;
      id += text === null ? '-' : `${text.length}:${text}`;
    }
    return id;
  }
}

/** A group whose key takes over a newer name. */
interface NamedGroup extends Group {
  key: GroupKey;
}

/** A row's value as a key of groups: its text, the digits of a number, JSON of anything else. */
export function keyText(value: Value | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isTime(field: string): boolean {
  return ['date', 'hour'].includes(fieldTypeOf(field) ?? '');
}

/** The field that tells the time of rows best, as a list of one; an empty list where none does. */
export function timeFieldOf(fields: readonly string[]): string[] {
  if (fields.includes('hour')) return ['hour'];
  return fields.includes('date') ? ['date'] : [];
}

/** The sums of groups that have the same metrics. */
export function addSums(groups: readonly Group[], metrics: readonly string[]): RunningSums {
  const all = new RunningSums(metrics);
  for (const { sums } of groups) all.addAll(sums);
  return all;
}

/** A group that has a time. */
export interface TimedGroup extends Group {
  readonly time: string;
}

/**
 * The groups that have a time, in its order: at the end of summer 02:00+0200 comes before
 * 02:00+0100.
 */
export function inTimeOrder(groups: Iterable<Group>): TimedGroup[] {
  const timed: TimedGroup[] = [];
  for (const group of groups) {
    const time = group.key[0] ?? '';
    // A text that is empty, or `total`, has no place on a line of time.
    if (/^\d{4}-\d\d-\d\d/.test(time)) timed.push({ ...group, time });
  }
  return timed.sort((a, b) => compareTimes(a.time, b.time));
}

/** Orders two times by their instants; texts that are no times by their letters. */
export function compareTimes(a: string, b: string): number {
  const first = momentOf(a)?.instantMs ?? Date.parse(a);
  const second = momentOf(b)?.instantMs ?? Date.parse(b);
  return first - second || Number(a > b) - Number(a < b);
}

/** A metric of a report, and what a note calls it. */
interface NamedField {
  readonly field: string;
  readonly name: string;
}

/**
 * Says how many values of metrics are in none of the sums: who reads a total has to know what is
 * not in it.
 */
export function strangeValueNotes(
  { strangeCounts }: Grouping,
  columns: readonly NamedField[],
): string[] {
  const notes: string[] = [];
  for (const { field, name } of columns) {
    const count = strangeCounts.get(field);
    if (count === undefined) continue;
    notes.push(
      count === 1
        ? `1 value of ${name} is no number, and is in no sum.`
        : `${formatCount(count)} values of ${name} are no numbers, and are in no sum.`,
    );
  }
  return notes;
}
