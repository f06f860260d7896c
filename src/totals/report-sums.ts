import { breakdownOfField, deriveNoun, fieldLabel } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import { toKeyColumns } from '../query/file-columns.ts';
import { hasValue, type RowBatch } from '../rows/row-batch.ts';
import { type DateUnit, findRowKeys, findTimeKeys, isTimeField } from './group-keys.ts';
import { GroupedTotals } from './grouped-totals.ts';

/** Limits of groups and of their keys, for all breakdowns together. Eleven years of hours fit. */
const maxGroups = 100_000;
const maxCharacters = 16 * 1024 * 1024;

/** Sums by one breakdown (`campaignId` and `campaignName`), or by time. */
export interface Dimension {
  readonly fields: readonly string[];

  readonly isTime: boolean;

  /** Breakdown of the fields. Times and fields unknown to the vocabulary have none. */
  readonly breakdown?: Breakdown;

  /** Sums by value, unless there are too many values. */
  groups: GroupedTotals | undefined;
}

/** Sums by time and one breakdown. The time is the first value of each key. */
interface Trend {
  readonly dimension: Dimension;

  /** Not set if there are too many groups. */
  groups: GroupedTotals | undefined;
}

/** A column to show. Numeric columns are added up; the others are used for grouping. */
interface SummedColumn {
  readonly field: string;
  readonly numeric: boolean;
}

/**
 * Adds up a report as a whole, by each breakdown, and by time and the first other breakdown. Memory
 * is bounded.
 */
export class ReportSums {
  readonly total = new GroupedTotals();

  /** Rows by all breakdowns, if needed and not too many. */
  rows: GroupedTotals | undefined;

  /** Only set if the first rows have a time and other fields. */
  trend: Trend | undefined;

  /** Not set before the first rows arrive. */
  #dimensions: readonly Dimension[] | undefined;

  /**
   * @param options.keepsRows whether to keep all rows of an earlier report, to compare them one by
   * one
   */
  constructor({ keepsRows = false } = {}) {
    if (keepsRows) this.rows = new GroupedTotals(findRowKeys);
  }

  /** Adds the visible `columns` of a batch. */
  observe(batch: RowBatch, columns: readonly SummedColumn[]): void {
    if (!this.#dimensions) {
      this.#dimensions = listDimensions(columns);
      this.trend = startTrend(this.#dimensions, batch);
    }

    this.total.observe(batch);
    let groupCount = 0;
    let characters = 0;
    const add = (groups: GroupedTotals | undefined): GroupedTotals | undefined => {
      if (!groups) return undefined;
      groups.observe(batch);
      const { size, keyCharacters } = groups;
      if (groupCount + size > maxGroups || characters + keyCharacters > maxCharacters) {
        return undefined;
      }
      groupCount += size;
      characters += keyCharacters;
      return groups;
    };
    for (const dimension of this.#dimensions) dimension.groups = add(dimension.groups);
    if (this.trend) this.trend.groups = add(this.trend.groups);
    this.rows = add(this.rows);
  }

  /** Breakdowns with at least one value. */
  get dimensions(): readonly Dimension[] {
    return (this.#dimensions ?? []).filter(({ groups }) => {
      if (!groups) return true;
      return [...groups].some(({ key }) => key.some((text) => text !== null));
    });
  }

  /**
   * Finds the groups by a breakdown of another report, or returns `undefined` if this report lacks
   * the breakdown or has too many groups.
   */
  findGroups({ fields }: Pick<Dimension, 'fields'>): GroupedTotals | undefined {
    const dimension = this.#dimensions?.find((own) => own.fields.join() === fields.join());
    return dimension?.groups;
  }
}

function listDimensions(columns: readonly SummedColumn[]): Dimension[] {
  const dimensions = new Map<string, Dimension>();
  const textFields = columns.filter(({ numeric }) => !numeric).map(({ field }) => field);

  for (const field of textFields) {
    const name = isTimeField(field) ? 'time' : (breakdownOfField(field)?.name ?? `field ${field}`);
    if (!dimensions.has(name)) dimensions.set(name, buildDimension(field, textFields));
  }
  return [...dimensions.values()];
}

function buildDimension(field: string, textFields: readonly string[]): Dimension {
  if (isTimeField(field)) {
    const keys = findTimeKeys(textFields);
    const fields = keys.map((key) => key.field);
    return { fields, isTime: true, groups: new GroupedTotals(keys) };
  }

  const breakdown = breakdownOfField(field);
  const fields = breakdown ? breakdown.fields.map(({ name }) => name) : [field];
  return { fields, isTime: false, breakdown, groups: new GroupedTotals(toKeyColumns(fields)) };
}

/** Combines time with the first other breakdown that has values in the first rows. */
function startTrend(dimensions: readonly Dimension[], batch: RowBatch): Trend | undefined {
  const filled = dimensions.filter(({ fields }) => fields.some((field) => hasValue(batch, field)));
  const time = filled.find(({ isTime }) => isTime);
  const dimension = filled.find(({ isTime }) => !isTime);
  if (!time || !dimension) return undefined;
  return {
    dimension,
    groups: new GroupedTotals([...findTimeKeys(time.fields), ...toKeyColumns(dimension.fields)]),
  };
}

/** Returns the noun for a row: `campaign`, `day`, `hour`, `week`, `month`, `window`. */
export function rowNoun(dimension: Dimension, dateUnit: DateUnit): string {
  if (!dimension.isTime) return dimensionNoun(dimension);
  return dimension.fields.includes('hour') ? 'hour' : dateUnit;
}

/** Returns a noun such as `campaign`, or the name of an unknown field. */
export function dimensionNoun({ breakdown, fields }: Dimension): string {
  return breakdown ? deriveNoun(breakdown) : fields.map(fieldLabel).join(', ');
}
