import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  filters,
  metrics,
  type VocabularyEntry,
} from './vocabulary.ts';

/**
 * Where somebody types a name: a metric, a breakdown or a filter of a request, a column of a file,
 * a period, or a month in one.
 */
export type NamePlace = 'metric' | 'breakdown' | 'filter' | 'column' | 'period' | 'month';

/** A word that people type in a place, and a name it means there. */
interface Word {
  readonly place: NamePlace;
  readonly word: string;
  readonly name: string;

  /** The word only leads to the name, in a search or a hint. */
  readonly isRelated?: true;
}

/** What a typed text means in its place. */
export interface Meaning {
  /** One name, or several if the text is ambiguous. */
  readonly names: readonly string[];

  /** True for another word than the name, not merely another case, separator or number. */
  readonly isWord: boolean;
}

/** The filters that take names instead of ids, by the breakdown whose names they take. */
export const filtersByName: Readonly<Record<string, string>> = {
  CAMPAIGN: 'campaign',
  ADUNIT: 'adunit',
  ADVERTISER: 'advertiser',
  COUNTRY: 'country',
};

const months = [
  ['january', 'jan'],
  ['february', 'feb'],
  ['march', 'mar'],
  ['april', 'apr'],
  ['may'],
  ['june', 'jun'],
  ['july', 'jul'],
  ['august', 'aug'],
  ['september', 'sept', 'sep'],
  ['october', 'oct'],
  ['november', 'nov'],
  ['december', 'dec'],
];

/** Every word, by place and name. */
const words: readonly Word[] = [
  ...metricWords(),
  ...breakdownWords(),
  ...filterWords(),
  ...columnWords(),
  ...periodWords(),
  ...months.flatMap((names, index) =>
    names.map((word): Word => ({ place: 'month', word, name: String(index + 1) })),
  ),
];

/**
 * What a text means among the accepted names: the name itself, else one that differs in case,
 * separators or number, else those that the word means. `undefined` if it means none.
 */
export function meaningOf(
  place: NamePlace,
  text: string,
  accepted: readonly string[],
): Meaning | undefined {
  if (accepted.includes(text)) return { names: [text], isWord: false };

  const sameCase = accepted.filter((name) => name.toLowerCase() === text.trim().toLowerCase());
  const forms = sameCase.length > 0 ? sameCase : accepted.filter((name) => isForm(name, text));
  if (forms.length > 0) return { names: forms, isWord: false };

  const names = namesOf(place, accepted, ({ word, isRelated }) => !isRelated && isForm(word, text));
  return names.length > 0 ? { names, isWord: true } : undefined;
}

/** The accepted names that a text leads to without meaning one: `ios` leads to `OS`. */
export function namesRelatedTo(
  place: NamePlace,
  text: string,
  accepted: readonly string[],
): string[] {
  return namesOf(place, accepted, ({ word }) => isForm(word, text));
}

/** The words that lead to the accepted names. */
export function wordsFor(place: NamePlace, accepted: readonly string[]): string[] {
  const found = words.filter((word) => word.place === place && accepted.includes(word.name));
  return [...new Set(found.map(({ word }) => word))];
}

function namesOf(
  place: NamePlace,
  accepted: readonly string[],
  isMeant: (word: Word) => boolean,
): string[] {
  const found = words.filter((word) => word.place === place && isMeant(word));
  const names = new Set(found.map(({ name }) => name));
  return accepted.filter((name) => names.has(name));
}

/** True if two texts differ only in case, blanks, `-`, `_`, or as singular and plural. */
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
    // The fields of time belong to several breakdowns: their words are in the entries.
    if (breakdown.time) continue;
    for (const field of breakdown.fields) yield { place: 'breakdown', word: field.name, name };
  }
}

function* filterWords(): Generator<Word> {
  for (const { name, on } of filters) {
    const breakdown = breakdowns.find((each) => each.name === on);
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
    // An hour has a column of its own, and its date is not it.
    const fields = breakdown.name === 'HOURLY' ? breakdown.fields.slice(-1) : breakdown.fields;
    for (const { name } of fields) {
      yield { place: 'column', word: breakdown.name, name };
      yield* wordsOfEntry('column', breakdown, name);
    }
  }
}

function* periodWords(): Generator<Word> {
  for (const unit of ['week', 'month', 'quarter', 'year']) {
    const name = `this-${unit}`;
    for (const word of [`current ${unit}`, `${unit} to date`, `${unit.charAt(0)}td`]) {
      yield { place: 'period', word, name };
    }
    yield { place: 'period', word: `previous ${unit}`, name: `last-${unit}` };
  }
}

function* wordsOfEntry(
  place: NamePlace,
  { words: meant = [], related = [] }: VocabularyEntry,
  name: string,
): Generator<Word> {
  for (const word of meant) yield { place, word, name };
  for (const word of related) yield { place, word, name, isRelated: true };
}
