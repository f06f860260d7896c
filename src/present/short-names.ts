import { shorten, shortenMiddle, widthOf } from '../text/cell-width.ts';

/** Maximum width on a page, in terminal cells. */
export const maxTableName = 48;

/** Longer names are cut before they are measured, which is slow. */
const maxCharacters = 2_000;

/**
 * Shortens names wider than `width` to their beginning and `…`. Names that would then be equal keep
 * their end as well.
 */
export function shortNames(
  names: Iterable<string>,
  width = maxTableName,
  mark = '…',
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
      shortByName.set(name, alike.length === 1 ? short : shortenMiddle(name, width, mark));
    }
  }
  return shortByName;
}
