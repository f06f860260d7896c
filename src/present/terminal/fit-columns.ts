/** Names are shortened down to this width; IDs, dates and numbers never. */
const minNameWidth = 24;

/** Names are shortened further only if even one metric would not fit. */
const minOnlyNameWidth = 8;

/** Width in terminal cells. */
export interface FitColumn {
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isName: boolean;
}

/**
 * Fits columns into a line. Metrics are dropped from the right until names have at least 24
 * characters. One metric always remains, even on a narrow line.
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
  const isNumeric = (i: number): boolean => columns[i]?.isNumeric ?? false;
  const widthsFor = (maxNameWidth: number): number[] => {
    return kept.map((i) => {
      const { width = 0, isName = false } = columns[i] ?? {};
      return isName ? Math.min(width, maxNameWidth) : width;
    });
  };
  const fits = (maxNameWidth: number): boolean => {
    const widths = widthsFor(maxNameWidth);
    return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) <= lineWidth;
  };

  while (!fits(minNameWidth) && kept.filter(isNumeric).length > 1) {
    kept.splice(kept.findLastIndex(isNumeric), 1);
  }
  while (!fits(minOnlyNameWidth) && kept.length > 1) kept.pop();

  let maxNameWidth = Math.min(lineWidth, Math.max(...widthsFor(lineWidth)));
  while (!fits(maxNameWidth) && maxNameWidth > minOnlyNameWidth) maxNameWidth -= 1;
  const widths = widthsFor(maxNameWidth);
  const isOnly = kept.length === 1;
  return { kept, widths: isOnly ? widths.map((width) => Math.min(width, lineWidth)) : widths };
}
