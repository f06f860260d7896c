import { Help } from 'commander';

/** A command line, and what it does. */
export type Pair = readonly [name: string, meaning: string];

/** Command lines with their meanings beside them, or above each where one would not fit so many character cells. */
export function layOutExamples(examples: readonly Pair[], width: number): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  const fits = examples.every(([, meaning]) => 2 + widest + 3 + 2 + meaning.length <= width);
  return examples
    .map(([line, meaning]) =>
      fits ? `  ${line.padEnd(widest)}   # ${meaning}` : `  # ${meaning}\n  ${line}`,
    )
    .join('\n');
}

/** A text in lines of at most so many character cells, broken at blanks; a longer word has a line to itself. */
export function wrap(text: string, width: number): string[] {
  const help = Object.assign(new Help(), { minWidthToWrap: 0 });
  return help.boxWrap(text.replaceAll(/\s+/g, ' '), width).split('\n');
}
