import { isUtf8 } from 'node:buffer';
import { type Parser, parse } from 'csv-parse';
import { fieldsOfHeader, fieldTypeOf } from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { lineFeed, malformed, maxRowBytes } from './bytes.ts';
import { maxFields } from './row-ranges.ts';
import { maxValueBytes } from './row-scanner.ts';

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Looks at the cells of a CSV, or changes them. */
export interface CsvCells {
  /** Called once, before the first cell. */
  describe(dialect: { readonly delimiter: string; readonly hasMark: boolean }): void;

  /**
   * The text that a cell is read as; `undefined` for its own.
   *
   * @param row counted from 1
   */
  read(field: string, text: string, row: number): string | undefined;
}

/** Lines are handed out when they have so many characters. */
const pieceLength = 64 * 1024;

/**
 * The rows of a CSV report as the JSON that the service would have sent, one object a line: null
 * for an empty field, a number where the field is a metric and the text a number, a string for the
 * rest (a DSP's money too, whose decimal comma makes it a string in JSON as well).
 * @param header takes the names of the columns, before the first row comes
 * @throws IncompleteDataError where it is not RFC 4180 in UTF-8, or is no report
 */
export async function* readCsvLines(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  header: string[],
  cells?: CsvCells,
): AsyncGenerator<Buffer> {
  const reader = new CsvReader(delimiter, header, cells);
  for await (const chunk of bytes) {
    reader.write(chunk);
    if (reader.lines.length >= pieceLength) yield reader.takeLines();
  }
  await reader.end();
  yield reader.takeLines();
}

/** A column of the CSV. */
interface CsvColumn {
  /** Its name as JSON, and the colon. */
  readonly key: string;

  /** Whether a text that is a number is one. */
  readonly isNumeric: boolean;
}

class CsvReader {
  /** The rows since the last `takeLines`, as JSON. */
  lines = '';

  readonly #header: string[];
  readonly #parser: Parser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #columns: readonly CsvColumn[] = [];
  #bytesSinceRow = 0;
  readonly #cells: CsvCells | undefined;
  readonly #recent = new RecentLines();
  #rowCount = 0;

  /** What the parser found wrong. */
  #failure: Error | undefined;

  constructor(delimiter: string, header: string[], cells: CsvCells | undefined) {
    this.#header = header;
    this.#cells = cells;
    this.#parser = parse({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
    });
    this.#parser.on('error', (error) => {
      this.#failure = error;
    });
  }

  write(chunk: Uint8Array): void {
    this.#recent.add(chunk);
    this.#checkText(chunk);
    this.#bytesSinceRow += chunk.length;
    // The parser has read the chunk when the call returns.
    this.#parser.write(chunk);
    this.#takeRecords();
  }

  async end(): Promise<void> {
    this.#checkText();
    await new Promise<void>((resolve) => this.#parser.end(() => resolve()));
    this.#takeRecords();
    if (this.#header.length === 0) checkHeader([]);
  }

  takeLines(): Buffer {
    const bytes = Buffer.from(this.lines);
    this.lines = '';
    return bytes;
  }

  /**
   * Throws where the bytes so far are not UTF-8; without a chunk, where they end within a
   * character.
   */
  #checkText(chunk?: Uint8Array): void {
    try {
      this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw this.#recent.notUtf8();
    }
  }

  #takeRecords(): void {
    let values = this.#parser.read();
    while (values !== null) {
      this.#bytesSinceRow = 0;
      if (this.#header.length === 0) this.#begin(values);
      else this.lines += this.#lineOf(values);
      values = this.#parser.read();
    }

    if (this.#failure) throw this.#recent.unreadable(this.#failure, this.#header.length);
    if (this.#bytesSinceRow > maxRowBytes) {
      throw malformed('The CSV has a line, or blank lines in a row, of over 8 MB');
    }
  }

  #begin(cells: readonly string[]): void {
    const names = fieldsOfHeader(cells);
    checkHeader(names);
    this.#header.push(...names);
    this.#columns = names.map((name) => {
      const type = fieldTypeOf(name);
      return {
        key: `${JSON.stringify(name)}:`,
        isNumeric: type === 'integer' || type === 'money',
      };
    });
  }

  #lineOf(values: readonly string[]): string {
    this.#rowCount += 1;
    const members = this.#columns.map(({ key, isNumeric }, i) => {
      const text = values[i] ?? '';
      const read = this.#cells?.read(this.#header[i] ?? '', text, this.#rowCount) ?? text;
      return key + jsonOf(read, isNumeric);
    });
    return `{${members.join(',')}}\n`;
  }
}

/** An error of the parser. */
interface ParserError extends Error {
  readonly code?: string;

  /** The line at which it was noticed, counted from 1. */
  readonly lines?: number;
  readonly record?: readonly string[];
}

/** The lines that were read last, for errors that quote them. */
class RecentLines {
  /** What came since the line break before the last piece. */
  #bytes: Buffer = Buffer.alloc(0);

  /** How many lines came before that. */
  #linesBefore = 0;

  add(chunk: Uint8Array): void {
    const end = this.#bytes.lastIndexOf(lineFeed);
    for (
      let at = this.#bytes.indexOf(lineFeed);
      at >= 0;
      at = this.#bytes.indexOf(lineFeed, at + 1)
    ) {
      this.#linesBefore += 1;
    }
    this.#bytes = Buffer.concat([this.#bytes.subarray(end + 1).subarray(0, maxRowBytes), chunk]);
  }

  notUtf8(): IncompleteDataError {
    const lines = this.#lines();
    const index = lines.findIndex((line) => !isUtf8(line));
    const line = lines[index];
    if (!line) return malformed('The CSV is not UTF-8');

    const number = this.#linesBefore + index + 1;
    const beginning = beginningOf(line.toString('latin1'));
    return brokenLine(
      `Line ${number} of the CSV is not UTF-8: it begins ${beginning}.`,
      'NOT_UTF8',
    );
  }

  unreadable(error: ParserError, columnCount: number): IncompleteDataError {
    const why = reasonOf(error, columnCount);
    const isCut = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const code = isCut ? 'TRUNCATED' : 'MALFORMED';
    const line = this.#lines()[(error.lines ?? 0) - this.#linesBefore - 1];
    if (!line) return brokenLine(`The CSV cannot be read: ${why}.`, code);
    const beginning = beginningOf(line.toString());
    const message = `Line ${error.lines} of the CSV cannot be read: ${why}. It begins ${beginning}.`;
    return brokenLine(message, code);
  }

  #lines(): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (
      let at = this.#bytes.indexOf(lineFeed);
      at >= 0;
      at = this.#bytes.indexOf(lineFeed, start)
    ) {
      lines.push(this.#bytes.subarray(start, at));
      start = at + 1;
    }
    return [...lines, this.#bytes.subarray(start)];
  }
}

function brokenLine(message: string, code: string): IncompleteDataError {
  return new IncompleteDataError(message, {
    code,
    retryable: code === 'TRUNCATED',
    hint: 'The service sends a malformed report: create it anew.',
  });
}

/** What is wrong with a line, in plain words. */
function reasonOf({ code, message, record }: ParserError, columnCount: number): string {
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return `it has ${formatPlural(record?.length ?? 0, 'cell')}, and the header has ${columnCount}`;
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return 'a quotation mark inside a cell is not doubled';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quotation mark is opened and never closed';
    default:
      return printable(message).slice(0, 300);
  }
}

function beginningOf(line: string): string {
  return `“${printable(line.trimEnd().slice(0, 80))}${line.length > 80 ? '…' : ''}”`;
}

/**
 * Throws unless a header names each column once, and at least one of them is a field of a report.
 */
function checkHeader(names: readonly string[]): void {
  if (names.length > maxFields) throw malformed(`The CSV header has over ${maxFields} columns`);

  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) {
    throw malformed(`The CSV header names ${JSON.stringify(printable(repeated))} twice`);
  }

  const isReport = names.some((name) => fieldTypeOf(name) !== undefined);
  if (isReport) return;
  const line = printable(names.join(', ').slice(0, 200));
  throw malformed(
    `This is neither JSON nor a CSV report: its first line names no field of a report, but says “${line}”`,
  );
}

function jsonOf(value: string, isNumeric: boolean): string {
  if (value === '') return 'null';
  if (value.length > maxValueBytes) throw malformed('The CSV has a value longer than 1 MB');
  return isNumeric && numberForm.test(value) ? value : JSON.stringify(value);
}

const usualDelimiters = [',', ';', '\t'];

/**
 * The delimiter of a CSV whose text begins so: the one of comma, semicolon and tab that its header
 * has most of.
 * @param isAny whether a header without these may have another one, as files of `--delimiter` do
 */
export function delimiterOf(head: Buffer, isAny: boolean): string {
  const withoutTexts = head.toString('latin1').replace(/"[^"]*"/g, '');
  const [line = ''] = withoutTexts.replace(/^[\r\n]+/, '').split(/[\r\n]/, 1);

  let usual = ',';
  let mostColumns = 0;
  for (const delimiter of usualDelimiters) {
    const columnCount = line.split(delimiter).length;
    if (columnCount <= mostColumns) continue;
    usual = delimiter;
    mostColumns = columnCount;
  }
  if (mostColumns > 1 || !isAny) return usual;

  const other = /[^\w\s\x80-\xff]/.exec(line) ?? / /.exec(line);
  return other?.[0] ?? usual;
}
