import { fieldOfLabel, fieldTypeOf } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import type { IncompleteDataError } from '../errors.ts';
import { malformed, maxRowBytes } from './bytes.ts';
import { ZipParts } from './zip-parts.ts';

const rowEnd = '</row>';

/**
 * The rows of a sheet that adreport wrote, as JSON objects, one a line: the header's words mean fields again, dates and
 * hours (the wall time of the report's zone) are texts again. What was computed from other columns is left out.
 * @throws IncompleteDataError where it is a sheet of another program, or none; an error of any kind where it is damaged
 */
export async function* readSheetLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder();
  const parts = new ZipParts('xl/worksheets/sheet1.xml');
  const sheet = new SheetReader();
  for await (const piece of parts.read(bytes)) {
    const lines = sheet.read(decoder.decode(piece, { stream: true }));
    if (lines !== '') yield Buffer.from(lines);
  }
  sheet.end();
}

/** A column of the sheet that is no formula. */
interface SheetColumn {
  /** Its letters in the sheet. */
  readonly letters: string;

  readonly field: string;
}

/** A cell as it stands in the sheet. */
interface Cell {
  /** What stands behind its place in its tag. */
  readonly attributes: string;

  readonly content: string;
}

/** Reads the rows of a sheet from pieces of its XML. Each character is looked at a fixed number of times. */
class SheetReader {
  /** The columns, once the header has been read. */
  #columns: readonly SheetColumn[] | undefined;

  /** The pieces of a row whose end has not come. */
  #pieces: string[] = [];
  #length = 0;

  /** The rows that end in this piece, as lines of JSON. */
  read(xml: string): string {
    const seam = (this.#pieces.at(-1) ?? '').slice(1 - rowEnd.length);
    const hasRowEnd = (seam + xml).includes(rowEnd);
    this.#pieces.push(xml);
    this.#length += xml.length;
    if (!hasRowEnd) {
      this.#checkLength();
      return '';
    }

    const text = this.#pieces.join('');
    const end = text.lastIndexOf(rowEnd) + rowEnd.length;
    this.#pieces = [text.slice(end)];
    this.#length = text.length - end;
    return this.#linesOf(text.slice(0, end));
  }

  /** Throws where the sheet ended within a row. */
  end(): void {
    if (this.#pieces.join('').includes('<row ')) throw strangeSheet();
  }

  #checkLength(): void {
    if (this.#length <= maxRowBytes) return;
    throw malformed('A row of the sheet is longer than 8 MB', maxRowBytes);
  }

  #linesOf(xml: string): string {
    let lines = '';
    let at = xml.indexOf('<row ');
    while (at >= 0) {
      const start = xml.indexOf('>', at) + 1;
      const end = xml.indexOf(rowEnd, at);
      if (start <= 0 || start > end) throw strangeSheet();

      const cells = cellsOf(xml.slice(start, end));
      if (this.#columns) lines += `${objectOf(cells, this.#columns)}\n`;
      else this.#columns = columnsOf(cells);
      at = xml.indexOf('<row ', end);
    }
    return lines;
  }
}

function strangeSheet(): IncompleteDataError {
  return malformed('It is a sheet of another program', 0);
}

/** The cells of a row, by the letters of their columns. */
function cellsOf(row: string): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  let at = row.indexOf('<c ');
  while (at >= 0) {
    const tagEnd = row.indexOf('>', at);
    if (tagEnd < 0) throw strangeSheet();

    const isEmpty = row[tagEnd - 1] === '/';
    const tag = row.slice(at, isEmpty ? tagEnd - 1 : tagEnd);
    const place = /^<c r="([A-Z]{1,3})\d{1,7}"/.exec(tag);
    const end = isEmpty ? tagEnd : row.indexOf('</c>', tagEnd);
    if (!place || end < 0) throw strangeSheet();

    const attributes = tag.slice(place[0].length);
    const content = isEmpty ? '' : row.slice(tagEnd + 1, end);
    cells.set(place[1] ?? '', { attributes, content });
    at = row.indexOf('<c ', end);
  }
  return cells;
}

/** The columns that a header names, but for those that are formulas. */
function columnsOf(header: ReadonlyMap<string, Cell>): SheetColumn[] {
  if (header.size === 0) throw strangeSheet();

  const columns: SheetColumn[] = [];
  for (const [letters, cell] of header) {
    if (!isText(cell)) throw strangeSheet();
    const field = fieldOfLabel(textOf(cell.content));
    const isDerived = derivedMetrics.some((metric) => metric.field === field);
    if (!isDerived) columns.push({ letters, field });
  }
  return columns;
}

function objectOf(cells: ReadonlyMap<string, Cell>, columns: readonly SheetColumn[]): string {
  const members = columns.map(({ letters, field }) => {
    return `${JSON.stringify(field)}:${jsonOf(field, cells.get(letters))}`;
  });
  return `{${members.join(',')}}`;
}

function isText({ attributes }: Cell): boolean {
  return attributes.includes('t="inlineStr"');
}

function jsonOf(field: string, cell: Cell | undefined): string {
  if (!cell || cell.content === '') return 'null';
  if (isText(cell)) return JSON.stringify(textOf(cell.content));

  const number = /^<v>(-?[\d.]+(?:[eE][+-]?\d+)?)<\/v>$/.exec(cell.content)?.[1];
  if (number === undefined) throw strangeSheet();
  const type = fieldTypeOf(field);
  return type === 'date' || type === 'hour' ? timeJson(Number(number), type) : number;
}

/** The serial number of 1970-01-01. */
const serialOf1970 = 25_569;
const msPerDay = 86_400_000;

function timeJson(serial: number, type: 'date' | 'hour'): string {
  const time = new Date(Math.round((serial - serialOf1970) * msPerDay)).toISOString();
  return type === 'date' ? `"${time.slice(0, 10)}"` : `"${time.slice(0, 19)}+0000"`;
}

const characters = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
]);

function textOf(content: string): string {
  const text = /^<is><t[^>]*>(.*)<\/t><\/is>$/s.exec(content)?.[1] ?? '';
  return text
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters.get(name) ?? '')
    .replace(/_x([0-9A-F]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
