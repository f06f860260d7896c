/** One rule for columns that do not fit, on terminals and on paper. */

/** Names are shortened down to this width; ids, dates and numbers never. */
export const minNameWidth = 8;

/** Widths are in characters. */
export interface FitColumn {
  /** Metrics are dropped before breakdowns. */
  readonly isMetric: boolean;

  readonly width: number;

  /** Width that it can be shortened to; `width` if it cannot. */
  readonly minWidth: number;
}

/**
 * Fits columns into a line: names are shortened, and columns that still do not fit are dropped from
 * the right, metrics first. One column remains, however narrow the line is.
 *
 * @param gap space between two columns
 * @returns columns by index from left to right, and the width of each
 */
export function fitColumns(
  columns: readonly FitColumn[],
  lineWidth: number,
  gap: number,
): { readonly kept: readonly number[]; readonly widths: readonly number[] } {
  const isMetric = (index: number): boolean => columns[index]?.isMetric ?? false;
  const kept = [...columns.keys()];
  const room = (): number => lineWidth - gap * (kept.length - 1);
  const minWidth = (): number => kept.reduce((sum, i) => sum + (columns[i]?.minWidth ?? 0), 0);
  while (kept.length > 1 && minWidth() > room()) {
    const lastMetric = kept.findLastIndex(isMetric);
    kept.splice(lastMetric < 0 ? -1 : lastMetric, 1);
  }

  const shown = kept.map((i) => columns[i] as FitColumn);
  return { kept, widths: shortenedWidths(shown, room()) };
}

/** Shortens the widest columns until all fit. */
function shortenedWidths(columns: readonly FitColumn[], room: number): number[] {
  const widths = columns.map(({ width }) => width);
  const isOnly = columns.length === 1;
  let excess = widths.reduce((sum, width) => sum + width, -room);

  for (; excess > 0; excess--) {
    const spare = widths.map((width, i) => {
      return width > (isOnly ? 1 : (columns[i]?.minWidth ?? 0)) ? width : 0;
    });
    const widest = spare.lastIndexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Names the columns that were dropped: `Not shown: clicks, CTR. ADVICE` */
export function droppedColumnsMessage(labels: readonly string[], advice: string): string {
  return `Not shown: ${labels.join(', ')}. ${advice}`;
}
