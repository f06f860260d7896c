import { breakdownOfField, fieldLabel, nounOf } from '../contract/columns.ts';
import type { Breakdown } from '../contract/vocabulary.ts';
import type { Row } from '../rows/row-batch.ts';
import { timeFieldOf } from './figures.ts';
import { type Group, Grouping, isMetric, isTime } from './grouping.ts';

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

/** The sums of one unit's values. */
export interface UnitSums {
  readonly unit: Unit;
  /** `undefined`: there are more than are kept. */
  readonly groups: Grouping | undefined;
}

/** A column as far as its rows are grouped by it: those of numbers are not. */
interface Shown {
  readonly field: string;
  readonly computed?: unknown;
}

/** The units of the columns that hold no figures, in their order. */
function unitsOf(columns: readonly Shown[]): Unit[] {
  const units = new Map<string, Unit>();
  const time = timeFieldOf(columns.map(({ field }) => field));
  for (const { field, computed } of columns) {
    if (isMetric(field) || computed) continue;
    const breakdown = breakdownOfField(field);
    if (isTime(field)) units.set('time', { fields: time, isTime: true });
    else if (breakdown) units.set(breakdown.name, { fields: namesOf(breakdown), isTime: false, breakdown });
    else units.set(`field ${field}`, { fields: [field], isTime: false });
  }
  return [...units.values()];
}

function namesOf({ fields }: Breakdown): string[] {
  return fields.map(({ name }) => name);
}

/** A unit while rows go by. */
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
  readonly #entries = new Map<string, Entry>();
  #columns: readonly Shown[] = [];
  #course: Entry | undefined;

  /** Adds rows; `columns` are those that are to be shown, `all` every key that rows have had so far. */
  observe(rows: readonly Row[], columns: readonly Shown[], all: readonly string[]): void {
    if (columns !== this.#columns) {
      this.#columns = columns;
      for (const unit of unitsOf(columns)) {
        const id = unit.fields.join();
        if (!this.#entries.has(id)) this.#entries.set(id, { unit, groups: 'none' });
      }
    }
    for (const entry of this.#entries.values()) this.#observeUnit(entry, rows, all);
    this.#course ??= this.#beginCourse();
    if (this.#course) this.#observeUnit(this.#course, rows, all);
    this.total.observe(rows, all);
  }

  /** The units that have values, in column order. */
  get units(): UnitSums[] {
    return [...this.#entries.values()].flatMap(({ unit, groups }) =>
      groups === 'none' ? [] : [{ unit, groups: groups === 'many' ? undefined : groups }],
    );
  }

  /** The sums by time (the first value of a key) and by the first other unit that has values; `undefined` where there are none. */
  get course(): { readonly unit: Unit; readonly groups: Grouping } | undefined {
    const { unit, groups = 'none' } = this.#course ?? {};
    return unit && typeof groups === 'object' ? { unit, groups } : undefined;
  }

  #observeUnit(entry: Entry, rows: readonly Row[], all: readonly string[]): void {
    const { unit } = entry;
    const hasValue = (row: Row) => unit.fields.some((field) => (row[field] ?? null) !== null);
    if (entry.groups === 'none' && rows.some(hasValue)) entry.groups = new Grouping(unit.fields, this.total);
    if (typeof entry.groups === 'string') return;
    entry.groups.observe(rows, all);
    if (entry.groups.size > (unit.isTime ? mostMoments : mostValues)) entry.groups = 'many';
  }

  #beginCourse(): Entry | undefined {
    const begun = [...this.#entries.values()].filter(({ groups }) => groups !== 'none').map(({ unit }) => unit);
    const [time, other] = [begun.find(({ isTime }) => isTime), begun.find(({ isTime }) => !isTime)];
    if (!time || !other) return undefined;
    const unit = { ...other, fields: [...time.fields, ...other.fields], isTime: true };
    return { unit, groups: new Grouping(unit.fields, this.total) };
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
