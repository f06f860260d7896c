/** Formats a size in powers of 1000: `0 B`, `812 B`, `41.2 MB`, `667 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${Math.round(sizeBytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = sizeBytes / 1_000;
  // 999.5 would be shown as 1000.
  for (; size >= 999.5 && units.length > 1; units.shift()) size /= 1_000;
  return `${size < 99.95 ? size.toFixed(1) : Math.round(size)} ${units[0]}`;
}

/** Formats a count with thousands separators, `1,204,000`, in any locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats `1 poll`, `4 polls`, `1,204 rows`. */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : pluralize(noun)}`;
}

/** Forms a plural: `campaigns`, `countries`, `addresses`. */
export function pluralize(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(?:s|x|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Joins words: `campaign`, `campaign and country`, `campaign, country and device`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses `500ms`, `5s`, `30m`, `2h`, `1d` or `0` to milliseconds. Returns `undefined` for anything
 * else, including a number without a unit.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(trimmed);
  const unit = unitMs[match?.[2] ?? ''];
  return match && unit ? Math.round(Number(match[1]) * unit) : undefined;
}

/** Formats a duration: `850 ms`, `2.4 s`, `41 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 9_950) return `${(durationMs / 1_000).toFixed(1)} s`;

  const allSeconds = Math.round(durationMs / 1_000);
  const hours = Math.floor(allSeconds / 3_600);
  const minutes = Math.floor(allSeconds / 60) % 60;
  const seconds = allSeconds % 60;
  const words: string[] = [];
  if (hours > 0) words.push(`${hours} h`);
  if (minutes > 0) words.push(`${minutes} min`);
  if (hours === 0 && seconds > 0) words.push(`${seconds} s`);
  return words.join(' ');
}

/** Returns the verb for a count: `1 file is`, `2 files are`. */
export function chooseBe(count: number): 'is' | 'are' {
  return count === 1 ? 'is' : 'are';
}

export function chooseHave(count: number): 'has' | 'have' {
  return count === 1 ? 'has' : 'have';
}
