import { parseDay, parseTimestamp } from '../contract/values.ts';
import { readField } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';

/** Maximum number of times to remember: eleven years of hours. */
export const maxTimes = 100_000;

/** Rows with the same date and hour. */
export interface RowTime {
  /** Values as received, or null if there is no such column. */
  readonly date: Value;
  readonly hour: Value;

  /** Days since 1970, or `undefined` for an invalid date. */
  readonly day: number | undefined;

  /** Instant and wall time of the hour, or `undefined` for an invalid hour. */
  readonly timestamp: ReturnType<typeof parseTimestamp>;

  /** 1-based. */
  readonly firstRow: number;

  rowCount: number;
}

/** Collects the distinct times of a report. */
export class RowTimes {
  hasHours = false;

  readonly #times = new Map<string, RowTime>();

  get all(): Iterable<RowTime> {
    return this.#times.values();
  }

  observe(batch: RowBatch): void {
    const { fields, firstRow, rowCount } = batch;
    if (!fields.includes('date') && !fields.includes('hour')) return;
    this.hasHours ||= fields.includes('hour');

    const dates = readField(batch, 'date');
    const hours = readField(batch, 'hour');
    let time: RowTime | undefined;
    for (let row = 0; row < rowCount; row++) {
      const date = dates[row] ?? null;
      const hour = hours[row] ?? null;
      // Consecutive rows often have the same time.
      const isSame = time && time.date === date && time.hour === hour;
      if (!isSame) time = this.#readTime(date, hour, firstRow + row + 1);
      if (time) time.rowCount += 1;
    }
  }

  /** Returns `undefined` for a new time once the limit is reached. */
  #readTime(date: Value, hour: Value, firstRow: number): RowTime | undefined {
    const key = `${date} ${hour}`;
    const known = this.#times.get(key);
    if (known || this.#times.size >= maxTimes) return known;

    const day = typeof date === 'string' ? parseDay(date) : undefined;
    const timestamp = typeof hour === 'string' ? parseTimestamp(hour) : undefined;
    const time = { date, hour, day, timestamp, firstRow, rowCount: 0 };
    this.#times.set(key, time);
    return time;
  }
}
