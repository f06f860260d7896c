import stringWidth from 'fast-string-width';

/** Counts terminal cells. Printable ASCII, the usual case, takes one each. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/**
 * Wraps text for a terminal: longer lines are broken at blanks and keep their indentation. A broken
 * command has `\\` at the end of its lines, so that it can be copied.
 *
 * @param breaksCommands false for shells without `\\` as line continuation
 */
export function wrapLines(text: string, width: number, breaksCommands = true): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (widthOf(line) <= width) {
      lines.push(line);
      continue;
    }
    const indent = /^ */.exec(line)?.[0] ?? '';
    const parts = wrapSentence(line, width - indent.length, breaksCommands);
    for (const part of parts) lines.push(indent + part);
  }
  return lines.join('\n');
}

/** Wraps a sentence. A command at its beginning or after a colon extends to its end. */
function wrapSentence(sentence: string, width: number, breaksCommands: boolean): string[] {
  const commandAt = sentence.search(/(?<=^\s*|: )adreport [a-z-]/);
  if (commandAt === -1) return wrap(sentence, width);

  const before = sentence.slice(0, commandAt).trim();
  // A quoted string is one word to a shell.
  const words = sentence.slice(commandAt).match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  const lines = before === '' ? [] : wrap(before, width);
  const last = lines.at(-1);
  const [command = ''] = words;
  const sharesLine = last !== undefined && widthOf(`${last} ${words.join(' ')}`) <= width;
  if (sharesLine) return [...lines.slice(0, -1), `${last} ${words.join(' ')}`];

  let line = command;
  for (const word of words.slice(1)) {
    const longer = `${line} ${word}`;
    if (!breaksCommands || widthOf(longer) <= width - 2) {
      line = longer;
    } else {
      lines.push(`${line} \\`);
      line = `  ${word}`;
    }
  }
  return [...lines, line];
}

/** Breaks at blanks; a longer word gets its own line. */
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

/** Created on first use: it takes longer than the rest of a small table. */
let graphemes: Intl.Segmenter | undefined;

/** Limits a string to `width` cells, with a mark at its end. */
export function shorten(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;

  const room = width - mark.length;
  if (room <= 0) return mark.slice(0, width);

  graphemes ??= new Intl.Segmenter();
  let beginning = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > room) break;
    beginning += segment;
  }
  return beginning.trimEnd() + mark;
}

/** Limits a string to `width` cells, with a mark in the middle. */
export function shortenMiddle(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;

  const beginning = shorten(text, Math.ceil(width / 2), mark);
  const room = width - widthOf(beginning);
  graphemes ??= new Intl.Segmenter();
  // A visible grapheme takes at least one cell and rarely has more than eight characters.
  const segments = [...graphemes.segment(text.slice(-8 * room))];

  let end = '';
  let used = 0;
  for (const { segment } of segments.reverse()) {
    used += widthOf(segment);
    if (used > room) break;
    end = segment + end;
  }
  return beginning + end.trimStart();
}
