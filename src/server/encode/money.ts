/** Cents as the shortest decimal number: `12.34`, `12.3`, `12`. Exact for any whole number of cents, 0 or more. */
export function shortestDecimal(cents: number): string {
  const units = Math.floor(cents / 100);
  const rest = cents - units * 100;
  if (rest === 0) return String(units);
  return rest % 10 === 0 ? `${units}.${rest / 10}` : `${units}.${rest < 10 ? '0' : ''}${rest}`;
}

/** Cents with a decimal comma and two decimals, `1234,50` (service specification, Report data, DSP profile). */
export function commaDecimal(cents: number): string {
  const units = Math.floor(cents / 100);
  const rest = cents - units * 100;
  return `${units},${rest < 10 ? '0' : ''}${rest}`;
}
