import { type Parser, parse } from 'csv-parse';
import { fieldsOfHeader, fieldTypeOf } from '../contract/columns.ts';
import type { IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { malformed, maxRowBytes } from './bytes.ts';
import { maxFields } from './row-ranges.ts';
import { maxValueBytes } from './row-scanner.ts';

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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
): AsyncGenerator<Buffer> {
  const reader = new CsvReader(delimiter, header);
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

  /** What the parser found wrong. */
  #failure: Error | undefined;

  constructor(delimiter: string, header: string[]) {
    this.#header = header;
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
      throw malformed('The CSV is not UTF-8');
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

    if (this.#failure) throw unreadable(this.#failure);
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
    const members = this.#columns.map(
      ({ key, isNumeric }, i) => key + jsonOf(values[i] ?? '', isNumeric),
    );
    return `{${members.join(',')}}\n`;
  }
}

function unreadable(cause: Error): IncompleteDataError {
  return malformed(`The CSV cannot be read: ${printable(cause.message).slice(0, 300)}`);
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
