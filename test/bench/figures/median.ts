/** The middle of some numbers; the greater of two. `NaN` where there is none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
