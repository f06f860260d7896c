/** Names may be shortened to this width. IDs, dates and numbers are never shortened. */
const minNameWidth = 24;

/** Minimum width of names if not even one metric would fit otherwise. */
const minNarrowNameWidth = 8;

export interface FitColumn {
  /** In terminal cells. */
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isName: boolean;
}

/**
 * Chooses the columns that fit on a line. Metrics are dropped from the right until names have at
 * least 24 characters, but one metric always remains.
 *
 * @param gap cells between two columns
 * @returns the indexes of the columns that fit, from left to right, and their widths
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
  while (!fits(minNarrowNameWidth) && kept.length > 1) kept.pop();

  let maxNameWidth = Math.min(lineWidth, Math.max(...widthsFor(lineWidth)));
  while (!fits(maxNameWidth) && maxNameWidth > minNarrowNameWidth) maxNameWidth -= 1;
  const widths = widthsFor(maxNameWidth);
  const isOnly = kept.length === 1;
  return { kept, widths: isOnly ? widths.map((width) => Math.min(width, lineWidth)) : widths };
}
