import { fieldTypeOf } from '../contract/columns.ts';
import { openBrace } from './ascii.ts';
import { endsEarly, grouped, malformed } from './body-errors.ts';
import { type ByteWindow, maxHeldBytes } from './byte-window.ts';
import { checkedBatch, placed } from './json-checks.ts';
import { cut, MalformedJson, scanValue, skipBlanks } from './json-scan.ts';
import type { ReportTail, RowBatch } from './row-batch.ts';
import { batchFull, RowScanner } from './row-scanner.ts';

/** Reads rows that stand one after the other as JSON objects, one a line, with nothing around them. */
export class NdjsonDocument {
  readonly #window: ByteWindow;
  readonly #scanner = new RowScanner();

  constructor(window: ByteWindow) {
    this.#window = window;
  }

  /** @throws IncompleteDataError where a row is malformed, or `atEnd` is cut off */
  *read(atEnd: boolean): Generator<RowBatch, void, undefined> {
    const { ranges } = this.#scanner;
    const window = this.#window;
    for (let more = true; more; ) {
      more = this.#tryScanRows();
      if (ranges.rowCount === 0) continue;
      yield checkedBatch(ranges, window);
      ranges.clear();
    }
    if (atEnd && window.start < window.end) {
      throw endsEarly(`in the middle of row ${this.#rowNumber()}`, window.receivedBytes);
    }
    if (window.end - window.start > maxHeldBytes) {
      throw malformed(`Row ${this.#rowNumber()} is longer than 16 MiB`, window.positionOf(window.start));
    }
  }

  /** What is known once all has been read; such rows have nothing beside them. */
  finish(): ReportTail {
    const { firstRow, fields } = this.#scanner.ranges;
    return { rowCount: firstRow, sizeBytes: this.#window.receivedBytes, fields, summary: undefined, members: [] };
  }

  #tryScanRows(): boolean {
    try {
      return this.#scanRows();
    } catch (error) {
      throw placed(error, `Row ${this.#rowNumber()}`, this.#window);
    }
  }

  /** Scans the rows that are there; `true` where they have to be handed out before the next one. */
  #scanRows(): boolean {
    const window = this.#window;
    const { bytes, view, end } = window;
    for (;;) {
      const at = skipBlanks(bytes, window.start);
      window.start = at;
      if (at >= end) return false;
      if (bytes[at] !== openBrace) throw new MalformedJson(at, 'a row object');
      const rowEnd = this.#scanner.scanRow(bytes, view, at, end);
      if (rowEnd < 0) return rowEnd === batchFull;
      window.start = rowEnd;
    }
  }

  #rowNumber(): string {
    const { firstRow, rowCount } = this.#scanner.ranges;
    return grouped(firstRow + rowCount + 1);
  }
}

/**
 * Whether what begins with a brace at `at` is rows rather than a report document: another object comes after the first,
 * or it is alone and has the field of a row. Where not even the first is whole, it is too long for a row.
 */
export function areRows(bytes: Buffer, at: number, end: number): boolean {
  let objectEnd: number;
  try {
    objectEnd = scanValue(bytes, at, end, 0);
  } catch {
    return false;
  }
  if (objectEnd === cut) return false;
  const next = skipBlanks(bytes, objectEnd);
  if (next < end) return bytes[next] === openBrace;
  const first: object = JSON.parse(bytes.toString('utf8', at, objectEnd));
  return !('data' in first) && Object.keys(first).some((key) => fieldTypeOf(key) !== undefined);
}
