import { wrap } from '../text/cell-width.ts';
import { requoteLine } from '../text/quote-for-shell.ts';

/** A name and its meaning, or a command line and its comment. */
export type Pair = readonly [name: string, meaning: string];

/** Lays out names and meanings in two columns, the second of which wraps. */
export function layOutPairs(
  pairs: readonly Pair[],
  width: number,
  nameWidth = measureWidestName(pairs),
): string {
  const indent = nameWidth + 4;
  const lines: string[] = [];
  for (const [name, meaning] of pairs) {
    const [first = '', ...others] = wrap(meaning, Math.max(minMeaningWidth, width - indent));
    lines.push(`  ${name.padEnd(nameWidth)}  ${first}`);
    for (const line of others) lines.push(' '.repeat(indent) + line);
  }
  return lines.join('\n');
}

function measureWidestName(pairs: readonly Pair[]): number {
  return Math.max(...pairs.map(([name]) => name.length));
}

/** Minimum width at which a column is readable. */
const minMeaningWidth = 25;

/**
 * Lays out command lines, quoted for the platform, with comments next to them. If any comment does
 * not fit, all comments go above their command lines.
 */
export function layOutExamples(
  pairs: readonly Pair[],
  { width, platform }: { readonly width: number; readonly platform: NodeJS.Platform },
): string {
  const examples = pairs.map(([line, meaning]): Pair => [requoteLine(line, platform), meaning]);
  const widest = measureWidestName(examples);
  const fits = examples.every(([, meaning]) => 2 + widest + 3 + 2 + meaning.length <= width);
  return examples
    .map(([line, meaning]) =>
      fits ? `  ${line.padEnd(widest)}   # ${meaning}` : `  # ${meaning}\n  ${line}`,
    )
    .join('\n');
}
