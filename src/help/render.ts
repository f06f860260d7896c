import { wrap } from '../text/cell-width.ts';
import { requoteLine } from '../text/quote-for-shell.ts';
import type { Style } from '../ui/console.ts';

interface TopicPage {
  readonly width: number;
  readonly style: Style;
  readonly platform: NodeJS.Platform;
}

/**
 * Lays out the Markdown of a help topic for a terminal. Everything fits the width except code. Code
 * is printed unchanged at the left edge, because indentation would break heredocs in copied
 * scripts. A comment that does not fit after its command moves above it.
 */
export function renderMarkdown(text: string, page: TopicPage): string {
  // Longer lines are hard to read, however wide the terminal.
  const width = Math.max(24, Math.min(100, page.width));
  const pieces = text.trim().split(/\n*(```\w*\n[\s\S]*?\n```)\n*/);
  const blocks: string[] = [];

  for (const piece of pieces) {
    if (piece.startsWith('```')) {
      const code = piece.replace(/^.*\n|\n.*$/g, '');
      blocks.push(piece.startsWith('```sh\n') ? layOutCommands(code, page) : code);
      continue;
    }

    for (const block of piece.split(/\n{2,}/)) blocks.push(renderBlock(block, width, page.style));
  }

  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/**
 * Moves all trailing comments above their commands if any of them does not fit. Quotes adreport
 * commands for the platform's shell.
 */
function layOutCommands(code: string, { width, platform }: TopicPage): string {
  const lines = code
    .split('\n')
    .map((line) => (line.startsWith('adreport ') ? requoteLine(line, platform) : line));
  const trailingComment = /^(\S.*?) {2,}(# .*)$/;
  const fits = lines.every((line) => line.length <= width || !trailingComment.test(line));
  if (fits) return lines.join('\n');
  return lines.map((line) => line.replace(trailingComment, '$2\n$1')).join('\n');
}

function renderBlock(block: string, width: number, style: Style): string {
  if (block.startsWith('#')) return style.bold(removeMarks(block.replace(/^#+ /, '')));
  if (block.startsWith('|')) return renderTable(readTable(block), width, style);
  if (!block.startsWith('- ')) return wrap(applyStyles(block, style), width).join('\n');

  const items = block.split(/\n(?=- )/);
  const wrappedItems = items.map((item) => wrap(applyStyles(item.slice(2), style), width - 4));
  return wrappedItems.map((lines) => `  - ${lines.join('\n    ')}`).join('\n');
}

/**
 * Colors code, and prints emphasis in bold. Words are styled one by one, so that no style crosses a
 * line break.
 */
function applyStyles(text: string, { cyan, bold }: Style): string {
  const paintWords = (words: string, paint: (word: string) => string): string =>
    words.replaceAll(/\S+/g, (word) => paint(word));
  return text
    .replaceAll(/`([^`]+)`/g, (_, code: string) => paintWords(code, cyan))
    .replaceAll(/\*\*([^*]+)\*\*/g, (_, words: string) => paintWords(words, bold));
}

/** Removes the marks of code and emphasis. */
function removeMarks(text: string): string {
  return text.replaceAll(/\*\*|`/g, '');
}

/** Cells as plain text, without the header. */
interface MarkdownTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function readTable(block: string): MarkdownTable {
  // The second line is a row of dashes.
  const [header = [], , ...rows] = block.split('\n').map(readCells);
  return { header, rows };
}

function readCells(line: string): string[] {
  // `\|` is a bar inside a cell.
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => removeMarks(cell.trim().replaceAll('\\|', '|')));
}

/** Wraps cells. If even the longest words do not fit, renders a list instead of a table. */
function renderTable(table: MarkdownTable, width: number, style: Style): string {
  // Two columns need no header.
  const rows = table.header.length > 2 ? [table.header, ...table.rows] : table.rows;
  const widths = fitColumns(rows, table.header.length, width);
  if (!widths) return renderList(table, width, style);

  const lines: string[] = [];
  for (const cells of rows) lines.push(...renderRow(cells, widths, style));
  return lines.join('\n');
}

/** Chooses the column widths. Returns `undefined` if the longest words do not fit on one line. */
function fitColumns(
  rows: readonly (readonly string[])[],
  columnCount: number,
  width: number,
): number[] | undefined {
  const widths: number[] = [];
  const minWidths: number[] = [];
  for (let column = 0; column < columnCount; column++) {
    const cells = rows.map((row) => row[column] ?? '');
    widths.push(Math.max(...cells.map((cell) => cell.length)));
    minWidths.push(Math.max(...cells.map(measureLongestWord)));
  }

  while (measureLine(widths) > width) {
    // Takes a character from the widest column that can spare one.
    const shrinkableWidths = widths.map((current, column) =>
      current > (minWidths[column] ?? 0) ? current : 0,
    );
    const widest = Math.max(...shrinkableWidths);
    if (widest === 0) return undefined;
    widths[shrinkableWidths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Adds up column widths, with two spaces before each column. */
function measureLine(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, 0);
}

function measureLongestWord(text: string): number {
  return Math.max(...text.split(' ').map((word) => word.length));
}

/** Lays out a row. Its tallest cell determines the number of lines. */
function renderRow(cells: readonly string[], widths: readonly number[], style: Style): string[] {
  const wrappedCells = cells.map((cell, column) => wrap(cell, widths[column] ?? 0));
  const height = Math.max(...wrappedCells.map(({ length }) => length));

  const lines: string[] = [];
  for (let line = 0; line < height; line++) {
    const lineCells = wrappedCells.map((cell, column) =>
      (cell[line] ?? '').padEnd(widths[column] ?? 0),
    );
    const [name = '', ...others] = lineCells;
    lines.push(`  ${style.cyan(name)}  ${others.join('  ')}`.trimEnd());
  }
  return lines;
}

/** Lists the first cell of each row, then the others with their headings. */
function renderList({ header, rows }: MarkdownTable, width: number, style: Style): string {
  const lines: string[] = [];
  for (const [name = '', ...cells] of rows) {
    lines.push(...wrap(name, width - 2).map((line) => `  ${style.cyan(line)}`));
    for (const [index, cell] of cells.entries()) {
      const text = `${header[index + 1]}: ${cell}`;
      lines.push(...wrap(text, width - 4).map((line) => `    ${line}`));
    }
  }
  return lines.join('\n');
}
