import { fieldLabel } from '../../contract/columns.ts';
import { dayOf, exactDouble, momentOf, numberTextOf, wallTimeOf } from '../../contract/values.ts';
import { OutputError } from '../../errors.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { derivedInRow, type FigureColumn } from '../../view/figure-columns.ts';
import { keyText } from '../../view/grouping.ts';
import type { PlannedColumn } from '../columns.ts';
import { widthOf } from '../table/table-layout.ts';
import { lettersOf, type StyleName, styleOf, textCell } from './workbook.ts';

/** So many characters a cell holds. */
const longestText = 32_767;

/** Of so many different texts of a column their cells are kept, so that each is made once. */
const keptCells = 8192;

/** The serial number of 1970-01-01, and of the first day from which on all spreadsheets agree. */
const serialOf1970 = 25_569;
const firstSerial = 61;

/** Columns are as wide as their contents, between these. */
const narrowest = 8;
const widest = 45;

/** A column of a sheet: its cells as XML (ECMA-376) and how wide it should be. */
export class ReportColumn {
  readonly #field: string;
  readonly #name: string;
  /** The name in words. */
  readonly label: string;
  readonly #type: PlannedColumn['type'];
  readonly #numeric: boolean;
  readonly #figure: FigureColumn | undefined;
  readonly #letters: string;
  readonly #cells = new Map<string, string>();
  /** Characters of the widest of the cells so far. */
  #characters = 0;

  /**
   * @param index counted from 0
   * @param figure for a column that is computed from those of the row
   */
  constructor({ field, name, type, numeric }: PlannedColumn, index: number, figure?: FigureColumn) {
    this.#field = field;
    this.#name = name;
    this.label = fieldLabel(name);
    this.#type = type;
    this.#numeric = numeric || figure?.derived !== undefined;
    this.#figure = figure?.derived ? figure : undefined;
    this.#letters = lettersOf(index);
  }

  /** The column's width in characters: the words of a header may stand one below the other. */
  get width(): number {
    const words = this.label.split(' ').map((word) => widthOf(word));
    // The button of the filter takes three.
    return Math.min(widest, Math.max(narrowest, this.#characters + 2, ...words.map((word) => word + 3)));
  }

  /** The cell of row 1: the column's name in words. */
  headerCell(): string {
    return `<c r="${this.#letters}1" s="${styleOf(this.#numeric ? 'numberHeader' : 'header')}"${textCell(this.label)}`;
  }

  /**
   * The cell of a row of the sheet; nothing for null.
   * @throws OutputError for a text that is too long for a cell
   */
  cellOf(row: Row, sheetRow: number): string {
    const place = `<c r="${this.#letters}${sheetRow}"`;
    if (this.#figure) return this.#derivedCell(this.#figure, row, place);
    const value = row[this.#field];
    if (value === null || value === undefined) return '';
    if (this.#numeric || (this.#type === undefined && typeof value === 'number')) {
      const number = numberTextOf(value);
      if (number !== undefined && exactDouble(number) !== undefined) {
        // With a separator for each three digits.
        this.#widen(Math.ceil(1.3 * Math.max(number.length, 4)));
        const style = this.#numeric ? ` s="${styleOf(this.#type === 'money' ? 'money' : 'integer')}"` : '';
        return `${place}${style}><v>${number}</v></c>`;
      }
    }
    const text = keyText(value) ?? '';
    let rest = this.#cells.get(text);
    if (rest === undefined) {
      rest = this.#makeCell(text, sheetRow);
      if (this.#cells.size < keptCells) this.#cells.set(text, rest);
    }
    return place + rest;
  }

  #derivedCell(figure: FigureColumn, row: Row, place: string): string {
    const value = derivedInRow(figure, row);
    if (value === undefined) return '';
    this.#widen(8);
    const [style, shown]: [StyleName, number] = figure.type === 'percent' ? ['percent', value / 100] : ['money', value];
    return `${place} s="${styleOf(style)}"><v>${Number(shown.toPrecision(15))}</v></c>`;
  }

  /** The rest of a cell, after its place: what the same text is in any row. */
  #makeCell(text: string, sheetRow: number): string {
    if (text === '') return '/>';
    const time = this.#wallDayOf(text);
    if (time !== undefined && time + serialOf1970 >= firstSerial) {
      const kind = this.#type === 'date' || this.#type === 'wallTime' ? this.#type : 'hour';
      this.#widen({ date: 10, hour: 16, wallTime: 19 }[kind]);
      return ` s="${styleOf(kind)}"><v>${time + serialOf1970}</v></c>`;
    }
    if (text.length > longestText) {
      throw new OutputError(
        `Row ${sheetRow - 1}: ${printable(this.#name)} has ${text.length} characters, and a cell of Excel holds 32,767.`,
        {
          code: 'TOO_LARGE',
          hint: 'Choose the other columns with --columns, or write CSV or Parquet.',
        },
      );
    }
    this.#widen(widthOf(text.slice(0, widest)));
    return textCell(text);
  }

  /** Days since 1970, with their fraction, that the clocks of the report's zone showed. */
  #wallDayOf(text: string): number | undefined {
    if (this.#type === 'date') return dayOf(text);
    const wallMs =
      this.#type === 'hour' ? momentOf(text)?.wallMs : this.#type === 'wallTime' ? wallTimeOf(text) : undefined;
    return wallMs === undefined ? undefined : wallMs / 86_400_000;
  }

  #widen(characters: number): void {
    if (characters > this.#characters) this.#characters = characters;
  }
}
