import { apostrophe, carriageReturn, comma, dot, lineFeed, openBrace, openBracket, quote } from '../../rows/ascii.ts';
import { repeated } from '../../rows/words.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { compact, unescapeText, writeNumber } from '../bytes/json-bytes.ts';
import type { PlannedColumn } from '../columns.ts';
import type { CsvDialect } from '../encoder.ts';

/** The first bytes of the texts that a spreadsheet runs as a formula (OWASP, CSV injection). */
export const formulaStarts: ReadonlySet<number> = new Set([...'=+-@\t\r'].map((character) => character.charCodeAt(0)));

/** Writes the cells that are not copied as they are: escapes, quotes, nested values, changed numbers, formulas. */
export class CsvCells {
  readonly delimiter: number;
  /** The delimiter four times, for `copyUnless`. */
  readonly delimiters: number;
  /** Whether numbers are copied as they are, and text that has neither a delimiter nor a JSON escape. */
  readonly plain: boolean;
  readonly #quoted = new Uint8Array(256);
  readonly #decimalMark: number | undefined;
  readonly #escapeFormulas: boolean;
  readonly #scratch = new ByteBuffer(1024);

  constructor(dialect: CsvDialect, normalize: boolean) {
    this.delimiter = (dialect.delimiter ?? ',').charCodeAt(0);
    this.delimiters = repeated(this.delimiter);
    const decimal = dialect.decimal ?? (normalize ? '.' : undefined);
    this.#decimalMark = decimal === undefined ? undefined : decimal === ',' ? comma : dot;
    this.#escapeFormulas = dialect.escapeFormulas ?? false;
    this.plain = this.#decimalMark === undefined && !this.#escapeFormulas;
    for (const byte of [this.delimiter, quote, carriageReturn, lineFeed]) this.#quoted[byte] = 1;
  }

  /**
   * Writes the cell of a JSON value that is not null; `out` has room for twice its size and four bytes.
   * @returns the index after it
   */
  write(out: Buffer, at: number, bytes: Buffer, start: number, end: number, column: PlannedColumn): number {
    const first = bytes[start];
    const scratch = this.#scratch.reserve(end - start + 1);
    const isText = first === quote;
    if (this.#decimalMark !== undefined && (column.numeric || !isText)) {
      const numberEnd = writeNumber(scratch, 0, bytes, start, end, this.#decimalMark);
      if (numberEnd >= 0) return this.#writeField(out, at, scratch, 0, numberEnd);
    }
    if (first === openBrace || first === openBracket) {
      return this.#writeField(out, at, scratch, 0, compact(scratch, 0, bytes, start, end));
    }
    if (!isText) return this.#writeField(out, at, bytes, start, end);
    if (this.#escapeFormulas && column.numeric && writeNumber(scratch, 0, bytes, start, end, dot) >= 0) {
      return this.#writeField(out, at, bytes, start + 1, end - 1);
    }
    return this.#writeText(out, at, scratch, unescapeText(scratch, 0, bytes, start + 1, end - 1));
  }

  /** A whole line of texts, its line end included. */
  line(texts: readonly string[]): Buffer {
    const cells = texts.map((text) => {
      const bytes = Buffer.from(text);
      const out = Buffer.alloc(2 * bytes.length + 3);
      return out.toString('utf8', 0, this.#writeText(out, 0, bytes, bytes.length));
    });
    return Buffer.from(`${cells.join(String.fromCharCode(this.delimiter)) || '""'}\r\n`);
  }

  #writeText(out: Buffer, at: number, text: Buffer, length: number): number {
    if (!this.#escapeFormulas || length === 0 || !formulaStarts.has(text[0] as number)) {
      return this.#writeField(out, at, text, 0, length);
    }
    const defused = Buffer.concat([Buffer.from([apostrophe]), text.subarray(0, length)]);
    return this.#writeField(out, at, defused, 0, defused.length);
  }

  /** Text as a CSV field, in quotes only where it needs them. */
  #writeField(out: Buffer, at: number, text: Buffer, start: number, end: number): number {
    let o = at;
    let p = start;
    while (p < end && this.#quoted[text[p] as number] === 0) out[o++] = text[p++] as number;
    if (p === end) return o;
    o = at;
    out[o++] = quote;
    for (p = start; p < end; p++) {
      const byte = text[p] as number;
      if (byte === quote) out[o++] = quote;
      out[o++] = byte;
    }
    out[o++] = quote;
    return o;
  }
}
