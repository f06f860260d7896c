import { isEmpty } from './empty-rows.ts';
import { RowKeys } from './row-keys.ts';
import { type RowBatch, toRanges } from './row-ranges.ts';

/** Maximum number of keys in memory. */
const maxRows = 1_000_000;

/** Finds rows with the key of an earlier row, among the first million rows. */
export class RepeatFinder {
  /** Number of rows with the key of an earlier row. */
  count = 0;

  /** 1-based index of the first row with the key of an earlier row, or 0 if there is none. */
  firstRow = 0;

  readonly #keyFields: readonly string[];
  readonly #ignoredFields: readonly string[];
  readonly #keys = new RowKeys();
  #rowsSeen = 0;

  /**
   * @param keyFields fields that identify a row; a row without a value in one of them has no key
   * @param ignoredFields fields that are not part of the key; all other fields with a value are
   */
  constructor(keyFields: readonly string[], ignoredFields: readonly string[]) {
    this.#keyFields = keyFields;
    this.#ignoredFields = ignoredFields;
  }

  /** Whether an hour had no offset. When clocks are set back, two hours have the same name. */
  get hasAmbiguousHours(): boolean {
    return this.#keys.hasAmbiguousHours;
  }

  /** Adds the keys of a batch. A batch without one of the key fields is skipped. */
  observe(batch: RowBatch): void {
    const keyIndexes = this.#keyFields.map((field) => batch.fields.indexOf(field));
    if (keyIndexes.includes(-1)) return;

    const inKey = batch.fields.filter((field) => !this.#ignoredFields.includes(field));
    const fields = inKey.map((field) => ({ field }));
    const rowCount = Math.min(batch.rowCount, maxRows - this.#rowsSeen);
    this.#rowsSeen += rowCount;
    const ranges = toRanges(batch);
    this.#keys.add(batch, { fields, rowCount }, (row) => {
      const lacksKey = keyIndexes.some((index) =>
        isEmpty(ranges, row * batch.fields.length + index),
      );
      if (lacksKey) return;
      this.count += 1;
      this.firstRow ||= batch.firstRow + row + 1;
    });
  }
}
