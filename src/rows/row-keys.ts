import { parseTimestamp } from '../contract/values.ts';
import {
  backslash,
  letterN,
  markZeroBytes,
  nine,
  quote,
  repeatByte,
  space,
  toDataView,
  zero,
} from './bytes.ts';
import { hashWidth, KeyTable } from './key-table.ts';
import { parseValue, toText } from './row-batch.ts';
import { absent, type RangedBatch, type RowBatch, toRanges } from './row-ranges.ts';

/** A field of a key. A row may lack a value in it. */
export interface KeyField {
  readonly field: string;

  /** ID field that this field describes. If a row has the ID, this field is not part of the key. */
  readonly describes?: string;
}

/** Rows of a batch, and the fields that identify them. */
interface KeyedRows {
  readonly fields: readonly KeyField[];

  /** Number of rows, from the first on. Default: all. */
  readonly rowCount?: number;
}

interface AddedRows extends KeyedRows {
  /** Number to remember with the keys, such as the number of a file. At least 1. */
  readonly owner?: number;

  /** Whether each row has a different owner. If so, `owner` is the owner of the first row. */
  readonly hasConsecutiveOwners?: boolean;
}

/** Fields of the key, in the order in which they are hashed. */
interface KeyFields {
  readonly numbers: Int32Array;

  readonly indexes: Int32Array;

  /** Index of the ID that each field describes, or -1 if there is none. */
  readonly ids: Int32Array;

  /** Index of the hour field, or -1 if there is none. */
  readonly hourIndex: number;
}

/**
 * Factor for the number of a field, to which the length of the value is added. No value is this
 * long.
 */
const fieldFactor = 2 ** 21;

/** Block size of the hash, in integers. */
const blockWords = 2;

const backslashes = repeatByte(backslash);

/** Limits of the cache of hours: eleven years of hours, and more characters than an hour has. */
const maxHours = 100_000;
const maxHourLength = 64;

/** Instant of an hour that cannot be read. */
const noInstant = -(2 ** 31);

/**
 * Finds rows with the same key, in one report or in several. Keys are kept as 64-bit hashes. Among
 * a million different keys, two hashes collide in one of 10⁷ reports.
 *
 * Values are equal if their strings are: `"7"`, 7 and 7.0, `"é"` and `"\u00e9"`. Hours are equal if
 * their instants are. Case matters. The order of fields, trailing spaces and fields without a value
 * do not.
 */
export class RowKeys {
  /** Whether an hour had no offset. When clocks are set back, two hours have the same name. */
  hasAmbiguousHours = false;

  readonly #table = new KeyTable();

  /** Numbers of the fields, in order of first appearance, which is also the order of hashing. */
  readonly #numbers = new Map<string, number>();

  /** Instants in seconds, by the JSON of the hour. */
  readonly #hours = new Map<string, number>();

  /** JSON of the latest hour, and its instant. The next row often has the same hour. */
  #latestHour: Buffer | undefined;
  #latestInstant = noInstant;

  /** Integers of the current key: the field number and length of each value, then its bytes. */
  #words = new Int32Array(256);
  #wordCount = 0;

  /** Hashes of the current batch. */
  #hashes = new Int32Array(hashWidth * 1024);

  /**
   * Adds the keys of a batch.
   *
   * @param onRepeat called with each row whose key was added before, and the owner of that key
   */
  add(
    batch: RowBatch,
    { owner = 1, hasConsecutiveOwners = false, ...rows }: AddedRows,
    onRepeat: (row: number, owner: number) => void,
  ): void {
    const count = this.#hash(batch, rows);
    this.#table.addAll(this.#hashes, { count, owner, hasConsecutiveOwners }, onRepeat);
  }

  /** Finds the rows whose keys were added before, and the owners of these keys. */
  find(batch: RowBatch, rows: KeyedRows, onFound: (row: number, owner: number) => void): void {
    const count = this.#hash(batch, rows);
    this.#table.findAll(this.#hashes, count, onFound);
  }

  /** Hashes the keys of a batch into `#hashes`, and returns their number. */
  #hash(batch: RowBatch, { fields, rowCount = batch.rowCount }: KeyedRows): number {
    const { day } = batch;
    const ranges = toRanges(batch);
    // The bytes of the latest hour may have changed.
    this.#latestHour = undefined;
    const keyFields = this.#findFields(ranges, fields);
    const dayNumber = day === undefined ? 0 : this.#numberOf('date');
    if (hashWidth * rowCount > this.#hashes.length) {
      this.#hashes = new Int32Array(2 * hashWidth * rowCount);
    }

    const view = toDataView(ranges.bytes);
    for (let row = 0; row < rowCount; row++) {
      this.#wordCount = 0;
      this.#readKey(ranges, view, keyFields, row);
      if (day !== undefined) this.#addString(dayNumber, day);
      while (this.#wordCount % blockWords !== 0) this.#words[this.#wordCount++] = 0;
      hashInto(this.#hashes, hashWidth * row, this.#words, this.#wordCount);
    }
    return rowCount;
  }

  #numberOf(field: string): number {
    const number = this.#numbers.get(field) ?? this.#numbers.size + 1;
    this.#numbers.set(field, number);
    return number;
  }

  #findFields(batch: RangedBatch, fields: readonly KeyField[]): KeyFields {
    const indexOf = (field: string | undefined): number => batch.fields.indexOf(field ?? '');
    const present = fields.filter(({ field }) => batch.fields.includes(field));
    // The date of a row comes last, and so does the date of a file for rows without a date.
    const isLast = ({ field }: KeyField): number => Number(field === 'date');
    present.sort((a, b) => {
      return isLast(a) - isLast(b) || this.#numberOf(a.field) - this.#numberOf(b.field);
    });
    return {
      numbers: Int32Array.from(present, ({ field }) => this.#numberOf(field)),
      indexes: Int32Array.from(present, ({ field }) => indexOf(field)),
      ids: Int32Array.from(present, ({ describes }) => (describes ? indexOf(describes) : -1)),
      hourIndex: indexOf('hour'),
    };
  }

  /** Writes the key of a row into `#words`. */
  #readKey(
    { bytes, fields, valueStarts, valueEnds }: RangedBatch,
    view: DataView,
    { numbers, indexes, ids, hourIndex }: KeyFields,
    row: number,
  ): void {
    for (let i = 0; i < indexes.length; i++) {
      const number = numbers[i] as number;
      const index = indexes[i] as number;
      const at = row * fields.length + index;
      let start = valueStarts[at] as number;
      // Most fields have no value, and are then not part of the key.
      if (start < 0 || bytes[start] === letterN) continue;

      const id = ids[i] as number;
      const idStart = id < 0 ? absent : (valueStarts[row * fields.length + id] as number);
      if (idStart >= 0 && bytes[idStart] !== letterN) continue;

      const end = valueEnds[at] as number;
      const instant = index === hourIndex ? this.#parseInstant(bytes, start, end) : noInstant;
      if (instant !== noInstant) {
        this.#reserve(2);
        this.#words[this.#wordCount++] = number * fieldFactor;
        this.#words[this.#wordCount++] = instant;
        continue;
      }

      let length = end - start;
      if (bytes[start] === quote) {
        // A string of digits is the same ID as the number.
        start++;
        length -= 2;
        while (length > 0 && bytes[start + length - 1] === space) length--;
      } else if (!isDigits(bytes, start, length)) {
        const json = bytes.toString('utf8', start, start + length);
        this.#addString(number, toText(parseValue(json)));
        continue;
      }
      const before = this.#wordCount;
      const hasEscape = this.#addBytes(number, view, start, length);
      if (!hasEscape) continue;

      this.#wordCount = before;
      this.#addString(number, JSON.parse(bytes.toString('utf8', start - 1, end)));
    }
  }

  #addString(number: number, text: string): void {
    const bytes = Buffer.from(text.replace(/ +$/, ''));
    const view = toDataView(Buffer.concat([bytes, Buffer.alloc(4)]));
    this.#addBytes(number, view, 0, bytes.length);
  }

  /** Adds a value, and returns whether it has a backslash. May read three bytes beyond its end. */
  #addBytes(number: number, view: DataView, start: number, length: number): boolean {
    this.#reserve(1 + (length >> 2));
    const words = this.#words;
    let count = this.#wordCount;

    // The length distinguishes `"a" "bc"` from `"ab" "c"`. The field number distinguishes the
    // values of two fields, and absent values from empty ones.
    words[count++] = number * fieldFactor + length;
    const end = start + length;
    let marks = 0;
    let p = start;
    for (; p + 4 <= end; p += 4) {
      const word = view.getInt32(p, true);
      marks |= markZeroBytes(word ^ backslashes);
      words[count++] = word;
    }
    if (p < end) {
      const word = view.getInt32(p, true) & ((1 << (8 * (end - p))) - 1);
      marks |= markZeroBytes(word ^ backslashes);
      words[count++] = word;
    }
    this.#wordCount = count;
    return marks !== 0;
  }

  /** Makes room for more integers and the last block. */
  #reserve(wordCount: number): void {
    const needed = this.#wordCount + wordCount + 2 * blockWords;
    if (needed <= this.#words.length) return;
    const words = new Int32Array(2 * needed);
    words.set(this.#words);
    this.#words = words;
  }

  /** Reads the instant of an hour in seconds, which does not depend on its offset. */
  #parseInstant(bytes: Buffer, start: number, end: number): number {
    const isSame = this.#latestHour && equalsBytes(bytes, start, end, this.#latestHour);
    if (isSame) return this.#latestInstant;

    this.#latestHour = bytes.subarray(start, end);
    this.#latestInstant = this.#parseHour(this.#latestHour.toString('latin1'));
    return this.#latestInstant;
  }

  #parseHour(json: string): number {
    const known = this.#hours.get(json);
    if (known !== undefined) return known;

    const timestamp = parseTimestamp(json.slice(1, -1));
    if (!timestamp) this.hasAmbiguousHours = true;
    const instant = timestamp ? Math.floor(timestamp.instantMs / 1_000) : noInstant;
    const isKept = this.#hours.size < maxHours && json.length < maxHourLength;
    if (isKept) this.#hours.set(json, instant);
    return instant;
  }
}

function isDigits(bytes: Buffer, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) {
    const byte = bytes[at] as number;
    if (byte < zero || byte > nine) return false;
  }
  return true;
}

/** Compares in a loop, which is faster than `Buffer.compare` for few bytes. */
export function equalsBytes(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}

/** Hashes whole blocks with two lanes of MurmurHash3 (x86, by Austin Appleby, public domain). */
function hashInto(hashes: Int32Array, at: number, words: Int32Array, wordCount: number): void {
  let h1 = 0;
  let h2 = 0;
  for (let i = 0; i < wordCount; i += blockWords) {
    h1 ^= scramble(words[i] as number, 0x239b961b, 15, 0xab0e9789);
    h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= scramble(words[i + 1] as number, 0x38b34ae5, 17, 0xa1e38b93);
    h2 = (Math.imul(rotate(h2, 15) + h1, 5) + 0x96cd1c35) | 0;
  }
  h1 = mix((h1 ^ wordCount) + h2);
  h2 = mix((h2 ^ wordCount) + h1);
  hashes[at] = (h1 + h2) | 0;
  hashes[at + 1] = h2;
}

function scramble(word: number, factor: number, shift: number, nextFactor: number): number {
  return Math.imul(rotate(Math.imul(word, factor), shift), nextFactor);
}

function rotate(word: number, shift: number): number {
  return (word << shift) | (word >>> (32 - shift));
}

function mix(word: number): number {
  let hash = word ^ (word >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
