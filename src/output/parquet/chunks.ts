import { dayOf, momentOf, wallTimeOf } from '../bytes/typed-value.ts';
import type { ColumnValues, NumberValues, TextValues } from './column-values.ts';
import type { Chunk } from './parquet-file.ts';

/** The values of a row group's columns in the physical form of Parquet: with a dictionary where that is smaller. */

/** Texts, each after its length in four bytes. */
export function textChunk(values: TextValues): Chunk {
  const { dictionaryBytes, plainBytes } = values;
  const usesDictionary = dictionaryBytes.length + codeBytes(values) < plainBytes;
  const content = usesDictionary ? { dictionary: dictionaryBytes } : { plain: plainTexts(values) };
  return chunkOf(values, content, boundsOfTexts(values));
}

function plainTexts(values: TextValues): Buffer {
  const { codes, valueCount, plainBytes } = values;
  const plain = Buffer.allocUnsafe(plainBytes);
  let at = 0;
  for (let i = 0; i < valueCount; i++) {
    const text = values.textOf(codes[i] as number);
    at = plain.writeInt32LE(text.length, at);
    at += text.copy(plain, at);
  }
  return plain;
}

function boundsOfTexts(values: TextValues): Bounds<Buffer> {
  let min: Buffer | undefined;
  let max: Buffer | undefined;
  for (let code = 0; code < values.dictionarySize; code++) {
    const text = values.textOf(code);
    if (min === undefined || Buffer.compare(text, min) < 0) min = text;
    if (max === undefined || Buffer.compare(text, max) > 0) max = text;
  }
  // Copied: the footer is written when the dictionary holds other texts.
  return { min: min && Buffer.from(min), max: max && Buffer.from(max) };
}

/** Numbers of eight bytes. */
export function numberChunk(values: NumberValues): Chunk {
  const { valueCount, isPlain, numbers } = values;
  const usesDictionary = !isPlain && numbers.length + codeBytes(values) < 8 * valueCount;
  return chunkOf(values, usesDictionary ? { dictionary: numbers.content } : { plain: plainNumbers(values) }, values);
}

function plainNumbers({ codes, valueCount, isPlain, numbers: { content } }: NumberValues): Buffer {
  if (isPlain) return content;
  const plain = Buffer.allocUnsafe(8 * valueCount);
  for (let i = 0; i < valueCount; i++) {
    const at = 8 * (codes[i] as number);
    content.copy(plain, 8 * i, at, at + 8);
  }
  return plain;
}

/** A text as a day, or as milliseconds since 1970. */
const readTime = {
  date: dayOf,
  hour: (text: string) => momentOf(text)?.instantMs,
  wallTime: wallTimeOf,
} as const;

/** What a time is kept as: days since 1970 in four bytes, or microseconds since 1970 in eight. */
type TimeKind = keyof typeof readTime;

/**
 * Days or moments. They are parsed once each, in the dictionary.
 * @returns the first text that is none, as its number in the dictionary, where there is one
 */
export function timeChunk(values: TextValues, kind: TimeKind): Chunk | number {
  const { dictionarySize } = values;
  if (dictionarySize === 0) return chunkOf(values, { plain: Buffer.alloc(0) }, {});
  const dictionary = Buffer.allocUnsafe((kind === 'date' ? 4 : 8) * dictionarySize);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let code = 0; code < dictionarySize; code++) {
    const time = readTime[kind](values.textOf(code).toString());
    if (time === undefined) return code;
    if (kind === 'date') dictionary.writeInt32LE(time, 4 * code);
    else dictionary.writeBigInt64LE(BigInt(time) * 1000n, 8 * code);
    min = Math.min(min, time);
    max = Math.max(max, time);
  }
  const bound = (time: number) => (kind === 'date' ? time : BigInt(time) * 1000n);
  return chunkOf(values, { dictionary }, { min: bound(min), max: bound(max) });
}

type Content = { readonly dictionary: Uint8Array } | { readonly plain: Uint8Array };

interface Bounds<Value extends Chunk['min']> {
  readonly min?: Value | undefined;
  readonly max?: Value | undefined;
}

function chunkOf(values: ColumnValues, content: Content, { min, max }: Bounds<Chunk['min']>): Chunk {
  const { levels, rowCount, codes, valueCount, dictionarySize: count } = values;
  return {
    levels: levels.subarray(0, rowCount),
    valueCount,
    dictionary:
      'dictionary' in content ? { bytes: content.dictionary, count, codes: codes.subarray(0, valueCount) } : undefined,
    plain: 'plain' in content ? content.plain : new Uint8Array(0),
    min,
    max,
  };
}

/** What the numbers into the dictionary take, in bytes, before runs of them are folded. */
function codeBytes({ dictionarySize, valueCount }: ColumnValues): number {
  return (Math.ceil(Math.log2(Math.max(1, dictionarySize))) * valueCount) / 8;
}
