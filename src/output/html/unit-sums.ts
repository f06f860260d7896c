import { letterN } from '../../rows/ascii.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { Aggregate, addDecimals as addSums, type Group, type Sums } from '../../view/aggregate.ts';
import type { PlannedColumn } from '../columns.ts';
import { type Unit, unitsOf } from './units.ts';

/** Of a breakdown with more values than this no sums are kept; of time, ten years of hours are. */
const mostValues = 50_000;
const mostMoments = 100_000;

/** The sums of one unit's values. */
export interface UnitSums {
  readonly unit: Unit;
  /** One for each value, made when it is asked for; `undefined`: there are more than are kept. */
  readonly groups: Iterable<Group> | undefined;
}

interface Entry {
  readonly unit: Unit;
  /** The groups of the rows before: of those without any value, and of those that had fewer of the unit's fields. */
  readonly before: Iterable<Group>;
  aggregate: Aggregate | undefined;
}

/**
 * Sums a report's rows as a whole, and by each unit that has a value anywhere: a buyer's row has every dimension, most
 * of them null. Its memory is bounded, whatever the rows hold.
 */
export class AllSums {
  readonly #total = new Aggregate();
  readonly #entries = new Map<string, Entry>();
  #columns: readonly PlannedColumn[] = [];
  #units: readonly Unit[] = [];

  /** The sums over all rows. */
  get totals(): Sums {
    return this.#total.totals();
  }

  /** How many values of a metric are no numbers, by field; they are in no sum. */
  get strangeCounts(): ReadonlyMap<string, number> {
    return this.#total.strangeCounts;
  }

  /** Adds the rows of a batch, of which nothing is kept but copies; the columns are those that are to be shown. */
  observe(batch: RowBatch, columns: readonly PlannedColumn[]): void {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#units = unitsOf(columns);
    }
    for (const unit of this.#units) {
      const entry = this.#entries.get(keyOf(unit)) ?? this.#begin(unit, batch);
      if (!entry?.aggregate) continue;
      entry.aggregate.observe(batch);
      if (entry.aggregate.size > (unit.isTime ? mostMoments : mostValues)) entry.aggregate = undefined;
    }
    this.#total.observe(batch);
  }

  /** The units that have values, in column order. */
  get units(): UnitSums[] {
    return this.#units.flatMap((unit) => {
      const entry = this.#entries.get(keyOf(unit));
      return entry ? [{ unit, groups: groupsOf(entry) }] : [];
    });
  }

  #begin(unit: Unit, batch: RowBatch): Entry | undefined {
    const earlier = [...this.#entries.values()].findLast(({ unit: { fields } }) =>
      unit.fields.includes(fields[0] ?? ''),
    );
    if (!earlier && !unit.fields.some((field) => hasValue(batch, field))) return undefined;
    const { rowCount } = this.#total;
    const none = rowCount === 0 ? [] : [{ key: [], rowCount, sums: this.#total.totals() }];
    const groups = earlier ? groupsOf(earlier) : none;
    const entry = { unit, before: groups ?? [], aggregate: groups && new Aggregate(unit.fields) };
    this.#entries.set(keyOf(unit), entry);
    return entry;
  }
}

function keyOf(unit: Unit): string {
  return JSON.stringify(unit.fields);
}

function hasValue({ bytes, fields, rowCount, valueStarts }: RowBatch, field: string): boolean {
  const index = fields.indexOf(field);
  if (index < 0) return false;
  for (let row = 0; row < rowCount; row++) {
    const start = valueStarts[row * fields.length + index] as number;
    if (start >= 0 && bytes[start] !== letterN) return true;
  }
  return false;
}

function groupsOf({ unit, before, aggregate }: Entry): Iterable<Group> | undefined {
  if (!aggregate) return undefined;
  return {
    *[Symbol.iterator]() {
      const earlier = new Map<string, Group>();
      for (const group of before) {
        const key = unit.fields.map((_, i) => group.key[i] ?? null);
        earlier.set(JSON.stringify(key), { ...group, key });
      }
      for (const group of aggregate) {
        const same = earlier.size > 0 ? earlier.get(JSON.stringify(group.key)) : undefined;
        if (!same) yield group;
        else earlier.set(JSON.stringify(group.key), addGroups(same, group));
      }
      yield* earlier.values();
    },
  };
}

function addGroups(a: Group, b: Group): Group {
  return { key: a.key, rowCount: a.rowCount + b.rowCount, sums: addSums([a.sums, b.sums]) };
}
