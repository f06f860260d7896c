import * as ascii from './bytes.ts';
import { compactJson, readJsonValues } from './row-batch.ts';
import { type RangedBatch, type RowBatch, toRanges } from './row-ranges.ts';

const backslashes = ascii.repeatByte(ascii.backslash);
const commas = ascii.repeatByte(ascii.comma);

/** Masks for a last word of 1, 2 or 3 bytes. */
const lastWordMasks = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/** Writes rows as JSON or CSV by copying their bytes. A result is valid until the next call. */
export class RowCopier {
  #out = Buffer.allocUnsafe(256 * 1024);
  #view = ascii.toDataView(this.#out);

  /** Columns and fields of `#indexes`. */
  #columns: readonly string[] = [];
  #fields: readonly string[] = [];

  /** For each CSV column, its index in the batch's fields, or -1. */
  #indexes = new Int32Array(0);

  /** Joins the unchanged rows, one per line, by a separator: `,\n` or `\n`. */
  copyToJson(batch: RowBatch, separator: Buffer): Uint8Array {
    const ranges = toRanges(batch);
    if (hasLineBreaks(ranges)) return compactRows(ranges, separator);

    const { bytes, rowCount, rowStarts, rowEnds } = ranges;
    const start = rowStarts[0] as number;
    const end = rowEnds[rowCount - 1] as number;
    const out = this.#reserve(end - start + rowCount * separator.length);
    const hasGaps = hasSeparatorGaps(ranges, separator.length);
    if (hasGaps) bytes.copy(out, 0, start, end);

    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      if (row > 0) for (let i = 0; i < separator.length; i++) out[at++] = separator[i] as number;
      if (hasGaps) at = (rowEnds[row] as number) - start;
      else at += bytes.copy(out, at, rowStarts[row], rowEnds[row]);
    }
    return out.subarray(0, at);
  }

  /**
   * Formats plain CSV with commas, CRLF and quotes if needed. Values are the same as in JSON.
   *
   * @param columns fields to write, in order; the same array each time saves lookups
   */
  copyToCsv(batch: RowBatch, columns: readonly string[]): Uint8Array {
    const ranges = toRanges(batch);
    this.#findColumns(columns, ranges.fields);
    const indexes = this.#indexes;
    const { bytes, rowCount, rowStarts, rowEnds, valueStarts, valueEnds } = ranges;
    const width = indexes.length;
    const stride = ranges.fields.length;

    // This is the largest possible result: two bytes per byte (a doubled quote), three per cell
    // (quotes and a comma), four per line (its end, and quotes if it is empty), and three for the
    // last word.
    const sourceBytes = (rowEnds[rowCount - 1] as number) - (rowStarts[0] as number);
    const out = this.#reserve(2 * sourceBytes + rowCount * (3 * width + 4) + 4);
    const outView = this.#view;
    const from = ascii.toDataView(bytes);

    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      const rowAt = at;
      for (let column = 0; column < width; column++) {
        if (column > 0) out[at++] = ascii.comma;
        const index = indexes[column] as number;
        const start = index < 0 ? -1 : (valueStarts[row * stride + index] as number);
        if (start < 0) continue;

        const end = valueEnds[row * stride + index] as number;
        const first = bytes[start] as number;
        if (first === ascii.letterN) continue;

        const isString = first === ascii.quote;
        if (isString && copyPlain(outView, at, from, start + 1, end - 1)) {
          at += end - start - 2;
        } else if (isString && copyQuoted(out, at, bytes, start, end)) {
          at += end - start;
        } else if (!isString && first < ascii.openBracket) {
          copyWords(outView, at, from, start, end);
          at += end - start;
        } else {
          at += out.write(formatCsvCell(bytes, start, end), at);
        }
      }

      // Readers would skip an empty line.
      if (at === rowAt) {
        out[at++] = ascii.quote;
        out[at++] = ascii.quote;
      }
      out[at++] = ascii.carriageReturn;
      out[at++] = ascii.lineFeed;
    }
    return out.subarray(0, at);
  }

  #findColumns(columns: readonly string[], fields: readonly string[]): void {
    if (columns === this.#columns && fields === this.#fields) return;
    this.#columns = columns;
    this.#fields = fields;
    this.#indexes = Int32Array.from(columns, (column) => fields.indexOf(column));
  }

  #reserve(sizeBytes: number): Buffer {
    if (this.#out.length < sizeBytes) {
      this.#out = Buffer.allocUnsafe(Math.ceil(sizeBytes * 1.25));
      this.#view = ascii.toDataView(this.#out);
    }
    return this.#out;
  }
}

interface CopiedRows {
  /** Indexes of the rows in the batch. */
  readonly rows: Iterable<number>;

  /** Fields to write. Default: all. */
  readonly fields?: readonly string[] | undefined;
}

/** Copies rows of a batch as JSON objects, one per line. */
export function copyRows(batch: RowBatch, { rows, fields }: CopiedRows): Buffer {
  const { bytes, rowStarts, rowEnds, renamedKeys } = toRanges(batch);
  const named = renamedKeys.size > 0 ? batch.fields : undefined;
  const picked = (fields ?? named)?.map((field) => ({
    key: JSON.stringify(field),
    values: readJsonValues(batch, field),
  }));
  const date = fields || batch.day === undefined ? '' : `"date":"${batch.day}"`;
  let lines = '';
  for (const row of rows) {
    const json = picked
      ? picked.map(({ key, values }) => `${key}:${values[row] ?? 'null'}`).join(',')
      : compactJson(bytes.toString('utf8', rowStarts[row], rowEnds[row])).slice(1, -1);
    lines += `{${[date, json].filter((part) => part !== '').join(',')}}\n`;
  }
  return Buffer.from(lines);
}

function hasLineBreaks({ bytes, rowCount, rowStarts, rowEnds }: RangedBatch): boolean {
  let lineFeedAt = -1;
  for (let row = 0; row < rowCount; row++) {
    const start = rowStarts[row] as number;
    if (lineFeedAt < start) lineFeedAt = bytes.indexOf(ascii.lineFeed, start);
    if (lineFeedAt < 0) return false;
    if (lineFeedAt < (rowEnds[row] as number)) return true;
  }
  return false;
}

/** Writes each row on one line. */
function compactRows(batch: RangedBatch, separator: Buffer): Buffer {
  const { bytes, rowCount, rowStarts, rowEnds } = batch;
  const rows: string[] = [];
  for (let row = 0; row < rowCount; row++) {
    rows.push(compactJson(bytes.toString('utf8', rowStarts[row], rowEnds[row])));
  }
  return Buffer.from(rows.join(separator.toString()));
}

/** Whether every gap is as long as a separator, so that all rows can be copied in one piece. */
function hasSeparatorGaps(batch: RangedBatch, separatorBytes: number): boolean {
  const { rowCount, rowStarts, rowEnds } = batch;
  for (let row = 1; row < rowCount; row++) {
    const spaceBytes = (rowStarts[row] as number) - (rowEnds[row - 1] as number);
    if (spaceBytes !== separatorBytes) return false;
  }
  return true;
}

/** Copies bytes four at a time. May read and write up to three bytes beyond the end. */
function copyWords(out: DataView, at: number, from: DataView, start: number, end: number): void {
  const shift = at - start;
  for (let p = start; p < end; p += 4) out.setInt32(p + shift, from.getInt32(p, true), true);
}

/**
 * Copies the content of a JSON string unless it has a backslash or a comma. May read and write up
 * to three bytes beyond the end.
 * @returns true if it was copied
 */
function copyPlain(out: DataView, at: number, from: DataView, start: number, end: number): boolean {
  const shift = at - start;
  for (let p = start; p < end; p += 4) {
    const word = from.getInt32(p, true);
    out.setInt32(p + shift, word, true);

    // Bytes beyond the end become zero, which never matches.
    const counted = end - p < 4 ? word & (lastWordMasks[end - p] as number) : word;
    const stops =
      ascii.markZeroBytes(counted ^ backslashes) | ascii.markZeroBytes(counted ^ commas);
    if (stops !== 0) return false;
  }
  return true;
}

/**
 * Copies a JSON string with its quotes. `\"` becomes `""`, which also has two bytes. A string with
 * any other escape is not copied.
 * @returns true if it was copied
 */
function copyQuoted(out: Buffer, at: number, bytes: Buffer, start: number, end: number): boolean {
  const shift = at - start;
  for (let p = start; p < end; p++) {
    const byte = bytes[p] as number;
    if (byte === ascii.backslash && bytes[p + 1] !== ascii.quote) return false;
    out[p + shift] = byte === ascii.backslash ? ascii.quote : byte;
  }
  return true;
}

/** Formats a value whose bytes cannot be copied: a string with escapes, an object or a list. */
function formatCsvCell(bytes: Buffer, start: number, end: number): string {
  const json = bytes.toString('utf8', start, end);
  const text = bytes[start] === ascii.quote ? (JSON.parse(json) as string) : compactJson(json);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
