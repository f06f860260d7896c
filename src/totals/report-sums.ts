import { breakdownOfField, fieldLabel, nounOf } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import { valuesOf } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import {
  type DateUnit,
  type Group,
  GroupedTotals,
  isTime,
  type Sums,
  timeFieldOf,
  toKeyColumns,
} from './grouped-totals.ts';

/**
 * Sums are dropped for a breakdown with more values than this, and for time with more moments (ten
 * years of hours fit).
 */
const maxValues = 50_000;
const maxMoments = 100_000;

/**
 * Limits for all breakdowns together, in values and in characters; breakdowns that exceed them get
 * no sums.
 */
const maxValuesInAll = 300_000;
const maxCharactersInAll = 16 * 1024 * 1024;

/** Fields of one breakdown (`campaignId` and `campaignName`), or time, with their sums. */
export interface Unit {
  readonly fields: readonly string[];

  readonly isTime: boolean;

  /** Absent for time and for fields unknown to the vocabulary. */
  readonly breakdown?: Breakdown;

  /** `undefined` if there are too many values. */
  groups: GroupedTotals | undefined;
}

/** Numeric columns are summed, others are grouped by. */
interface SummedColumn {
  readonly field: string;
  readonly numeric: boolean;
}

function unitsOf(columns: readonly SummedColumn[]): Unit[] {
  const units = new Map<string, Unit>();
  const textFields = columns.filter(({ numeric }) => !numeric).map(({ field }) => field);

  for (const field of textFields) {
    const name = isTime(field) ? 'time' : (breakdownOfField(field)?.name ?? `field ${field}`);
    if (!units.has(name)) units.set(name, unitOf(field, textFields));
  }
  return [...units.values()];
}

function unitOf(field: string, textFields: readonly string[]): Unit {
  if (isTime(field)) {
    const fields = timeFieldOf(textFields);
    return { fields, isTime: true, groups: new GroupedTotals(fields) };
  }

  const breakdown = breakdownOfField(field);
  const fields = breakdown ? breakdown.fields.map(({ name }) => name) : [field];
  return { fields, isTime: false, breakdown, groups: new GroupedTotals(toKeyColumns(fields)) };
}

/**
 * Sums of a report as a whole, by each unit with values, and by time combined with the first other
 * unit. Memory is bounded.
 */
export class ReportSums {
  readonly total = new GroupedTotals();

  /** Rows by all of their breakdowns; `undefined` if not kept, or if there are too many. */
  rows: GroupedTotals | undefined;

  /** `undefined` until the first rows arrive. */
  #units: readonly Unit[] | undefined;

  /** Time combined with another unit; `undefined` until rows have values in both. */
  #trend: Unit | undefined;

  /** @param options.keepsRows for an earlier report whose rows are compared one by one */
  constructor({ keepsRows = false } = {}) {
    if (keepsRows) this.rows = new GroupedTotals('rows');
  }

  /** Adds a batch; `columns` are those to be shown. */
  observe(batch: RowBatch, columns: readonly SummedColumn[]): void {
    this.#units ??= unitsOf(columns);
    this.#trend ??= this.#startTrend(batch);

    const units = this.#trend ? [...this.#units, this.#trend] : this.#units;
    let valuesInAll = 0;
    let charactersInAll = 0;
    for (const unit of units) {
      if (!unit.groups) continue;
      unit.groups.observeBatch(batch);

      const { size, keyCharacters } = unit.groups;
      const values = valuesInAll + size;
      const characters = charactersInAll + keyCharacters;
      const max = unit.isTime ? maxMoments : maxValues;
      const isWithinLimits = values <= maxValuesInAll && characters <= maxCharactersInAll;
      if (size > max || !isWithinLimits) {
        unit.groups = undefined;
        continue;
      }
      valuesInAll = values;
      charactersInAll = characters;
    }
    this.total.observeBatch(batch);
    this.#keepRows(batch);
  }

  #keepRows(batch: RowBatch): void {
    this.rows?.observeBatch(batch);
    const { size = 0, keyCharacters = 0 } = this.rows ?? {};
    if (size > maxValuesInAll || keyCharacters > maxCharactersInAll) this.rows = undefined;
  }

  /** Adds the sums of another report with the same columns. */
  absorb(other: ReportSums): void {
    this.#units ??= other.#units?.map((unit) => ({
      ...unit,
      groups: unit.groups && new GroupedTotals(unit.groups.by),
    }));
    for (const unit of this.#units ?? []) unit.groups = merged(unit.groups, other.groupsOf(unit));
    if (other.#trend) {
      this.#trend ??= { ...other.#trend, groups: new GroupedTotals(other.#trend.groups?.by) };
      this.#trend.groups = merged(this.#trend.groups, other.#trend.groups);
    }
    this.total.absorb(other.total);
    this.rows = merged(this.rows, other.rows);
  }

  /** Units with at least one value. */
  get units(): readonly Unit[] {
    return (this.#units ?? []).filter(({ groups }) => {
      if (!groups) return true;
      return [...groups].some(({ key }) => key.some((text) => text !== null));
    });
  }

  /**
   * Sums by time (the first value of a key) and by the first other unit with values; `undefined` if
   * there are none.
   */
  get trend(): GroupedTotals | undefined {
    return this.#trend?.groups;
  }

  /**
   * Returns the sums in this report of another report's group; `undefined` if it does not exist
   * here.
   */
  find({ fields }: Pick<Unit, 'fields'>, { key }: Pick<Group, 'key'>): Sums | undefined {
    return this.groupsOf({ fields })?.find(key)?.sums;
  }

  /**
   * Returns the groups of this report by another report's unit; `undefined` if it has no such unit
   * or too many groups.
   */
  groupsOf({ fields }: Pick<Unit, 'fields'>): GroupedTotals | undefined {
    const unit = this.#units?.find((each) => each.fields.join() === fields.join());
    return unit?.groups;
  }

  #startTrend(batch: RowBatch): Unit | undefined {
    const filled = (this.#units ?? []).filter(({ fields }) => {
      return fields.some((field) => hasAnyValue(batch, field));
    });
    const time = filled.find((unit) => unit.isTime);
    const other = filled.find((unit) => !unit.isTime);
    if (!time?.groups || !other) return undefined;

    const groups = new GroupedTotals([...time.fields, ...toKeyColumns(other.fields)]);
    // Earlier rows had no value in this unit.
    groups.absorb(time.groups);
    return { fields: [], isTime: true, groups };
  }
}

/** Merges groups with those of another report; `undefined` if either was dropped. */
function merged(
  groups: GroupedTotals | undefined,
  other: GroupedTotals | undefined,
): GroupedTotals | undefined {
  if (!groups || !other) return undefined;
  groups.absorb(other);
  return groups;
}

/** Counts an empty text, but not null. */
function hasAnyValue(batch: RowBatch, field: string): boolean {
  return valuesOf(batch, field).some((value) => value !== null && value !== undefined);
}

/** Returns the noun for one row: `campaign`, `day`, `hour`, `week`, `month`, `window`. */
export function rowNoun(unit: Unit, dateUnit: DateUnit): string {
  if (!unit.isTime) return unitNoun(unit);
  return unit.fields.includes('hour') ? 'hour' : dateUnit;
}

/** Returns `campaign`, `postal code`; the field name for fields unknown to the vocabulary. */
export function unitNoun({ breakdown, fields }: Unit): string {
  return breakdown ? nounOf(breakdown) : fields.map(fieldLabel).join(', ');
}
