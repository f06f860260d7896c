import { shorten, shortenMiddle, widthOf } from '../text/cell-width.ts';

/** The cells that a name takes at most in a table, and next to a line of a chart. */
export const longestInTable = 48;
export const longestAtLine = 22;

/** Nobody reads further, and measuring takes long. */
const mostCharacters = 2_000;

/**
 * The short forms of names that take more cells than `width`: the beginning and `…`. Names that
 * would then look alike keep their end as well.
 */
export function shortNames(names: Iterable<string>, width = longestInTable): Map<string, string> {
  const namesByShort = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const beginning = name.slice(0, mostCharacters);
    if (widthOf(beginning) <= width) continue;

    const short = shorten(beginning, width);
    const alike = namesByShort.get(short);
    if (alike) alike.push(name);
    else namesByShort.set(short, [name]);
  }

  const shortByName = new Map<string, string>();
  for (const [short, alike] of namesByShort) {
    for (const name of alike) {
      shortByName.set(name, alike.length === 1 ? short : shortenMiddle(name, width));
    }
  }
  return shortByName;
}
