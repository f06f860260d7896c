/** What stands in the margins of the paper that a page is printed on. */
export interface PaperHead {
  readonly title: string;
  readonly window: string | undefined;
}

/** A running head has room for so many characters of a title. */
const longestTitle = 90;

const marginStyle = 'font: 8pt system-ui, sans-serif; color: #5c626c;';

/**
 * The rules for paper: the running head, which the first page has as its heading already, the
 * numbers of pages, and pages that are turned for a wide table. Chromium draws what stands in
 * margins from release 131 on.
 */
export function stylePaper({ title, window = '' }: PaperHead): string {
  const letters = [...title];
  const shortTitle =
    letters.length > longestTitle ? `${letters.slice(0, longestTitle).join('')}…` : title;
  return `
@page {
  size: A4 portrait; margin: 15mm 12mm 14mm;
  @top-left { content: ${cssText(shortTitle)}; ${marginStyle} }
  @top-right { content: ${cssText(window)}; ${marginStyle} }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); ${marginStyle} }
}
@page turned { size: A4 landscape; }
@page :first { margin-top: 11mm; @top-left { content: none; } @top-right { content: none; } }
`;
}

/** A text as a string of CSS, in which nothing but plain letters and digits stands for itself. */
function cssText(text: string): string {
  const escaped = text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => {
    return `\\${character.codePointAt(0)?.toString(16)} `;
  });
  return `"${escaped}"`;
}
