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
    if (alike.length === 1) shortByName.set(alike[0] as string, short);
    else for (const [name, text] of shortAlike(alike, width, mark)) shortByName.set(name, text);
  }
  return shortByName;
}

/** Keeps the ends of names with a common beginning, or the part before a common end. */
function shortAlike(names: readonly string[], width: number, mark: string): Map<string, string> {
  const withEnd = new Map(names.map((name) => [name, shortenMiddle(name, width, mark)]));
  if (new Set(withEnd.values()).size === names.length) return withEnd;

  const endLength = sharedEndOf(names).length;
  return new Map(
    names.map((name) => {
      const beforeEnd = name.slice(0, name.length - endLength);
      return [name, shortenMiddle(beforeEnd, width - mark.length, mark) + mark];
    }),
  );
}

function sharedEndOf([first = '', ...others]: readonly string[]): string {
  for (let length = first.length; length > 0; length--) {
    const end = first.slice(-length);
    if (others.every((other) => other.endsWith(end))) return end;
  }
  return '';
}
