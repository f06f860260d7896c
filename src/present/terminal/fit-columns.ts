/** Names are shortened down to this width; IDs, dates and numbers never. */
const minNameWidth = 24;

/** Names are shortened further only if even one metric would not fit. */
const leastNameWidth = 8;

/** Width in terminal cells. */
export interface FitColumn {
  readonly width: number;
  readonly isMetric: boolean;
  readonly isName: boolean;
}

/**
 * Fits columns into a line: metrics are dropped from the right until names have at least 24
 * characters. One metric remains, however narrow the line is.
 *
 * @param gap space between two columns
 * @returns columns by index from left to right, and the width of each
 */
export function fitColumns(
  columns: readonly FitColumn[],
  lineWidth: number,
  gap: number,
): { readonly kept: readonly number[]; readonly widths: readonly number[] } {
  const kept = [...columns.keys()];
  const excess = (nameWidth: number): number => {
    let width = gap * (kept.length - 1);
    for (const i of kept) width += findMinWidth(columns[i], nameWidth);
    return width - lineWidth;
  };
  const isMetric = (i: number): boolean => columns[i]?.isMetric ?? false;
  while (excess(minNameWidth) > 0 && kept.filter(isMetric).length > 1) {
    kept.splice(kept.findLastIndex(isMetric), 1);
  }
  while (excess(leastNameWidth) > 0 && kept.length > 1) kept.pop();

  const shown = kept.flatMap((i) => columns[i] ?? []);
  return { kept, widths: shortenedWidths(shown, lineWidth - gap * (kept.length - 1)) };
}

function findMinWidth(column: FitColumn | undefined, nameWidth: number): number {
  if (!column) return 0;
  return column.isName ? Math.min(column.width, nameWidth) : column.width;
}

/** Shortens the widest names until all columns fit; an only column is shortened in any case. */
function shortenedWidths(columns: readonly FitColumn[], room: number): number[] {
  const widths = columns.map(({ width }) => width);
  const isOnly = columns.length === 1;
  let excess = widths.reduce((sum, width) => sum + width, -room);

  for (; excess > 0; excess--) {
    const spare = widths.map((width, i) => {
      return isOnly || (columns[i]?.isName && width > leastNameWidth) ? width : 0;
    });
    const widest = spare.lastIndexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) < 2) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
