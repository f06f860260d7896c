/** Metrics are added three at a time: three independent sums keep a processor busy that would wait for one. */
const lanes = 3;
/** So many facts at a time, so that the sums they add to are still in the processor's cache for the next three metrics. */
const blockFacts = 2_048;

/**
 * Sums of several metrics for numbered groups. The sums of one group lie side by side: whoever adds to all of them
 * touches one place in memory, not one for each metric.
 */
export class SumTable {
  readonly #metrics: number;
  readonly #stride: number;
  #sums: Float64Array;
  #zeros = new Float64Array(0);

  constructor(metrics: number) {
    this.#metrics = metrics;
    this.#stride = Math.ceil(metrics / lanes) * lanes;
    this.#sums = new Float64Array(this.#stride * 1_024);
  }

  /**
   * Adds the first `count` values of each metric's column to the groups whose numbers, up to `highest`, stand beside.
   * A metric without column adds nothing.
   */
  add(numbers: Int32Array, highest: number, columns: readonly (Float64Array | undefined)[], count: number): void {
    this.#reserve(highest, count);
    for (let from = 0; from < count; from += blockFacts) {
      const to = Math.min(count, from + blockFacts);
      for (let lane = 0; lane < this.#stride; lane += lanes) {
        const first = columns[lane] ?? this.#zeros;
        const second = columns[lane + 1] ?? this.#zeros;
        const third = columns[lane + 2] ?? this.#zeros;
        addThree(this.#sums, this.#stride, lane, numbers, first, second, third, from, to);
      }
    }
  }

  /** For each metric the sums of the groups in `order`, which counts them from 0; all sums are zero again. */
  take(order: Int32Array): Float64Array[] {
    const sums = this.#sums;
    const taken = Array.from({ length: this.#metrics }, () => new Float64Array(order.length));
    for (let from = 0; from < order.length; from += blockFacts) {
      const to = Math.min(order.length, from + blockFacts);
      for (const [lane, rows] of taken.entries()) {
        // Group numbers start at 1; group 0 gathers what was excluded.
        for (let row = from; row < to; row++) rows[row] = sums[((order[row] ?? 0) + 1) * this.#stride + lane] ?? 0;
      }
    }
    sums.fill(0, 0, (order.length + 1) * this.#stride);
    return taken;
  }

  #reserve(highest: number, count: number): void {
    if (this.#zeros.length < count) this.#zeros = new Float64Array(count);
    let length = this.#sums.length;
    while (length < (highest + 1) * this.#stride) length *= 2;
    if (length === this.#sums.length) return;
    const sums = new Float64Array(length);
    sums.set(this.#sums);
    this.#sums = sums;
  }
}

function addThree(
  sums: Float64Array,
  stride: number,
  lane: number,
  numbers: Int32Array,
  first: Float64Array,
  second: Float64Array,
  third: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const place = (numbers[row] ?? 0) * stride + lane;
    sums[place] = (sums[place] ?? 0) + (first[row] ?? 0);
    sums[place + 1] = (sums[place + 1] ?? 0) + (second[row] ?? 0);
    sums[place + 2] = (sums[place + 2] ?? 0) + (third[row] ?? 0);
  }
}
