import { fieldTypeOf } from '../../contract/columns.ts';
import { isNoValue } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import type { CsvCells } from '../../rows/csv-rows.ts';
import { quoted } from '../../text/printable.ts';
import { plainDay, slashDay } from './date-forms.ts';
import {
  decideNumbers,
  NumberColumn,
  type NumberReading,
  type NumberReadings,
  plainNumber,
} from './number-forms.ts';

// A CSV is first read to find the forms of its cells. If they are those of another program, it is
// read again with the forms that were decided.

/** A cell's text with its row, counted from 1. */
interface DateCell {
  readonly text: string;
  readonly row: number;
}

/** Collects evidence on the forms of dates in a column. */
class DateColumn {
  readonly field: string;

  /** True if a text has the form of another program. */
  isForeign = false;

  /** The first day with slashes, and the first that has its day, or its month, first. */
  #first: DateCell | undefined;
  #dayFirst: DateCell | undefined;
  #monthFirst: DateCell | undefined;

  constructor(field: string) {
    this.field = field;
  }

  observe(text: string, row: number): void {
    if (/^\d{4}-\d\d-\d\d$/.test(text) || isNoValue(text)) return;
    this.isForeign = true;
    const { dayFirst, monthFirst } = slashDay(text) ?? {};
    if (dayFirst === undefined && monthFirst === undefined) return;
    this.#first ??= { text, row };
    if (dayFirst === undefined) this.#monthFirst ??= { text, row };
    if (monthFirst === undefined) this.#dayFirst ??= { text, row };
  }

  /** Throws `UsageError` for a column in which no order of day and month, or both, fit each row. */
  expectOneOrder(): void {
    const { field } = this;
    const hint = 'Write the dates as 2026-08-01, or leave out what needs them.';
    const one = this.#dayFirst;
    const other = this.#monthFirst;
    if (one && other) {
      const dayFirst = `row ${one.row}, ${quoted(one.text)}, is ${slashDay(one.text)?.dayFirst}`;
      const monthFirst = `row ${other.row}, ${quoted(other.text)}, is ${slashDay(other.text)?.monthFirst}`;
      throw new UsageError(
        `The ${field} of ${dayFirst} with the day first, and ${monthFirst} with the month first.`,
        { hint },
      );
    }
    if (!this.#first || one || other) return;
    const { text, row } = this.#first;
    const { dayFirst, monthFirst } = slashDay(text) ?? {};
    throw new UsageError(
      `The ${field} of row ${row}, ${quoted(text)}, could be ${monthFirst} or ${dayFirst}, and no row decides.`,
      { hint },
    );
  }

  /** The day of a text as `2026-08-01`; `undefined` if it is ambiguous or unreadable. */
  dayOf(text: string): string | undefined {
    const slashes = slashDay(text);
    if (!slashes) return plainDay(text);
    if ((this.#dayFirst === undefined) === (this.#monthFirst === undefined)) return undefined;
    return this.#dayFirst ? slashes.dayFirst : slashes.monthFirst;
  }
}

/** Finds the forms of the cells of a file. */
export class CellSurvey implements CsvCells {
  readonly #columns = new Map<string, SurveyedColumn>();
  readonly #numbers: NumberColumn[] = [];
  readonly #dates = new Map<string, DateColumn>();

  /** Sentences on numbers, once it is decided how they are read. */
  numberRemarks: Pick<NumberReadings, 'warnings' | 'notes'> = { warnings: [], notes: [] };

  /** The first id that is a power of ten. */
  #roundedId: { readonly field: string; readonly text: string } | undefined;
  #hasMarkInside = false;
  #isExcelDialect = false;
  #row = 0;

  describe(dialect: { readonly delimiter: string; readonly hasMark: boolean }): void {
    this.#isExcelDialect = dialect.delimiter === ';' && dialect.hasMark;
  }

  /** Records a cell, and returns its text unchanged. */
  read(field: string, text: string, row: number): string | undefined {
    this.#row = row;
    if (text.startsWith('\ufeff')) {
      this.#hasMarkInside = true;
      return this.read(field, text.slice(1), row) ?? text.slice(1);
    }
    const { type, observe } = this.#columnOf(field);
    observe?.(text, row);
    return type !== 'text' && isNothing(text) ? '' : undefined;
  }

  get rowCount(): number {
    return this.#row;
  }

  /** A sentence on ids that another program has rounded; `undefined` if there are none. */
  get idWarning(): string | undefined {
    if (!this.#roundedId) return undefined;
    const { field, text } = this.#roundedId;
    return `${field} ${quoted(text)}: the ids were rounded by another program, so that the rows of several may be one.`;
  }

  /**
   * The way to read the file again; `undefined` if the first reading was right.
   * @param needsDates true if the request has days, weeks, months or a period
   * @throws UsageError for ambiguous cells
   */
  decide(needsDates: boolean): CellReading | undefined {
    const dates = [...this.#dates.values()];
    if (needsDates) for (const column of dates) column.expectOneOrder();

    const numbers = decideNumbers(this.#numbers, this.#isExcelDialect);
    this.numberRemarks = numbers;
    const hasForeignDates = dates.some(({ isForeign }) => isForeign);
    const isAsWritten = numbers.readings.size === 0 && !hasForeignDates && !this.#hasMarkInside;
    return isAsWritten ? undefined : new CellReading(numbers.readings, this.#dates);
  }

  #columnOf(field: string): SurveyedColumn {
    let column = this.#columns.get(field);
    if (!column) {
      column = this.#surveyed(field);
      this.#columns.set(field, column);
    }
    return column;
  }

  #surveyed(field: string): SurveyedColumn {
    const type = fieldTypeOf(field);
    if (type === 'integer' || type === 'money') {
      const numbers = new NumberColumn(field);
      this.#numbers.push(numbers);
      return { type, observe: (text, row) => numbers.observe(text, row) };
    }
    if (type === 'date') {
      const dates = new DateColumn(field);
      this.#dates.set(field, dates);
      return { type, observe: (text, row) => dates.observe(text, row) };
    }
    if (type !== 'id') return { type };
    return {
      type,
      observe: (text) => {
        if (!this.#roundedId && isRounded(text)) this.#roundedId = { field, text };
      },
    };
  }
}

/** How the cells of a column are looked at. */
interface SurveyedColumn {
  readonly type: ReturnType<typeof fieldTypeOf>;
  readonly observe?: (text: string, row: number) => void;
}

/** Reads cells in the forms that were decided. */
export class CellReading implements CsvCells {
  readonly #numbers: ReadonlyMap<string, NumberReading>;
  readonly #dates: ReadonlyMap<string, DateColumn>;

  constructor(numbers: ReadonlyMap<string, NumberReading>, dates: ReadonlyMap<string, DateColumn>) {
    this.#numbers = numbers;
    this.#dates = dates;
  }

  describe(): void {}

  read(field: string, text: string): string | undefined {
    const value = text.startsWith('\ufeff') ? text.slice(1) : text;
    const number = this.#numbers.get(field);
    if (number && value !== '')
      return isNothing(value) ? '' : (plainNumber(value, number) ?? value);

    const dates = this.#dates.get(field);
    if (dates && !isNoValue(value)) return dates.dayOf(value) ?? value;
    return value;
  }
}

/** True for “no value” in the forms of other programs. */
function isNothing(text: string): boolean {
  return text.trim() === '--' || (text !== '' && isNoValue(text));
}

/** `1.2E+17`: a long id after a spreadsheet has rounded it. */
export function isRounded(text: string): boolean {
  return /^\d(?:[.,]\d+e\+?|e\+)\d+$/i.test(text.trim());
}
