import { wrap } from '../text/cell-width.ts';
import { printable } from '../text/printable.ts';
import type { Console } from '../ui/console.ts';

export type Mark = 'good' | 'note' | 'problem' | 'unknown';

/** The printed result of one check. */
export interface ResultEntry {
  readonly mark: Mark;
  readonly name: string;
  readonly message: string;

  /** Printed below the message, after an arrow. */
  readonly detail: string | null;
}

/** Puts mark and name into the first `indent` columns, then the message and detail. */
export function resultLines(entry: ResultEntry, indent: number, out: Console['out']): string[] {
  const { mark, name, message, detail } = entry;
  const width = Math.max(30, Math.min(120, out.width) - indent);
  const colour = chooseColour(mark, out);

  const lines = message.split('\n').flatMap((line) => wrap(printable(line), width));
  if (detail !== null) {
    const arrow = out.showsUnicode ? '→' : '=>';
    lines.push(...wrap(printable(`${arrow} ${detail}`), width).map((line) => colour(line)));
  }

  const head = `${colour(chooseSign(mark, out.showsUnicode))} ${name.padEnd(indent - 5)}  `;
  return lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
}

function chooseSign(mark: Mark, showsUnicode: boolean): string {
  if (mark === 'unknown') return '- ';
  if (mark === 'note') return '! ';
  if (mark === 'good') return showsUnicode ? '✓ ' : 'ok';
  return showsUnicode ? '✗ ' : 'x ';
}

function chooseColour(mark: Mark, { style }: Console['out']): Console['out']['style'] {
  if (mark === 'unknown') return style.dim;
  if (mark === 'note') return style.yellow;
  return mark === 'good' ? style.green : style.red;
}
