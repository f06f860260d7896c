import { isUtf8 } from 'node:buffer';
import { type Parser, parse } from 'csv-parse';
import { fieldTypeOf, parseHeader } from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { carriageReturn, lineFeed, malformedError, maxRowBytes, toBuffer } from './bytes.ts';
import type { RowPositions } from './row-positions.ts';
import { maxFields } from './row-ranges.ts';
import { maxValueBytes } from './row-scanner.ts';

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Converts a cell that is not empty to JSON. */
export type CellReader = (text: string) => string;

/** Form in which a CSV is written. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly hasByteOrderMark: boolean;
}

/** Interprets the header and the cells of a CSV. */
export interface CsvReading {
  /** Returns a field for each name in the header. */
  parseHeader(names: readonly string[], dialect: CsvDialect): string[];

  cellReader(field: string, dialect: CsvDialect): CellReader;
}

/** Reads a body of the service. */
const serviceReading: CsvReading = {
  parseHeader,
  cellReader: (field) => {
    const type = fieldTypeOf(field);
    if (type !== 'integer' && type !== 'money') return JSON.stringify;
    return (text) => (numberPattern.test(text) ? text : JSON.stringify(text));
  },
};

export interface CsvOptions {
  readonly dialect: CsvDialect;

  /** Default: as in a body of the service. */
  readonly reading?: CsvReading | undefined;

  /** Receives the positions of lines that are not rows. */
  readonly positions?: RowPositions | undefined;
}

/** Lines are yielded in pieces of about this many characters. */
const pieceLength = 64 * 1024;

/**
 * Yields the rows of a CSV report as the JSON that the service would have sent, one object per
 * line. Empty cells become null. By default, numbers in metrics become numbers and everything else
 * stays a string, even the money of a DSP, which has a decimal comma in JSON too.
 *
 * @param header receives the column names before the first row
 * @throws IncompleteDataError if the body is not RFC 4180 in UTF-8, or not a report
 */
export async function* readCsvLines(
  bytes: AsyncIterable<Uint8Array>,
  header: string[],
  options: CsvOptions,
): AsyncGenerator<Buffer> {
  const reader = new CsvReader(header, options);
  for await (const chunk of bytes) {
    reader.write(chunk);
    if (reader.lines.length >= pieceLength) yield reader.takeLines();
  }
  await reader.end();
  yield reader.takeLines();
}

class CsvReader {
  /** Rows since the last `takeLines`, as JSON. */
  lines = '';

  readonly #header: string[];
  readonly #parser: Parser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #columns: readonly {
    /** JSON key with its colon. */
    readonly key: string;
    readonly read: CellReader;
  }[] = [];
  #bytesSinceRow = 0;
  readonly #options: CsvOptions;
  readonly #recent = new RecentLines();
  #rowCount = 0;

  #blankLines = 0;

  #failure: Error | undefined;

  constructor(header: string[], options: CsvOptions) {
    this.#header = header;
    this.#options = options;
    this.#parser = parse({
      delimiter: options.dialect.delimiter,
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
    for (const piece of splitAtBlankLines(chunk)) {
      // The parser is synchronous: it has read the piece when the call returns.
      this.#parser.write(piece);
      this.#takeRecords();
    }
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
   * Throws if the bytes so far are not UTF-8. At the end (without a chunk), they must not stop
   * inside a character.
   */
  #checkText(chunk?: Uint8Array): void {
    try {
      this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw this.#recent.notUtf8Error();
    }
  }

  #takeRecords(): void {
    let values = this.#parser.read();
    while (values !== null) {
      this.#bytesSinceRow = 0;
      if (this.#header.length === 0) this.#startRows(values);
      else this.lines += this.#formatLine(values);
      this.#countLines(values);
      values = this.#parser.read();
    }

    const { empty_lines: blankLines } = this.#parser.info;
    if (blankLines > this.#blankLines) this.#addLines(blankLines - this.#blankLines);
    this.#blankLines = blankLines;

    if (this.#failure) throw this.#recent.unreadableError(this.#failure, this.#header.length);
    if (this.#bytesSinceRow > maxRowBytes) {
      throw malformedError('The CSV has a line, or consecutive blank lines, of over 8 MB');
    }
  }

  #startRows(cells: readonly string[]): void {
    const { dialect, reading = serviceReading } = this.#options;
    this.#addLines(1);
    const names = reading.parseHeader(cells, dialect);
    checkHeader(names);
    this.#header.push(...names);
    this.#columns = names.map((name) => {
      return { key: `${JSON.stringify(name)}:`, read: reading.cellReader(name, dialect) };
    });
  }

  #formatLine(values: readonly string[]): string {
    this.#rowCount += 1;
    const members = this.#columns.map(({ key, read }, i) => key + toJson(values[i] ?? '', read));
    return `{${members.join(',')}}\n`;
  }

  #countLines(values: readonly string[]): void {
    let breaks = 0;
    for (const value of values)
      if (/[\r\n]/.test(value)) breaks += value.split(/\r\n|[\r\n]/).length - 1;
    if (breaks > 0) this.#addLines(breaks);
  }

  /** Records lines before the next row. */
  #addLines(count: number): void {
    this.#options.positions?.addLinesBefore(this.#rowCount + 1, count);
  }
}

interface ParserError extends Error {
  readonly code?: string;

  /** 1-based. */
  readonly lines?: number;
  readonly record?: readonly string[];
}

/** Latest lines, for errors that quote them. */
class RecentLines {
  /** Bytes after the last line break before the latest chunk. */
  #bytes: Buffer = Buffer.alloc(0);

  /** Number of lines before `#bytes`. */
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
    const rest = this.#bytes.subarray(end + 1, end + 1 + maxRowBytes);
    this.#bytes = rest.length === 0 ? toBuffer(chunk) : Buffer.concat([rest, chunk]);
  }

  notUtf8Error(): IncompleteDataError {
    const lines = this.#lines();
    const index = lines.findIndex((line) => !isUtf8(line));
    const line = lines[index];
    if (!line) return malformedError('The CSV is not UTF-8');

    const number = this.#linesBefore + index + 1;
    const beginning = quoteBeginning(line.toString('latin1'));
    return brokenLineError(
      `Line ${number} of the CSV is not UTF-8: it begins with ${beginning}.`,
      'NOT_UTF8',
    );
  }

  unreadableError(error: ParserError, columnCount: number): IncompleteDataError {
    const problem = describeProblem(error, columnCount);
    const isCut = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const code = isCut ? 'TRUNCATED' : 'MALFORMED';
    const line = this.#lines()[(error.lines ?? 0) - this.#linesBefore - 1];
    if (!line) return brokenLineError(`The CSV cannot be read: ${problem}.`, code);
    const beginning = quoteBeginning(line.toString());
    const message = `Line ${error.lines} of the CSV cannot be read: ${problem}. It begins with ${beginning}.`;
    return brokenLineError(message, code);
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

function brokenLineError(message: string, code: string): IncompleteDataError {
  return new IncompleteDataError(message, {
    code,
    retryable: code === 'TRUNCATED',
    hint: 'The service sent a malformed report. Request it again.',
  });
}

/** Describes the problem with a line: `it has 3 cells, but the header has 4`. */
function describeProblem({ code, message, record }: ParserError, columnCount: number): string {
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

function quoteBeginning(line: string): string {
  return `“${printable(line.trimEnd().slice(0, 80))}${line.length > 80 ? '…' : ''}”`;
}

/** Throws unless all columns of a header are distinct and at least one is known. */
function checkHeader(names: readonly string[]): void {
  if (names.length > maxFields)
    throw malformedError(`The CSV header has over ${maxFields} columns`);

  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) {
    throw malformedError(
      `The CSV header has the column ${JSON.stringify(printable(repeated))} twice`,
    );
  }

  const isReport = names.some((name) => fieldTypeOf(name) !== undefined);
  if (isReport) return;
  const line = printable(names.join(', ').slice(0, 200));
  throw malformedError(
    `This is neither JSON nor a CSV report: its first line, “${line}”, has no known column`,
  );
}

function toJson(value: string, read: CellReader): string {
  if (value === '') return 'null';
  if (value.length > maxValueBytes) throw malformedError('The CSV has a value longer than 1 MB');
  return read(value);
}

/** Matches blank lines, with the line break before them. */
const blankLines = /^[\r\n]+|\n[\r\n]+/g;

/** Splits a chunk after its blank lines, so that they are counted before the next row. */
function* splitAtBlankLines(chunk: Uint8Array): Generator<Uint8Array> {
  const bytes = toBuffer(chunk);
  const beginsWithBreak = bytes[0] === lineFeed || bytes[0] === carriageReturn;
  const mayHaveBlankLines = beginsWithBreak || bytes.includes('\n\n') || bytes.includes('\n\r\n');
  let start = 0;
  for (const run of mayHaveBlankLines ? bytes.toString('latin1').matchAll(blankLines) : []) {
    const end = run.index + run[0].length;
    yield bytes.subarray(start, end);
    start = end;
  }
  yield bytes.subarray(start);
}

const commonDelimiters = [',', ';', '\t'];

/** Number of bytes in which the delimiter is detected. */
const delimiterBytes = 16 * 1024;

/**
 * Detects the delimiter of a CSV: comma, semicolon or tab, whichever is most frequent in the
 * header.
 *
 * @param isFile whether the CSV is a file, where a comma in the only column is a decimal comma
 */
export function detectDelimiter(head: Buffer, isFile: boolean): string {
  const withoutQuotedCells = head.toString('latin1', 0, delimiterBytes).replace(/"[^"]*"/g, '');
  const [line = '', ...rows] = withoutQuotedCells.replace(/^[\r\n]+/, '').split(/[\r\n]+/);

  let usual = ',';
  let mostColumns = 0;
  for (const delimiter of commonDelimiters) {
    const columnCount = line.split(delimiter).length;
    if (columnCount <= mostColumns) continue;
    usual = delimiter;
    mostColumns = columnCount;
  }
  const hasDecimals = isFile && mostColumns === 1 && rows.some((row) => row.includes(','));
  return hasDecimals ? ';' : usual;
}
