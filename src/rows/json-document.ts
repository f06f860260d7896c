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
 * array of rows, or rows one a line: its rows, and what the document held beside them. Wherever the bytes end inside a
 * token, it waits for more of them.
 * @param areLines whether the rows stand alone, one a line (NDJSON)
 * @throws IncompleteDataError where it is malformed, has not come to its end, or has no `data`
 * @throws RejectedError where it is an error's
 */
export async function* readDocument(window: ascii.ByteWindow, areLines: boolean): RowBatches {
  const scanner = new RowScanner();
  const { ranges } = scanner;
  const members = new Map<string, Buffer>();
  let memberBytes = 0;
  let blankBytes = 0;
  let dataSeen = false;
  let isInRows = false;
  /** What stands before the next row. */
  let before: 'bracket' | 'row' | 'comma' = 'bracket';

  try {
    yield* areLines ? rows() : document();
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw malformed(`${place()} cannot be read: expected ${error.expected}`, error.at);
  }
  const beside = [...members].map(([name, json]) => ({ name, json }));
  const { firstRow: rowCount, fields } = ranges;
  return { rowCount, fields, summary: summaryOf(members.get('summary')), members: beside };

  async function* document(): AsyncGenerator<RowBatch> {
    const first = await nextByte();
    if (first === ascii.openBrace) yield* object(true);
    else if (first === ascii.openBracket) yield* rows();
    else throw new MalformedJson(window.start, '"{" or "["');
    while (!isMoreThere()) {
      if (await window.more()) continue;
      if (!dataSeen) throw noRows(members);
      return;
    }
    throw malformed('The report goes on after its end', window.start);
  }

  async function* object(isOutermost: boolean): AsyncGenerator<RowBatch> {
    window.start++;
    let next = await nextByte();
    while (next !== ascii.closeBrace) {
      yield* member(isOutermost);
      next = await nextByte();
      if (next === ascii.comma) window.start++;
      else if (next !== ascii.closeBrace) throw new MalformedJson(window.start, '"," or "}"');
    }
    window.start++;
  }

  async function* member(isOutermost: boolean): AsyncGenerator<RowBatch> {
    await nextByte();
    let found = scanMember(isOutermost);
    for (; !found; found = scanMember(isOutermost)) {
      checkBeside(window.end - window.start);
      await more();
    }
    const { name, start, end } = found;
    if (end === undefined) {
      window.start = start;
      yield* name === 'data' ? rows() : object(false);
      return;
    }
    checkBeside(end - window.start);
    memberBytes += end - window.start;
    const whole = window.bytes.subarray(window.start, end);
    if (!isUtf8(whole)) throw malformed('The report is not UTF-8', window.start);
    members.set(name, Buffer.from(whole.subarray(start - window.start)));
    window.start = end;
  }

  /** Where the value of the member begins, and ends unless it is read piece by piece; `undefined` where it is cut. */
  function scanMember(
    isOutermost: boolean,
  ): { name: string; start: number; end?: number } | undefined {
    const { bytes, view, start: at, end } = window;
    const key = scanKey(bytes, view, at, end);
    if (!key) return undefined;
    const { name, end: start } = key;
    // `JSON.parse` lets the last of two win; a reader that does not hold the first cannot take it back.
    if (name === 'data' && dataSeen) throw new MalformedJson(at, 'one "data" array');
    if (name === 'data' && bytes[start] === ascii.openBracket) return { name, start };
    if (name === 'response' && isOutermost && bytes[start] === ascii.openBrace)
      return { name, start };
    const valueEnd = scanValue(bytes, view, start, end);
    return valueEnd === cut ? undefined : { name, start, end: valueEnd };
  }

  /** The rows; those of an array begin with its bracket at the window's start. */
  async function* rows(): AsyncGenerator<RowBatch> {
    isInRows = true;
    if (!areLines) {
      dataSeen = true;
      members.delete('data');
      window.start++;
    }
    for (;;) {
      const stop = scanRows();
      if (ranges.rowCount > 0) yield batch();
      if (stop === 'end') break;
      if (stop === 'full') continue;
      if (window.end - window.start > ascii.maxRowBytes) {
        throw malformed(`${place()} is longer than 8 MB`, window.start);
      }
      if (!areLines || window.start < window.end) await more();
      else if (!(await window.more())) return;
    }
    isInRows = false;
    window.start++;
  }

  /** Scans the rows that are there, up to where more bytes are needed, the batch is full, or the array ends. */
  function scanRows(): 'more' | 'full' | 'end' {
    const { bytes, view, end } = window;
    while (isMoreThere()) {
      const { start } = window;
      const byte = bytes[start];
      if (byte === ascii.closeBracket && before !== 'comma' && !areLines) return 'end';
      if (before === 'row' && !areLines) {
        if (byte !== ascii.comma) throw new MalformedJson(start, '"," or "]"');
        before = 'comma';
        window.start++;
        continue;
      }
      if (byte !== ascii.openBrace) throw new MalformedJson(start, 'a row object');
      const rowEnd = scanner.scanRow(bytes, view, start, end);
      if (rowEnd < 0) return rowEnd === batchFull ? 'full' : 'more';
      before = 'row';
      window.start = rowEnd;
    }
    return 'more';
  }

  /** The rows that have been scanned. */
  function batch(): RowBatch {
    const { bytes } = window;
    const { rowCount, firstRow, rowStarts, rowEnds } = ranges;
    if (isUtf8(bytes.subarray(rowStarts[0], rowEnds[rowCount - 1]))) return ranges.takeBatch(bytes);
    let row = 0;
    while (isUtf8(bytes.subarray(rowStarts[row], rowEnds[row]))) row++;
    throw malformed(`Row ${formatCount(firstRow + row + 1)} is not UTF-8`, rowStarts[row] ?? 0);
  }

  /** The byte that comes next in the document, to which the window's start moves. */
  async function nextByte(): Promise<number | undefined> {
    while (!isMoreThere()) await more();
    return window.bytes[window.start];
  }

  /** Whether anything comes after the blanks yet. */
  function isMoreThere(): boolean {
    const at = skipBlanks(window.bytes, window.start);
    const isThere = at < window.end;
    blankBytes = isThere ? 0 : blankBytes + at - window.start;
    if (blankBytes > maxBlankBytes) throw ascii.malformed('Over 10 MB of blanks stand in a row');
    window.start = at;
    return isThere;
  }

  async function more(): Promise<void> {
    if (!(await window.more())) throw ascii.endsEarly(rowsSoFar(), window.receivedBytes);
  }

  function rowsSoFar(): number {
    return ranges.firstRow + ranges.rowCount;
  }

  function malformed(what: string, at: number): IncompleteDataError {
    return ascii.malformed(what, window.positionOf(at));
  }

  function checkBeside(moreBytes: number): void {
    if (memberBytes + moreBytes <= maxMemberBytes) return;
    throw malformed('The report has over 1 MB beside its rows', window.start);
  }

  function place(): string {
    return isInRows ? `Row ${formatCount(rowsSoFar() + 1)}` : 'The report';
  }
}

/** The `summary` member of a report, or `undefined` where it does not have the shape of the specification. */
function summaryOf(json: Buffer | undefined): ReportSummary | undefined {
  const summary: ReportSummary | null = json === undefined ? null : JSON.parse(json.toString());
  const texts: unknown[] = [summary?.since, summary?.until, summary?.timezone];
  const names: unknown = summary?.breakdowns;
  const isWhole =
    Array.isArray(names) && [...texts, ...names].every((each) => typeof each === 'string');
  return isWhole ? (summary ?? undefined) : undefined;
}

/** The error for a well-formed document without `data`: an error's (`decisions.md` 6), a status record, or another. */
function noRows(members: ReadonlyMap<string, Buffer>): AdreportError {
  const [error, errorId, message, status] = ['error', 'error_id', 'message', 'status'].map(
    (name) => {
      const json = members.get(name);
      return json && textOf(JSON.parse(json.toString()));
    },
  );
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
  if (typeof value === 'object' && value !== null && 'message' in value)
    return textOf(value.message);
  return typeof value === 'string' && value !== '' ? printable(value.slice(0, 300)) : undefined;
}
