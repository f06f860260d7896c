const digitBits = 8;
const digits = 2 ** digitBits;

/**
 * The positions of keys in ascending order. A key is one unsigned word of each column, the first column the most
 * significant; `wordBits` says how many low bits of a column are in use. Keys that are equal keep their order.
 */
export function orderOf(words: readonly Int32Array[], wordBits: readonly number[], count: number): Int32Array {
  let order = Int32Array.from({ length: count }, (_, position) => position);
  let scratch = new Int32Array(count);
  const starts = new Int32Array(digits + 1);
  // Least significant digit first: each pass is stable, so the last one, the most significant, decides.
  for (const [word, column] of [...words.entries()].reverse()) {
    for (let shift = 0; shift < (wordBits[word] ?? 0); shift += digitBits) {
      distribute(column, shift, order, scratch, starts);
      [order, scratch] = [scratch, order];
    }
  }
  return order;
}

function distribute(column: Int32Array, shift: number, from: Int32Array, to: Int32Array, starts: Int32Array): void {
  starts.fill(0);
  const count = from.length;
  for (let index = 0; index < count; index++) {
    const digit = ((column[index] ?? 0) >>> shift) & (digits - 1);
    starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
  }
  for (let digit = 0; digit < digits; digit++) starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0);
  for (let index = 0; index < count; index++) {
    const position = from[index] ?? 0;
    const digit = ((column[position] ?? 0) >>> shift) & (digits - 1);
    const place = starts[digit] ?? 0;
    starts[digit] = place + 1;
    to[place] = position;
  }
}
