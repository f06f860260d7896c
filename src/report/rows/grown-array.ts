/** The array, made longer: at least so long, and at least twice as long as before, so that growing stays cheap. */
export function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
