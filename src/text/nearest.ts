import { closest, distance } from 'fastest-levenshtein';

/**
 * Finds the candidate closest to a misspelled name, ignoring case. At most a third of the letters
 * may differ, so that unrelated words get no suggestion.
 */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  // The edit distance of very long names would take seconds.
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

/** Sorts the letters of a word, to recognize swapped letters, which count as two edits. */
function sortLetters(word: string): string {
  return [...word].sort().join('');
}

/** Finds up to three names that contain a pattern, or a close misspelling of it. */
export function findNearestNames(pattern: string, names: readonly string[]): string[] {
  const plainPattern = pattern.replaceAll('*', '').trim().toLowerCase();
  if (plainPattern === '') return [];

  const containing = names.filter((name) => name.toLowerCase().includes(plainPattern));
  if (containing.length > 0) return [...new Set(containing)].slice(0, 3);

  const wordCount = plainPattern.split(/\s+/).length;
  const listPieces = (name: string): string[] => {
    const words = name.split(/\s+/);
    return [name, ...words.map((_, at) => words.slice(at, at + wordCount).join(' '))];
  };
  const best = findNearest(plainPattern, names.flatMap(listPieces))?.toLowerCase();
  const nearNames = names.filter((name) =>
    listPieces(name).some((piece) => piece.toLowerCase() === best),
  );
  return [...new Set(nearNames)].slice(0, 3);
}

/** Formats a suggestion (`Did you mean …?`), or returns other advice if there is none. */
export function didYouMean(suggestion: string | undefined, otherAdvice: string): string {
  return suggestion === undefined ? otherAdvice : `Did you mean ${suggestion}?`;
}

/** Suggests the closest candidate (`Did you mean …?`), or lists all (`Choose from a, b.`). */
export function suggestName(name: string, candidates: readonly string[]): string {
  return didYouMean(findNearest(name, candidates), `Choose from ${candidates.join(', ')}.`);
}
