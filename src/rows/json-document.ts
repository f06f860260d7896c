import { isUtf8 } from 'node:buffer';
import { fieldTypeOf } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { type AdreportError, IncompleteDataError, RejectedError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import * as ascii from './bytes.ts';
import { type ByteWindow, endsEarly, malformed, maxRowBytes } from './bytes.ts';
import { cut, MalformedJson, scanColon, scanString, scanValue, skipBlanks } from './json-scan.ts';
import type { ReportTail, RowBatch, RowRanges } from './row-batch.ts';
import { batchFull, RowScanner } from './row-scanner.ts';

/** 1 MB: how much may stand beside the rows. */
const maxMemberBytes = 1024 * 1024;

/** What comes next in the document; `line` is a row of NDJSON, which has nothing around its rows. */
type State =
  | 'document'
  | 'first member'
  | 'member'
  | 'after member'
  | 'first row'
  | 'row'
  | 'after row'
  | 'end'
  | 'line';

/**
 * Reads a report from a window of bytes, as far as they go: `{"data":[…],"summary":{…}}` with its members in any order,
 * the same inside `{"response":{…}}`, a bare array of rows, or rows one a line.
 */
export class JsonDocument {
  readonly #window: ByteWindow;
  readonly #scanner = new RowScanner();
  readonly #members = new Map<string, Buffer>();
  #memberBytes = 0;
  #dataSeen = false;
  #state: State;
  /** Objects that are open around the next member: 1, or 2 inside `response`; 0 around the rows of a bare array. */
  #depth = 0;

  /** @param options.lines whether the rows stand alone, one a line (NDJSON) */
  constructor(window: ByteWindow, { lines = false } = {}) {
    this.#window = window;
    this.#state = lines ? 'line' : 'document';
    this.#dataSeen = lines;
  }

  /**
   * Reads what is there and yields its rows. A batch is good until the generator is resumed.
   * @throws IncompleteDataError where the document is malformed
   */
  *read(): Generator<RowBatch, void, undefined> {
    const { ranges } = this.#scanner;
    const window = this.#window;
    let more = true;
    while (more) {
      more = this.#tryStep();
      if (ranges.rowCount === 0) continue;
      yield checkedBatch(ranges, window.bytes, (at) => window.positionOf(at));
      ranges.clear();
    }
    if (window.end - window.start > maxRowBytes) {
      throw malformed(`${this.#place()} is longer than 8 MB`, window.positionOf(window.start));
    }
  }

  /**
   * What the document held beside its rows, once all bytes have been read.
   * @throws IncompleteDataError where the document has not come to its end, or has no `data`
   * @throws RejectedError where it is an error's
   */
  finish(): ReportTail {
    const { receivedBytes, start, end } = this.#window;
    const isOver = this.#state === 'end' || (this.#state === 'line' && start === end);
    if (!isOver) throw endsEarly(this.#whereItEnds(), receivedBytes);
    if (!this.#dataSeen) throw noRows(this.#members);
    return {
      rowCount: this.#rowCount,
      sizeBytes: receivedBytes,
      fields: this.#scanner.ranges.fields,
      summary: summaryOf(this.#members.get('summary')),
      members: [...this.#members].map(([name, json]) => ({ name, json })),
    };
  }

  get #rowCount(): number {
    return this.#scanner.ranges.firstRow + this.#scanner.ranges.rowCount;
  }

  #tryStep(): boolean {
    try {
      return this.#step();
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      const { bytes, end } = this.#window;
      const found = error.at < end ? characterAt(bytes, error.at) : 'the end';
      const what = `${this.#place()} is not well-formed JSON: expected ${error.expected}, found ${found}`;
      throw malformed(what, this.#window.positionOf(error.at));
    }
  }

  /** Consumes the next token, or all rows that are there; `false` where that takes more bytes. */
  #step(): boolean {
    const at = skipBlanks(this.#window.bytes, this.#window.start);
    const byte = this.#window.bytes[at];
    switch (this.#state) {
      case 'document':
        if (byte === ascii.openBrace) return this.#open(at + 1, 1);
        if (byte !== ascii.openBracket) return this.#wantMore(at, '"{" or "["');
        this.#dataSeen = true;
        return this.#advance(at + 1, 'first row');
      case 'first member':
      case 'member':
        return byte === ascii.closeBrace && this.#state === 'first member' ? this.#closeObject(at) : this.#member(at);
      case 'after member':
        if (byte === ascii.comma) return this.#advance(at + 1, 'member');
        return byte === ascii.closeBrace ? this.#closeObject(at) : this.#wantMore(at, '"," or "}"');
      case 'end':
        if (at < this.#window.end) throw malformed('The report goes on after its end', this.#window.positionOf(at));
        this.#window.start = at;
        return false;
      default:
        return this.#rows();
    }
  }

  #open(to: number, depth: number): boolean {
    this.#depth = depth;
    return this.#advance(to, 'first member');
  }

  #member(at: number): boolean {
    const { bytes, end } = this.#window;
    if (bytes[at] !== ascii.quote) return this.#wantMore(at, 'a key in quotes');
    const keyEnd = scanString(bytes, at + 1, end);
    if (keyEnd === cut) return this.#keep(at, end);
    const colonEnd = scanColon(bytes, keyEnd, end);
    if (colonEnd === cut) return this.#keep(at, end);
    const valueStart = skipBlanks(bytes, colonEnd);
    const name: unknown = JSON.parse(bytes.toString('utf8', at, keyEnd));
    // `JSON.parse` lets the last of two win; a reader that does not hold the first cannot take it back.
    if (name === 'data' && this.#dataSeen) throw new MalformedJson(at, 'one "data" array');
    if (name === 'data' && bytes[valueStart] === ascii.openBracket) {
      this.#dataSeen = true;
      this.#members.delete(name);
      return this.#advance(valueStart + 1, 'first row');
    }
    if (name === 'response' && this.#depth === 1 && bytes[valueStart] === ascii.openBrace) {
      return this.#open(valueStart + 1, 2);
    }
    const valueEnd = scanValue(bytes, valueStart, end);
    if (valueEnd === cut) return this.#keep(at, end);
    if (!isUtf8(bytes.subarray(at, valueEnd))) throw malformed('The report is not UTF-8', this.#window.positionOf(at));
    this.#keep(at, valueEnd);
    this.#memberBytes += valueEnd - at;
    this.#members.set(String(name), Buffer.from(bytes.subarray(valueStart, valueEnd)));
    return this.#advance(valueEnd, 'after member');
  }

  /** Leaves what has come of a member, from `at` to `end`, for later, unless it is too long already. */
  #keep(at: number, end: number): false {
    if (this.#memberBytes + end - at > maxMemberBytes)
      throw malformed('The report has over 1 MB beside its rows', this.#window.positionOf(at));
    this.#window.start = at;
    return false;
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
      if (this.#state === 'line' && p >= end) return this.#wantMore(p, '');
      if (bytes[p] === ascii.closeBracket && (this.#state === 'first row' || this.#state === 'after row')) {
        return this.#advance(p + 1, this.#depth === 0 ? 'end' : 'after member');
      }
      if (this.#state === 'after row') {
        if (bytes[p] !== ascii.comma) return this.#wantMore(p, '"," or "]"');
        this.#state = 'row';
        p = skipBlanks(bytes, p + 1);
      }
      if (bytes[p] !== ascii.openBrace) return this.#wantMore(p, 'a row object');
      const rowEnd = this.#scanner.scanRow(bytes, view, p, end);
      this.#window.start = p;
      if (rowEnd < 0) return rowEnd === batchFull;
      if (this.#state !== 'line') this.#state = 'after row';
      p = rowEnd;
      this.#window.start = p;
    }
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
    return ['first row', 'row', 'after row', 'line'].includes(this.#state);
  }

  #place(): string {
    return this.#inRows() ? `Row ${formatCount(this.#rowCount + 1)}` : 'The report';
  }

  #whereItEnds(): string {
    const { start, end } = this.#window;
    if (!this.#inRows()) return this.#dataSeen ? 'before its last "}"' : 'before its data';
    if (start < end) return `in the middle of row ${formatCount(this.#rowCount + 1)}`;
    return `after row ${formatCount(this.#rowCount)}, before its last "]"`;
  }
}

/** The batch of the scanned rows. Throws `IncompleteDataError`, which names the row, where one is not UTF-8. */
export function checkedBatch(ranges: RowRanges, bytes: Buffer, positionOf: (at: number) => number): RowBatch {
  const { rowCount, firstRow, rowStarts, rowEnds } = ranges;
  if (isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]))) return ranges.batchOf(bytes);
  let row = 0;
  while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
  throw malformed(`Row ${formatCount(firstRow + row + 1)} is not UTF-8`, positionOf(rowStarts[row] ?? 0));
}

/**
 * Whether what begins with a brace at `at` is rows rather than a report document: another object comes after the first,
 * or it is alone and has the field of a row. Where not even the first is whole, it is too long for a row.
 */
export function areRows(bytes: Buffer, at: number, end: number): boolean {
  let objectEnd: number;
  try {
    objectEnd = scanValue(bytes, at, end);
  } catch {
    return false;
  }
  if (objectEnd === cut) return false;
  const next = skipBlanks(bytes, objectEnd);
  if (next < end) return bytes[next] === ascii.openBrace;
  const first: object = JSON.parse(bytes.toString('utf8', at, objectEnd));
  return !('data' in first) && Object.keys(first).some((key) => fieldTypeOf(key) !== undefined);
}

function characterAt(bytes: Buffer, at: number): string {
  const byte = bytes[at] as number;
  if (byte <= 0x20 || byte >= 0x7f) return `byte 0x${byte.toString(16).padStart(2, '0')}`;
  return byte === ascii.quote ? `'"'` : `"${String.fromCharCode(byte)}"`;
}

/** The `summary` member of a report, or `undefined` where it does not have the shape of the specification. */
function summaryOf(json: Buffer | undefined): ReportSummary | undefined {
  const value: unknown = json === undefined ? undefined : JSON.parse(json.toString());
  return isSummary(value) ? value : undefined;
}

function isSummary(value: unknown): value is ReportSummary {
  if (typeof value !== 'object' || value === null) return false;
  const { since, until, timezone, breakdowns } = value as Partial<Record<keyof ReportSummary, unknown>>;
  const areTexts = [since, until, timezone].every((each) => typeof each === 'string');
  return areTexts && Array.isArray(breakdowns) && breakdowns.every((each) => typeof each === 'string');
}

/**
 * A well-formed document without `data`: an error's (`decisions.md` 6), a status record, or something else.
 * @param members the document's members, or those of its `response`, as JSON
 */
function noRows(members: ReadonlyMap<string, Buffer>): AdreportError {
  const member = (name: string): unknown => {
    const json = members.get(name);
    return json === undefined ? undefined : JSON.parse(json.toString());
  };
  const error = textOf(member('error')) ?? textOf(member('error_id')) ?? textOf(member('message'));
  const code = textOf(member('error_id'));
  const status = textOf(member('status'));
  if (error !== undefined && (members.has('error') || members.has('error_id') || status === undefined)) {
    return new RejectedError(
      `The service sent an error instead of the report: ${error}`,
      code === undefined ? {} : { code },
    );
  }
  if (status !== undefined) {
    return new IncompleteDataError(`The service sent a status ("${status}") instead of the report.`, {
      code: 'NO_DATA',
    });
  }
  return new IncompleteDataError('The document that the service sent is no report: it has no "data" array.', {
    code: 'NO_DATA',
    retryable: false,
  });
}

/** A string, or the `message` in an object, fit for one line of a terminal. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'message' in value) return textOf(value.message);
  return typeof value === 'string' && value !== '' ? printable(value.slice(0, 300)) : undefined;
}
