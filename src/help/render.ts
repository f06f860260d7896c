import type { Style } from '../ui/console.ts';
import { wrap } from '../ui/page.ts';

/** Lines longer than this are hard to read, however wide the terminal. */
const columnsAtMost = 100;
const narrowest = 24;

/** Lays out the Markdown of a help topic for a terminal: all fits its width, but code, which stands as it is. */
export function renderMarkdown(text: string, { columns, style }: { columns: number; style: Style }): string {
  const width = Math.max(narrowest, Math.min(columnsAtMost, columns));
  const blocks = text.trim().split(/\n*(```\w*\n[\s\S]*?\n```)\n*/);
  const shown = blocks.flatMap((block) => {
    if (block.startsWith('```')) return block.replace(/^.*\n|\n.*$/g, '').replaceAll(/^(?=.)/gm, '  ');
    return block.split(/\n{2,}/).map((part) => renderBlock(part, width, style));
  });
  return `${shown.filter(Boolean).join('\n\n')}\n`;
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
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .replaceAll('`', '');
}

/** The rows of a Markdown table, its header and rule included; `\|` is a bar within a cell. */
function tableRows(block: string): string[][] {
  return block.split('\n').map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/** A table whose cells are broken at blanks so that it fits; where even their longest words do not, a list. */
function renderTable(block: string, width: number, style: Style): string {
  const [header = [], , ...rows] = tableRows(block).map((cells) => cells.map(plain));
  // A header is worth its line only where the columns do not speak for themselves.
  const shown = header.length > 2 ? [header, ...rows] : rows;
  const longest = (column: number, of: (cell: string) => number) =>
    Math.max(...shown.map((cells) => of(cells[column] ?? '')));
  const widths = header.map((_, column) => longest(column, (cell) => cell.length));
  const least = header.map((_, column) =>
    longest(column, (cell) => Math.max(...cell.split(' ').map((word) => word.length))),
  );
  const total = () => widths.reduce((sum, cell) => sum + cell + 2, 0);
  while (total() > width) {
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
      const texts = wrapped.map((cell, column) => (cell[line] ?? '').padEnd(widths[column] ?? 0));
      return `  ${style.cyan(texts[0] ?? '')}  ${texts.slice(1).join('  ')}`.trimEnd();
    });
  });
  return lines.join('\n');
}

function renderList(header: readonly string[], rows: readonly string[][], width: number, style: Style): string {
  const items = rows.map(([name = '', ...cells]) => [
    ...wrap(name, width - 2).map((line) => `  ${style.cyan(line)}`),
    ...cells.flatMap((cell, at) => wrap(`${header[at + 1]}: ${cell}`, width - 4)).map((line) => `    ${line}`),
  ]);
  return items.flat().join('\n');
}
