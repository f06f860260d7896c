import { breakdownOfField, deriveNoun, fieldLabel } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import { toKeyColumns } from '../query/file-columns.ts';
import { readField } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { type DateUnit, findTimeField, isTime, rowKeys } from './group-keys.ts';
import { type Group, GroupedTotals, type Sums } from './grouped-totals.ts';

/**
 * Limits of memory for all breakdowns together; those that exceed them have no sums. Eleven years
 * of hours fit.
 */
const maxGroups = 100_000;
const maxCharacters = 16 * 1024 * 1024;

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

function listUnits(columns: readonly SummedColumn[]): Unit[] {
  const units = new Map<string, Unit>();
  const textFields = columns.filter(({ numeric }) => !numeric).map(({ field }) => field);

  for (const field of textFields) {
    const name = isTime(field) ? 'time' : (breakdownOfField(field)?.name ?? `field ${field}`);
    if (!units.has(name)) units.set(name, buildUnit(field, textFields));
  }
  return [...units.values()];
}

function buildUnit(field: string, textFields: readonly string[]): Unit {
  if (isTime(field)) {
    const fields = findTimeField(textFields);
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

  /**
   * Sums by time (the first value of a key) and by the first other unit with values; `undefined`
   * if there are none.
   */
  trend: GroupedTotals | undefined;

  #hasTrend = false;

  /** `undefined` until the first rows arrive. */
  #units: readonly Unit[] | undefined;

  /** @param options.keepsRows for an earlier report whose rows are compared one by one */
  constructor({ keepsRows = false } = {}) {
    if (keepsRows) this.rows = new GroupedTotals(rowKeys);
  }

  /** Adds a batch; `columns` are those to be shown. */
  observe(batch: RowBatch, columns: readonly SummedColumn[]): void {
    this.#units ??= listUnits(columns);
    this.#startTrend(batch);

    this.total.observe(batch);
    const kept = { groups: 0, characters: 0 };
    const add = (groups: GroupedTotals | undefined): GroupedTotals | undefined => {
      groups?.observe(batch);
      return groups && fits(groups, kept) ? groups : undefined;
    };
    for (const unit of this.#units) unit.groups = add(unit.groups);
    this.trend = add(this.trend);
    this.rows = add(this.rows);
  }

  /** Adds the sums of another report with the same columns. */
  absorb(other: ReportSums): void {
    this.#units ??= other.#units?.map((unit) => ({
      ...unit,
      groups: unit.groups && new GroupedTotals(unit.groups.by),
    }));
    for (const unit of this.#units ?? []) unit.groups = merged(unit.groups, other.findGroups(unit));
    if (other.#hasTrend && !this.#hasTrend) {
      this.#hasTrend = true;
      this.trend = new GroupedTotals(other.trend?.by);
    }
    if (other.#hasTrend) this.trend = merged(this.trend, other.trend);
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
   * Returns the sums in this report of another report's group; `undefined` if it does not exist
   * here.
   */
  find({ fields }: Pick<Unit, 'fields'>, { key }: Pick<Group, 'key'>): Sums | undefined {
    return this.findGroups({ fields })?.find(key)?.sums;
  }

  /**
   * Returns the groups of this report by another report's unit; `undefined` if it has no such unit
   * or too many groups.
   */
  findGroups({ fields }: Pick<Unit, 'fields'>): GroupedTotals | undefined {
    const unit = this.#units?.find((own) => own.fields.join() === fields.join());
    return unit?.groups;
  }

  /** Begins the trend with the first rows that have values in time and in another unit. */
  #startTrend(batch: RowBatch): void {
    if (this.#hasTrend) return;
    const filled = (this.#units ?? []).filter(({ fields }) => {
      return fields.some((field) => hasAnyValue(batch, field));
    });
    const time = filled.find((unit) => unit.isTime);
    const other = filled.find((unit) => !unit.isTime);
    if (!time?.groups || !other) return;

    this.#hasTrend = true;
    this.trend = new GroupedTotals([...time.fields, ...toKeyColumns(other.fields)]);
    // Earlier rows had no value in this unit.
    this.trend.absorb(time.groups);
  }
}

/** Adds the size of groups to what is kept, unless that would be too much. */
function fits(
  { size, keyCharacters }: GroupedTotals,
  kept: { groups: number; characters: number },
): boolean {
  const groups = kept.groups + size;
  const characters = kept.characters + keyCharacters;
  if (groups > maxGroups || characters > maxCharacters) return false;

  kept.groups = groups;
  kept.characters = characters;
  return true;
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
  return readField(batch, field).some((value) => value !== null && value !== undefined);
}

/** Returns the noun for one row: `campaign`, `day`, `hour`, `week`, `month`, `window`. */
export function rowNoun(unit: Unit, dateUnit: DateUnit): string {
  if (!unit.isTime) return unitNoun(unit);
  return unit.fields.includes('hour') ? 'hour' : dateUnit;
}

/** Returns `campaign`, `postal code`; the field name for fields unknown to the vocabulary. */
export function unitNoun({ breakdown, fields }: Unit): string {
  return breakdown ? deriveNoun(breakdown) : fields.map(fieldLabel).join(', ');
}
