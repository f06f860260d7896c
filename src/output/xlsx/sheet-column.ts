import { fieldLabel } from '../../contract/columns.ts';
import { dayOf, exactDouble, momentOf, numberTextOf, wallTimeOf } from '../../contract/values.ts';
import { OutputError } from '../../errors.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { keyText } from '../../view/grouping.ts';
import { type PlannedColumn, valueIn } from '../columns.ts';
import { widthOf } from '../table/table-layout.ts';
import { lettersOf, type StyleName, styleOf, textCell } from './workbook.ts';

const longestText = 32_767;

/** The serial number of 1970-01-01, and of the first day from which on all spreadsheets agree. */
const serialOf1970 = 25_569;
const firstSerial = 61;

/** Columns are as wide as their contents, between these. */
const narrowest = 8;
const widest = 45;

/** A column of a sheet: its cells as XML (ECMA-376) and how wide it should be. */
export class SheetColumn {
  readonly label: string;
  readonly #planned: PlannedColumn;
  readonly #letters: string;
  #characters = 0;

  constructor(planned: PlannedColumn, index: number) {
    this.label = fieldLabel(planned.name);
    this.#planned = planned;
    this.#letters = lettersOf(index);
  }

  /** The column's width in characters: the words of a header may stand one below the other. */
  get width(): number {
    const words = this.label.split(' ').map((word) => widthOf(word));
    // The button of the filter takes three.
    return Math.min(widest, Math.max(narrowest, this.#characters + 2, ...words.map((word) => word + 3)));
  }

  headerCell(): string {
    const style = styleOf(this.#planned.numeric ? 'numberHeader' : 'header');
    return `<c r="${this.#letters}1" s="${style}"${textCell(this.label)}`;
  }

  /**
   * The cell of a row of the sheet; nothing for null.
   * @throws OutputError for a text that is too long for a cell
   */
  cellOf(row: Row, sheetRow: number): string {
    const { name, type, numeric, figure } = this.#planned;
    const value = valueIn(row, this.#planned);
    if (value === null || value === undefined) return '';
    const place = `<c r="${this.#letters}${sheetRow}"`;
    const number = numeric || (type === undefined && typeof value === 'number') ? numberTextOf(value) : undefined;
    if (number !== undefined && exactDouble(number) !== undefined) {
      // With a separator for each three digits.
      this.#widen(figure?.derived ? 8 : Math.ceil(1.3 * Math.max(number.length, 4)));
      const style = figure?.type ?? (numeric ? 'integer' : 'plain');
      return `${place} s="${styleOf(style)}"><v>${number}</v></c>`;
    }
    const text = keyText(value) ?? '';
    if (text === '') return `${place}/>`;
    const time = this.#timeOf(text);
    if (time && time.day + serialOf1970 >= firstSerial) {
      this.#widen(time.width);
      return `${place} s="${styleOf(time.style)}"><v>${time.day + serialOf1970}</v></c>`;
    }
    if (text.length > longestText) {
      throw new OutputError(
        `Row ${sheetRow - 1}: ${printable(name)} has ${text.length} characters, and a cell of Excel holds 32,767.`,
        { code: 'TOO_LARGE', hint: 'Choose the other columns with --columns, or write CSV or Parquet.' },
      );
    }
    this.#widen(widthOf(text.slice(0, widest)));
    return place + textCell(text);
  }

  /** Days since 1970, with their fraction, that the clocks of the report's zone showed. */
  #timeOf(text: string): { day: number; style: StyleName; width: number } | undefined {
    const { type } = this.#planned;
    const dayMs = 86_400_000;
    if (type === 'date') return timeCell(dayOf(text), 'date', 10);
    if (type === 'hour') return timeCell((momentOf(text)?.wallMs ?? Number.NaN) / dayMs, 'hour', 16);
    if (type === 'wallTime') return timeCell((wallTimeOf(text) ?? Number.NaN) / dayMs, 'wallTime', 19);
    return undefined;
  }

  #widen(characters: number): void {
    if (characters > this.#characters) this.#characters = characters;
  }
}

function timeCell(day: number | undefined, style: StyleName, width: number) {
  return day === undefined || Number.isNaN(day) ? undefined : { day, style, width };
}
