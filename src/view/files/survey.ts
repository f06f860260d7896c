import { fieldTypeOf } from '../../contract/columns.ts';
import { isNoValue } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { namesTotal } from '../../judge/total-check.ts';
import type { CsvCells } from '../../rows/csv-rows.ts';
import { quoted } from '../../text/printable.ts';
import { plainDay, slashDay } from './date-forms.ts';
import { decideNumbers, NumberColumn, type NumberReading, plainNumber } from './number-forms.ts';

// A CSV that another program has touched is read once to see how its cells are written, and, if
// they are not as this program writes them, once more as it was decided.

/** What the dates of a column prove. */
class DateColumn {
  readonly field: string;

  /** True as long as every day with slashes can have its day, or its month, first. */
  canBeDayFirst = true;
  canBeMonthFirst = true;
  hasSlashes = false;

  /** True if a text is not as this program writes it. */
  isForeign = false;

  /** The first text that has two readings, or none, with its row. */
  firstOpen: { readonly text: string; readonly row: number } | undefined;
  firstUnreadable: { readonly text: string; readonly row: number } | undefined;

  constructor(field: string) {
    this.field = field;
  }

  observe(text: string, row: number): void {
    if (/^\d{4}-\d\d-\d\d$/.test(text) || isNoValue(text) || namesTotal(text)) return;
    this.isForeign = true;
    const slashes = slashDay(text);
    if (!slashes) {
      if (plainDay(text) === undefined) this.firstUnreadable ??= { text, row };
      return;
    }

    this.hasSlashes = true;
    this.firstOpen ??= { text, row };
    if (slashes.dayFirst === undefined) this.canBeDayFirst = false;
    if (slashes.monthFirst === undefined) this.canBeMonthFirst = false;
  }

  /** Throws `UsageError` for a column whose days cannot be told. */
  expectReadable(): void {
    const { field, firstOpen, firstUnreadable } = this;
    if (firstUnreadable) throw notADay(field, firstUnreadable);
    if (!this.hasSlashes || !firstOpen || this.canBeDayFirst !== this.canBeMonthFirst) return;
    if (!this.canBeDayFirst) throw notADay(field, firstOpen);

    const { dayFirst, monthFirst } = slashDay(firstOpen.text) ?? {};
    throw new UsageError(
      `The ${field} of row ${firstOpen.row}, ${quoted(firstOpen.text)}, could be ${monthFirst} or ${dayFirst}, and no row decides.`,
      { hint: 'Write the dates as 2026-08-01, or leave out what needs them.' },
    );
  }

  /** The day of a text as `2026-08-01`; `undefined` if it cannot be told. */
  dayOf(text: string): string | undefined {
    const slashes = slashDay(text);
    if (!slashes) return plainDay(text);
    if (this.canBeDayFirst === this.canBeMonthFirst) return undefined;
    return this.canBeDayFirst ? slashes.dayFirst : slashes.monthFirst;
  }
}

function notADay(field: string, { text, row }: { text: string; row: number }): UsageError {
  return new UsageError(`The ${field} of row ${row}, ${quoted(text)}, is not a date.`, {
    hint: 'Write the dates as 2026-08-01, or leave out what needs them.',
  });
}

/** How the cells of a file are written. */
export class CellSurvey implements CsvCells {
  readonly #numbers = new Map<string, NumberColumn>();
  readonly #dates = new Map<string, DateColumn>();

  /** The first id that is a power of ten. */
  #roundedId: { readonly field: string; readonly text: string } | undefined;
  #hasMarkInside = false;
  #isExcelDialect = false;
  #row = 0;

  describe(dialect: { readonly delimiter: string; readonly hasMark: boolean }): void {
    this.#isExcelDialect = dialect.delimiter === ';' && dialect.hasMark;
  }

  /** Looks at a cell; its text is kept as it is. */
  read(field: string, text: string, row: number): string | undefined {
    this.#row = row;
    if (text.startsWith('\ufeff')) {
      this.#hasMarkInside = true;
      return this.read(field, text.slice(1), row) ?? text.slice(1);
    }
    const type = fieldTypeOf(field);
    if (type === 'integer' || type === 'money') this.#numberColumn(field, type).observe(text);
    if (type === 'date') this.#dateColumn(field).observe(text, row);
    if (type === 'id' && !this.#roundedId && isRounded(text)) this.#roundedId = { field, text };
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
   * How the file is to be read; `undefined` if it was read as it is to be.
   *
   * @param needsDates true if something is asked for by day, week, month or period
   * @throws UsageError for what has two readings
   */
  decide(needsDates: boolean): CellReading | undefined {
    const dates = [...this.#dates.values()];
    if (needsDates) for (const column of dates) column.expectReadable();

    const { readings, notes } = decideNumbers([...this.#numbers.values()], this.#isExcelDialect);
    const hasForeignDates = dates.some(({ isForeign }) => isForeign);
    if (readings.size === 0 && !hasForeignDates && !this.#hasMarkInside) return undefined;
    return new CellReading(readings, this.#dates, notes);
  }

  #numberColumn(field: string, type: 'integer' | 'money'): NumberColumn {
    const known = this.#numbers.get(field);
    if (known) return known;
    const column = new NumberColumn(field, type === 'integer');
    this.#numbers.set(field, column);
    return column;
  }

  #dateColumn(field: string): DateColumn {
    const known = this.#dates.get(field);
    if (known) return known;
    const column = new DateColumn(field);
    this.#dates.set(field, column);
    return column;
  }
}

/** Reads cells as it was decided. */
export class CellReading implements CsvCells {
  readonly notes: readonly string[];
  readonly #numbers: ReadonlyMap<string, NumberReading>;
  readonly #dates: ReadonlyMap<string, DateColumn>;

  constructor(
    numbers: ReadonlyMap<string, NumberReading>,
    dates: ReadonlyMap<string, DateColumn>,
    notes: readonly string[],
  ) {
    this.#numbers = numbers;
    this.#dates = dates;
    this.notes = notes;
  }

  describe(): void {}

  read(field: string, text: string): string | undefined {
    const value = text.startsWith('\ufeff') ? text.slice(1) : text;
    const number = this.#numbers.get(field);
    if (number && value !== '')
      return isNothing(value) ? '' : (plainNumber(value, number) ?? value);

    const dates = this.#dates.get(field);
    if (dates && !isNoValue(value) && !namesTotal(value)) return dates.dayOf(value) ?? '';
    return value;
  }
}

/** What other programs write for no value, beside what services do. */
function isNothing(text: string): boolean {
  return text.trim() === '--' || (text !== '' && isNoValue(text));
}

/** `1.2E+17`: a long id after a spreadsheet has shown it. */
export function isRounded(text: string): boolean {
  return /^\d(?:[.,]\d+)?e\+\d+$/i.test(text.trim());
}
