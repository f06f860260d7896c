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

/** Inspects or changes the cells of a CSV. */
export interface CsvCells {
  /** Called once, before the first cell. */
  describe(dialect: { readonly delimiter: string; readonly hasMark: boolean }): void;

  /**
   * A replacement for a cell's text; `undefined` to keep it.
   *
   * @param row counted from 1
   */
  read(field: string, text: string, row: number): string | undefined;
}

/** Lines are passed on in pieces of about this many characters. */
const pieceLength = 64 * 1024;

/**
 * The rows of a CSV report as the JSON that the service would have sent, one object per line: null
 * for an empty field, a number for a metric if the text is one, a string otherwise (including a
 * DSP's money, whose decimal comma makes it a string in JSON too).
 * @param header receives the column names before the first row
 * @throws IncompleteDataError if it is not RFC 4180 in UTF-8, or not a report
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
  /** The name as a JSON key with its colon. */
  readonly key: string;

  /** True if texts that look like numbers are numbers. */
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

  /** The parser's error. */
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
    // The parser is synchronous: it has read the chunk when the call returns.
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

  /** Throws if the bytes so far are not UTF-8; without a chunk, if they end within a character. */
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
      throw malformed('The CSV has a line, or consecutive blank lines, of over 8 MB');
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

  /** The current line, counted from 1. */
  readonly lines?: number;
  readonly record?: readonly string[];
}

/** The lines read last, for quoting them in errors. */
class RecentLines {
  /** The bytes since the line break before the last piece. */
  #bytes: Buffer = Buffer.alloc(0);

  /** The number of lines before `#bytes`. */
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
      `Line ${number} of the CSV is not UTF-8: it begins with ${beginning}.`,
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
    const message = `Line ${error.lines} of the CSV cannot be read: ${why}. It begins with ${beginning}.`;
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
    hint: 'The service sent a malformed report. Create it again.',
  });
}

/** The problem with a line, in plain words. */
function reasonOf({ code, message, record }: ParserError, columnCount: number): string {
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return `it has ${formatPlural(record?.length ?? 0, 'cell')}, but the header has ${columnCount}`;
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return 'a quotation mark inside a cell is not doubled';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quotation mark is opened but never closed';
    default:
      return printable(message).slice(0, 300);
  }
}

function beginningOf(line: string): string {
  return `“${printable(line.trimEnd().slice(0, 80))}${line.length > 80 ? '…' : ''}”`;
}

/** Throws unless all columns of a header are distinct and at least one is a known report field. */
function checkHeader(names: readonly string[]): void {
  if (names.length > maxFields) throw malformed(`The CSV header has over ${maxFields} columns`);

  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) {
    throw malformed(`The CSV header has the column ${JSON.stringify(printable(repeated))} twice`);
  }

  const isReport = names.some((name) => fieldTypeOf(name) !== undefined);
  if (isReport) return;
  const line = printable(names.join(', ').slice(0, 200));
  throw malformed(
    `This is neither JSON nor a CSV report: its first line has no known column, it is “${line}”`,
  );
}

function jsonOf(value: string, isNumeric: boolean): string {
  if (value === '') return 'null';
  if (value.length > maxValueBytes) throw malformed('The CSV has a value longer than 1 MB');
  return isNumeric && numberForm.test(value) ? value : JSON.stringify(value);
}

const usualDelimiters = [',', ';', '\t'];

/**
 * Detects the delimiter of a CSV: comma, semicolon or tab, whichever is most frequent in the
 * header.
 * @param isAny true if other delimiters are allowed, as in files written with `--delimiter`
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
