import { breakdownOfField, fieldLabel, nounOf } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import type { Row } from '../rows/row-batch.ts';
import { type Group, Grouping, isTime, timeFieldOf } from './grouping.ts';

/** Of a breakdown with more values than this no sums are kept; of time, ten years of hours are. */
const mostValues = 50_000;
const mostMoments = 100_000;

/** Fields that belong together, what one breakdown adds to a row (`campaignId` and `campaignName`) or time, and their sums. */
export interface Unit {
  readonly fields: readonly string[];
  readonly isTime: boolean;
  /** Absent for time, and for a field that the vocabulary does not know. */
  readonly breakdown?: Breakdown;
  /** `undefined` where there are more values than are kept. */
  groups: Grouping | undefined;
}

type Shown = readonly { readonly field: string; readonly numeric: boolean }[];

function unitsOf(columns: Shown): Unit[] {
  const units = new Map<string, Unit>();
  const texts = columns.flatMap(({ field, numeric }) => (numeric ? [] : [field]));
  for (const field of texts) {
    const isTimeField = isTime(field);
    const breakdown = isTimeField ? undefined : breakdownOfField(field);
    const fields = isTimeField
      ? timeFieldOf(texts)
      : (breakdown?.fields.map(({ name }) => name) ?? [field]);
    const name = isTimeField ? 'time' : (breakdown?.name ?? `field ${field}`);
    if (!units.has(name))
      units.set(name, { fields, isTime: isTimeField, breakdown, groups: new Grouping(fields) });
  }
  return [...units.values()];
}

/**
 * Sums a report's rows as a whole, by each unit that has a value anywhere, and by time together with the first other
 * unit. Its memory is bounded, whatever the rows hold.
 */
export class ReportSums {
  readonly total = new Grouping();
  #all: Unit[] | undefined;
  #course: Unit | undefined;

  /** Adds rows; `columns` are those that are to be shown, `all` every key that rows have had so far. */
  observe(rows: readonly Row[], columns: Shown, all: readonly string[]): void {
    this.#all ??= unitsOf(columns);
    this.#course ??= this.#beginCourse(rows);
    for (const unit of this.#course ? [...this.#all, this.#course] : this.#all) {
      unit.groups?.observe(rows, all);
      if (unit.groups && unit.groups.size > (unit.isTime ? mostMoments : mostValues))
        unit.groups = undefined;
    }
    this.total.observe(rows, all);
  }

  /** The units that have a value anywhere. */
  get units(): readonly Unit[] {
    const isEmpty = ({ groups }: Unit) =>
      groups && [...groups].every(({ key }) => key.every((text) => text === null));
    return this.#all?.filter((unit) => !isEmpty(unit)) ?? [];
  }

  /** The sums by time (the first value of a key) and by the first other unit that has values; `undefined` where there are none. */
  get course(): Grouping | undefined {
    return this.#course?.groups;
  }

  find({ fields }: Unit, { key }: Group) {
    return this.#all?.find((unit) => unit.fields.join() === fields.join())?.groups?.find(key)?.sums;
  }

  #beginCourse(rows: readonly Row[]): Unit | undefined {
    const hasValue = (field: string) => rows.some((row) => (row[field] ?? null) !== null);
    const begun = this.#all?.filter(({ fields }) => fields.some(hasValue));
    const [time, other] = [
      begun?.find(({ isTime }) => isTime),
      begun?.find(({ isTime }) => !isTime),
    ];
    if (!time?.groups || !other) return undefined;
    const groups = new Grouping([...time.fields, ...other.fields]);
    // The rows before had no value here.
    groups.absorb(time.groups);
    return { fields: [], isTime: true, groups };
  }
}

/** A group's name, and beside it what else is known of it: of a campaign its id. Neither is fit for a terminal yet. */
export function nameOfGroup(
  fields: readonly string[],
  { key }: Group,
): { name: string; detail: string } {
  const values = fields.flatMap((field, i) => (key[i] ? [{ field, value: key[i] }] : []));
  const named = values.find(({ field }) => /name$/i.test(field)) ?? values[0];
  const other = values.find((each) => each !== named);
  return { name: named?.value ?? '–', detail: other?.value ?? '' };
}

/** What a unit is called: `campaign`, `postal code`; a field that the vocabulary does not know by its own name. */
export function nounOfUnit({ breakdown, fields }: Unit): string {
  return breakdown ? nounOf(breakdown) : fields.map(fieldLabel).join(', ');
}
