import { isUtf8 } from 'node:buffer';
import type { ReportSummary } from '../contract/messages.ts';
import { type AdreportError, IncompleteDataError, RejectedError } from '../errors.ts';
import { printable, quoted } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import * as ascii from './bytes.ts';
import { cut, MalformedJson, scanKey, scanValue, skipBlanks } from './json-scan.ts';
import type { ReportTail, RowBatch, RowBatches } from './row-batch.ts';
import type { RowRanges } from './row-ranges.ts';
import { batchFull, RowScanner } from './row-scanner.ts';

/** Limits for the members other than `data`, and for consecutive blanks. */
const maxMemberBytes = 1024 * 1024;
const maxBlankBytes = 10 * 1024 * 1024;

/** Length of the beginning of a body in a message. */
const maxQuotedBytes = 300;

/**
 * Reads the rows and the other members of a report: `{"data":[…],"summary":{…}}` with its members
 * in any order, a bare array of rows, or one row per line.
 *
 * @param areLines for one row per line (NDJSON)
 * @param fields that every batch has, before those of the rows
 * @throws IncompleteDataError if it is malformed, incomplete, or has no `data`
 * @throws RejectedError if it is an error document
 */
export function readDocument(
  window: ascii.ByteWindow,
  areLines: boolean,
  fields: readonly string[] = [],
): RowBatches {
  return new DocumentReader(window, areLines, fields).read();
}

/** A member; its indexes are those of the window. */
interface ScannedMember {
  readonly name: string;

  /** Start of the value. */
  readonly start: number;

  /** End of the value; absent for the rows, which are read piece by piece. */
  readonly end?: number;
}

/** Reads one document from a window, waiting for more bytes if they end inside a token. */
class DocumentReader {
  readonly #window: ascii.ByteWindow;
  readonly #areLines: boolean;
  readonly #scanner: RowScanner;

  /** Members other than the rows, as JSON. */
  readonly #members = new Map<string, Buffer>();
  #memberBytes = 0;

  /** Consecutive blanks before the window's start. */
  #blankBytes = 0;

  #isDataSeen = false;
  #isInRows = false;

  /** Token before the next row. */
  #tokenBefore: 'bracket' | 'row' | 'comma' = 'bracket';

  constructor(window: ascii.ByteWindow, areLines: boolean, fields: readonly string[]) {
    this.#window = window;
    this.#areLines = areLines;
    this.#scanner = new RowScanner(window.pieceBytes);
    for (const field of fields) this.#ranges.addField(field);
  }

  async *read(): RowBatches {
    try {
      yield* this.#areLines ? this.#lines() : this.#document();
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      throw this.#malformed(`${this.#place} cannot be read: ${error.problem}`, error.at);
    }
    return this.#tail();
  }

  get #ranges(): RowRanges {
    return this.#scanner.ranges;
  }

  #tail(): ReportTail {
    const members = [];
    for (const [name, json] of this.#members) members.push({ name, json });

    return {
      rowCount: this.#ranges.firstRow,
      fields: this.#ranges.fields,
      summary: readSummary(this.#members.get('summary')),
      members,
    };
  }

  async *#document(): AsyncGenerator<RowBatch> {
    const first = await this.#nextByte();
    if (first === ascii.openBrace) yield* this.#object();
    else if (first === ascii.openBracket) yield* this.#array();
    else throw new MalformedJson(this.#window.start, `it begins with ${this.#beginning()}`);

    await this.#requireEnd();
    if (!this.#isDataSeen) throw noRowsError(this.#members);
  }

  /** Quotes the next bytes. */
  #beginning(): string {
    const { bytes, start, end } = this.#window;
    return quoted(bytes.toString('utf8', start, Math.min(end, start + maxQuotedBytes)));
  }

  async #requireEnd(): Promise<void> {
    do {
      if (this.#isMoreThere()) {
        throw this.#malformed('The report continues after its end', this.#window.start);
      }
    } while (await this.#window.more());
  }

  /** Reads an object whose `{` is at the window's start. */
  async *#object(): AsyncGenerator<RowBatch> {
    this.#window.start++;
    let next = await this.#nextByte();
    while (next !== ascii.closeBrace) {
      yield* this.#member();
      next = await this.#nextByte();
      if (next === ascii.comma) this.#window.start++;
      else if (next !== ascii.closeBrace) {
        throw new MalformedJson(this.#window.start, 'expected "," or "}"');
      }
    }
    this.#window.start++;
  }

  async *#member(): AsyncGenerator<RowBatch> {
    await this.#nextByte();
    const { name, start, end } = await this.#wholeMember();
    if (end !== undefined) {
      this.#keepMember(name, start, end);
      return;
    }

    this.#window.start = start;
    yield* this.#array();
  }

  /** Reads the member at the window's start: complete, or the beginning of the rows. */
  async #wholeMember(): Promise<ScannedMember> {
    for (;;) {
      const member = this.#scanMember();
      if (member) return member;
      this.#checkMemberBytes(this.#window.end - this.#window.start);
      await this.#more();
    }
  }

  /** Scans the member at the window's start; `undefined` if it is incomplete. */
  #scanMember(): ScannedMember | undefined {
    const { bytes, view, start: at, end } = this.#window;
    const key = scanKey(bytes, view, at, end);
    if (!key) return undefined;

    const { name, end: start } = key;
    // With `JSON.parse` the last one would win, but the first one is already passed on.
    if (name === 'data' && this.#isDataSeen)
      throw new MalformedJson(at, 'more than one "data" array');

    const isRows = name === 'data' && bytes[start] === ascii.openBracket;
    if (isRows) return { name, start };

    const valueEnd = scanValue(bytes, view, start, end);
    return valueEnd === cut ? undefined : { name, start, end: valueEnd };
  }

  /** Copies a member's value and moves past it. */
  #keepMember(name: string, valueStart: number, valueEnd: number): void {
    const { bytes, start } = this.#window;
    this.#checkMemberBytes(valueEnd - start);
    this.#memberBytes += valueEnd - start;

    const isText = isUtf8(bytes.subarray(start, valueEnd));
    if (!isText) throw this.#malformed('The report is not UTF-8', start);

    this.#members.set(name, Buffer.from(bytes.subarray(valueStart, valueEnd)));
    this.#window.start = valueEnd;
  }

  #checkMemberBytes(moreBytes: number): void {
    if (this.#memberBytes + moreBytes <= maxMemberBytes) return;
    throw this.#malformed('The report has over 1 MB in addition to its rows', this.#window.start);
  }

  /** Reads the rows of an array whose bracket is at the window's start. */
  async *#array(): AsyncGenerator<RowBatch> {
    this.#isInRows = true;
    this.#isDataSeen = true;
    this.#members.delete('data');
    this.#window.start++;

    for (;;) {
      const stop = this.#scanRows();
      if (this.#ranges.rowCount > 0) yield this.#batch();
      if (stop === 'end') break;
      if (stop === 'full') continue;
      this.#checkRowBytes();
      await this.#more();
    }

    this.#isInRows = false;
    this.#window.start++;
  }

  /** Reads one row per line, up to the end of the bytes. */
  async *#lines(): AsyncGenerator<RowBatch> {
    this.#isInRows = true;
    for (;;) {
      const stop = this.#scanRows();
      if (this.#ranges.rowCount > 0) yield this.#batch();
      if (stop === 'full') continue;
      this.#checkRowBytes();

      const isInRow = this.#window.start < this.#window.end;
      if (isInRow) await this.#more();
      else if (!(await this.#window.more())) return;
    }
  }

  /** Scans rows until more bytes are needed, the batch is full, or the array ends. */
  #scanRows(): 'more' | 'full' | 'end' {
    const window = this.#window;
    const isArray = !this.#areLines;
    const { bytes, view, end } = window;
    while (this.#isMoreThere()) {
      const { start } = window;
      const byte = bytes[start];
      if (isArray && byte === ascii.closeBracket && this.#tokenBefore !== 'comma') return 'end';

      if (isArray && this.#tokenBefore === 'row') {
        if (byte !== ascii.comma) throw new MalformedJson(start, 'expected "," or "]"');
        this.#tokenBefore = 'comma';
        window.start++;
        continue;
      }

      if (byte !== ascii.openBrace) throw new MalformedJson(start, 'expected a row object');
      const rowEnd = this.#scanner.scanRow(bytes, view, start, end);
      if (rowEnd === batchFull) return 'full';
      if (rowEnd === cut) return 'more';
      this.#tokenBefore = 'row';
      window.start = rowEnd;
    }
    return 'more';
  }

  #checkRowBytes(): void {
    const { start, end } = this.#window;
    if (end - start <= ascii.maxRowBytes) return;
    throw this.#malformed(`${this.#place} is longer than 8 MB`, start);
  }

  /** Throws if a scanned row is not UTF-8. */
  #batch(): RowBatch {
    const { bytes } = this.#window;
    const { rowCount, firstRow, rowStarts, rowEnds } = this.#ranges;
    const isText = isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]));
    if (isText) return this.#ranges.takeBatch(bytes);

    let row = 0;
    while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
    const number = formatCount(firstRow + row + 1);
    throw this.#malformed(`Row ${number} is not UTF-8`, rowStarts[row] ?? 0);
  }

  /** Moves to the next byte that is not a blank, and returns it. */
  async #nextByte(): Promise<number | undefined> {
    while (!this.#isMoreThere()) await this.#more();
    return this.#window.bytes[this.#window.start];
  }

  /** Skips blanks. Returns true if more bytes have arrived after them. */
  #isMoreThere(): boolean {
    const window = this.#window;
    const at = skipBlanks(window.bytes, window.start);
    const hasNext = at < window.end;
    this.#blankBytes = hasNext ? 0 : this.#blankBytes + at - window.start;
    if (this.#blankBytes > maxBlankBytes) {
      throw ascii.malformed('The report has over 10 MB of consecutive spaces');
    }
    window.start = at;
    return hasNext;
  }

  async #more(): Promise<void> {
    const hasMore = await this.#window.more();
    if (!hasMore) throw ascii.truncatedError(this.#rowsSoFar, this.#window.receivedBytes);
  }

  get #rowsSoFar(): number {
    return this.#ranges.firstRow + this.#ranges.rowCount;
  }

  /** The current position, for errors. */
  get #place(): string {
    return this.#isInRows ? `Row ${formatCount(this.#rowsSoFar + 1)}` : 'The report';
  }

  #malformed(problem: string, at: number): IncompleteDataError {
    return ascii.malformed(problem, this.#window.positionOf(at));
  }
}

/** Parses the `summary` of a report; `undefined` if it does not have the specified shape. */
export function readSummary(json: Buffer | undefined): ReportSummary | undefined {
  if (json === undefined) return undefined;

  const summary: ReportSummary | null = JSON.parse(json.toString());
  const names: unknown = summary?.breakdowns;
  if (!summary || !Array.isArray(names)) return undefined;

  const values: unknown[] = [summary.since, summary.until, summary.timezone, ...names];
  return values.every((value) => typeof value === 'string') ? summary : undefined;
}

/**
 * Explains a well-formed document without `data`: an error document (`decisions.md` 6), a status
 * record, or something else.
 */
function noRowsError(members: ReadonlyMap<string, Buffer>): AdreportError {
  const document: Record<string, unknown> = {};
  for (const [name, json] of members) document[name] = JSON.parse(json.toString());
  const record = { ...document, ...asObject(document.response) };

  const errorId = toText(record.error_id);
  const status = toText(record.status);
  // The message of a status record describes the progress, not an error.
  const message = status === undefined ? toText(record.message) : undefined;
  const errorText = toText(record.error) ?? errorId ?? message;
  if (errorText !== undefined) {
    const sentence = `The service sent an error instead of the report: ${errorText}`;
    return new RejectedError(sentence, errorId === undefined ? {} : { code: errorId });
  }

  const problem =
    status === undefined
      ? `The document from the service is not a report: it has no “data” array. It begins with ${quoteBeginning(members)}.`
      : `The service sent a status (“${status}”) instead of the report.`;
  return new IncompleteDataError(problem, { code: 'NO_DATA', retryable: status !== undefined });
}

/** Quotes the beginning of a document without rows. */
function quoteBeginning(members: ReadonlyMap<string, Buffer>): string {
  const parts: string[] = [];
  for (const [name, value] of members) {
    parts.push(`${JSON.stringify(name)}:${value.toString('utf8', 0, maxQuotedBytes)}`);
  }
  return quoted(`{${parts.join(',')}}`);
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Returns a string, or an object's `message`, printable and shortened. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'message' in value) {
    return toText(value.message);
  }
  if (typeof value !== 'string' || value === '') return undefined;
  return printable(value.slice(0, 300));
}
