import stringWidth from 'string-width';
import { OutputError } from '../../errors.ts';
import { letterN, minus, nine, openBrace, openBracket, quote, zero } from '../../rows/ascii.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { DecimalSum } from '../../view/decimal-sum.ts';
import { ByteDictionary } from '../bytes/byte-dictionary.ts';
import { compact } from '../bytes/json-bytes.ts';
import { dayOf, exactDouble, momentOf, numberText, plainNumber, wallTimeOf } from '../bytes/typed-value.ts';
import type { PlannedColumn } from '../columns.ts';
import { styleOf } from './workbook.ts';
import { xmlText } from './xml-text.ts';

/** So many characters a cell holds. */
const longestText = 32_767;

/** Of so many distinct values their cells are kept, so that each is made once. */
const keptCells = 8192;

/** The serial number of 1970-01-01, and of the first day from which on all spreadsheets agree. */
const serialOf1970 = 25_569;
const firstSerial = 61;

/**
 * A column of a sheet: its letters, how wide it should be, its cells and their sum. Cells are XML (ECMA-376), each
 * with its place.
 */
export class SheetColumn {
  readonly planned: PlannedColumn;
  readonly letters: string;
  /** Characters of the widest of the cells so far, and of the header. */
  width: number;
  /** The sum of the numbers, for metrics. */
  readonly total: DecimalSum | undefined;
  /** How many values of a metric stand as text, because they are no numbers, or none that a cell holds exactly. */
  textCount = 0;
  readonly #numberStyle: number;
  readonly #known = new ByteDictionary();
  readonly #cells: string[] = [];

  /** @param index counted from 0 */
  constructor(planned: PlannedColumn, index: number) {
    this.planned = planned;
    this.letters = lettersOf(index);
    this.width = stringWidth(planned.name);
    this.total = planned.numeric ? new DecimalSum() : undefined;
    this.#numberStyle = styleOf(planned.type === 'money' ? 'money' : 'integer');
  }

  /**
   * The cell of a value in a row of the sheet; nothing for null.
   * @throws OutputError for a text that is too long for a cell
   */
  cellOf(batch: RowBatch, view: DataView, start: number, end: number, sheetRow: number): string {
    const { bytes } = batch;
    const first = bytes[start];
    if (first === letterN) return '';
    if (this.total) {
      const number = exactNumberText(bytes, start, end);
      if (number !== undefined) return this.#numberCell(number, this.total, sheetRow);
      // An empty string says as little as null.
      if (end - start > 2) this.textCount++;
    }
    const code = this.#known.codeOf(view, start, end, true);
    if (code === this.#cells.length) this.#cells.push(this.#makeCell(bytes, start, end, sheetRow));
    const cell = `<c r="${this.letters}${sheetRow}"${this.#cells[code]}`;
    if (this.#cells.length >= keptCells) {
      this.#known.clear();
      this.#cells.length = 0;
    }
    return cell;
  }

  /**
   * The cell at the foot of the column: the sum of its cells, from row 2 on; nothing where it has none.
   * @param label stands there instead of a sum
   */
  totalCell(sheetRow: number, label: string | undefined): string {
    const { total, letters } = this;
    const place = `<c r="${letters}${sheetRow}" s="${styleOf(label === undefined && total ? this.#totalStyle : 'total')}"`;
    if (label !== undefined) return `${place}${textCell(label)}`;
    if (!total) return `${place}/>`;
    const sum = total.toString();
    this.#widen(Math.ceil(1.3 * sum.length));
    return `${place}><f>SUM(${letters}2:${letters}${sheetRow - 1})</f><v>${sum}</v></c>`;
  }

  /** The cell of row 1: the column's name. */
  headerCell(): string {
    return `<c r="${this.letters}1" s="${styleOf(this.total ? 'numberHeader' : 'header')}"${textCell(this.planned.name)}`;
  }

  #numberCell(number: string, total: DecimalSum, sheetRow: number): string {
    total.add(number);
    // With a separator for each three digits.
    this.#widen(Math.ceil(1.3 * number.length));
    return `<c r="${this.letters}${sheetRow}" s="${this.#numberStyle}"><v>${number}</v></c>`;
  }

  get #totalStyle() {
    return this.planned.type === 'money' ? 'totalMoney' : 'totalInteger';
  }

  /** The rest of a cell, after its place: what the same value is in any row. */
  #makeCell(bytes: Buffer, start: number, end: number, sheetRow: number): string {
    const { type, name } = this.planned;
    const first = bytes[start] as number;
    const json = bytes.toString('utf8', start, end);
    if (type === undefined && (first === minus || (first >= zero && first <= nine))) {
      const number = exactNumberText(bytes, start, end);
      if (number !== undefined) {
        this.#widen(number.length);
        return `><v>${number}</v></c>`;
      }
    }
    const text =
      first === quote
        ? String(JSON.parse(json))
        : first === openBrace || first === openBracket
          ? compacted(bytes, start, end)
          : json;
    if (text === '') return '/>';
    const time = wallDayOf(type, text);
    if (time !== undefined && time + serialOf1970 >= firstSerial) {
      const kind = type === 'date' || type === 'wallTime' ? type : 'hour';
      this.#widen({ date: 10, hour: 16, wallTime: 19 }[kind]);
      return ` s="${styleOf(kind)}"><v>${time + serialOf1970}</v></c>`;
    }
    if (text.length > longestText) {
      throw new OutputError(
        `Row ${sheetRow - 1}: ${printable(name)} has ${text.length} characters, and a cell of Excel holds 32,767.`,
        {
          code: 'TOO_LARGE',
          hint: 'Choose the other columns with --columns, or write CSV or Parquet.',
        },
      );
    }
    this.#widen(stringWidth(text));
    return textCell(text);
  }

  #widen(characters: number): void {
    if (characters > this.width) this.width = characters;
  }
}

function textCell(text: string): string {
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  return ` t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}

/** The text of a number that a spreadsheet holds as it is. */
function exactNumberText(bytes: Buffer, start: number, end: number): string | undefined {
  if (Number.isNaN(plainNumber(bytes, start, end))) {
    const text = numberText(bytes, start, end);
    return text === undefined || exactDouble(text) === undefined ? undefined : text;
  }
  const isString = bytes[start] === quote;
  return bytes.toString('latin1', isString ? start + 1 : start, isString ? end - 1 : end).replace(',', '.');
}

function compacted(bytes: Buffer, start: number, end: number): string {
  const out = Buffer.allocUnsafe(end - start);
  return out.toString('utf8', 0, compact(out, 0, bytes, start, end));
}

/** Days since 1970, with their fraction, that the clocks of the report's zone showed. */
function wallDayOf(type: PlannedColumn['type'], text: string): number | undefined {
  if (type === 'date') return dayOf(text);
  const wallMs = type === 'hour' ? momentOf(text)?.wallMs : type === 'wallTime' ? wallTimeOf(text) : undefined;
  return wallMs === undefined ? undefined : wallMs / 86_400_000;
}

/** A to Z, AA to ZZ, AAA … */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}
