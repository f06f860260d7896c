import stringWidth from 'fast-string-width';

/** Counts terminal cells. A printable ASCII character takes one cell, which is the usual case. */
export function measureWidth(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Wraps a string at spaces. A word longer than a line gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && measureWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

/** Created on first use, because creating it takes longer than drawing a small table. */
let graphemes: Intl.Segmenter | undefined;

/** Limits a string to `width` cells, with `…` at its end. */
export function shorten(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;

  const room = width - 1;
  if (room <= 0) return '…'.slice(0, width);

  graphemes ??= new Intl.Segmenter();
  let beginning = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += measureWidth(segment);
    if (used > room) break;
    beginning += segment;
  }
  return `${beginning.trimEnd()}…`;
}

/** Limits a string to `width` cells, with `…` in the middle. */
export function shortenMiddle(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;

  const beginning = shorten(text, Math.ceil(width / 2));
  const room = width - measureWidth(beginning);
  graphemes ??= new Intl.Segmenter();
  // A visible grapheme takes at least one cell and rarely has more than eight characters.
  const segments = [...graphemes.segment(text.slice(-8 * room))];

  let end = '';
  let used = 0;
  for (const { segment } of segments.reverse()) {
    used += measureWidth(segment);
    if (used > room) break;
    end = segment + end;
  }
  return beginning + end.trimStart();
}
