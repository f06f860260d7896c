import stringWidth from 'fast-string-width';

/** Cells that a text takes on a terminal. Printable ASCII, which most texts are, takes one each. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/**
 * A text for a terminal of so many cells: each line that is longer is broken at blanks, and goes on below its own
 * beginning. A line with a command in it stays whole, so that the command can be copied.
 */
export function wrapLines(text: string, width: number): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const hasCommand = /\badreport [a-z-]/.test(line);
    if (hasCommand || widthOf(line) <= width) {
      lines.push(line);
      continue;
    }
    const indent = /^ */.exec(line)?.[0] ?? '';
    for (const part of wrap(line, width - indent.length)) lines.push(indent + part);
  }
  return lines.join('\n');
}

/** A text in lines of at most so many cells, broken at blanks; a longer word has a line to itself. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
