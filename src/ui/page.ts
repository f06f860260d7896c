import { requoteLine } from '../text/quote-for-shell.ts';

/** A command line, and what it does. */
export type Pair = readonly [name: string, meaning: string];

/**
 * Command lines with their meanings beside them, or above each where one would not fit so many
 * character cells. They are quoted for the platform.
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
