import * as ascii from './bytes.ts';
import { compactJson, type RowBatch } from './row-batch.ts';

const backslashes = ascii.repeated(ascii.backslash);
const commas = ascii.repeated(ascii.comma);

/** Which bits of a run's last word count, where 1, 2 or 3 of its bytes belong to the run. */
const lastWordMasks = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/** Writes rows as JSON or CSV by copying their bytes. What its calls return is good until the next call. */
export class RowCopier {
  #out = Buffer.allocUnsafe(256 * 1024);
  #view = ascii.viewOf(this.#out);

  /** The rows as they came, one a line, with the separator between them: `,\n` or `\n`. */
  toJson(batch: RowBatch, separator: Buffer): Uint8Array {
    const { bytes, rowCount, rowStarts, rowEnds } = batch;
    if (hasLineBreaks(batch)) {
      const rows = Array.from({ length: rowCount }, (_, row) =>
        compactJson(bytes.toString('utf8', rowStarts[row], rowEnds[row])),
      );
      return Buffer.from(rows.join(separator.toString()));
    }
    const start = rowStarts[0] as number;
    const end = rowEnds[rowCount - 1] as number;
    const out = this.#reserve(end - start + rowCount * separator.length);
    // Where as much room is between the rows as the separator takes, all are copied in one go.
    const isSpaced = rowEnds
      .subarray(0, rowCount - 1)
      .every((rowEnd, row) => rowStarts[row + 1] === rowEnd + separator.length);
    if (isSpaced) bytes.copy(out, 0, start, end);
    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      if (row > 0) for (let i = 0; i < separator.length; i++) out[at++] = separator[i] as number;
      if (isSpaced) at = (rowEnds[row] as number) - start;
      else at += bytes.copy(out, at, rowStarts[row], rowEnds[row]);
    }
    return out.subarray(0, at);
  }

  /**
   * The rows as lines of plain CSV: commas, CRLF, quotes where they are needed, values as they stand in the JSON.
   * @param indexes where the batch has the field of each column; -1 where it has none
   */
  toCsv(batch: RowBatch, indexes: Int32Array): Uint8Array {
    const { bytes, rowCount, rowStarts, rowEnds, valueStarts, valueEnds } = batch;
    const width = indexes.length;
    const stride = batch.fields.length;
    // A byte becomes two at most (a doubled quote); a cell gains two quotes and a comma; a line its end and, where it is
    // empty, quotes; and the last word that is copied may be three bytes too long.
    const sourceBytes = (rowEnds[rowCount - 1] as number) - (rowStarts[0] as number);
    const out = this.#reserve(2 * sourceBytes + rowCount * (3 * width + 4) + 4);
    const outView = this.#view;
    const from = ascii.viewOf(bytes);
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
        const isText = first === ascii.quote;
        if (isText && copyPlain(outView, at, from, start + 1, end - 1)) at += end - start - 2;
        else if (isText && copyQuoted(out, at, bytes, start, end)) at += end - start;
        else if (!isText && first < ascii.openBracket) {
          for (let p = start; p < end; p += 4)
            outView.setInt32(at + p - start, from.getInt32(p, true), true);
          at += end - start;
        } else at += out.write(csvCell(bytes, start, end), at);
      }
      // A line with nothing on it would be skipped by readers.
      if (at === rowAt) {
        out[at++] = ascii.quote;
        out[at++] = ascii.quote;
      }
      out[at++] = ascii.carriageReturn;
      out[at++] = ascii.lineFeed;
    }
    return out.subarray(0, at);
  }

  #reserve(sizeBytes: number): Buffer {
    if (this.#out.length < sizeBytes) {
      this.#out = Buffer.allocUnsafe(Math.ceil(sizeBytes * 1.25));
      this.#view = ascii.viewOf(this.#out);
    }
    return this.#out;
  }
}

/** Whether a row stands on more than one line. */
function hasLineBreaks({ bytes, rowCount, rowStarts, rowEnds }: RowBatch): boolean {
  let at = -1;
  for (let row = 0; row < rowCount; row++) {
    if (at < (rowStarts[row] as number)) at = bytes.indexOf(ascii.lineFeed, rowStarts[row]);
    if (at < 0) return false;
    if (at < (rowEnds[row] as number)) return true;
  }
  return false;
}

/**
 * Copies the inside of a string of JSON, unless it has a backslash or a comma; a bare quote or line break it cannot have.
 * May read and write up to three bytes beyond.
 * @returns whether it was copied
 */
function copyPlain(out: DataView, at: number, from: DataView, start: number, end: number): boolean {
  const shift = at - start;
  for (let p = start; p < end; p += 4) {
    const word = from.getInt32(p, true);
    out.setInt32(p + shift, word, true);
    // Bytes beyond the end become zero, which is no stop.
    const counted = end - p < 4 ? word & (lastWordMasks[end - p] as number) : word;
    if ((ascii.zeroBytes(counted ^ backslashes) | ascii.zeroBytes(counted ^ commas)) !== 0)
      return false;
  }
  return true;
}

/**
 * Copies a string of JSON with its quotes, unless it has another escape than `\"`, which CSV writes as `""`: as many bytes.
 * @returns whether it was copied
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

/** The cell of a value that is more than a copy of its bytes: a string with escapes, an object or a list. */
function csvCell(bytes: Buffer, start: number, end: number): string {
  const json = bytes.toString('utf8', start, end);
  const text = bytes[start] === ascii.quote ? (JSON.parse(json) as string) : compactJson(json);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
