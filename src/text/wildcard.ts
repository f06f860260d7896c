/**
 * Matches a string against a pattern, in which `*` matches any characters and `?` for a single
 * character. Ignores case and Unicode form. Backtracking extends only the last `*`, so no pattern
 * is slow.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const patternCharacters = [...normalize(pattern)];
  const characters = [...normalize(text)];
  let inPattern = 0;
  let inText = 0;
  let afterStar = -1;
  let starEnd = 0;

  while (inText < characters.length) {
    const sign = patternCharacters[inPattern];
    if (sign === '*') {
      inPattern += 1;
      afterStar = inPattern;
      starEnd = inText;
    } else if (sign === '?' || sign === characters[inText]) {
      inPattern += 1;
      inText += 1;
    } else if (afterStar !== -1) {
      // Extend the last star by one character.
      starEnd += 1;
      inText = starEnd;
      inPattern = afterStar;
    } else {
      return false;
    }
  }
  return patternCharacters.slice(inPattern).every((sign) => sign === '*');
}

function normalize(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
