import { dayOf, parseTimestamp } from '../contract/values.ts';
import { formatInstant } from '../query/calendar.ts';
import { valuesOf } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { isTime, keyText } from './group-keys.ts';
import { type Group, GroupedTotals, type Sums } from './grouped-totals.ts';
import type { Comparison } from './report-metrics.ts';
import { type Step, stepNumber, stepTime } from './time-axis.ts';

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
  readonly #comparison: Comparison;

  /** Unit of the rows' times. */
  readonly #step: Step;

  /** Rows of the earlier report, with places instead of times. */
  readonly #before: GroupedTotals;

  readonly #matched = new Set<Group>();

  /** Latest batch, with its sums in the earlier report. */
  #latest: { readonly batch: RowBatch; readonly sums: readonly (Sums | undefined)[] } | undefined;

  /** @param rows those of the earlier report */
  constructor(comparison: Comparison, rows: GroupedTotals, step: Step) {
    this.#comparison = comparison;
    this.#step = step;

    const { by, metrics } = rows;
    this.#before = new GroupedTotals(by);
    this.#before.addFields(metrics);
    for (const { key, sums } of rows) {
      const places = by.map(({ field }, i) => {
        const text = key[i] ?? null;
        return isTime(field) ? this.#placeOf(text, 'before') : text;
      });
      this.#before.add(places, sums);
    }
  }

  /** Returns the sums of each row in the earlier report; `undefined` for a new row. */
  match(batch: RowBatch): readonly (Sums | undefined)[] {
    if (this.#latest?.batch === batch) return this.#latest.sums;

    const columns = new Map(this.#before.by.map(({ field }) => [field, valuesOf(batch, field)]));
    const sums: (Sums | undefined)[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      sums.push(this.find((field) => columns.get(field)?.[row]));
    }
    this.#latest = { batch, sums };
    return sums;
  }

  /** Returns the sums of a row in the earlier report; `undefined` for a new row. */
  find(valueIn: (field: string) => Value | undefined): Sums | undefined {
    const key = this.#before.by.map(({ field }) => {
      const value = valueIn(field);
      return isTime(field) ? this.#placeOf(value, 'now') : keyText(value);
    });
    const group = this.#before.find(key);
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

  /** Counts the steps from the beginning of the window to a time; other text is unchanged. */
  #placeOf(value: Value | undefined, window: 'now' | 'before'): string | null {
    const text = keyText(value);
    if (text === null || (dayOf(text) ?? parseTimestamp(text)) === undefined) return text;
    return String(stepNumber(text, this.#step) - this.#firstStep(window));
  }

  /** Returns the time of a place in this window or, if it is too short, in the earlier one. */
  #timeAt(place: string | null): string | null {
    if (place === null || !/^-?\d+$/.test(place)) return place;

    const { until } = this.#comparison.windows;
    const step = this.#firstStep('now') + Number(place);
    const isInside = step <= stepNumber(until, this.#step);
    return this.#formatStep(isInside ? step : this.#firstStep('before') + Number(place));
  }

  #firstStep(window: 'now' | 'before'): number {
    return stepNumber(this.#comparison.windows[window], this.#step);
  }

  #formatStep(step: number): string {
    if (this.#step === 'hour') {
      return formatInstant(step * 3_600, this.#comparison.windows.zone);
    }
    return stepTime(step, this.#step).toISOString().slice(0, 10);
  }
}
