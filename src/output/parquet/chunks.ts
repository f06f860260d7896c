import { dayOf, momentOf, wallTimeOf } from '../bytes/typed-value.ts';
import type { ColumnValues, NumberValues, TextValues } from './column-values.ts';
import type { Chunk } from './parquet-file.ts';

/** The values of a row group's columns in the physical form of Parquet. */

export function textChunk(values: TextValues): Chunk {
  const { codes, valueCount, dictionaryBytes } = values;
  const { min, max } = boundsOfTexts(values);
  const usesDictionary = dictionaryBytes.length + codeBytes(values) < values.plainBytes;
  return chunkOf(
    values,
    usesDictionary ? dictionaryBytes : undefined,
    () => {
      const plain = Buffer.allocUnsafe(values.plainBytes);
      let at = 0;
      for (let i = 0; i < valueCount; i++) {
        const text = values.textOf(codes[i] as number);
        at = plain.writeInt32LE(text.length, at);
        at += text.copy(plain, at);
      }
      return plain;
    },
    min,
    max,
  );
}

export function numberChunk(values: NumberValues): Chunk {
  const { codes, valueCount, isPlain, numbers, min, max } = values;
  const content = numbers.content;
  const usesDictionary = !isPlain && content.length + codeBytes(values) < 8 * valueCount;
  return chunkOf(
    values,
    usesDictionary ? content : undefined,
    () => {
      if (isPlain) return content;
      const plain = Buffer.allocUnsafe(8 * valueCount);
      for (let i = 0; i < valueCount; i++) {
        const at = 8 * (codes[i] as number);
        content.copy(plain, 8 * i, at, at + 8);
      }
      return plain;
    },
    min,
    max,
  );
}

/** A text as a day, or as milliseconds since 1970. */
const readTime = {
  date: dayOf,
  hour: (text: string) => momentOf(text)?.instantMs,
  wallTime: wallTimeOf,
} as const;

export type TimeKind = keyof typeof readTime;

/**
 * Days or moments. They are parsed once each, in the dictionary.
 * @returns the first text that is none, as its number in the dictionary, where there is one
 */
export function timeChunk(values: TextValues, kind: TimeKind): Chunk | number {
  const sizeBytes = kind === 'date' ? 4 : 8;
  const dictionary = Buffer.allocUnsafe(sizeBytes * values.dictionarySize);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let code = 0; code < values.dictionarySize; code++) {
    const time = readTime[kind](values.textOf(code).toString());
    if (time === undefined) return code;
    if (kind === 'date') dictionary.writeInt32LE(time, 4 * code);
    else dictionary.writeBigInt64LE(BigInt(time) * 1000n, 8 * code);
    min = Math.min(min, time);
    max = Math.max(max, time);
  }
  const isEmpty = values.valueCount === 0;
  const bound = (time: number) => (isEmpty ? undefined : kind === 'date' ? time : BigInt(time) * 1000n);
  return chunkOf(values, isEmpty ? undefined : dictionary, () => dictionary, bound(min), bound(max));
}

function chunkOf(
  values: ColumnValues,
  dictionary: Uint8Array | undefined,
  makePlain: () => Uint8Array,
  min: Chunk['min'],
  max: Chunk['max'],
): Chunk {
  const { levels, rowCount, codes, valueCount, dictionarySize } = values;
  return {
    levels: levels.subarray(0, rowCount),
    valueCount,
    dictionary: dictionary && { bytes: dictionary, count: dictionarySize, codes: codes.subarray(0, valueCount) },
    plain: dictionary ? new Uint8Array(0) : makePlain(),
    min,
    max,
  };
}

/** What the numbers into the dictionary take, before runs of them are folded. */
function codeBytes({ dictionarySize, valueCount }: ColumnValues): number {
  return (Math.ceil(Math.log2(Math.max(1, dictionarySize))) * valueCount) / 8;
}

function boundsOfTexts(values: TextValues): { readonly min: Buffer | undefined; readonly max: Buffer | undefined } {
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
