import { closest, distance } from 'fastest-levenshtein';

/**
 * Finds the candidate closest to a misspelt name, in any case; `undefined` if none is close. At
 * most a third of the letters may differ, so that unrelated words get no suggestion.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // Edit distance is quadratic: a very long name must not take a second.
  if (candidates.length === 0 || name === '' || name.length > 64) return undefined;

  const lower = name.toLowerCase();
  const byLower = new Map<string, string>();
  for (const candidate of candidates) byLower.set(candidate.toLowerCase(), candidate);
  const best = closest(lower, [...byLower.keys()]);
  const limit = Math.max(1, Math.floor(Math.max(lower.length, best.length) / 3));
  if (distance(lower, best) <= limit) return byLower.get(best);

  const swapped = [...byLower.keys()].find((word) => sortLetters(word) === sortLetters(lower));
  return swapped && byLower.get(swapped);
}

/**
 * Sorts the letters of a word. This recognizes two swapped letters, which would count as two edits.
 */
function sortLetters(word: string): string {
  return [...word].sort().join('');
}

/** Finds up to three names that contain a pattern, or a close misspelling of it. */
export function nearestNames(pattern: string, names: readonly string[]): string[] {
  const plainPattern = pattern.replaceAll('*', '').trim().toLowerCase();
  if (plainPattern === '') return [];

  const containing = names.filter((name) => name.toLowerCase().includes(plainPattern));
  if (containing.length > 0) return [...new Set(containing)].slice(0, 3);

  const wordCount = plainPattern.split(/\s+/).length;
  const listPieces = (name: string): string[] => {
    const words = name.split(/\s+/);
    return [name, ...words.map((_, at) => words.slice(at, at + wordCount).join(' '))];
  };
  const best = nearest(plainPattern, names.flatMap(listPieces))?.toLowerCase();
  const nearNames = names.filter((name) =>
    listPieces(name).some((piece) => piece.toLowerCase() === best),
  );
  return [...new Set(nearNames)].slice(0, 3);
}

/** Suggests a name (`Did you mean …?`). Without a name, returns `otherwise`. */
export function didYouMean(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `Did you mean ${suggestion}?`;
}

/**
 * Suggests the closest candidate (`Did you mean …?`). Without one, lists all candidates (`Choose
 * from a, b.`).
 */
export function adviseName(name: string, candidates: readonly string[]): string {
  return didYouMean(nearest(name, candidates), `Choose from ${candidates.join(', ')}.`);
}
