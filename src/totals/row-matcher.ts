import { readTime } from '../contract/values.ts';
import { formatInstant } from '../query/calendar.ts';
import type { KeyColumn } from '../query/file-columns.ts';
import { buildBatch } from '../rows/build-batch.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { RowKeys } from '../rows/row-keys.ts';
import type { Comparison } from './comparison.ts';
import { isTimeField } from './group-keys.ts';
import { type Group, GroupedTotals, type Sums } from './grouped-totals.ts';
import { moveTime, type Step, stepAt, stepNumber } from './time-axis.ts';

/** A row that occurs only in the earlier report. */
export interface EndedRow {
  readonly fields: ReadonlyMap<string, string | null>;
  readonly before: Sums;
}

/**
 * Matches the rows of two reports by their breakdowns. Days and hours match by their position in
 * the period.
 */
export class RowMatcher {
  readonly #by: readonly KeyColumn[];

  /** Rows of the earlier report, shifted to the times of this report. */
  readonly #groups: readonly Group[];
  readonly #keys = new RowKeys();
  readonly #matched = new Set<Group>();

  /** Latest batch, with its sums in the earlier report. */
  #latest: { readonly batch: RowBatch; readonly sums: readonly (Sums | undefined)[] } | undefined;

  /**
   * @param rows rows of the earlier report
   * @param step period that each time represents
   */
  constructor(comparison: Comparison, rows: GroupedTotals, step: Step) {
    this.#by = rows.by;
    this.#groups = [...moveTimes(rows, comparison, step)];
    const fields = this.#by.map(({ field }) => field);
    const values = this.#groups.map(({ key }) => key.map((text) => JSON.stringify(text)));
    const batch = buildBatch(fields, values, 0);
    // Rows whose keys differ in trailing spaces do not match. The earlier row then counts as ended.
    this.#keys.add(batch, { fields: this.#by, hasConsecutiveOwners: true }, () => {});
  }

  /** Returns the earlier sums of each row. A new row has none. */
  match(batch: RowBatch): readonly (Sums | undefined)[] {
    if (this.#latest?.batch === batch) return this.#latest.sums;

    const sums = new Array<Sums | undefined>(batch.rowCount).fill(undefined);
    this.#keys.find(batch, { fields: this.#by }, (row, owner) => {
      const group = this.#groups[owner - 1];
      if (group) this.#matched.add(group);
      sums[row] = group?.sums;
    });
    this.#latest = { batch, sums };
    return sums;
  }

  /** Returns the rows of the earlier report that no row has matched. */
  ended(): EndedRow[] {
    const ended = this.#groups.filter((group) => !this.#matched.has(group));
    return ended.map(({ key, sums }) => {
      const fields = new Map(this.#by.map(({ field }, i) => [field, key[i] ?? null]));
      // An hour includes its date.
      const hour = fields.get('hour');
      if (hour) fields.set('date', hour.slice(0, 10));
      return { fields, before: sums };
    });
  }
}

/**
 * Moves the rows of the earlier report to the same position in this report's period. A row keeps
 * its time if this period has no such position.
 */
function moveTimes(rows: GroupedTotals, windows: Comparison, step: Step): GroupedTotals {
  const { until, zone } = windows.now;
  const last = stepAt(until, zone, step);
  const move = (text: string): string => {
    const time = readTime(text);
    const place = time && moveTime(time, step, windows);
    if (!place || stepNumber(place, step) > last) return text;
    const { instantMs, wallMs, isDay } = place;
    if (isDay) return new Date(wallMs).toISOString().slice(0, 10);
    return instantMs === undefined ? text : formatInstant(instantMs / 1_000, zone);
  };

  const moved = new GroupedTotals(rows.by);
  moved.addFields(rows.metrics);
  const known = new Map<string, string>();
  for (const { key, sums } of rows) {
    const movedKey = rows.by.map(({ field }, i) => {
      const text = key[i] ?? null;
      if (text === null || !isTimeField(field)) return text;
      const time = known.get(text) ?? move(text);
      known.set(text, time);
      return time;
    });
    moved.add(movedKey, sums);
  }
  return moved;
}
