import { shorten, shortenMiddle, widthOf } from '../text/cell-width.ts';

/** Longer names are cut before they are measured, which is slow. */
const maxCharacters = 2_000;

/**
 * Shortens the names that are wider than a terminal column to their beginning and `…`. Names that
 * would then be equal keep their end as well.
 */
export function shortenNames(
  names: Iterable<string>,
  width: number,
  mark: string,
): Map<string, string> {
  const namesByShort = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const beginning = name.slice(0, maxCharacters);
    if (widthOf(beginning) <= width) continue;

    const short = shorten(beginning, width, mark);
    const alike = namesByShort.get(short);
    if (alike) alike.push(name);
    else namesByShort.set(short, [name]);
  }

  const shortByName = new Map<string, string>();
  for (const [short, alike] of namesByShort) {
    for (const name of alike) {
      shortByName.set(name, alike.length > 1 ? shortenMiddle(name, width, mark) : short);
    }
  }
  return shortByName;
}
