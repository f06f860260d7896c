import { fieldTypeOf } from '../../contract/columns.ts';
import { dayOf, numberTextOf, parseTimestamp } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { notCents, toCents, valuesOf } from '../../rows/column-values.ts';
import { type RowBatch, textsOf, type Value } from '../../rows/row-batch.ts';
import { quoted } from '../../text/printable.ts';
import { isBlankCell, jsonForm, plainFileHint, readNumber } from './read-cells.ts';

/** Columns that a question uses. */
export interface UsedColumns {
  readonly metrics: readonly string[];

  /** Dates and hours that rows are grouped or chosen by. */
  readonly times: readonly string[];

  /** Ids that rows are grouped or chosen by. */
  readonly ids: readonly string[];

  /** Set if money is added up. */
  readonly hasMoney: boolean;
}

export interface CheckedFile {
  readonly shown: string;

  /** In a CSV, another program may have changed the form of ids. */
  isCsv(): boolean;

  nameOf(field: string): string;
  placeOf(row: number): string;
}

/** Ids of campaigns, ads and creatives. */
const numericIds = ['campaignId', 'adId', 'creativeId'];

/** Throws `UsageError` for the first cell of a used column that may have two readings. */
export class CellCheck {
  #file: CheckedFile | undefined;

  /** Dates and hours already read. */
  readonly #times = new Set<Value | undefined>();

  /** Ids as written, by column and digits. */
  readonly #ids = new Map<string, string>();
  readonly #currencies = new Set<string>();

  begin(file: CheckedFile): void {
    this.#file = file;
  }

  /** @param rows indexes of the rows that are added up */
  expectPlain(batch: RowBatch, used: UsedColumns, rows: Iterable<number>): void {
    for (const field of used.times) this.#expectTimes(batch, field);
    for (const field of used.ids) this.#expectIds(batch, field);
    for (const field of used.metrics) this.#expectNumbers(batch, field);
    if (used.hasMoney) this.#expectOneCurrency(batch, rows);
  }

  #expectNumbers(batch: RowBatch, field: string): void {
    const type = fieldTypeOf(field) ?? 'money';
    const cents = toCents(batch, field);
    let jsonTexts: readonly (string | undefined)[] | undefined;
    for (const [row, number] of cents.entries()) {
      const isWhole = number % 100 === 0;
      const isUsual = number !== notCents && (type !== 'integer' || isWhole);
      if (isUsual || Number.isNaN(number)) continue;

      jsonTexts ??= textsOf(batch, field);
      const json = jsonTexts[row] ?? 'null';
      const text: string = json.startsWith('"') ? JSON.parse(json) : json;
      if (readNumber(text, type, jsonForm) !== undefined) continue;
      const isFraction = type === 'integer' && numberTextOf(text) !== undefined;
      const problem = isFraction ? 'is not a whole number' : 'is not a plain number';
      throw this.#refusal(batch, { field, row, text, problem });
    }
  }

  #expectTimes(batch: RowBatch, field: string): void {
    if (!batch.fields.includes(field)) return;
    const isHour = fieldTypeOf(field) === 'hour';
    for (const [row, value] of valuesOf(batch, field).entries()) {
      if (this.#times.has(value)) continue;
      const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
      const isRead = isHour ? parseTimestamp(text) !== undefined : dayOf(text) !== undefined;
      const isEmpty = value === null || value === undefined || isBlankCell(text);
      if (!isRead && !isEmpty) {
        const hasNoDay = isHour && !/^\d{4}-\d\d-\d\d/.test(text);
        const problem = hasNoDay ? 'has no day' : `is not ${isHour ? 'an hour' : 'a date'}`;
        throw this.#refusal(batch, { field, row, text, problem });
      }
      this.#times.add(value);
    }
  }

  #expectIds(batch: RowBatch, field: string): void {
    if (!numericIds.includes(field)) return;
    for (const [row, value] of valuesOf(batch, field).entries()) {
      if (value === null || value === undefined) continue;
      const text = String(value);
      const isRounded =
        /^\d+(?:[.,]\d+)?e\+?\d+$/i.test(text) ||
        (typeof value === 'number' && !Number.isSafeInteger(Math.trunc(value)));
      if (isRounded) {
        const problem = 'was rounded by another program';
        throw this.#refusal(batch, { field, row, text, problem });
      }
      if (this.#file?.isCsv()) this.#expectOneForm(batch, { field, row, text });
    }
  }

  #expectOneForm(batch: RowBatch, { field, row, text }: Omit<RefusedCell, 'problem'>): void {
    const digits = text
      .trim()
      .replace(/\.0+$/, '')
      .replace(/^0+(?=\d)/, '');
    const id = `${field} ${digits}`;
    const known = this.#ids.get(id);
    if (known === undefined) this.#ids.set(id, text);
    else if (known !== text) {
      const problem = `may be the same ID as ${quoted(known)}`;
      throw this.#refusal(batch, { field, row, text, problem });
    }
  }

  #expectOneCurrency(batch: RowBatch, rows: Iterable<number>): void {
    const field = batch.fields.find((name) => name.toLowerCase() === 'currency');
    if (field === undefined) return;
    const values = valuesOf(batch, field);
    for (const row of rows) {
      const text = String(values[row] ?? '');
      if (isBlankCell(text) || this.#currencies.has(text)) continue;
      const [first] = this.#currencies;
      if (first !== undefined) {
        const problem = `is a different currency from ${quoted(first)}`;
        const hint = `Choose one: --filter ${field}=${first}`;
        throw this.#refusal(batch, { field, row, text, problem, hint });
      }
      this.#currencies.add(text);
    }
  }

  #refusal(batch: RowBatch, { field, row, text, problem, hint }: RefusedCell): UsageError {
    const place = this.#file?.placeOf(batch.firstRow + row + 1);
    const column = `${this.#file?.shown}, ${place}: ${this.#file?.nameOf(field)}`;
    return new UsageError(`${column} ${quoted(text)} ${problem}.`, {
      code: 'UNREADABLE_CELL',
      hint: hint ?? hintOf(field, problem),
    });
  }
}

interface RefusedCell {
  readonly field: string;

  /** Index in the batch. */
  readonly row: number;
  readonly text: string;

  /** End of the sentence. */
  readonly problem: string;
  readonly hint?: string;
}

function hintOf(field: string, problem: string): string {
  if (problem !== 'has no day') return plainFileHint;
  return `${plainFileHint} An ${field} is written as 2026-08-01T09:00:00+0200.`;
}
