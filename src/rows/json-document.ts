import { isUtf8 } from 'node:buffer';
import type { ReportSummary } from '../contract/messages.ts';
import { type AdreportError, IncompleteDataError, RejectedError } from '../errors.ts';
import { printable, quoted } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import * as ascii from './bytes.ts';
import { cut, MalformedJsonError, scanKey, scanValue, skipBlanks } from './json-scan.ts';
import type { ReportTail, RowBatch, RowBatches } from './row-batch.ts';
import type { RowRanges } from './row-ranges.ts';
import { batchFull, RowScanner } from './row-scanner.ts';

/** Limits for the members other than `data`, and for consecutive whitespace. */
const maxMemberBytes = 1024 * 1024;
const maxBlankBytes = 10 * 1024 * 1024;

/** Length of a quotation in a message. */
const maxQuotedBytes = 300;

/**
 * Reads the rows and the other members of a report. It may be `{"data":[…],"summary":{…}}` with its
 * members in any order, a bare array of rows, or one row per line.
 *
 * @param isNdjson whether the body has one row per line (NDJSON)
 * @param fields fields that every batch has, before those of the rows
 * @throws IncompleteDataError if the body is malformed, incomplete, or has no `data`
 * @throws RejectedError if the body is an error document
 */
export function readDocument(
  window: ascii.ByteWindow,
  isNdjson: boolean,
  fields: readonly string[] = [],
): RowBatches {
  return new DocumentReader(window, isNdjson, fields).read();
}

/** A member of the document. Its indexes refer to the window. */
interface ScannedMember {
  readonly name: string;

  /** Start of the value. */
  readonly start: number;

  /** End of the value. Not set for the rows, which are read piece by piece. */
  readonly end?: number;
}

/** Reads a document from a window, and waits for more bytes if they end inside a token. */
class DocumentReader {
  readonly #window: ascii.ByteWindow;
  readonly #isNdjson: boolean;
  readonly #scanner: RowScanner;

  /** Members other than the rows, as JSON. */
  readonly #members = new Map<string, Buffer>();
  #memberBytes = 0;

  /** Amount of consecutive whitespace before the start of the window, in bytes. */
  #blankBytes = 0;

  #hasSeenData = false;
  #isInRows = false;

  #tokenBefore: 'bracket' | 'row' | 'comma' = 'bracket';

  constructor(window: ascii.ByteWindow, isNdjson: boolean, fields: readonly string[]) {
    this.#window = window;
    this.#isNdjson = isNdjson;
    this.#scanner = new RowScanner(window.pieceBytes);
    for (const field of fields) this.#ranges.addField(field);
  }

  async *read(): RowBatches {
    try {
      yield* this.#isNdjson ? this.#readLines() : this.#readDocument();
    } catch (error) {
      if (!(error instanceof MalformedJsonError)) throw error;
      throw this.#malformedError(`${this.#position} cannot be read: ${error.problem}`, error.at);
    }
    return this.#buildTail();
  }

  get #ranges(): RowRanges {
    return this.#scanner.ranges;
  }

  #buildTail(): ReportTail {
    const members = [];
    for (const [name, json] of this.#members) members.push({ name, json });

    return {
      rowCount: this.#ranges.firstRow,
      fields: this.#ranges.fields,
      summary: readSummary(this.#members.get('summary')),
      members,
    };
  }

  async *#readDocument(): AsyncGenerator<RowBatch> {
    const first = await this.#nextByte();
    if (first === ascii.openBrace) yield* this.#readObject();
    else if (first === ascii.openBracket) yield* this.#parseArray();
    else
      throw new MalformedJsonError(this.#window.start, `it begins with ${this.#quoteBeginning()}`);

    await this.#requireEnd();
    if (!this.#hasSeenData) throw noRowsError(this.#members);
  }

  /** Quotes the bytes from the start of the window on. */
  #quoteBeginning(): string {
    const { bytes, start, end } = this.#window;
    return quoted(bytes.toString('utf8', start, Math.min(end, start + maxQuotedBytes)));
  }

  async #requireEnd(): Promise<void> {
    do {
      if (this.#findNextByte()) {
        throw this.#malformedError('The report continues after its end', this.#window.start);
      }
    } while (await this.#window.readMore());
  }

  /** Reads an object whose `{` is at the start of the window. */
  async *#readObject(): AsyncGenerator<RowBatch> {
    this.#window.start++;
    let next = await this.#nextByte();
    while (next !== ascii.closeBrace) {
      yield* this.#readMember();
      next = await this.#nextByte();
      if (next === ascii.comma) this.#window.start++;
      else if (next !== ascii.closeBrace) {
        throw new MalformedJsonError(this.#window.start, 'expected "," or "}"');
      }
    }
    this.#window.start++;
  }

  async *#readMember(): AsyncGenerator<RowBatch> {
    await this.#nextByte();
    const { name, start, end } = await this.#scanWholeMember();
    if (end !== undefined) {
      this.#keepMember(name, start, end);
      return;
    }

    this.#window.start = start;
    yield* this.#parseArray();
  }

  /** Scans the member at the start of the window, and waits until it is complete. */
  async #scanWholeMember(): Promise<ScannedMember> {
    for (;;) {
      const member = this.#scanMember();
      if (member) return member;
      this.#checkMemberBytes(this.#window.end - this.#window.start);
      await this.#requireMore();
    }
  }

  /** Scans the member at the start of the window. Returns `undefined` if it is incomplete. */
  #scanMember(): ScannedMember | undefined {
    const { bytes, view, start: at, end } = this.#window;
    const key = scanKey(bytes, view, at, end);
    if (!key) return undefined;

    const { name, end: start } = key;
    // `JSON.parse` takes the last array, but the rows of the first array have already been yielded.
    if (name === 'data' && this.#hasSeenData)
      throw new MalformedJsonError(at, 'more than one "data" array');

    const isRows = name === 'data' && bytes[start] === ascii.openBracket;
    if (isRows) return { name, start };

    const valueEnd = scanValue(bytes, view, start, end);
    return valueEnd === cut ? undefined : { name, start, end: valueEnd };
  }

  /** Copies the value of a member and moves past it. */
  #keepMember(name: string, valueStart: number, valueEnd: number): void {
    const { bytes, start } = this.#window;
    this.#checkMemberBytes(valueEnd - start);
    this.#memberBytes += valueEnd - start;

    const isValidUtf8 = isUtf8(bytes.subarray(start, valueEnd));
    if (!isValidUtf8) throw this.#malformedError('The report is not UTF-8', start);

    this.#members.set(name, Buffer.from(bytes.subarray(valueStart, valueEnd)));
    this.#window.start = valueEnd;
  }

  #checkMemberBytes(moreBytes: number): void {
    if (this.#memberBytes + moreBytes <= maxMemberBytes) return;
    throw this.#malformedError(
      'The report has over 1 MB in addition to its rows',
      this.#window.start,
    );
  }

  /** Reads the rows of an array whose bracket is at the start of the window. */
  async *#parseArray(): AsyncGenerator<RowBatch> {
    this.#isInRows = true;
    this.#hasSeenData = true;
    this.#members.delete('data');
    this.#window.start++;

    for (;;) {
      const stop = this.#scanRows();
      if (this.#ranges.rowCount > 0) yield this.#takeBatch();
      if (stop === 'end') break;
      if (stop === 'full') continue;
      this.#checkRowBytes();
      await this.#requireMore();
    }

    this.#isInRows = false;
    this.#window.start++;
  }

  /** Reads one row per line until the bytes end. */
  async *#readLines(): AsyncGenerator<RowBatch> {
    this.#isInRows = true;
    for (;;) {
      const stop = this.#scanRows();
      if (this.#ranges.rowCount > 0) yield this.#takeBatch();
      if (stop === 'full') continue;
      this.#checkRowBytes();

      const isInRow = this.#window.start < this.#window.end;
      if (isInRow) await this.#requireMore();
      else if (!(await this.#window.readMore())) return;
    }
  }

  /** Scans rows until more bytes are needed, the batch is full, or the array ends. */
  #scanRows(): 'more' | 'full' | 'end' {
    const window = this.#window;
    const isArray = !this.#isNdjson;
    const { bytes, view, end } = window;
    while (this.#findNextByte()) {
      const { start } = window;
      const byte = bytes[start];
      if (isArray && byte === ascii.closeBracket && this.#tokenBefore !== 'comma') return 'end';

      if (isArray && this.#tokenBefore === 'row') {
        if (byte !== ascii.comma) throw new MalformedJsonError(start, 'expected "," or "]"');
        this.#tokenBefore = 'comma';
        window.start++;
        continue;
      }

      if (byte !== ascii.openBrace) throw new MalformedJsonError(start, 'expected a row object');
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
    throw this.#malformedError(`${this.#position} is longer than 8 MB`, start);
  }

  /** Returns the scanned rows. Throws if one of them is not UTF-8. */
  #takeBatch(): RowBatch {
    const { bytes } = this.#window;
    const { rowCount, firstRow, rowStarts, rowEnds } = this.#ranges;
    const isValidUtf8 = isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]));
    if (isValidUtf8) return this.#ranges.takeBatch(bytes);

    let row = 0;
    while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
    const number = formatCount(firstRow + row + 1);
    throw this.#malformedError(`Row ${number} is not UTF-8`, rowStarts[row] ?? 0);
  }

  /** Moves to the next byte that is not whitespace, and returns it. */
  async #nextByte(): Promise<number | undefined> {
    while (!this.#findNextByte()) await this.#requireMore();
    return this.#window.bytes[this.#window.start];
  }

  /** Skips whitespace, and returns whether another byte has arrived. */
  #findNextByte(): boolean {
    const window = this.#window;
    const at = skipBlanks(window.bytes, window.start);
    const hasNext = at < window.end;
    this.#blankBytes = hasNext ? 0 : this.#blankBytes + at - window.start;
    if (this.#blankBytes > maxBlankBytes) {
      throw ascii.malformedError('The report has over 10 MB of consecutive spaces');
    }
    window.start = at;
    return hasNext;
  }

  async #requireMore(): Promise<void> {
    const hasMore = await this.#window.readMore();
    if (!hasMore) throw ascii.truncatedError(this.#rowsSoFar, this.#window.receivedBytes);
  }

  get #rowsSoFar(): number {
    return this.#ranges.firstRow + this.#ranges.rowCount;
  }

  /** Names the current position in an error. */
  get #position(): string {
    return this.#isInRows ? `Row ${formatCount(this.#rowsSoFar + 1)}` : 'The report';
  }

  #malformedError(problem: string, at: number): IncompleteDataError {
    return ascii.malformedError(problem, this.#window.positionOf(at));
  }
}

/**
 * Parses the `summary` of a report. Returns `undefined` if it does not have the specified shape.
 */
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
  // The message of a status record is not an error.
  const message = status === undefined ? toText(record.message) : undefined;
  const errorText = toText(record.error) ?? errorId ?? message;
  if (errorText !== undefined) {
    const message = `The service sent an error instead of the report: ${errorText}`;
    return new RejectedError(message, errorId === undefined ? {} : { code: errorId });
  }

  const problem =
    status === undefined
      ? `The document from the service is not a report: it has no “data” array. It begins with ${quoteDocument(members)}.`
      : `The service sent a status (“${status}”) instead of the report.`;
  return new IncompleteDataError(problem, { code: 'NO_DATA', retryable: status !== undefined });
}

/** Quotes the beginning of a document without rows. */
function quoteDocument(members: ReadonlyMap<string, Buffer>): string {
  const parts: string[] = [];
  for (const [name, value] of members) {
    parts.push(`${JSON.stringify(name)}:${value.toString('utf8', 0, maxQuotedBytes)}`);
  }
  return quoted(`{${parts.join(',')}}`);
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Returns a string, or the `message` of an object, made printable and limited in length. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'message' in value) {
    return toText(value.message);
  }
  if (typeof value !== 'string' || value === '') return undefined;
  return printable(value.slice(0, 300));
}
