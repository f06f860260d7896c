import { isUtf8 } from 'node:buffer';
import { closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './ascii.ts';
import { endsEarly, grouped, malformed, noRows } from './body-errors.ts';
import { type ByteWindow, maxHeldBytes } from './byte-window.ts';
import { checkedBatch, placed } from './json-checks.ts';
import { cut, MalformedJson, scanColon, scanString, scanValue, skipBlanks } from './json-scan.ts';
import type { ReportMember, ReportTail, RowBatch } from './row-batch.ts';
import { batchFull, RowScanner } from './row-scanner.ts';
import { summaryOf } from './summary.ts';

/** What comes next in the document. */
type State = 'document' | 'first member' | 'member' | 'after member' | 'first row' | 'row' | 'after row' | 'end';

/**
 * Reads a report document from a window of bytes, as far as they go: `{"data":[…],"summary":{…}}` with its members in
 * any order, the same inside `{"response":{…}}`, or a bare array of rows.
 */
export class JsonDocument {
  readonly #window: ByteWindow;
  readonly #scanner = new RowScanner();
  readonly #members = new Map<string, Buffer>();
  #memberBytes = 0;
  #dataSeen = false;
  #state: State = 'document';
  /** Objects that are open around the next member: 1, or 2 inside `response`; 0 around the rows of a bare array. */
  #depth = 0;

  constructor(window: ByteWindow) {
    this.#window = window;
  }

  /**
   * Reads what is there and yields its rows. A batch is good until the generator is resumed.
   * @throws IncompleteDataError where the document is malformed
   */
  *read(): Generator<RowBatch, void, undefined> {
    const { ranges } = this.#scanner;
    let more = true;
    while (more) {
      more = this.#tryStep();
      if (ranges.rowCount === 0) continue;
      yield checkedBatch(ranges, this.#window);
      ranges.clear();
    }
    if (this.#window.end - this.#window.start > maxHeldBytes) {
      throw malformed(`${this.#place()} is longer than 16 MiB`, this.#window.positionOf(this.#window.start));
    }
  }

  /**
   * What the document held beside its rows, once all bytes have been read.
   * @throws IncompleteDataError where the document has not come to its end, or has no `data`
   * @throws RejectedError where it is an error's
   */
  finish(): ReportTail {
    if (this.#state !== 'end') throw endsEarly(this.#whereItEnds(), this.#window.receivedBytes);
    if (!this.#dataSeen) throw noRows(this.#members);
    const members = [...this.#members].map(([name, json]): ReportMember => ({ name, json }));
    return {
      rowCount: this.#rowCount,
      sizeBytes: this.#window.receivedBytes,
      fields: this.#scanner.ranges.fields,
      summary: summaryOf(this.#members.get('summary')),
      members,
    };
  }

  get #rowCount(): number {
    return this.#scanner.ranges.firstRow + this.#scanner.ranges.rowCount;
  }

  #tryStep(): boolean {
    try {
      return this.#step();
    } catch (error) {
      throw placed(error, this.#place(), this.#window);
    }
  }

  /** Consumes the next token, or all rows that are there; `false` where that takes more bytes. */
  #step(): boolean {
    switch (this.#state) {
      case 'document':
        return this.#open();
      case 'first member':
      case 'member':
        return this.#member();
      case 'after member':
        return this.#afterMember();
      case 'end':
        return this.#afterEnd();
      default:
        return this.#rows();
    }
  }

  #open(): boolean {
    const at = this.#skipBlanks();
    const byte = this.#window.bytes[at];
    if (byte === openBrace) {
      this.#depth = 1;
      return this.#advance(at + 1, 'first member');
    }
    if (byte === openBracket) {
      this.#dataSeen = true;
      return this.#advance(at + 1, 'first row');
    }
    return this.#wantMore(at, '"{" or "["');
  }

  #member(): boolean {
    const { bytes, end } = this.#window;
    const at = this.#skipBlanks();
    if (bytes[at] === closeBrace && this.#state === 'first member') return this.#closeObject(at);
    if (bytes[at] !== quote) return this.#wantMore(at, 'a key in quotes');
    const keyEnd = scanString(bytes, at + 1, end);
    if (keyEnd === cut) return false;
    const colonEnd = scanColon(bytes, keyEnd, end);
    if (colonEnd === cut) return false;
    const valueStart = skipBlanks(bytes, colonEnd);
    const name: unknown = JSON.parse(bytes.toString('utf8', at, keyEnd));
    // `JSON.parse` lets the last of two win; a reader that does not hold the first cannot take it back.
    if (name === 'data' && this.#dataSeen) throw new MalformedJson(at, 'one "data" array');
    if (name === 'data' && bytes[valueStart] === openBracket) {
      this.#dataSeen = true;
      this.#members.delete(name);
      return this.#advance(valueStart + 1, 'first row');
    }
    if (name === 'response' && this.#depth === 1 && bytes[valueStart] === openBrace) {
      this.#depth = 2;
      return this.#advance(valueStart + 1, 'first member');
    }
    const valueEnd = scanValue(bytes, valueStart, end, this.#depth);
    if (valueEnd === cut) return false;
    if (!isUtf8(bytes.subarray(at, valueEnd))) throw malformed('The report is not UTF-8', this.#window.positionOf(at));
    this.#memberBytes += valueEnd - at;
    if (this.#memberBytes > maxHeldBytes)
      throw malformed('The report has over 16 MiB beside its rows', this.#window.positionOf(at));
    this.#members.set(String(name), Buffer.from(bytes.subarray(valueStart, valueEnd)));
    return this.#advance(valueEnd, 'after member');
  }

  #afterMember(): boolean {
    const at = this.#skipBlanks();
    const byte = this.#window.bytes[at];
    if (byte === comma) return this.#advance(at + 1, 'member');
    if (byte === closeBrace) return this.#closeObject(at);
    return this.#wantMore(at, '"," or "}"');
  }

  #closeObject(at: number): boolean {
    this.#depth--;
    return this.#advance(at + 1, this.#depth === 0 ? 'end' : 'after member');
  }

  #rows(): boolean {
    const { bytes, view, start, end } = this.#window;
    let p = start;
    for (;;) {
      p = skipBlanks(bytes, p);
      if (bytes[p] === closeBracket && this.#state !== 'row') {
        return this.#advance(p + 1, this.#depth === 0 ? 'end' : 'after member');
      }
      if (this.#state === 'after row') {
        if (bytes[p] !== comma) return this.#wantMore(p, '"," or "]"');
        this.#state = 'row';
        p = skipBlanks(bytes, p + 1);
      }
      if (bytes[p] !== openBrace) return this.#wantMore(p, 'a row object');
      const rowEnd = this.#scanner.scanRow(bytes, view, p, end);
      if (rowEnd < 0) {
        this.#window.start = p;
        return rowEnd === batchFull;
      }
      this.#state = 'after row';
      p = rowEnd;
    }
  }

  #afterEnd(): boolean {
    const at = this.#skipBlanks();
    if (at < this.#window.end) throw malformed('The report goes on after its end', this.#window.positionOf(at));
    this.#window.start = at;
    return false;
  }

  #skipBlanks(): number {
    return skipBlanks(this.#window.bytes, this.#window.start);
  }

  #advance(to: number, state: State): true {
    this.#window.start = to;
    this.#state = state;
    return true;
  }

  /** Nothing usable at `at`: more bytes have to come, or it is wrong. */
  #wantMore(at: number, expected: string): false {
    if (at < this.#window.end) throw new MalformedJson(at, expected);
    this.#window.start = at;
    return false;
  }

  #inRows(): boolean {
    return this.#state === 'first row' || this.#state === 'row' || this.#state === 'after row';
  }

  #place(): string {
    return this.#inRows() ? `Row ${grouped(this.#rowCount + 1)}` : 'The report';
  }

  #whereItEnds(): string {
    const { start, end } = this.#window;
    if (!this.#inRows()) return this.#dataSeen ? 'before its last "}"' : 'before its data';
    if (start < end) return `in the middle of row ${grouped(this.#rowCount + 1)}`;
    return `after row ${grouped(this.#rowCount)}, before its last "]"`;
  }
}
