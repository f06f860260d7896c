import { isUtf8 } from 'node:buffer';
import { fieldTypeOf } from '../contract/columns.ts';
import { backslash, closeBrace, comma, lineFeed, quote } from './ascii.ts';
import { endsEarly, grouped, malformed } from './body-errors.ts';
import { type ByteWindow, maxHeldBytes } from './byte-window.ts';
import { CsvRecord, findDelimiter, MalformedCsv } from './csv-scan.ts';
import { cut, isNumber } from './json-scan.ts';
import type { ReportTail, RowBatch } from './row-batch.ts';
import { maxFields, RowRanges } from './row-ranges.ts';

/** How a byte is written in a JSON string where not as itself: `\n`, `\u001f`. */
const escapes: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : undefined,
);

const nullText = Buffer.from('null');

interface CsvColumn {
  /** The key as JSON, with its colon and the brace or comma before it. */
  readonly key: Buffer;
  /** Whether its values are numbers in the JSON form of a report. */
  readonly numeric: boolean;
}

/**
 * Reads a report that came as CSV, and writes its rows as the JSON that the service would have sent: null for an empty
 * field, a number where the field is a metric and the text a number, a string for the rest (DSP money too, whose
 * decimal comma makes it a string in JSON as well).
 */
export class CsvDocument {
  readonly #window: ByteWindow;
  readonly #trusted: boolean;
  readonly #ranges = new RowRanges();
  #record: CsvRecord | undefined;
  #columns: readonly CsvColumn[] = [];
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
    for (;;) {
      const more = window.start < window.end && this.#tryReadRecord(atEnd);
      if (this.#ranges.rowCount > 0 && (!more || this.#ranges.isFull)) {
        yield this.#ranges.batchOf(this.#rows);
        this.#ranges.clear();
        this.#rowsEnd = 0;
      }
      if (!more) break;
    }
    if (atEnd && window.start < window.end) throw endsEarly(`in the middle of ${this.#place()}`, window.receivedBytes);
    if (window.end - window.start > maxHeldBytes) {
      throw malformed('One line of the report is longer than 16 MiB', window.positionOf(window.start));
    }
  }

  /** What is known once all has been read; a CSV report has nothing beside its rows. */
  finish(): ReportTail {
    return {
      rowCount: this.#ranges.firstRow,
      sizeBytes: this.#window.receivedBytes,
      fields: this.#ranges.fields,
      summary: undefined,
      members: [],
    };
  }

  #tryReadRecord(atEnd: boolean): boolean {
    try {
      return this.#readRecord(atEnd);
    } catch (error) {
      if (!(error instanceof MalformedCsv)) throw error;
      throw malformed(`The CSV has text after a closing quote in ${this.#place()}`, this.#window.positionOf(error.at));
    }
  }

  #readRecord(atEnd: boolean): boolean {
    const { bytes, start, end } = this.#window;
    if (!this.#record) {
      const delimiter = findDelimiter(bytes, start, end, { atEnd, rare: !this.#trusted });
      if (delimiter === cut) return false;
      this.#record = new CsvRecord(delimiter);
    }
    const record = this.#record;
    const recordEnd = record.scan(bytes, start, end, atEnd);
    if (recordEnd === cut) return false;
    if (!isUtf8(bytes.subarray(start, recordEnd))) {
      throw malformed(`The CSV is not UTF-8 in ${this.#place()}`, this.#window.positionOf(start));
    }
    if (this.#columns.length === 0) this.#readHeader(record);
    else if (!this.#isBlankLine(record)) this.#addRow(record);
    this.#window.start = recordEnd;
    return true;
  }

  #readHeader(record: CsvRecord): void {
    const names: string[] = [];
    for (let i = 0; i < record.fieldCount; i++) {
      const text = this.#window.bytes.toString('utf8', record.starts[i], record.ends[i]);
      names.push(record.doubled[i] === 1 ? text.replaceAll('""', '"') : text);
    }
    const position = this.#window.positionOf(this.#window.start);
    if (!this.#trusted && !names.some((name) => fieldTypeOf(name))) {
      throw malformed('This is neither JSON nor a CSV report', position);
    }
    // Lines that end so would all be taken for the header, and the report for an empty one.
    const isBare = (i: number) => this.#window.bytes[(record.starts[i] as number) - 1] !== quote;
    if (names.some((name, i) => name.includes('\r') && isBare(i)))
      throw malformed('The CSV has a carriage return without a line feed in its header', position);
    const repeated = names.find((name, i) => names.indexOf(name) !== i);
    if (repeated !== undefined) throw malformed(`The CSV header names ${JSON.stringify(repeated)} twice`, position);
    if (names.length > maxFields) throw malformed(`The CSV header has over ${maxFields} columns`, position);
    this.#columns = names.map((name, i): CsvColumn => {
      this.#ranges.addField(name);
      const type = fieldTypeOf(name);
      const key = Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
      return { key, numeric: type === 'integer' || type === 'money' };
    });
  }

  #isBlankLine(record: CsvRecord): boolean {
    const blank = record.fieldCount === 1 && record.starts[0] === record.ends[0] && this.#columns.length > 1;
    if (blank) this.#blankLineAt ??= this.#window.positionOf(this.#window.start);
    else if (this.#blankLineAt !== undefined)
      throw malformed('A blank line stands between the rows', this.#blankLineAt);
    return blank;
  }

  #addRow(record: CsvRecord): void {
    const { bytes, start, receivedBytes } = this.#window;
    const width = this.#columns.length;
    if (record.fieldCount < width && !record.terminated)
      throw endsEarly(`in the middle of ${this.#place()}`, receivedBytes);
    if (record.fieldCount !== width) {
      const fields = record.fieldCount === 1 ? '1 field' : `${record.fieldCount} fields`;
      const what = `The CSV has ${fields} in ${this.#place()}, where its header has ${width}`;
      throw malformed(what, this.#window.positionOf(start));
    }
    const ranges = this.#ranges;
    ranges.reserveRow();
    if (ranges.rowCount > 0) {
      this.#reserve(2);
      this.#rows[this.#rowsEnd++] = comma;
      this.#rows[this.#rowsEnd++] = lineFeed;
    }
    const rowStart = this.#rowsEnd;
    const base = ranges.rowCount * width;
    for (let i = 0; i < width; i++) {
      const { key, numeric } = this.#columns[i] as CsvColumn;
      const from = record.starts[i] as number;
      const to = record.ends[i] as number;
      // Every byte may become an escape of six.
      this.#reserve(key.length + 6 * (to - from) + 16);
      this.#write(key);
      ranges.valueStarts[base + i] = this.#rowsEnd;
      if (from === to) this.#write(nullText);
      else if (numeric && isNumber(bytes, from, to)) this.#copy(bytes, from, to);
      else this.#writeString(bytes, from, to, record.doubled[i] === 1);
      ranges.valueEnds[base + i] = this.#rowsEnd;
    }
    this.#rows[this.#rowsEnd++] = closeBrace;
    ranges.endRow(rowStart, this.#rowsEnd);
  }

  #writeString(bytes: Buffer, from: number, to: number, doubled: boolean): void {
    const rows = this.#rows;
    let at = this.#rowsEnd;
    rows[at++] = quote;
    for (let p = from; p < to; p++) {
      const byte = bytes[p] as number;
      const escaped = escapes[byte];
      if (escaped) {
        rows.set(escaped, at);
        at += escaped.length;
        if (doubled && byte === quote) p++;
      } else rows[at++] = byte;
    }
    rows[at++] = quote;
    this.#rowsEnd = at;
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    for (let p = from; p < to; p++) this.#rows[this.#rowsEnd++] = bytes[p] as number;
  }

  #write(piece: Buffer): void {
    this.#copy(piece, 0, piece.length);
  }

  #reserve(count: number): void {
    if (this.#rowsEnd + count <= this.#rows.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#rows.length, this.#rowsEnd + count));
    this.#rows.copy(larger, 0, 0, this.#rowsEnd);
    this.#rows = larger;
  }

  #place(): string {
    return this.#columns.length === 0
      ? 'the header'
      : `row ${grouped(this.#ranges.firstRow + this.#ranges.rowCount + 1)}`;
  }
}
