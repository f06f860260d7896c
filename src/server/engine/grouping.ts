import type { MetricName } from '../../contract/vocabulary.ts';
import type { FactChunk } from '../fixtures/facts.ts';
import { type KeyLayout, packKeys, unpackRanks } from './key.ts';
import { PairIndex } from './pair-index.ts';
import { orderOf } from './radix-order.ts';
import { SumTable } from './sum-table.ts';

/** Grouped facts in the order of rows, a column a dimension and a metric. */
export interface GroupedRows {
  readonly count: number;
  /** For each dimension of the key, the ranks of the rows' members. */
  readonly ranks: readonly Int32Array[];
  /** For each metric the rows' sums, as whole numbers and whole cents. */
  readonly sums: readonly Float64Array[];
}

/** Adds facts up by their key. Its memory grows with the number of groups, never with that of facts. */
export class Grouping {
  readonly #layout: KeyLayout;
  readonly #metrics: readonly MetricName[];
  /** The first numbers pairs of the first two words, each further one pairs of the number so far and the next word. */
  readonly #indexes: readonly PairIndex[];
  readonly #sums: SumTable;
  #words: Int32Array[] = [];
  #numbers = new Int32Array(0);

  constructor(layout: KeyLayout, metrics: readonly MetricName[]) {
    this.#layout = layout;
    this.#metrics = metrics;
    this.#indexes = Array.from({ length: Math.max(1, layout.wordBits.length - 1) }, () => new PairIndex());
    this.#sums = new SumTable(metrics.length);
  }

  /** Adds the facts of a chunk but for those that `excluded` marks with 1. */
  add(chunk: FactChunk, excluded?: Uint8Array): void {
    this.#reserve(chunk.count);
    packKeys(this.#layout, chunk, this.#words);
    const numbers = this.#numbers;
    let firsts = this.#words[0] ?? numbers;
    for (const [level, index] of this.#indexes.entries()) {
      index.number(firsts, this.#words[level + 1] ?? numbers, excluded, numbers, chunk.count);
      firsts = numbers;
    }
    const columns = this.#metrics.map((name) => chunk.metrics[name]);
    this.#sums.add(numbers, this.#indexes.at(-1)?.size ?? 0, columns, chunk.count);
  }

  /** The groups so far, ordered; the grouping starts anew. */
  take(): GroupedRows {
    const last = this.#indexes.at(-1);
    const count = last?.size ?? 0;
    const words = this.#wordsOfGroups();
    const order = orderOf(words, this.#layout.wordBits, count);
    const ranks = this.#layout.parts.map((part) => unpackRanks(part, words[part.word] ?? order, order));
    const sums = this.#sums.take(order);
    for (const index of this.#indexes) index.clear();
    return { count, ranks, sums };
  }

  /** The words of every group's key. An index holds the last of them, and each group's number in the index before. */
  #wordsOfGroups(): Int32Array[] {
    const words: Int32Array[] = [];
    let numbers: Int32Array | undefined;
    for (const index of this.#indexes.toReversed()) {
      const [firsts, seconds] = [index.integers(0), index.integers(1)];
      words.unshift(numbers ? pick(seconds, numbers) : seconds);
      numbers = numbers ? pick(firsts, numbers) : firsts;
    }
    return numbers ? [numbers, ...words] : words;
  }

  /** Scratch space for the facts of a chunk: their words, one of zeros where there is but one, and their groups. */
  #reserve(count: number): void {
    if (this.#numbers.length >= count) return;
    this.#numbers = new Int32Array(count);
    this.#words = Array.from({ length: Math.max(2, this.#layout.wordBits.length) }, () => new Int32Array(count));
  }
}

function pick(column: Int32Array, numbers: Int32Array): Int32Array {
  return numbers.map((number) => column[number - 1] ?? 0);
}
