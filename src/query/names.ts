import { aliases, findNames } from '../contract/aliases.ts';
import { UsageError } from '../errors.ts';
import { findNearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { joinWords } from '../text/quantity.ts';

/**
 * Finds the accepted name that a typed name means. Returns `undefined` if there is none, and throws
 * `UsageError` if there are several.
 */
export function readName(
  name: string,
  accepted: readonly string[],
  flag: string,
): string | undefined {
  const [first, ...others] = findNames(name, accepted);
  if (first === undefined || others.length === 0) return first;

  const meanings = joinWords([first, ...others], 'or');
  throw new UsageError(`${flag} ${quoted(name)} can mean ${meanings}.`, {
    code: 'AMBIGUOUS_NAME',
    hint: 'Use one of these names.',
    about: { flag, value: name },
  });
}

/**
 * Suggests the closest of the accepted names, or the names that a close alias means. Without any,
 * returns `otherwise`.
 */
export function closestHint(
  name: string,
  accepted: readonly string[],
  otherwise = `Choose from ${accepted.join(', ')}.`,
): string {
  const closest = findNearest(name, [...accepted, ...Object.keys(aliases)]) ?? name;
  const names = accepted.includes(closest) ? [closest] : findNames(closest, accepted);
  return names.length > 0 ? `Did you mean ${joinWords(names, 'or')}?` : otherwise;
}
