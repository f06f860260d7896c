import { breakdownOfField, fieldLabel, nounOf } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import type { Row } from '../rows/row-batch.ts';
import { type Group, Grouping, isTime, timeFieldOf } from './grouping.ts';

/** Of a breakdown with more values than this no sums are kept; of time, ten years of hours are. */
const mostValues = 50_000;
const mostMoments = 100_000;

/** Fields that belong together: what one breakdown adds to a row (`campaignId` and `campaignName`), or time. */
export interface Unit {
  readonly fields: readonly string[];
  readonly isTime: boolean;
  /** Absent for time, and for a field that the vocabulary does not know. */
  readonly breakdown?: Breakdown;
}

/** The sums of one unit's values; `undefined` where there are more than are kept. */
export interface UnitSums {
  readonly unit: Unit;
  groups: Grouping | undefined;
}

type Shown = readonly { readonly field: string; readonly numeric: boolean }[];

/** The units of the columns that hold no numbers, in their order. */
function unitsOf(columns: Shown): Unit[] {
  const units = new Map<string, Unit>();
  const fields = columns.flatMap(({ field, numeric }) => (numeric ? [] : [field]));
  for (const field of fields) {
    const breakdown = breakdownOfField(field);
    if (isTime(field)) units.set('time', { fields: timeFieldOf(fields), isTime: true });
    else if (!breakdown) units.set(`field ${field}`, { fields: [field], isTime: false });
    else units.set(breakdown.name, { fields: breakdown.fields.map(({ name }) => name), isTime: false, breakdown });
  }
  return [...units.values()];
}

/**
 * Sums a report's rows as a whole, by each unit that has a value anywhere, and by time together with the first other
 * unit. Its memory is bounded, whatever the rows hold.
 */
export class ReportSums {
  readonly total = new Grouping();
  #all: UnitSums[] | undefined;
  #course: UnitSums | undefined;

  /** Adds rows; `columns` are those that are to be shown, `all` every key that rows have had so far. */
  observe(rows: readonly Row[], columns: Shown, all: readonly string[]): void {
    this.#all ??= unitsOf(columns).map((unit) => ({ unit, groups: new Grouping(unit.fields) }));
    this.#course ??= this.#beginCourse(rows);
    for (const each of this.#course ? [...this.#all, this.#course] : this.#all) {
      each.groups?.observe(rows, all);
      if (each.groups && each.groups.size > (each.unit.isTime ? mostMoments : mostValues)) each.groups = undefined;
    }
    this.total.observe(rows, all);
  }

  get units(): readonly UnitSums[] {
    const isEmpty = ({ groups }: UnitSums) =>
      groups && [...groups].every(({ key }) => key.every((text) => text === null));
    return this.#all?.filter((each) => !isEmpty(each)) ?? [];
  }

  /** The sums by time (the first value of a key) and by the first other unit that has values; `undefined` where there are none. */
  get course(): Grouping | undefined {
    return this.#course?.groups;
  }

  /** What another report with these breakdowns comes to for one value of a unit. */
  find({ fields }: Unit, { key }: Group) {
    const same = this.#all?.find(({ unit }) => unit.fields.join() === fields.join());
    return same?.groups?.find(key)?.sums;
  }

  #beginCourse(rows: readonly Row[]): UnitSums | undefined {
    const begun = this.#all?.filter(({ unit }) =>
      unit.fields.some((field) => rows.some((row) => (row[field] ?? null) !== null)),
    );
    const [time, other] = [begun?.find(({ unit }) => unit.isTime), begun?.find(({ unit }) => !unit.isTime)];
    if (!time?.groups || !other) return undefined;
    const groups = new Grouping([...time.unit.fields, ...other.unit.fields]);
    // The rows before had no value here.
    groups.absorb(time.groups);
    return { unit: { fields: [], isTime: true }, groups };
  }
}

/** A group's name, and beside it what else is known of it: of a campaign its id. Neither is fit for a terminal yet. */
export function nameOfGroup(fields: readonly string[], { key }: Group): { name: string; detail: string } {
  const values = fields.flatMap((field, i) => (key[i] ? [{ field, value: key[i] }] : []));
  const named = values.find(({ field }) => /name$/i.test(field)) ?? values[0];
  const other = values.find((each) => each !== named);
  return { name: named?.value ?? '–', detail: other?.value ?? '' };
}

/** What a unit is called: `campaign`, `postal code`; a field that the vocabulary does not know by its own name. */
export function nounOfUnit({ breakdown, fields }: Unit): string {
  return breakdown ? nounOf(breakdown) : fields.map(fieldLabel).join(', ');
}
