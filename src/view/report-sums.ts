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
  readonly groups: Grouping | undefined;
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

interface Entry {
  readonly unit: Unit;
  /** `none` until a row has a value, `many` once there are more values than are kept. */
  groups: Grouping | 'none' | 'many';
}

/**
 * Sums a report's rows as a whole, by each unit that has a value anywhere, and by time together with the first other
 * unit. Its memory is bounded, whatever the rows hold.
 */
export class ReportSums {
  readonly total = new Grouping();
  #entries: Entry[] | undefined;
  #course: Entry | undefined;

  /** Adds rows; `columns` are those that are to be shown, `all` every key that rows have had so far. */
  observe(rows: readonly Row[], columns: Shown, all: readonly string[]): void {
    this.#entries ??= unitsOf(columns).map((unit) => ({ unit, groups: 'none' }));
    for (const entry of this.#entries) this.#add(entry, rows, all);
    this.#course ??= this.#beginCourse();
    if (this.#course) this.#add(this.#course, rows, all);
    this.total.observe(rows, all);
  }

  get units(): UnitSums[] {
    return (this.#entries ?? []).flatMap(({ unit, groups }) =>
      groups === 'none' ? [] : [{ unit, groups: groups === 'many' ? undefined : groups }],
    );
  }

  /** The sums by time (the first value of a key) and by the first other unit that has values; `undefined` where there are none. */
  get course(): Grouping | undefined {
    const groups = this.#course?.groups;
    return typeof groups === 'object' ? groups : undefined;
  }

  /** What another report with these breakdowns comes to for one value of a unit. */
  find({ fields }: Unit, { key }: Group) {
    const same = this.units.find(({ unit }) => unit.fields.join() === fields.join());
    return same?.groups?.find(key)?.sums;
  }

  #add(entry: Entry, rows: readonly Row[], all: readonly string[]): void {
    const { fields, isTime } = entry.unit;
    if (entry.groups === 'none' && rows.some((row) => fields.some((field) => (row[field] ?? null) !== null))) {
      entry.groups = new Grouping(fields);
      // The rows before had no value here.
      entry.groups.absorb(this.total);
    }
    if (typeof entry.groups === 'string') return;
    entry.groups.observe(rows, all);
    if (entry.groups.size > (isTime ? mostMoments : mostValues)) entry.groups = 'many';
  }

  #beginCourse(): Entry | undefined {
    const begun = this.units.map(({ unit }) => unit);
    const [time, other] = [begun.find(({ isTime }) => isTime), begun.find(({ isTime }) => !isTime)];
    return time && other && { unit: { fields: [...time.fields, ...other.fields], isTime: true }, groups: 'none' };
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
