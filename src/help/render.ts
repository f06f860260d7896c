import type { Style } from '../ui/console.ts';
import { wrap } from '../ui/page.ts';

/**
 * Lays out the Markdown of a help topic for a terminal. Everything fits the width but code, which stands as it is, at the
 * left edge: an indented script does not run once it is copied, because its heredocs do not close.
 */
export function renderMarkdown(
  text: string,
  { width: outputWidth, style }: { width: number; style: Style },
): string {
  // Lines of more than 100 characters are hard to read, however wide the terminal.
  const width = Math.max(24, Math.min(100, outputWidth));
  const pieces = text.trim().split(/\n*(```\w*\n[\s\S]*?\n```)\n*/);
  const blocks: string[] = [];

  for (const piece of pieces) {
    if (piece.startsWith('```')) {
      blocks.push(piece.replace(/^.*\n|\n.*$/g, ''));
      continue;
    }

    for (const block of piece.split(/\n{2,}/)) blocks.push(renderBlock(block, width, style));
  }

  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function renderBlock(block: string, width: number, style: Style): string {
  if (block.startsWith('#')) return style.bold(plain(block.replace(/^#+ /, '')));
  if (block.startsWith('|')) return renderTable(block, width, style);
  if (!block.startsWith('- ')) return wrap(plain(block), width).join('\n');
  const items = block.split(/\n(?=- )/).map((item) => wrap(plain(item.slice(2)), width - 4));
  return items.map((lines) => `  - ${lines.join('\n    ')}`).join('\n');
}

/** A text without the marks of code, emphasis and links. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\*\*|`/g, '');
}

/** A table whose cells are broken at blanks so that it fits; where even their longest words do not, a list. */
function renderTable(block: string, width: number, style: Style): string {
  // `\|` is a bar within a cell.
  const cellsOf = (line: string) => line.split(/(?<!\\)\|/).slice(1, -1);
  const table = block
    .split('\n')
    .map((line) => cellsOf(line).map((cell) => plain(cell.trim().replaceAll('\\|', '|'))));
  const [header = [], , ...rows] = table;
  // A header is worth its line only where the columns do not speak for themselves.
  const shown = header.length > 2 ? [header, ...rows] : rows;
  const longest = (pick: (cell: string) => number): number[] =>
    header.map((_, column) => Math.max(...shown.map((cells) => pick(cells[column] ?? ''))));
  const widths = longest((cell) => cell.length);
  const least = longest((cell) => Math.max(...cell.split(' ').map((word) => word.length)));
  while (widths.reduce((sum, cell) => sum + cell + 2, 0) > width) {
    // The widest column that can give a character gives it.
    const free = widths.map((cell, column) => (cell > (least[column] ?? 0) ? cell : 0));
    const widest = free.indexOf(Math.max(...free));
    if (free[widest] === 0) return renderList(header, rows, width, style);
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const lines = shown.flatMap((cells) => {
    const wrapped = cells.map((cell, column) => wrap(cell, widths[column] ?? 0));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const [name = '', ...texts] = wrapped.map((cell, column) =>
        (cell[line] ?? '').padEnd(widths[column] ?? 0),
      );
      return `  ${style.cyan(name)}  ${texts.join('  ')}`.trimEnd();
    });
  });
  return lines.join('\n');
}

function renderList(
  header: readonly string[],
  rows: readonly string[][],
  width: number,
  style: Style,
): string {
  const items = rows.map(([name = '', ...cells]) => [
    ...wrap(name, width - 2).map((line) => `  ${style.cyan(line)}`),
    ...cells
      .flatMap((cell, at) => wrap(`${header[at + 1]}: ${cell}`, width - 4))
      .map((line) => `    ${line}`),
  ]);
  return items.flat().join('\n');
}
