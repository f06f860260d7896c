import { parseDay, parseTimestamp } from '../contract/values.ts';
import { formatInstant } from '../query/calendar.ts';
import type { KeyColumn } from '../query/file-columns.ts';
import { readField } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { isTime, keyText } from './group-keys.ts';
import { type Group, GroupedTotals, type Sums } from './grouped-totals.ts';
import type { Comparison } from './report-metrics.ts';
import { type Step, stepNumber, stepsBetween, stepTime } from './time-axis.ts';

/** Row that only the earlier report has: its breakdowns, and its sums there. */
export interface EndedRow {
  readonly fields: ReadonlyMap<string, string | null>;
  readonly before: Sums;
}

/**
 * Matches the rows of a report with those of the earlier one: by their breakdowns, and days and
 * hours by their place in the window.
 */
export class RowMatcher {
  readonly #windows: Comparison['windows'];

  /** Unit of the rows' times. */
  readonly #step: Step;

  /** Steps from a time of the earlier report to the time in the same place of this one. */
  readonly #shift: number;

  /** Rows of the earlier report, with places instead of times. */
  readonly #before: GroupedTotals;

  readonly #matched = new Set<Group>();

  /** Latest batch, with its sums in the earlier report. */
  #latest: { readonly batch: RowBatch; readonly sums: readonly (Sums | undefined)[] } | undefined;

  /** @param rows those of the earlier report */
  constructor({ windows }: Comparison, rows: GroupedTotals, step: Step) {
    this.#windows = windows;
    this.#step = step;
    this.#shift = stepsBetween(windows, step);

    const { by, metrics } = rows;
    this.#before = new GroupedTotals(by);
    this.#before.addFields(metrics);
    for (const { key, sums } of rows) {
      const place = by.map((column, i) => this.#placeOf(column, key[i] ?? null, this.#shift));
      this.#before.add(place, sums);
    }
  }

  /** Returns the sums of each row in the earlier report; `undefined` for a new row. */
  match(batch: RowBatch): readonly (Sums | undefined)[] {
    if (this.#latest?.batch === batch) return this.#latest.sums;

    const columns = new Map(this.#before.by.map(({ field }) => [field, readField(batch, field)]));
    const sums: (Sums | undefined)[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      sums.push(this.find((field) => columns.get(field)?.[row]));
    }
    this.#latest = { batch, sums };
    return sums;
  }

  /** Returns the sums of a row in the earlier report; `undefined` for a new row. */
  find(valueIn: (field: string) => Value | undefined): Sums | undefined {
    const place = this.#before.by.map((column) => this.#placeOf(column, valueIn(column.field), 0));
    const group = this.#before.find(place);
    if (group) this.#matched.add(group);
    return group?.sums;
  }

  /** Returns the rows of the earlier report that no row has matched. */
  ended(): EndedRow[] {
    const ended: EndedRow[] = [];
    for (const group of this.#before) {
      if (this.#matched.has(group)) continue;

      const fields = new Map<string, string | null>();
      for (const [i, { field }] of this.#before.by.entries()) {
        const text = group.key[i] ?? null;
        const time = isTime(field) ? this.#timeAt(text) : text;
        // An hour includes its date.
        if (field === 'hour') fields.set('date', time?.slice(0, 10) ?? null);
        fields.set(field, time);
      }
      ended.push({ fields, before: group.sums });
    }
    return ended;
  }

  /** Returns the number of a time's step, moved by some steps; other text is unchanged. */
  #placeOf({ field }: KeyColumn, value: Value | undefined, shift: number): string | null {
    const text = keyText(value);
    const isText = text === null || (parseDay(text) ?? parseTimestamp(text)) === undefined;
    if (isText || !isTime(field)) return text;
    return String(stepNumber(text, this.#step) + shift);
  }

  /** Returns the time of a place in this window or, if it is too short, in the earlier one. */
  #timeAt(place: string | null): string | null {
    if (place === null || !/^-?\d+$/.test(place)) return place;

    const isInside = Number(place) <= stepNumber(this.#windows.until, this.#step);
    const step = isInside ? Number(place) : Number(place) - this.#shift;
    if (this.#step === 'hour') return formatInstant(step * 3_600, this.#windows.zone);
    return stepTime(step, this.#step).toISOString().slice(0, 10);
  }
}
