import { fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import { derivedMetrics } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { RowBatch, Value } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { isTime } from '../../totals/group-keys.ts';
import type { SourceFile } from '../sources/source-file.ts';

/** Three integers per key: two of its hash, and the number of its file; 0 for a free slot. */
const slotWidth = 3;

/**
 * Finds rows that two files have, by a 64-bit hash of their days and keys, in a table that grows
 * when three quarters are full.
 */
export class SeenRows {
  readonly #files: SourceFile[] = [];
  readonly #firstDays: string[] = [];
  readonly #lastDays: string[] = [];

  /** Files of several days without dates. */
  readonly #undated: number[] = [];
  #slots = new Int32Array(slotWidth * 2 ** 13);
  #count = 0;

  begin(file: SourceFile): void {
    const same = this.#files.find(({ path }) => path === file.path);
    if (same) throw duplicateFileError(same);
    this.#files.push(file);
  }

  /**
   * Adds rows of the file that was begun last. Throws `UsageError` for a row that another file has.
   *
   * @param fields the columns of the file, without those of comparisons
   */
  add(batch: RowBatch, fields: readonly string[]): void {
    const number = this.#files.length;
    const file = this.#files[number - 1] as SourceFile;
    const day = fields.some(isTime) ? undefined : file.unit?.firstDay;
    const columns = keyFields(fields).map((field) => ({
      seed: hashOf(field, 0),
      values: valuesOf(batch, field),
    }));
    if (day !== undefined) {
      const values = Array<Value>(batch.rowCount).fill(day);
      columns.push({ seed: hashOf('date', 0), values });
    }
    this.#noteDays(number, batch, fields);

    for (let row = 0; row < batch.rowCount; row++) {
      let first = 1;
      let second = 1;
      for (const { seed, values } of columns) {
        const text = String(values[row] ?? '');
        if (text === '') continue;
        // A sum does not depend on the order of the columns.
        const hash = hashOf(text, seed);
        first = (first + hash) | 0;
        second = (second + Math.imul(hashOf(text, ~seed), 0x85ebca6b)) | 0;
      }
      const owner = this.#insert(first, second, number);
      if (owner !== number) throw this.#overlap(owner, number, { hasDays: this.#hasDays(number) });
    }
  }

  /** Throws `UsageError` for a file without dates, some of whose days are those of another. */
  end(): void {
    for (const number of this.#undated) {
      for (const other of this.#files.keys()) {
        if (other + 1 === number || this.#undated.includes(other + 1)) continue;
        const isBefore = (this.#lastDays[other + 1] ?? '') < (this.#firstDays[number] ?? '');
        const isAfter = (this.#firstDays[other + 1] ?? '~') > (this.#lastDays[number] ?? '');
        if (!isBefore && !isAfter) throw this.#overlap(other + 1, number, { hasDays: true });
      }
    }
  }

  #hasDays(number: number): boolean {
    return this.#firstDays[number] !== undefined;
  }

  #noteDays(number: number, batch: RowBatch, fields: readonly string[]): void {
    const { unit } = this.#files[number - 1] as SourceFile;
    const [timeField] = fields.filter(isTime);
    if (timeField === undefined) {
      if (!unit) return;
      this.#firstDays[number] = unit.firstDay;
      this.#lastDays[number] = unit.lastDay;
      const hasSeveralDays = unit.firstDay !== unit.lastDay;
      if (hasSeveralDays && !this.#undated.includes(number)) this.#undated.push(number);
      return;
    }

    let before: Value | undefined;
    for (const value of valuesOf(batch, timeField)) {
      if (value === before || typeof value !== 'string') continue;
      before = value;
      const day = value.slice(0, 10);
      if (day < (this.#firstDays[number] ?? '~')) this.#firstDays[number] = day;
      if (day > (this.#lastDays[number] ?? '')) this.#lastDays[number] = day;
    }
  }

  /** Adds a key unless it is there, and returns the number of its file. */
  #insert(first: number, second: number, number: number): number {
    if (4 * this.#count * slotWidth > 3 * this.#slots.length) this.#grow();
    const slots = this.#slots;
    const slotCount = slots.length / slotWidth;
    let at = ((first ^ (second >>> 15)) & (slotCount - 1)) * slotWidth;
    while (slots[at + 2] !== 0) {
      if (slots[at] === first && slots[at + 1] === second) return slots[at + 2] as number;
      at = (at + slotWidth) % slots.length;
    }
    slots[at] = first;
    slots[at + 1] = second;
    slots[at + 2] = number;
    this.#count += 1;
    return number;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    this.#count = 0;
    for (let at = 0; at < before.length; at += slotWidth) {
      const number = before[at + 2] as number;
      if (number !== 0) this.#insert(before[at] as number, before[at + 1] as number, number);
    }
  }

  #overlap(one: number, other: number, { hasDays }: { readonly hasDays: boolean }): UsageError {
    const names = [one, other].map((number) => printable(this.#files[number - 1]?.shown ?? ''));
    const both = names.join(' and ');
    const message = hasDays
      ? `${both} cover the same days, which would be counted twice.`
      : `${both} have the same keys and no dates, so they may cover the same days.`;
    return new UsageError(message, { hint: 'Remove one, or view them one at a time.' });
  }
}

function duplicateFileError({ shown }: SourceFile): UsageError {
  return new UsageError(`${printable(shown)} is given twice and would be counted twice.`, {
    hint: 'Give each file once.',
  });
}

/** Returns the columns that identify rows: all but metrics, and names beside an id. */
function keyFields(fields: readonly string[]): string[] {
  return fields.filter((field) => {
    const isComputed = derivedMetrics.some((metric) => metric.field === field);
    const isNameOfId = fields.includes(field.replace(/Name$/, 'Id')) && /Name$/.test(field);
    return !metricOfField(field) && !isComputed && !(isNameOfId && fieldTypeOf(field) === 'text');
  });
}

/** FNV-1a, mixed at its end. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return hash ^ (hash >>> 15);
}
