import type { Style } from './style.ts';

/** A piece of a text for people: a paragraph, a heading, terms with their meanings, or command lines with theirs. */
export type Block =
  | string
  | { readonly heading: string }
  | { readonly terms: readonly Pair[] }
  | { readonly examples: readonly Pair[] };

/** A command line or a term, and what it means. */
export type Pair = readonly [name: string, meaning: string];

export interface PageLook {
  /** Width in character cells. */
  readonly columns: number;
  readonly style: Style;
}

/** Lines longer than this are hard to read, however wide the terminal. */
const columnsAtMost = 100;
const narrowest = 24;

/** Lays blocks out as lines that fit the width, ended by a line break; command lines alone are never broken. */
export function layOutPage(blocks: readonly Block[], look: PageLook): string {
  const width = Math.max(narrowest, Math.min(columnsAtMost, look.columns));
  const parts = blocks.map((block, index) => {
    const isUnderHeading = isHeading(blocks[index - 1]);
    return `${index === 0 || isUnderHeading ? '' : '\n'}${layOutBlock(block, width, look)}\n`;
  });
  return parts.join('');
}

function isHeading(block: Block | undefined): boolean {
  return typeof block === 'object' && 'heading' in block;
}

function layOutBlock(block: Block, width: number, look: PageLook): string {
  if (typeof block === 'string') return wrap(block, width).join('\n');
  if ('heading' in block) return look.style.bold(`${block.heading}:`);
  if ('examples' in block) return layOutExamples(block.examples, look);
  return layOutTerms(block.terms, width, look.style);
}

function layOutTerms(terms: readonly Pair[], width: number, style: Style): string {
  const widest = Math.max(...terms.map(([name]) => name.length));
  const nameWidth = Math.min(widest, Math.floor(width / 2));
  const indent = '  '.length + nameWidth + '  '.length;
  return terms
    .flatMap(([name, meaning]) => {
      const lines = wrap(meaning, width - indent);
      const start = `  ${style.cyan(name)}`;
      // A name that is too long for its column has the line to itself.
      const first =
        name.length > nameWidth ? start : `${start}${' '.repeat(nameWidth - name.length)}  ${lines.shift()}`;
      return [first, ...lines.map((line) => `${' '.repeat(indent)}${line}`)];
    })
    .join('\n');
}

/** Command lines with their meanings beside them, or above each where one would not fit the width beside its line. */
export function layOutExamples(examples: readonly Pair[], { columns, style }: PageLook): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  const fits = examples.every(([, meaning]) => 2 + widest + 3 + 2 + meaning.length <= columns);
  return examples
    .map(([line, meaning]) => {
      const comment = style.dim(`# ${meaning}`);
      return fits ? `  ${line.padEnd(widest)}   ${comment}` : `  ${comment}\n  ${line}`;
    })
    .join('\n');
}

/** A text in lines of at most so many characters, broken at blanks; a longer word has a line to itself. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
