import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { dayOf, formatDay, parseTimestamp } from '../contract/values.ts';
import { breakdowns } from '../contract/vocabulary.ts';
import {
  maxExactCents,
  notCents,
  summarizeNumbers,
  toCents,
  valuesOf,
} from '../rows/column-values.ts';
import type { Row, RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { decimalOf, numberIn } from './numbers.ts';

/** Exact sums by metric field; a metric without any number is absent. */
export interface Sums {
  get(field: string): Decimal | number | undefined;

  /**
   * Part of a metric's sum that comes from rows without the other metric of a rate. Rates are
   * computed from rows that have both.
   */
  unpaired?(field: string, other: string): Decimal | number | undefined;
}

/**
 * Values of some fields, in field order: text, the digits of a number, or `null` (also for an
 * absent field).
 */
export type GroupKey = readonly (string | null)[];

/** Rows with the same values in some fields. */
export interface Group {
  /** Names are those of the newest day, since a campaign may be renamed. */
  readonly key: GroupKey;
  readonly sums: MetricSums;
}

export interface KeyedSums {
  readonly key: GroupKey;
  readonly sums: Sums;
}

/**
 * Unit of a row's date: a week is dated by its Monday, a month or a whole window by its first day.
 */
export type DateUnit = 'day' | 'week' | 'month' | 'window';

/** Field to group rows by; `unit` replaces days with the first day of their week or month. */
export interface KeyColumn {
  readonly field: string;
  readonly unit?: Exclude<DateUnit, 'day' | 'window'> | undefined;

  /**
   * Id field that this field describes: rows with the same id are one group, whatever this field
   * contains.
   */
  readonly describes?: string;
}

export interface SelectedRows {
  /** Indexes in the batch; by default all. */
  readonly rows?: readonly number[] | undefined;

  /** Day of the rows, if they have no `date`. */
  readonly day?: string | undefined;
}

/** If the first field is an id, the other fields only describe it. */
export function toKeyColumns(fields: readonly string[]): KeyColumn[] {
  const [first, ...others] = fields;
  if (first === undefined) return [];
  if (fieldTypeOf(first) !== 'id') return fields.map((field) => ({ field }));
  return [{ field: first }, ...others.map((field) => ({ field, describes: first }))];
}

/** Running sums: whole cents as one number per metric, plus a decimal for the rest. */
export class MetricSums implements Sums {
  /**
   * Indexed like the metrics, with a hole for a metric without numbers. Holds plain numbers only,
   * which take the least memory.
   */
  readonly #cents: number[] = [];

  readonly #remainders: Decimal[] = [];

  readonly #fields: readonly string[];

  /** Sums of metrics over the rows that lack another one, by both names. */
  readonly #unpaired = new Map<string, Decimal>();

  /** @param fields metrics; the caller may append to this list */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(index: number, value: number | Decimal): void {
    const sum = this.#cents[index] ?? 0;
    const cents = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
    const isWhole = cents / 100 === value && Math.abs(sum + cents) < maxExactCents;
    if (isWhole) {
      this.#cents[index] = sum + cents;
      return;
    }

    // The sum exists from the first number on, even if all of it is in the remainder.
    this.#cents[index] = sum;
    const decimal = typeof value === 'number' ? Decimal.parse(String(value)) : value;
    if (decimal) this.#remainders[index] = this.#remainders[index]?.plus(decimal) ?? decimal;
  }

  /** Adds a whole number of cents below 10¹⁵. */
  addCents(index: number, cents: number): void {
    const sum = (this.#cents[index] ?? 0) + cents;
    if (Math.abs(sum) < maxExactCents) this.#cents[index] = sum;
    else this.add(index, cents / 100);
  }

  /** Adds a value from a row that lacks another metric. */
  addUnpaired(field: string, other: string, value: number | Decimal): void {
    const decimal = decimalOf(value);
    const pair = pairKey(field, other);
    if (decimal) this.#unpaired.set(pair, this.#unpaired.get(pair)?.plus(decimal) ?? decimal);
  }

  /** Set once a row has a metric and lacks another. */
  get isUneven(): boolean {
    return this.#unpaired.size > 0;
  }

  unpaired(field: string, other: string): Decimal | undefined {
    return this.#unpaired.get(pairKey(field, other));
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
    const cents = this.#cents[index];
    if (cents === undefined) return undefined;

    const remainder = this.#remainders[index];
    return remainder ? new Decimal(BigInt(cents), 2).plus(remainder) : cents / 100;
  }
}

function pairKey(field: string, other: string): string {
  return `${field} ${other}`;
}

/** Returns the first day of the week or month of a day or hour; other text unchanged. */
function firstDayOf(unit: Exclude<DateUnit, 'day' | 'window'>, text: string): string {
  if (unit === 'month') return `${text.slice(0, 7)}-01`;

  const day = dayOf(text.slice(0, 10));
  if (day === undefined) return text;
  // 1970-01-01 was a Thursday.
  const monday = Math.floor((day + 3) / 7) * 7 - 3;
  return formatDay(monday);
}

/**
 * Sums metrics by the values of some fields, or over all rows if there are no fields. Iterates over
 * groups in order of first appearance. Memory grows with the number of groups only.
 */
export class GroupedTotals implements Iterable<Group> {
  rowCount = 0;

  readonly metrics: string[] = [];

  /** Rows that lack a metric and have another, by metric. */
  readonly missingCounts = new Map<string, number>();

  /** Total length of all group keys in characters. */
  keyCharacters = 0;

  readonly #groups = new Map<string, RenamableGroup>();

  /** `undefined` until the first rows show which field contains their time. */
  #by: readonly KeyColumn[] | undefined;

  /**
   * Index of the id that each value of a key describes; -1 for a value that is part of a group's
   * identity.
   */
  #ids: readonly number[] = [];

  /** Set if the key has names, which are those of the newest day. */
  #hasNames = false;

  #fields: readonly string[] = [];
  readonly #isSummed: (field: string) => boolean;

  /** Finds the keys in the fields of the first rows. */
  readonly #keysIn: (fields: readonly string[]) => readonly KeyColumn[];

  /**
   * @param by row fields, `time` for the hours of the rows, or their days if there are no hours, or
   * `rows` for everything that tells rows apart
   * @param isSummed selects the columns to add up; by default the metrics of the vocabulary
   */
  constructor(
    by: readonly (string | KeyColumn)[] | 'time' | 'rows' = [],
    isSummed = (field: string): boolean => metricOfField(field) !== undefined,
  ) {
    this.#isSummed = isSummed;
    this.#keysIn = by === 'rows' ? rowKeyIn : timeKeyIn;
    if (by === 'time' || by === 'rows') return;
    this.#groupBy(by.map((field) => (typeof field === 'string' ? { field } : field)));
  }

  get by(): readonly KeyColumn[] {
    return this.#by ?? [];
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Adds rows; `fields` lists every key seen so far. */
  observe(rows: readonly Row[], fields: readonly string[]): void {
    this.#update(fields);
    for (const row of rows) {
      const values = this.by.map(({ field }) => row[field]);
      const { sums } = this.#groupAt(this.#keyOf(values), dayIn(row.date ?? row.hour));
      for (const [index, field] of this.metrics.entries()) {
        addValue(sums, index, row[field]);
      }
      this.#addUnpaired(sums, (field) => row[field]);
    }
    this.rowCount += rows.length;
  }

  /**
   * Adds rows of a batch column by column. The sums are the same as in `observe`, without an object
   * per row.
   */
  observeBatch(batch: RowBatch, selected: SelectedRows = {}): void {
    this.#update(batch.fields, selected);
    const rows = selected.rows ?? Array.from({ length: batch.rowCount }, (_, row) => row);
    const groups = this.#groupsOf(batch, rows, selected.day);
    const [first] = groups;
    const isOneGroup = groups.every((group) => group === first);

    for (const [index, field] of this.metrics.entries()) {
      // The checks have usually computed this sum already.
      const isWhole = isOneGroup && rows.length === batch.rowCount;
      const sum = isWhole ? summarizeNumbers(batch, field).exactCents : undefined;
      if (sum !== undefined) {
        first?.sums.addCents(index, sum);
        continue;
      }

      const cents = toCents(batch, field);
      for (const [at, row] of rows.entries()) {
        const number = cents[row] as number;
        if (Number.isNaN(number)) continue;

        const { sums } = groups[at] as Group;
        if (number !== notCents) sums.addCents(index, number);
        else addValue(sums, index, valuesOf(batch, field)[row]);
      }
    }
    this.#addUnpairedOf(batch, rows, groups);
    this.rowCount += rows.length;
  }

  /** Records the rows of a batch that have some metrics and lack others. */
  #addUnpairedOf(batch: RowBatch, rows: readonly number[], groups: readonly Group[]): void {
    const hasAll = this.metrics.every((field) => summarizeNumbers(batch, field).areAllNumbers);
    if (hasAll || this.metrics.length < 2) return;

    const columns = new Map(this.metrics.map((field) => [field, valuesOf(batch, field)]));
    for (const [at, row] of rows.entries()) {
      this.#addUnpaired((groups[at] as Group).sums, (field) => columns.get(field)?.[row]);
    }
  }

  #addUnpaired(sums: MetricSums, valueIn: (field: string) => Value | undefined): void {
    const missing: string[] = [];
    const present: { readonly field: string; readonly number: number | Decimal }[] = [];
    for (const field of this.metrics) {
      const number = numberIn(valueIn(field));
      if (number === null || number === undefined) missing.push(field);
      else present.push({ field, number });
    }
    if (present.length === 0) return;
    for (const other of missing) {
      this.#countMissing(other, 1);
      for (const { field, number } of present) sums.addUnpaired(field, other, number);
    }
  }

  #countMissing(field: string, rowCount: number): void {
    this.missingCounts.set(field, (this.missingCounts.get(field) ?? 0) + rowCount);
  }

  /** Adds the groups of another grouping; keys that it does not have are null. */
  absorb(other: GroupedTotals): void {
    if (!this.#by) this.#groupBy(other.by);
    this.#addMetrics(other.metrics);
    const places = this.by.map(({ field }) => other.by.findIndex((key) => key.field === field));
    for (const { key, sums, namedOn } of other.#groups.values()) {
      const ownKey = places.map((place) => key[place] ?? null);
      this.#groupAt(ownKey, namedOn).sums.addAll(sums);
    }
    for (const [field, count] of other.missingCounts) this.#countMissing(field, count);
    this.rowCount += other.rowCount;
  }

  totals(): MetricSums {
    return addSums([...this], this.metrics);
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  find(key: GroupKey): Group | undefined {
    return this.#groups.get(this.#identityOf(key));
  }

  /** Returns groups as report rows: keys as fields, sums as numbers or digits. */
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

  /** Updates keys and metrics if the fields of the report have changed. */
  #update(fields: readonly string[], { day }: SelectedRows = {}): void {
    if (fields === this.#fields) return;
    this.#fields = fields;
    if (!this.#by) this.#groupBy(day === undefined ? this.#keysIn(fields) : [{ field: 'date' }]);
    this.#addMetrics(fields.filter(this.#isSummed));
  }

  /** Returns one group per row. Consecutive rows often share one. */
  #groupsOf(batch: RowBatch, rows: readonly number[], day: string | undefined): Group[] {
    const valuesIn = (field: string): readonly (Value | undefined)[] => {
      return day === undefined || field !== 'date'
        ? valuesOf(batch, field)
        : Array<Value>(batch.rowCount).fill(day);
    };
    const columns = this.by.map(({ field }) => valuesIn(field));
    const [timeField] = timeFieldOf(batch.fields);
    const days = this.#hasNames ? valuesIn(timeField ?? 'date') : [];
    const compared = this.#hasNames ? [...columns, days] : columns;

    const groups: Group[] = [];
    let group: Group | undefined;
    let before = -1;
    for (const row of rows) {
      const last = before;
      const isSame = compared.every((values) => values[row] === values[last]);
      if (!group || !isSame) {
        const key = this.#keyOf(columns.map((values) => values[row]));
        group = this.#groupAt(key, dayIn(days[row]));
      }
      groups.push(group);
      before = row;
    }
    return groups;
  }

  /** @param values the row's values in the fields of `by` */
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
    this.#hasNames = by.some(({ describes }) => describes !== undefined);
  }

  #addMetrics(fields: readonly string[]): void {
    for (const field of fields) {
      if (this.metrics.includes(field)) continue;
      if (this.rowCount > 0) this.#addLateMetric(field);
      this.metrics.push(field);
    }
  }

  /** Records that all rows so far lack a metric. */
  #addLateMetric(field: string): void {
    this.#countMissing(field, this.rowCount);
    for (const { sums } of this) {
      for (const other of this.metrics) {
        const sum = sums.get(other);
        if (sum !== undefined) sums.addUnpaired(other, field, sum);
      }
    }
  }

  /** @param day the day of the row that has the key; empty if it is not known */
  #groupAt(key: GroupKey, day: string): Group {
    const id = this.#identityOf(key);
    const existing = this.#groups.get(id);
    if (!existing) {
      const group = { key, sums: new MetricSums(this.metrics), namedOn: day };
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
  #identityOf(key: GroupKey): string {
    let id = '';
    for (const [i, text] of key.entries()) {
      const isDescription = (key[this.#ids[i] ?? -1] ?? null) !== null;
      if (isDescription) continue;
      id += text === null ? '-' : `${text.length}:${text}`;
    }
    return id;
  }
}

/** Adds a number; the checks report other values. */
function addValue(sums: MetricSums, index: number, value: Value | undefined): void {
  const number = numberIn(value);
  if (number !== null && number !== undefined) sums.add(index, number);
}

/** Its key can be updated to a newer name. */
interface RenamableGroup extends Group {
  key: GroupKey;

  /** Day of the newest row, `2026-11-01`; empty if it is not known. */
  namedOn: string;
}

/** Returns the day of a date or hour; empty for another value. */
function dayIn(value: Value | undefined): string {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
  return isTime ? value.slice(0, 10) : '';
}

/** Returns text, the digits of a number, or JSON for anything else. */
export function keyText(value: Value | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isTime(field: string): boolean {
  return ['date', 'hour'].includes(fieldTypeOf(field) ?? '');
}

/** Returns the most precise time field as a list of one; empty if there is none. */
export function timeFieldOf(fields: readonly string[]): string[] {
  if (fields.includes('hour')) return ['hour'];
  return fields.includes('date') ? ['date'] : [];
}

function timeKeyIn(fields: readonly string[]): KeyColumn[] {
  return timeFieldOf(fields).map((field) => ({ field }));
}

/** Includes everything that tells rows apart: time, then each breakdown by its id or its names. */
function rowKeyIn(fields: readonly string[]): KeyColumn[] {
  const keys = timeKeyIn(fields);
  for (const breakdown of breakdowns) {
    if (breakdown.time) continue;
    const names = breakdown.fields.map(({ name }) => name);
    keys.push(...toKeyColumns(names.filter((name) => fields.includes(name))));
  }
  return keys;
}

/** The groups must have the same metrics. */
export function addSums(
  groups: readonly Pick<KeyedSums, 'sums'>[],
  metrics: readonly string[],
): MetricSums {
  const all = new MetricSums(metrics);
  for (const { sums } of groups) all.addAll(sums);
  return all;
}

export interface TimedGroup extends Group {
  readonly time: string;
}

/**
 * Returns the groups that have a time, in chronological order: when clocks go back, 02:00+0200
 * precedes 02:00+0100.
 */
export function sortByTime(groups: Iterable<Group>): TimedGroup[] {
  const timed: TimedGroup[] = [];
  for (const group of groups) {
    const time = group.key[0] ?? '';
    // An empty text, or `total`, has no position on a time axis.
    if (/^\d{4}-\d\d-\d\d/.test(time)) timed.push({ ...group, time });
  }
  return timed.sort((a, b) => compareTimes(a.time, b.time));
}

/** Compares by instant, other text alphabetically. */
export function compareTimes(a: string, b: string): number {
  const first = parseTimestamp(a)?.instantMs ?? Date.parse(a);
  const second = parseTimestamp(b)?.instantMs ?? Date.parse(b);
  return first - second || Number(a > b) - Number(a < b);
}
