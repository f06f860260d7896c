import { closest, distance } from 'fastest-levenshtein';

/**
 * The candidate that a misspelt name was probably meant to be, compared without case; `undefined`
 * when none is close. Close means at most a third of the letters differ, so that an unrelated word
 * draws no suggestion.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // Edit distance is quadratic: a hostile megabyte-long name must not cost a second.
  if (candidates.length === 0 || name.length > 64) return undefined;

  const lower = name.toLowerCase();
  const byLower = new Map<string, string>();
  for (const candidate of candidates) byLower.set(candidate.toLowerCase(), candidate);
  const best = closest(lower, [...byLower.keys()]);
  const limit = Math.max(1, Math.floor(Math.max(lower.length, best.length) / 3));
  if (distance(lower, best) <= limit) return byLower.get(best);

  const swapped = [...byLower.keys()].find(
    (candidate) => lettersOf(candidate) === lettersOf(lower),
  );
  return swapped && byLower.get(swapped);
}

/** The letters of a word in one order: two that are swapped count as two edits. */
function lettersOf(word: string): string {
  return [...word].sort().join('');
}

/** The hint that names what was probably meant, or else what there is. */
export function didYouMean(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : `Did you mean ${meant}?`;
}
