import { isUtf8 } from 'node:buffer';
import type { ReportSummary } from '../contract/messages.ts';
import { type AdreportError, IncompleteDataError, RejectedError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import * as ascii from './bytes.ts';
import { cut, MalformedJson, scanKey, scanValue, skipBlanks } from './json-scan.ts';
import type { RowBatch, RowBatches } from './row-batch.ts';
import { batchFull, RowScanner } from './row-scanner.ts';

/** How much may stand beside the rows, and how many blanks may come one after the other, in bytes. */
const maxMemberBytes = 1024 * 1024;
const maxBlankBytes = 10 * 1024 * 1024;

/**
 * Reads a report: `{"data":[…],"summary":{…}}` with its members in any order, the same inside `{"response":{…}}`, a bare
 * array of rows, or rows one a line. Wherever the bytes end inside a token, it waits for more of them.
 */
export class JsonDocument {
  readonly #window: ascii.ByteWindow;
  readonly #scanner = new RowScanner();
  readonly #members = new Map<string, Buffer>();
  #memberBytes = 0;
  #blankBytes = 0;
  #dataSeen = false;
  #isInRows = false;
  /** What stands before the next row. */
  #before: 'bracket' | 'row' | 'comma' = 'bracket';

  constructor(window: ascii.ByteWindow) {
    this.#window = window;
  }

  /**
   * The rows, and what the document held beside them.
   * @param areLines whether the rows stand alone, one a line (NDJSON)
   * @throws IncompleteDataError where it is malformed, has not come to its end, or has no `data`
   * @throws RejectedError where it is an error's
   */
  async *read(areLines: boolean): RowBatches {
    try {
      yield* areLines ? this.#rows(areLines) : this.#document();
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      throw this.#malformed(`${this.#place()} cannot be read: expected ${error.expected}`, error.at);
    }
    const { firstRow: rowCount, fields } = this.#scanner.ranges;
    const members = [...this.#members].map(([name, json]) => ({ name, json }));
    return { rowCount, fields, summary: summaryOf(this.#members.get('summary')), members };
  }

  async *#document(): AsyncGenerator<RowBatch> {
    const window = this.#window;
    const first = await this.#nextByte();
    if (first === ascii.openBrace) yield* this.#object(true);
    else if (first === ascii.openBracket) yield* this.#data();
    else throw new MalformedJson(window.start, '"{" or "["');
    while (!this.#skipBlanks()) {
      if (await window.more()) continue;
      if (!this.#dataSeen) throw noRows(this.#members);
      return;
    }
    throw this.#malformed('The report goes on after its end', window.start);
  }

  async *#object(isOutermost: boolean): AsyncGenerator<RowBatch> {
    const window = this.#window;
    window.start++;
    let next = await this.#nextByte();
    while (next !== ascii.closeBrace) {
      yield* this.#member(isOutermost);
      next = await this.#nextByte();
      if (next === ascii.comma) window.start++;
      else if (next !== ascii.closeBrace) throw new MalformedJson(window.start, '"," or "}"');
    }
    window.start++;
  }

  async *#member(isOutermost: boolean): AsyncGenerator<RowBatch> {
    const window = this.#window;
    await this.#nextByte();
    let member = this.#scanMember(isOutermost);
    for (; !member; member = this.#scanMember(isOutermost)) {
      this.#checkBeside(window.end - window.start);
      await this.#more();
    }
    const { name, start, end } = member;
    if (end === undefined) {
      window.start = start;
      yield* name === 'data' ? this.#data() : this.#object(false);
      return;
    }
    this.#checkBeside(end - window.start);
    this.#memberBytes += end - window.start;
    const whole = window.bytes.subarray(window.start, end);
    if (!isUtf8(whole)) throw this.#malformed('The report is not UTF-8', window.start);
    this.#members.set(name, Buffer.from(whole.subarray(start - window.start)));
    window.start = end;
  }

  /** Where the value of the member begins, and ends unless it is read piece by piece; `undefined` where it is cut. */
  #scanMember(isOutermost: boolean): { name: string; start: number; end?: number } | undefined {
    const { bytes, view, start: at, end } = this.#window;
    const key = scanKey(bytes, view, at, end);
    if (!key) return undefined;
    const { name, end: start } = key;
    // `JSON.parse` lets the last of two win; a reader that does not hold the first cannot take it back.
    if (name === 'data' && this.#dataSeen) throw new MalformedJson(at, 'one "data" array');
    if (name === 'data' && bytes[start] === ascii.openBracket) return { name, start };
    if (name === 'response' && isOutermost && bytes[start] === ascii.openBrace) return { name, start };
    const valueEnd = scanValue(bytes, view, start, end);
    return valueEnd === cut ? undefined : { name, start, end: valueEnd };
  }

  /** The array of rows whose bracket is at the window's start. */
  async *#data(): AsyncGenerator<RowBatch> {
    this.#dataSeen = true;
    this.#members.delete('data');
    this.#window.start++;
    yield* this.#rows(false);
  }

  async *#rows(areLines: boolean): AsyncGenerator<RowBatch> {
    const window = this.#window;
    this.#isInRows = true;
    this.#before = 'bracket';
    for (;;) {
      const stop = this.#scanRows(areLines);
      if (this.#scanner.ranges.rowCount > 0) yield this.#batch();
      if (stop === 'end') break;
      if (stop === 'full') continue;
      if (window.end - window.start > ascii.maxRowBytes) {
        throw this.#malformed(`${this.#place()} is longer than 8 MB`, window.start);
      }
      if (!areLines || window.start < window.end) await this.#more();
      else if (!(await window.more())) return;
    }
    this.#isInRows = false;
    window.start++;
  }

  /** Scans the rows that are there, up to where more bytes are needed, the batch is full, or the array ends. */
  #scanRows(areLines: boolean): 'more' | 'full' | 'end' {
    const window = this.#window;
    const { bytes, view, end } = window;
    while (this.#skipBlanks()) {
      const { start } = window;
      const byte = bytes[start];
      if (byte === ascii.closeBracket && this.#before !== 'comma' && !areLines) return 'end';
      if (this.#before === 'row' && !areLines) {
        if (byte !== ascii.comma) throw new MalformedJson(start, '"," or "]"');
        this.#before = 'comma';
        window.start++;
        continue;
      }
      if (byte !== ascii.openBrace) throw new MalformedJson(start, 'a row object');
      const rowEnd = this.#scanner.scanRow(bytes, view, start, end);
      if (rowEnd < 0) return rowEnd === batchFull ? 'full' : 'more';
      this.#before = 'row';
      window.start = rowEnd;
    }
    return 'more';
  }

  /** The rows that have been scanned. */
  #batch(): RowBatch {
    const { ranges } = this.#scanner;
    const { bytes } = this.#window;
    const { rowCount, firstRow, rowStarts, rowEnds } = ranges;
    if (isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]))) return ranges.takeBatch(bytes);
    let row = 0;
    while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
    throw this.#malformed(`Row ${formatCount(firstRow + row + 1)} is not UTF-8`, rowStarts[row] ?? 0);
  }

  /** The byte that comes next in the document, to which the window's start moves. */
  async #nextByte(): Promise<number | undefined> {
    while (!this.#skipBlanks()) await this.#more();
    return this.#window.bytes[this.#window.start];
  }

  /** Whether anything comes after the blanks yet. */
  #skipBlanks(): boolean {
    const window = this.#window;
    const at = skipBlanks(window.bytes, window.start);
    const isThere = at < window.end;
    this.#blankBytes = isThere ? 0 : this.#blankBytes + at - window.start;
    if (this.#blankBytes > maxBlankBytes) throw ascii.malformed('Over 10 MB of blanks stand in a row');
    window.start = at;
    return isThere;
  }

  async #more(): Promise<void> {
    if (!(await this.#window.more())) throw ascii.endsEarly(this.#rowCount, this.#window.receivedBytes);
  }

  get #rowCount(): number {
    return this.#scanner.ranges.firstRow + this.#scanner.ranges.rowCount;
  }

  #malformed(what: string, at: number): IncompleteDataError {
    return ascii.malformed(what, this.#window.positionOf(at));
  }

  #checkBeside(moreBytes: number): void {
    if (this.#memberBytes + moreBytes <= maxMemberBytes) return;
    throw this.#malformed('The report has over 1 MB beside its rows', this.#window.start);
  }

  #place(): string {
    return this.#isInRows ? `Row ${formatCount(this.#rowCount + 1)}` : 'The report';
  }
}

/** The `summary` member of a report, or `undefined` where it does not have the shape of the specification. */
function summaryOf(json: Buffer | undefined): ReportSummary | undefined {
  const summary: ReportSummary | null = json === undefined ? null : JSON.parse(json.toString());
  const texts: unknown[] = [summary?.since, summary?.until, summary?.timezone];
  const names: unknown = summary?.breakdowns;
  const isWhole = Array.isArray(names) && [...texts, ...names].every((each) => typeof each === 'string');
  return isWhole ? (summary ?? undefined) : undefined;
}

/** The error for a well-formed document without `data`: an error's (`decisions.md` 6), a status record, or another. */
function noRows(members: ReadonlyMap<string, Buffer>): AdreportError {
  const [error, errorId, message, status] = ['error', 'error_id', 'message', 'status'].map((name) => {
    const json = members.get(name);
    return json && textOf(JSON.parse(json.toString()));
  });
  const said = error ?? errorId ?? (status === undefined ? message : undefined);
  if (said !== undefined) {
    const details = errorId === undefined ? {} : { code: errorId };
    return new RejectedError(`The service sent an error instead of the report: ${said}`, details);
  }
  const what =
    status === undefined
      ? 'The document that the service sent is no report: it has no "data" array.'
      : `The service sent a status ("${status}") instead of the report.`;
  return new IncompleteDataError(what, { code: 'NO_DATA', retryable: status !== undefined });
}

/** A string, or the `message` in an object, fit for one line of a terminal. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'message' in value) return textOf(value.message);
  return typeof value === 'string' && value !== '' ? printable(value.slice(0, 300)) : undefined;
}
