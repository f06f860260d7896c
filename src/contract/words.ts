import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  filters,
  metrics,
  type VocabularyEntry,
} from './vocabulary.ts';

/** Kind of name that is typed; `column` is one of a file. */
export type NamePlace = 'metric' | 'breakdown' | 'filter' | 'column';

/** A word that people type, and the name that it means in a place. */
interface Word {
  readonly place: NamePlace;
  readonly word: string;
  readonly name: string;

  /** Finds the name in searches and hints, but is not accepted for it. */
  readonly isRelated?: true;
}

/** Filters that accept names instead of ids, by breakdown. */
export const filtersByName: Readonly<Record<string, string>> = {
  CAMPAIGN: 'campaign',
  ADUNIT: 'adunit',
  ADVERTISER: 'advertiser',
  COUNTRY: 'country',
};

const words: readonly Word[] = [
  ...metricWords(),
  ...breakdownWords(),
  ...filterWords(),
  ...columnWords(),
];

/**
 * Finds the accepted names that `text` means: the name itself, or one that differs in case,
 * separators or plural, or those that the word means (`isWord`). Several names mean that `text` is
 * ambiguous. Returns `undefined` for an unknown word.
 */
export function meaningOf(
  place: NamePlace,
  text: string,
  accepted: readonly string[],
): { readonly names: readonly string[]; readonly isWord: boolean } | undefined {
  if (accepted.includes(text)) return { names: [text], isWord: false };

  const sameCase = accepted.filter((name) => name.toLowerCase() === text.trim().toLowerCase());
  const forms = sameCase.length > 0 ? sameCase : accepted.filter((name) => isForm(name, text));
  if (forms.length > 0) return { names: forms, isWord: false };

  const names = namesOf(place, accepted, ({ word, isRelated }) => !isRelated && isForm(word, text));
  return names.length > 0 ? { names, isWord: true } : undefined;
}

/** Finds accepted names that are related to a word: `ios` is related to `OS`. */
export function namesRelatedTo(
  place: NamePlace,
  text: string,
  accepted: readonly string[],
): string[] {
  return namesOf(place, accepted, ({ word }) => isForm(word, text));
}

/** Lists the words for the accepted names. */
export function wordsFor(place: NamePlace, accepted: readonly string[]): string[] {
  const found = words.filter((word) => word.place === place && accepted.includes(word.name));
  return [...new Set(found.map(({ word }) => word))];
}

function namesOf(
  place: NamePlace,
  accepted: readonly string[],
  matches: (word: Word) => boolean,
): string[] {
  const found = words.filter((word) => word.place === place && matches(word));
  const names = new Set(found.map(({ name }) => name));
  return accepted.filter((name) => names.has(name));
}

/** Ignores case, blanks, `-`, `_`, and the difference of singular and plural. */
function isForm(name: string, text: string): boolean {
  const a = plainText(name);
  const b = plainText(text);
  return a === b || isPluralOf(a, b) || isPluralOf(b, a);
}

function plainText(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

function isPluralOf(plural: string, singular: string): boolean {
  if (singular.length < 2) return false;
  return (
    plural === `${singular}s` ||
    (singular.endsWith('y') && plural === `${singular.slice(0, -1)}ies`)
  );
}

function* metricWords(): Generator<Word> {
  for (const metric of metrics) {
    yield* wordsOfEntry('metric', metric, metric.name);
    for (const word of Object.values(metric.rowField ?? {})) {
      yield { place: 'metric', word, name: metric.name };
    }
  }
  for (const metric of derivedMetrics) yield* wordsOfEntry('metric', metric, metric.field);
}

function* breakdownWords(): Generator<Word> {
  for (const breakdown of [...breakdowns, ...derivedBreakdowns]) {
    const { name } = breakdown;
    yield* wordsOfEntry('breakdown', breakdown, name);
    // Time fields belong to several breakdowns, so that their words are in the entries.
    if (breakdown.time) continue;
    for (const field of breakdown.fields) yield { place: 'breakdown', word: field.name, name };
  }
}

function* filterWords(): Generator<Word> {
  for (const { name, on } of filters) {
    const breakdown = breakdowns.find((entry) => entry.name === on);
    if (!breakdown) continue;

    const target = filtersByName[on] ?? name;
    yield { place: 'filter', word: on, name: target };
    yield* wordsOfEntry('filter', breakdown, target);
    for (const { name: word, type } of breakdown.fields) {
      yield { place: 'filter', word, name: type === 'id' ? name : target };
    }
  }
}

function* columnWords(): Generator<Word> {
  for (const metric of metrics) {
    for (const field of new Set([metric.name, ...Object.values(metric.rowField ?? {})])) {
      yield* wordsOfEntry('column', metric, field);
      yield { place: 'column', word: metric.name, name: field };
    }
  }
  for (const metric of derivedMetrics) yield* wordsOfEntry('column', metric, metric.field);

  for (const breakdown of [...breakdowns, ...derivedBreakdowns]) {
    // The column of HOURLY is `hour`, not the date next to it.
    const fields = breakdown.name === 'HOURLY' ? breakdown.fields.slice(-1) : breakdown.fields;
    for (const { name } of fields) {
      yield { place: 'column', word: breakdown.name, name };
      yield* wordsOfEntry('column', breakdown, name);
    }
  }
}

function* wordsOfEntry(
  place: NamePlace,
  { words: accepted = [], related = [] }: VocabularyEntry,
  name: string,
): Generator<Word> {
  for (const word of accepted) yield { place, word, name };
  for (const word of related) yield { place, word, name, isRelated: true };
}
