import { aliases, findNames } from '../contract/aliases.ts';
import { UsageError } from '../errors.ts';
import { findNearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { joinWords } from '../text/quantity.ts';

/**
 * Matches a name against the accepted names. Returns `undefined` if there is no match, and throws
 * `UsageError` for several matches.
 */
export function parseName(
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
 * Suggests the closest accepted name, or the names for a close alias. Returns `otherwise` if
 * nothing is close.
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
