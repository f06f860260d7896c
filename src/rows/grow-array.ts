/** A longer copy: at least `length` long, and at least twice as long as before, so that growing stays cheap. */
export function growArray(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
