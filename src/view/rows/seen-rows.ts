import { fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import { derivedMetrics } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { RowBatch, Value } from '../../rows/row-batch.ts';
import { RowKeys } from '../../rows/row-keys.ts';
import { printable } from '../../text/printable.ts';
import { isTime } from '../../totals/group-keys.ts';
import type { SourceFile } from '../sources/source-file.ts';

/** Finds rows that two files have, by their days and keys. */
export class SeenRows {
  readonly #files: SourceFile[] = [];
  readonly #firstDays: string[] = [];
  readonly #lastDays: string[] = [];

  /** Files of several days without dates. */
  readonly #undated: number[] = [];
  readonly #keys = new RowKeys();

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
    this.#noteDays(number, batch, fields);
    this.#keys.add(batch, { fields: keyFields(fields), day, owner: number }, (_row, owner) => {
      if (owner !== number) throw this.#overlap(owner, number, { hasDays: this.#hasDays(number) });
    });
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
