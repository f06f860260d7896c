import { ascii } from '../contract/ascii.ts';
import { cut, MalformedJson, scanColon, scanString, scanValue, skipBlanks } from './json-scan.ts';
import { KeyTexts, keyLengthAt } from './key-texts.ts';
import { maxFields, RowRanges } from './row-ranges.ts';

/** The batch is full: hand its rows out, then scan the row again. */
export const full = -2;

/** Where a key was looked for, the row ends. */
const rowEnds = -3;

const { quote, comma, n: startsNull, openBrace, closeBrace, openBracket, lineFeed, carriageReturn } = ascii;

const nullWord = Buffer.from('null').readInt32LE(0);

/**
 * Scans row objects and notes where their values stand.
 *
 * Rows repeat the same keys in the same order, so each key is first compared with the one that came after the
 * previous key in the rows before; only where that fails is it read and looked up.
 */
export class RowScanner {
  readonly ranges = new RowRanges();
  readonly #keys = new KeyTexts();
  /** Set by `#readKey`: which field the key it read names. */
  #field = 0;

  /**
   * Scans the row whose `{` is at `start`.
   * @returns the index after its `}`, `cut` or `full`; nothing is noted in the last two cases
   * @throws MalformedJson
   */
  scanRow(bytes: Buffer, view: DataView, start: number, end: number): number {
    const { ranges } = this;
    const keys = this.#keys;
    if (ranges.full) return full;
    ranges.reserveRow();
    let { valueStarts, valueEnds } = ranges;
    let base = ranges.rowCount * ranges.fields.length;
    let field = 0;
    // How many fields from the left have been set in this row.
    let set = 0;
    let p = start;
    for (;;) {
      const keyLength = keyLengthAt(keys, field, view, p);
      if (keyLength > 0) {
        p += keyLength;
        if (set === field) set++;
      } else {
        const afterKey = this.#readKey(bytes, p, start, end);
        ({ valueStarts, valueEnds } = ranges);
        const width = ranges.fields.length;
        base = ranges.rowCount * width;
        while (set < width) valueStarts[base + set++] = -1;
        if (afterKey === rowEnds) return this.#endRow(bytes, p, start);
        if (afterKey < 0) return afterKey;
        p = afterKey;
        field = this.#field;
      }
      if ((bytes[p] as number) <= ascii.space) p = this.#skipBlanks(bytes, p);
      const valueEnd = bytes[p] === quote ? scanString(bytes, p + 1, end) : this.#scanOther(bytes, view, p, end);
      if (valueEnd === cut) return cut;
      valueStarts[base + field] = p;
      valueEnds[base + field] = valueEnd;
      field++;
      p = valueEnd;
    }
  }

  /** A value that is no string. */
  #scanOther(bytes: Buffer, view: DataView, at: number, end: number): number {
    const first = bytes[at];
    if (first === startsNull && view.getInt32(at, true) === nullWord) return at + 4;
    const valueEnd = scanValue(bytes, at, end, 1);
    if (first === openBrace || first === openBracket) this.#noteLineBreaks(bytes, at, valueEnd);
    return valueEnd;
  }

  #skipBlanks(bytes: Buffer, at: number): number {
    const p = skipBlanks(bytes, at);
    this.#noteLineBreaks(bytes, at, p);
    return p;
  }

  #noteLineBreaks(bytes: Buffer, start: number, end: number): void {
    for (let p = start; p < end; p++) {
      if (bytes[p] === lineFeed || bytes[p] === carriageReturn) this.ranges.singleLine = false;
    }
  }

  /** Notes the row, whose `}` is the next token at `at`. */
  #endRow(bytes: Buffer, at: number, start: number): number {
    const end = skipBlanks(bytes, at === start ? at + 1 : at) + 1;
    this.ranges.endRow(start, end);
    return end;
  }

  /**
   * Reads what comes at `at`, after a value or at the row's `{`, where it is not the expected key: another key, up to
   * and with its colon, or the end of the row. A new key becomes a field.
   */
  #readKey(bytes: Buffer, at: number, start: number, end: number): number {
    let p = at === start ? at : this.#skipBlanks(bytes, at);
    if (bytes[p] === closeBrace) return rowEnds;
    if (p >= end) return cut;
    if (p > start && bytes[p] !== comma) throw new MalformedJson(p, '"," or "}"');
    p = this.#skipBlanks(bytes, p + 1);
    if (bytes[p] === closeBrace && at === start) return rowEnds;
    if (p >= end) return cut;
    if (bytes[p] !== quote) throw new MalformedJson(p, 'a key in quotes');
    const keyEnd = scanString(bytes, p + 1, end);
    if (keyEnd === cut) return cut;
    const afterColon = scanColon(bytes, keyEnd, end);
    if (afterColon === cut) return cut;
    this.#noteLineBreaks(bytes, keyEnd, afterColon);
    return this.#findField(bytes.toString('utf8', p, keyEnd), p) ? afterColon : full;
  }

  /** Sets `#field` to the field of a key's text; `false` where there is no room for a new one in this batch. */
  #findField(text: string, at: number): boolean {
    const name: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
    let field = this.ranges.indexOf(name);
    if (field === undefined) {
      if (this.ranges.fields.length >= maxFields) throw new MalformedJson(at, `at most ${maxFields} different keys`);
      field = this.ranges.addField(name);
      if (field === undefined) return false;
      this.#keys.add(text);
    }
    this.#field = field;
    return true;
  }
}
