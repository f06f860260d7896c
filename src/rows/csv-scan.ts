import { carriageReturn, comma, lineFeed, quote, semicolon, tab } from './ascii.ts';
import { growArray } from './grow-array.ts';
import { cut } from './json-scan.ts';

/** A byte that a CSV record may not have at index `at`. */
export class MalformedCsv extends Error {
  readonly at: number;
  constructor(at: number) {
    super(`text after a closing quote at index ${at}`);
    this.at = at;
  }
}

const usualDelimiters: readonly number[] = [comma, semicolon, tab];

/** What else `--delimiter` takes, the likelier first; blanks last, which names may have. */
const rareDelimiters: readonly number[] = [...Buffer.from('|:~^#/*&%$!=@?()<>[]{}\\` ')];

interface DelimiterSearch {
  readonly atEnd: boolean;
  /** Whether a line without comma, semicolon and tab is looked at for others too. Default: it is one field. */
  readonly rare?: boolean;
}

/** The delimiter of a header line: the one that it has most of, a usual one if it can be; `cut` while it is not whole. */
export function findDelimiter(bytes: Uint8Array, at: number, end: number, { atEnd, rare }: DelimiterSearch): number {
  const counts = new Uint32Array(256);
  let quoted = false;
  let p = at;
  while (p < end && (quoted || bytes[p] !== lineFeed)) {
    const byte = bytes[p++] as number;
    if (byte === quote) quoted = !quoted;
    if (!quoted) counts[byte] = (counts[byte] as number) + 1;
  }
  if (p >= end && !atEnd) return cut;
  const count = (delimiter: number) => counts[delimiter] as number;
  const commonest = (delimiters: readonly number[]) =>
    delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
  const usual = commonest(usualDelimiters);
  return count(usual) > 0 || !rare ? usual : commonest([comma, ...rareDelimiters]);
}

/** Finds the fields of one record at a time (RFC 4180; a line may also end with a line feed alone). */
export class CsvRecord {
  fieldCount = 0;
  /** What stands between the quotes, or the whole of an unquoted field. */
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  /** 1 for a field that holds doubled quotes. */
  doubled = new Int32Array(64);
  /** Whether a line break ended the record, rather than the end of the text. */
  terminated = false;
  readonly #delimiter: number;
  readonly #stops = new Uint8Array(256);

  constructor(delimiter: number) {
    this.#delimiter = delimiter;
    for (const byte of [0, delimiter, lineFeed, carriageReturn]) this.#stops[byte] = 1;
  }

  /**
   * Scans the record at `at`; `bytes[end]` must be 0.
   * @returns the index after its line break, or `cut`
   * @throws MalformedCsv
   */
  scan(bytes: Uint8Array, at: number, end: number, atEnd: boolean): number {
    this.fieldCount = 0;
    let p = at;
    for (;;) {
      p = bytes[p] === quote ? this.#scanQuoted(bytes, p + 1, end) : this.#scanBare(bytes, p, end);
      if (p === cut || (p >= end && !atEnd)) return cut;
      const byte = bytes[p];
      if (byte === this.#delimiter) p++;
      else return this.#endRecord(bytes, p, end, atEnd);
    }
  }

  #endRecord(bytes: Uint8Array, at: number, end: number, atEnd: boolean): number {
    this.terminated = at < end;
    if (at >= end) return end;
    if (bytes[at] === lineFeed) return at + 1;
    if (bytes[at] === carriageReturn) {
      if (bytes[at + 1] === lineFeed) return at + 2;
      if (at + 1 >= end) return atEnd ? end : cut;
    }
    throw new MalformedCsv(at);
  }

  #scanBare(bytes: Uint8Array, at: number, end: number): number {
    let p = at;
    for (;;) {
      while (this.#stops[bytes[p] as number] === 0) p++;
      const byte = bytes[p];
      const isText = byte === carriageReturn ? p + 1 < end && bytes[p + 1] !== lineFeed : byte === 0 && p < end;
      if (!isText) return this.#addField(at, p, 0, p);
      p++;
    }
  }

  #scanQuoted(bytes: Uint8Array, at: number, end: number): number {
    let p = at;
    let doubled = 0;
    for (;;) {
      while (bytes[p] !== quote && p < end) p++;
      if (p >= end) return cut;
      if (bytes[p + 1] !== quote) return this.#addField(at, p, doubled, p + 1);
      doubled = 1;
      p += 2;
    }
  }

  #addField(start: number, end: number, doubled: number, next: number): number {
    if (this.fieldCount >= this.starts.length) {
      this.starts = growArray(this.starts, this.fieldCount + 1);
      this.ends = growArray(this.ends, this.fieldCount + 1);
      this.doubled = growArray(this.doubled, this.fieldCount + 1);
    }
    this.starts[this.fieldCount] = start;
    this.ends[this.fieldCount] = end;
    this.doubled[this.fieldCount] = doubled;
    this.fieldCount++;
    return next;
  }
}
