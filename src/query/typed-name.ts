import { meaningOf, type NamePlace, namesRelatedTo, wordsFor } from '../contract/words.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { printable, quoted } from '../text/printable.ts';

export interface TypedName {
  readonly place: NamePlace;
  readonly flag: string;
  readonly text: string;

  /** Names it can mean. */
  readonly accepted: readonly string[];
}

export interface ReadName {
  readonly name: string;

  /** For stderr, if a plain-English word was typed: `impressions means displays.` */
  readonly note?: string;
}

/** Returns `undefined` for an unknown name. Throws `UsageError` for an ambiguous one. */
export function readName({ place, flag, text, accepted }: TypedName): ReadName | undefined {
  const meaning = meaningOf(place, text, accepted);
  const [name] = meaning?.names ?? [];
  if (!meaning || name === undefined) return undefined;
  if (meaning.names.length > 1) throw ambiguous(flag, text, meaning.names);
  return meaning.isWord ? { name, note: `${printable(text.trim())} means ${name}.` } : { name };
}

function ambiguous(flag: string, text: string, names: readonly string[]): UsageError {
  return new UsageError(`${flag} ${quoted(text)} can mean ${alternatives(names)}.`, {
    code: 'AMBIGUOUS_NAME',
    hint: 'Use one of these names.',
    about: { flag, value: text },
  });
}

/** Suggests the closest names, or else returns `otherwise`. */
export function closestHint(typed: Omit<TypedName, 'flag'>, otherwise: string): string {
  const names = closestNames(typed);
  return names.length > 0 ? `Did you mean ${alternatives(names)}?` : otherwise;
}

/** Returns the accepted names that are related to what was typed or spelt almost like it. */
export function closestNames({ place, text, accepted }: Omit<TypedName, 'flag'>): string[] {
  const related = namesRelatedTo(place, text, accepted);
  if (related.length > 0) return related;

  const name = nearest(text, accepted);
  if (name !== undefined) return [name];
  const word = nearest(text, wordsFor(place, accepted));
  return word === undefined ? [] : namesRelatedTo(place, word, accepted);
}

/** Returns `A, B or C`. */
export function alternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
