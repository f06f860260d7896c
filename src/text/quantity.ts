const byteUnits = ['kB', 'MB', 'GB', 'TB'];

/** A size as people write it, in powers of 1000: `0 B`, `812 B`, `41.2 MB`, `667 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${Math.round(sizeBytes)} B`;
  let size = sizeBytes / 1_000;
  let unit = 0;
  // 999.5 would be shown as 1000.
  while (size >= 999.5 && unit < byteUnits.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 99.95 ? size.toFixed(1) : Math.round(size)} ${byteUnits[unit]}`;
}

/** How much of a size there is, the unit said once where it is the same: `41.2 of 66.5 MB`. */
export function formatShare(partBytes: number, wholeBytes: number): string {
  const part = formatBytes(partBytes);
  const whole = formatBytes(wholeBytes);
  const [amount, unit] = part.split(' ');
  return `${whole.endsWith(` ${unit}`) ? amount : part} of ${whole}`;
}

/** A count with its thousands apart, `1,204,000`, the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 poll`, `4 polls`, `1,204 rows`. */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
