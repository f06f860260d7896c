import { wrap } from '../text/cell-width.ts';
import { printable } from '../text/printable.ts';
import type { Console } from '../ui/console.ts';

const marks = {
  good: { sign: '✓', color: 'green' },
  note: { sign: '!', color: 'yellow' },
  problem: { sign: '✗', color: 'red' },
  unknown: { sign: '-', color: 'dim' },
} as const;

export type Mark = keyof typeof marks;

interface ResultEntry {
  readonly mark: Mark;
  readonly name: string;
  readonly message: string;

  /** Printed below the message, after an arrow. */
  readonly detail: string | null;
}

/** Prints the mark and name in the first `indent` columns, then the message and the detail. */
export async function printEntry(
  { mark, name, message, detail }: ResultEntry,
  indent: number,
  console: Console,
): Promise<void> {
  const { width, style } = console.out;
  const { sign, color } = marks[mark];
  const lineWidth = Math.max(30, Math.min(120, width) - indent);

  const lines = message.split('\n').flatMap((line) => wrap(printable(line), lineWidth));
  if (detail !== null) {
    const wrapped = wrap(printable(`→ ${detail}`), lineWidth);
    lines.push(...wrapped.map((line) => style[color](line)));
  }

  const head = `${style[color](sign)}  ${name.padEnd(indent - 5)}  `;
  const indented = lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
  await console.result(indented.join('\n'));
}
