/** In the running head. */
const maxTitleLength = 90;

const marginStyle = 'font: 8pt system-ui, sans-serif; color: #5c626c;';

/**
 * Returns print rules: the running head (except on the first page, which has a heading), page
 * numbers, and the orientation of all pages. Chromium draws content in page margins from version
 * 131 on.
 */
export function stylePaper(title: string, window: string, isLandscape: boolean): string {
  const letters = [...title];
  const shortTitle =
    letters.length > maxTitleLength ? `${letters.slice(0, maxTitleLength).join('')}…` : title;
  return `
@page {
  size: A4 ${isLandscape ? 'landscape' : 'portrait'}; margin: 15mm 12mm 14mm;
  @top-left { content: ${cssText(shortTitle)}; ${marginStyle} }
  @top-right { content: ${cssText(window)}; ${marginStyle} }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); ${marginStyle} }
}
@page :first { margin-top: 11mm; @top-left { content: none; } @top-right { content: none; } }
`;
}

/** Returns a CSS string literal with everything but letters, digits and spaces escaped. */
function cssText(text: string): string {
  const escaped = text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => {
    return `\\${character.codePointAt(0)?.toString(16)} `;
  });
  return `"${escaped}"`;
}
