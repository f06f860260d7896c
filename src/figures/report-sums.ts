import { breakdownOfField, fieldLabel, fieldTypeOf, nounOf } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import { valuesOf } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import {
  type DateUnit,
  type Group,
  Grouping,
  isTime,
  type KeyColumn,
  type Sums,
  timeFieldOf,
} from './grouping.ts';

/** Of a breakdown with more values than this no sums are kept; of time, ten years of hours are. */
const mostValues = 50_000;
const mostMoments = 100_000;

/**
 * So many values all breakdowns may have together, and so many characters in them: of those beyond,
 * no sums are kept.
 */
const mostValuesInAll = 300_000;
const mostCharactersInAll = 16 * 1024 * 1024;

/**
 * Fields that belong together, what one breakdown adds to a row (`campaignId` and `campaignName`)
 * or time, and their sums.
 */
export interface Unit {
  readonly fields: readonly string[];

  readonly isTime: boolean;

  /** Absent for time, and for a field that the vocabulary does not know. */
  readonly breakdown?: Breakdown;

  /** `undefined` where there are more values than are kept. */
  groups: Grouping | undefined;
}

/** A column of a report, as far as it matters whether it is added up or grouped by. */
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
    return { fields, isTime: true, groups: new Grouping(fields) };
  }

  const breakdown = breakdownOfField(field);
  const fields = breakdown ? breakdown.fields.map(({ name }) => name) : [field];
  return { fields, isTime: false, breakdown, groups: new Grouping(keyColumnsOf(fields)) };
}

/** The columns that groups have: where the first one is an id, the others only describe it. */
function keyColumnsOf(fields: readonly string[]): KeyColumn[] {
  const [first, ...others] = fields;
  if (first === undefined) return [];
  if (fieldTypeOf(first) !== 'id') return fields.map((field) => ({ field }));
  return [{ field: first }, ...others.map((field) => ({ field, describes: first }))];
}

/**
 * Sums a report's rows as a whole, by each unit that has a value anywhere, and by time together
 * with the first other unit. Its memory is bounded, whatever the rows hold.
 */
export class ReportSums {
  readonly total = new Grouping();

  /** `undefined` until the first rows come. */
  #units: readonly Unit[] | undefined;

  /** Time together with another unit; `undefined` until rows have a value in both. */
  #course: Unit | undefined;

  /** Adds the rows of a batch; `columns` are those that are to be shown. */
  observe(batch: RowBatch, columns: readonly SummedColumn[]): void {
    this.#units ??= unitsOf(columns);
    this.#course ??= this.#beginCourse(batch);

    const units = this.#course ? [...this.#units, this.#course] : this.#units;
    let valuesInAll = 0;
    let charactersInAll = 0;
    for (const unit of units) {
      if (!unit.groups) continue;
      unit.groups.observeBatch(batch);

      const { size, keyCharacters } = unit.groups;
      const values = valuesInAll + size;
      const characters = charactersInAll + keyCharacters;
      const most = unit.isTime ? mostMoments : mostValues;
      const isWithinAll = values <= mostValuesInAll && characters <= mostCharactersInAll;
      if (size > most || !isWithinAll) {
        unit.groups = undefined;
        continue;
      }
      valuesInAll = values;
      charactersInAll = characters;
    }
    this.total.observeBatch(batch);
  }

  /** Adds the sums of another report with the same columns. */
  absorb(other: ReportSums): void {
    this.#units ??= other.#units?.map((unit) => ({
      ...unit,
      groups: unit.groups && new Grouping(unit.groups.by),
    }));
    for (const unit of this.#units ?? []) unit.groups = joined(unit.groups, other.groupsOf(unit));
    if (other.#course) {
      this.#course ??= { ...other.#course, groups: new Grouping(other.#course.groups?.by) };
      this.#course.groups = joined(this.#course.groups, other.#course.groups);
    }
    this.total.absorb(other.total);
  }

  /** The units that have a value anywhere. */
  get units(): readonly Unit[] {
    return (this.#units ?? []).filter(({ groups }) => {
      if (!groups) return true;
      return [...groups].some(({ key }) => key.some((text) => text !== null));
    });
  }

  /**
   * The sums by time (the first value of a key) and by the first other unit that has values;
   * `undefined` where there are none.
   */
  get course(): Grouping | undefined {
    return this.#course?.groups;
  }

  /**
   * The sums of a group of another report, by the same unit of this one; `undefined` where this one
   * has no such group.
   */
  find({ fields }: Pick<Unit, 'fields'>, { key }: Pick<Group, 'key'>): Sums | undefined {
    return this.groupsOf({ fields })?.find(key)?.sums;
  }

  /**
   * The groups of this report by the unit of another one; `undefined` where this one has no such
   * unit, or too many groups.
   */
  groupsOf({ fields }: Pick<Unit, 'fields'>): Grouping | undefined {
    const unit = this.#units?.find((each) => each.fields.join() === fields.join());
    return unit?.groups;
  }

  #beginCourse(batch: RowBatch): Unit | undefined {
    const filled = (this.#units ?? []).filter(({ fields }) => {
      return fields.some((field) => hasAnything(batch, field));
    });
    const time = filled.find((unit) => unit.isTime);
    const other = filled.find((unit) => !unit.isTime);
    if (!time?.groups || !other) return undefined;

    const groups = new Grouping([...time.fields, ...keyColumnsOf(other.fields)]);
    // The rows before had no value here.
    groups.absorb(time.groups);
    return { fields: [], isTime: true, groups };
  }
}

/** Groups with those of another report; `undefined` if either has more than are kept. */
function joined(groups: Grouping | undefined, other: Grouping | undefined): Grouping | undefined {
  if (!groups || !other) return undefined;
  groups.absorb(other);
  return groups;
}

/** Whether a row has anything in a field but null; an empty text is something. */
function hasAnything(batch: RowBatch, field: string): boolean {
  return valuesOf(batch, field).some((value) => value !== null && value !== undefined);
}

/** The unit that tells the rows of a report apart, where it is one. */
export function onlyUnit({ units }: ReportSums): Unit | undefined {
  const [unit, another] = units;
  return another ? undefined : unit;
}

/**
 * What a row is, where a unit tells it from the others: `campaign`, `day`, `hour`, `week`, `month`,
 * `window`.
 */
export function nounOfRow(unit: Unit, dateUnit: DateUnit): string {
  if (!unit.isTime) return nounOfUnit(unit);
  return unit.fields.includes('hour') ? 'hour' : dateUnit;
}

/**
 * What a unit is called: `campaign`, `postal code`; a field that the vocabulary does not know by
 * its own name.
 */
export function nounOfUnit({ breakdown, fields }: Unit): string {
  return breakdown ? nounOf(breakdown) : fields.map(fieldLabel).join(', ');
}
