import type { DimensionName } from '../../contract/vocabulary.ts';
import type { FactChunk } from '../fixtures/facts.ts';
import type { Ranking } from './ranking.ts';

/** The bits of a key's word that hold the rank of a dimension's member. */
export interface KeyPart {
  readonly name: DimensionName;
  readonly word: number;
  readonly shift: number;
  /** As many bits as the ranks need; 0 for a dimension of one member. */
  readonly bits: number;
  /** For each code of the fact source, its rank in place. */
  readonly placed: Int32Array;
}

/**
 * How the members of a fact's dimensions are packed into 32-bit words. The first dimension has the highest bits of the
 * first word, so that keys in the order of their unsigned words are rows in order.
 */
export interface KeyLayout {
  readonly parts: readonly KeyPart[];
  /** The used bits of each word, counted from the lowest; at least one word. */
  readonly wordBits: readonly number[];
}

const wordSize = 32;

/** Lays out the key of a report's dimensions, which are given in the order of rows. */
export function layOutKey(
  dimensions: readonly { readonly name: DimensionName; readonly ranking: Ranking }[],
): KeyLayout {
  const words: { name: DimensionName; bits: number; rankOf: Int32Array }[][] = [[]];
  const wordBits = [0];
  for (const { name, ranking } of dimensions) {
    const bits = wordSize - Math.clz32(Math.max(0, ranking.members.length - 1));
    if ((wordBits.at(-1) ?? 0) + bits > wordSize) {
      words.push([]);
      wordBits.push(0);
    }
    words.at(-1)?.push({ name, bits, rankOf: ranking.rankOf });
    wordBits.push((wordBits.pop() ?? 0) + bits);
  }
  const parts = words.flatMap((fields, word) => {
    let shift = wordBits[word] ?? 0;
    return fields.map(({ name, bits, rankOf }) => {
      shift -= bits;
      return { name, word, shift, bits, placed: rankOf.map((rank) => rank << shift) };
    });
  });
  return { parts, wordBits };
}

/** Writes the words of the keys of a chunk's facts, a column a word. */
export function packKeys({ parts, wordBits }: KeyLayout, chunk: FactChunk, words: readonly Int32Array[]): void {
  for (const word of wordBits.keys()) words[word]?.fill(0, 0, chunk.count);
  for (const { name, word, placed } of parts) {
    const codes = chunk.codes[name];
    const column = words[word];
    if (codes && column) orInto(column, codes, placed, chunk.count);
  }
}

function orInto(column: Int32Array, codes: Int32Array, placed: Int32Array, count: number): void {
  for (let row = 0; row < count; row++) column[row] = (column[row] ?? 0) | (placed[codes[row] ?? 0] ?? 0);
}

/** The ranks of one dimension, from the words of keys, in the order given. */
export function unpackRanks({ shift, bits }: KeyPart, words: Int32Array, order: Int32Array): Int32Array {
  const ranks = new Int32Array(order.length);
  if (bits === 0) return ranks;
  const mask = bits === wordSize ? -1 : 2 ** bits - 1;
  for (let row = 0; row < order.length; row++) ranks[row] = ((words[order[row] ?? 0] ?? 0) >>> shift) & mask;
  return ranks;
}
