import { requoteLine } from '../text/quote-for-shell.ts';

/** A name with its meaning, such as a command line with what it does. */
export type Pair = readonly [name: string, meaning: string];

/**
 * Formats command lines, quoted for the platform, with their meanings next to them, or above if one
 * does not fit the width.
 */
export function layOutExamples(
  pairs: readonly Pair[],
  { width, platform }: { readonly width: number; readonly platform: NodeJS.Platform },
): string {
  const examples = pairs.map(([line, meaning]): Pair => [requoteLine(line, platform), meaning]);
  const widest = Math.max(...examples.map(([line]) => line.length));
  const fits = examples.every(([, meaning]) => 2 + widest + 3 + 2 + meaning.length <= width);
  return examples
    .map(([line, meaning]) =>
      fits ? `  ${line.padEnd(widest)}   # ${meaning}` : `  # ${meaning}\n  ${line}`,
    )
    .join('\n');
}
