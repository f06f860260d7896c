/**
 * Whether a text is what a pattern stands for, in any case and normal form of Unicode: `*` is any
 * text, `?` one character. Of a text it looks back no further than to what the last `*` took, so
 * that no pattern takes long.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const wanted = [...plain(pattern)];
  const characters = [...plain(text)];
  let inPattern = 0;
  let inText = 0;
  let afterStar = -1;
  let starEnd = 0;

  while (inText < characters.length) {
    const sign = wanted[inPattern];
    if (sign === '*') {
      inPattern += 1;
      afterStar = inPattern;
      starEnd = inText;
    } else if (sign === '?' || sign === characters[inText]) {
      inPattern += 1;
      inText += 1;
    } else if (afterStar !== -1) {
      // The last star takes one character more.
      starEnd += 1;
      inText = starEnd;
      inPattern = afterStar;
    } else {
      return false;
    }
  }
  return wanted.slice(inPattern).every((sign) => sign === '*');
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
