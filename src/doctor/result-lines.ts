import { wrap } from '../text/cell-width.ts';
import { printable } from '../text/printable.ts';
import type { Console } from '../ui/console.ts';

/** How something turned out that was examined. */
export type Mark = 'good' | 'note' | 'finding' | 'unknown';

/** Something that was examined, as it is told to people. */
export interface ExaminedThing {
  readonly mark: Mark;
  readonly name: string;
  readonly message: string;

  /** What stands below the message, behind an arrow. */
  readonly below: string | null;
}

/**
 * A thing as lines: its mark and its name, both as wide as `indent`, then its message, and below
 * that what follows from it.
 */
export function resultLines(thing: ExaminedThing, indent: number, out: Console['out']): string[] {
  const { mark, name, message, below } = thing;
  const width = Math.max(30, Math.min(120, out.width) - indent);
  const colour = colourOf(mark, out);

  const lines = message.split('\n').flatMap((line) => wrap(printable(line), width));
  if (below !== null) {
    const arrow = out.showsUnicode ? '→' : '=>';
    lines.push(...wrap(printable(`${arrow} ${below}`), width).map((line) => colour(line)));
  }

  const head = `${colour(signOf(mark, out.showsUnicode))} ${name.padEnd(indent - 5)}  `;
  return lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
}

function signOf(mark: Mark, showsUnicode: boolean): string {
  if (mark === 'unknown') return '- ';
  if (mark === 'note') return '! ';
  if (mark === 'good') return showsUnicode ? '✓ ' : 'ok';
  return showsUnicode ? '✗ ' : 'x ';
}

function colourOf(mark: Mark, { style }: Console['out']): Console['out']['style'] {
  if (mark === 'unknown') return style.dim;
  if (mark === 'note') return style.yellow;
  return mark === 'good' ? style.green : style.red;
}
