import { isUtf8 } from 'node:buffer';
import { fieldTypeOf } from '../contract/columns.ts';
import { formatCount } from '../text/quantity.ts';
import * as ascii from './bytes.ts';
import { type ByteWindow, endsEarly, malformed, maxRowBytes } from './bytes.ts';
import { checkedBatch } from './json-document.ts';
import { cut, isNumber } from './json-scan.ts';
import { type ReportTail, type RowBatch, RowRanges } from './row-batch.ts';
import { maxFields, maxValueBytes } from './row-scanner.ts';

/** The escape of a byte that a JSON string cannot hold as it is: `\n`, `\u001f`. */
const escapes: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === ascii.quote || byte === ascii.backslash
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : undefined,
);

const nullText = Buffer.from('null');
const noKey = Buffer.alloc(0);

interface CsvColumn {
  /** The key as JSON, with its colon and the brace or comma before it. */
  readonly key: Buffer;
  /** Whether its values are numbers in the JSON form of a report. */
  readonly numeric: boolean;
}

/**
 * Reads a report that came as CSV (RFC 4180; a line may also end with a line feed alone, and the header tells the
 * delimiter), and writes its rows as the JSON that the service would have sent: null for an empty field, a number where
 * the field is a metric and the text a number, a string for the rest (DSP money too, whose decimal comma makes it a
 * string in JSON as well).
 */
export class CsvDocument {
  readonly #window: ByteWindow;
  readonly #trusted: boolean;
  readonly #ranges = new RowRanges();
  /** Absent until the header has been read. */
  #columns: readonly CsvColumn[] | undefined;
  #delimiter: number = ascii.comma;
  readonly #stops = new Uint8Array(256);
  #rows: Buffer = Buffer.allocUnsafe(128 * 1024);
  #rowsEnd = 0;
  /** Where in the body a blank line stood: only other blank lines may follow. */
  #blankLineAt: number | undefined;

  /** @param options.trusted whether the service said that this is CSV; else the header must have a known field */
  constructor(window: ByteWindow, options: { readonly trusted: boolean }) {
    this.#window = window;
    this.#trusted = options.trusted;
  }

  /** @throws IncompleteDataError where it is malformed, or `atEnd` ends inside a record */
  *read(atEnd: boolean): Generator<RowBatch, void, undefined> {
    const window = this.#window;
    const ranges = this.#ranges;
    for (;;) {
      const more = window.start < window.end && (this.#columns ? this.#readRow(atEnd) : this.#readHeader(atEnd));
      if (ranges.rowCount > 0 && (!more || ranges.isFull)) {
        yield checkedBatch(ranges, this.#rows, () => window.positionOf(window.start));
        ranges.clear();
        this.#rowsEnd = 0;
      }
      if (!more) break;
    }
    if (atEnd && window.start < window.end) throw endsEarly(`in the middle of ${this.#place()}`, window.receivedBytes);
    if (window.end - window.start > maxRowBytes) throw this.#malformed('One line of the report is longer than 8 MB');
  }

  /** What is known once all has been read; a CSV report has nothing beside its rows. */
  finish(): ReportTail {
    const { firstRow, fields } = this.#ranges;
    return { rowCount: firstRow, sizeBytes: this.#window.receivedBytes, fields, summary: undefined, members: [] };
  }

  #readHeader(atEnd: boolean): boolean {
    const { bytes, start, end } = this.#window;
    const delimiter = findDelimiter(bytes, start, end, atEnd, !this.#trusted);
    if (delimiter === cut) return false;
    this.#delimiter = delimiter;
    for (const byte of [0, delimiter, ascii.lineFeed, ascii.carriageReturn]) this.#stops[byte] = 1;
    const names = new Set<string>();
    let p = start;
    for (; ; p++) {
      const isBare = bytes[p] !== ascii.quote;
      this.#rowsEnd = 0;
      p = this.#writeField(p, undefined, atEnd);
      if (p === cut) return false;
      const name = String(JSON.parse(this.#rows.toString('utf8', 0, this.#rowsEnd)) ?? '');
      // Lines that end so would all be taken for the header, and the report for an empty one.
      if (isBare && name.includes('\r'))
        throw this.#malformed('The CSV has a carriage return without a line feed in its header');
      if (names.has(name)) throw this.#malformed(`The CSV header names ${JSON.stringify(name)} twice`);
      if (names.add(name).size > maxFields) throw this.#malformed(`The CSV header has over ${maxFields} columns`);
      if (p >= end || bytes[p] !== delimiter) break;
    }
    const headerEnd = this.#lineEnd(p, atEnd);
    if (headerEnd === cut) return false;
    if (!isUtf8(bytes.subarray(start, headerEnd))) throw this.#malformed('The CSV is not UTF-8 in the header');
    if (![...names].some((name) => fieldTypeOf(name))) {
      const what = this.#trusted
        ? 'The first line of the CSV names no field of a report'
        : 'This is neither JSON nor a CSV report';
      throw this.#malformed(what);
    }
    this.#columns = [...names].map((name, i): CsvColumn => {
      this.#ranges.addField(name);
      const type = fieldTypeOf(name);
      const key = Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
      return { key, numeric: type === 'integer' || type === 'money' };
    });
    this.#window.start = headerEnd;
    this.#rowsEnd = 0;
    return true;
  }

  /** Reads one record; `false` where it has not come as a whole. */
  #readRow(atEnd: boolean): boolean {
    const { bytes, start, end, receivedBytes } = this.#window;
    const columns = this.#columns ?? [];
    const width = columns.length;
    const ranges = this.#ranges;
    ranges.reserveRow();
    const before = this.#rowsEnd;
    if (ranges.rowCount > 0) {
      this.#reserve(2);
      this.#rows[this.#rowsEnd++] = ascii.comma;
      this.#rows[this.#rowsEnd++] = ascii.lineFeed;
    }
    const rowStart = this.#rowsEnd;
    const base = ranges.rowCount * width;
    let field = 0;
    let p = start;
    for (; ; p++) {
      const column = columns[field];
      const keyAt = this.#rowsEnd;
      p = this.#writeField(p, column, atEnd);
      if (p === cut) {
        this.#rowsEnd = before;
        return false;
      }
      if (column) {
        ranges.valueStarts[base + field] = keyAt + column.key.length;
        ranges.valueEnds[base + field] = this.#rowsEnd;
      }
      field++;
      if (p >= end || bytes[p] !== this.#delimiter) break;
    }
    const recordEnd = this.#lineEnd(p, atEnd);
    const isBlank = recordEnd !== cut && field === 1 && width > 1 && p === start;
    if (recordEnd === cut || isBlank) {
      this.#rowsEnd = before;
      if (!isBlank) return false;
      this.#blankLineAt ??= this.#window.positionOf(start);
      this.#window.start = recordEnd;
      return true;
    }
    if (recordEnd - start > maxRowBytes) throw this.#malformed('One line of the report is longer than 8 MB');
    if (this.#blankLineAt !== undefined) throw malformed('A blank line stands between the rows', this.#blankLineAt);
    if (field < width && p >= end) throw endsEarly(`in the middle of ${this.#place()}`, receivedBytes);
    if (field !== width) {
      const fields = field === 1 ? '1 field' : `${field} fields`;
      throw this.#malformed(`The CSV has ${fields} in ${this.#place()}, where its header has ${width}`);
    }
    this.#reserve(1);
    this.#rows[this.#rowsEnd++] = ascii.closeBrace;
    ranges.endRow(rowStart, this.#rowsEnd);
    this.#window.start = recordEnd;
    return true;
  }

  /**
   * Writes the field at `at` as a JSON value: of a column with its key before it, of the header as a string.
   * @returns the index after it; `cut` where it has not come as a whole
   */
  #writeField(at: number, column: CsvColumn | undefined, atEnd: boolean): number {
    const { bytes, end } = this.#window;
    const isQuoted = bytes[at] === ascii.quote;
    const from = isQuoted ? at + 1 : at;
    const to = isQuoted ? this.#quotedEnd(from, end) : this.#bareEnd(at, end);
    if (to === cut) return cut;
    const next = isQuoted ? to + 1 : to;
    if (next >= end && !atEnd) return cut;
    if (to - from > maxValueBytes) throw this.#malformed(`A value is longer than 1 MB in ${this.#place()}`);
    // Every byte may become an escape of six.
    const { key, numeric } = column ?? { key: noKey, numeric: false };
    this.#reserve(key.length + 6 * (to - from) + 16);
    this.#copy(key, 0, key.length);
    if (from === to) this.#copy(nullText, 0, nullText.length);
    else if (numeric && isNumber(bytes, from, to)) this.#copy(bytes, from, to);
    else this.#writeString(bytes, from, to, isQuoted);
    return next;
  }

  #bareEnd(at: number, end: number): number {
    const { bytes } = this.#window;
    for (let p = at; ; p++) {
      while (this.#stops[bytes[p] as number] === 0) p++;
      const byte = bytes[p];
      const isText =
        byte === ascii.carriageReturn ? p + 1 < end && bytes[p + 1] !== ascii.lineFeed : byte === 0 && p < end;
      if (!isText) return p;
    }
  }

  /** Where the closing quote stands. */
  #quotedEnd(at: number, end: number): number {
    const { bytes } = this.#window;
    for (let p = at; ; p += 2) {
      while (bytes[p] !== ascii.quote && p < end) p++;
      if (p >= end) return cut;
      if (bytes[p + 1] !== ascii.quote) return p;
    }
  }

  /** The index after the line break at `at`, or after the last byte; `cut` where it has not come as a whole. */
  #lineEnd(at: number, atEnd: boolean): number {
    const { bytes, end } = this.#window;
    if (at >= end) return end;
    if (bytes[at] === ascii.lineFeed) return at + 1;
    if (bytes[at] === ascii.carriageReturn) {
      if (bytes[at + 1] === ascii.lineFeed) return at + 2;
      if (at + 1 >= end) return atEnd ? end : cut;
    }
    const what = `The CSV has text after a closing quote in ${this.#place()}`;
    throw malformed(what, this.#window.positionOf(at));
  }

  #writeString(bytes: Buffer, from: number, to: number, isQuoted: boolean): void {
    const rows = this.#rows;
    let at = this.#rowsEnd;
    rows[at++] = ascii.quote;
    for (let p = from; p < to; p++) {
      const byte = bytes[p] as number;
      const escaped = escapes[byte];
      if (escaped) {
        rows.set(escaped, at);
        at += escaped.length;
        // A quote between quotes is doubled.
        if (isQuoted && byte === ascii.quote) p++;
      } else rows[at++] = byte;
    }
    rows[at++] = ascii.quote;
    this.#rowsEnd = at;
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    for (let p = from; p < to; p++) this.#rows[this.#rowsEnd++] = bytes[p] as number;
  }

  #reserve(count: number): void {
    if (this.#rowsEnd + count <= this.#rows.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#rows.length, this.#rowsEnd + count));
    this.#rows.copy(larger, 0, 0, this.#rowsEnd);
    this.#rows = larger;
  }

  /** What is wrong with the record that is being read; a sentence without its full stop. */
  #malformed(what: string) {
    return malformed(what, this.#window.positionOf(this.#window.start));
  }

  #place(): string {
    return this.#columns ? `row ${formatCount(this.#ranges.firstRow + this.#ranges.rowCount + 1)}` : 'the header';
  }
}

const usualDelimiters: readonly number[] = [ascii.comma, ascii.semicolon, ascii.tab];

/** What else `--delimiter` takes, the likelier first; blanks last, which names may have. */
const rareDelimiters: readonly number[] = [...Buffer.from('|:~^#/*&%$!=@?()<>[]{}\\` ')];

/**
 * The delimiter of a header line: the one that it has most of, a usual one if it can be; `cut` while it is not whole.
 * @param rare whether a line without comma, semicolon and tab is looked at for others too; else it is one field
 */
function findDelimiter(bytes: Uint8Array, at: number, end: number, atEnd: boolean, rare: boolean): number {
  const counts = new Uint32Array(256);
  let quoted = false;
  let p = at;
  while (p < end && (quoted || bytes[p] !== ascii.lineFeed)) {
    const byte = bytes[p++] as number;
    if (byte === ascii.quote) quoted = !quoted;
    if (!quoted) counts[byte] = (counts[byte] as number) + 1;
  }
  if (p >= end && !atEnd) return cut;
  const count = (delimiter: number) => counts[delimiter] as number;
  const commonest = (delimiters: readonly number[]) =>
    delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
  const usual = commonest(usualDelimiters);
  return count(usual) > 0 || !rare ? usual : commonest([ascii.comma, ...rareDelimiters]);
}
