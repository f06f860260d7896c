import { aliases, findNames } from '../contract/aliases.ts';
import { UsageError } from '../errors.ts';
import { findNearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';

export interface TypedName {
  readonly flag: string;
  readonly name: string;

  /** Accepted names. */
  readonly accepted: readonly string[];
}

/**
 * Finds the accepted name that a typed name means; `undefined` if there is none. Throws
 * `UsageError` if the typed name is ambiguous.
 */
export function readName({ flag, name, accepted }: TypedName): string | undefined {
  const [first, ...others] = findNames(name, accepted);
  if (first === undefined || others.length === 0) return first;

  throw new UsageError(
    `${flag} ${quoted(name)} can mean ${listAlternatives([first, ...others])}.`,
    {
      code: 'AMBIGUOUS_NAME',
      hint: 'Use one of these names.',
      about: { flag, value: name },
    },
  );
}

/** Suggests the closest of the accepted names. Without a close name, returns `otherwise`. */
export function closestHint(
  name: string,
  accepted: readonly string[],
  otherwise = `Choose from ${accepted.join(', ')}.`,
): string {
  const names = closestNames(name, accepted);
  return names.length > 0 ? `Did you mean ${listAlternatives(names)}?` : otherwise;
}

/**
 * Returns the accepted names with almost the same spelling as the typed name. A close alias counts
 * too.
 */
function closestNames(name: string, accepted: readonly string[]): readonly string[] {
  const closest = findNearest(name, accepted);
  if (closest !== undefined) return [closest];

  const alias = findNearest(name, Object.keys(aliases));
  return alias === undefined ? [] : findNames(alias, accepted);
}

/** Returns `A, B or C`. */
export function listAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
