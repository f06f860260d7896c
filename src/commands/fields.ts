import { settingTable } from '../account/settings.ts';
import type { Context } from '../context.ts';
import { type Country, findCountry, searchCountries } from '../contract/countries.ts';
import {
  type DerivedMetric,
  type Profile,
  profiles,
  revenueMeaning,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { meaningOf, type NamePlace, namesRelatedTo } from '../contract/words.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../present/terminal/table-layout.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { alternatives, closestNames } from '../query/typed-name.ts';
import { tableLook } from '../run/deliver.ts';
import { widthOf, wrap } from '../text/cell-width.ts';
import { quoted } from '../text/printable.ts';
import { declareCommand } from './command.ts';

const fieldsFlags = flagGroup('Flags:', {
  profile: {
    flags: settingTable.profile.flag,
    meaning: 'buyer or dsp (default: the account’s, otherwise buyer)',
    words: profiles,
  },
});

export const fieldsCommand = declareCommand({
  name: 'fields',
  args: ['[term]'],
  summary: 'list metrics, breakdowns and filters, with their meanings',
  examples: [
    ['adreport fields', 'everything in the buyer profile'],
    ['adreport fields country', 'everything about countries'],
    ['adreport fields --profile dsp --json', 'for programs'],
  ],
  flags: [fieldsFlags],
  async action({ context, options, args: [term] }) {
    await fields(context, options, term);
    return 0;
  },
});

interface FieldRow {
  readonly flag: string;
  readonly name: string;
  readonly meaning: string;
}

/**
 * Prints the vocabulary of a profile. A term limits it to entries with that name or meaning, or
 * that the trade calls so.
 */
async function fields(
  context: Context,
  options: { readonly profile?: Profile },
  term = '',
): Promise<void> {
  const profile = options.profile ?? (await context.account.settings()).profile.value;
  const vocabulary = vocabularyOf(profile);
  const isAboutTerm =
    (place: NamePlace) =>
    (entry: VocabularyEntry): boolean =>
      isAbout(place, entry, term);

  const allMetrics = [...vocabulary.metrics, ...vocabulary.derived.map(computedMetric)];
  const metrics = allMetrics.filter(isAboutTerm('metric')).map(({ name, type, meaning }) => {
    return { name, type, meaning };
  });
  const allBreakdowns = [...vocabulary.breakdowns, ...vocabulary.derivedBreakdowns];
  const breakdowns = allBreakdowns.filter(isAboutTerm('breakdown')).map((breakdown) => {
    const rowFields = breakdown.fields.map(({ name }) => name);
    return { name: breakdown.name, rowFields, meaning: breakdown.meaning };
  });
  const filters = vocabulary.filters.filter(isAboutTerm('filter')).map(({ name, meaning }) => {
    return { name, meaning };
  });
  const countries = vocabulary.filters.length === 0 ? [] : countriesFor(term);

  if (context.flags.json) {
    const lists = { profile, metrics, breakdowns, filters, countries };
    await context.console.result(JSON.stringify(lists));
    return;
  }

  const rows: readonly FieldRow[] = [
    ...metrics.map(({ name, meaning }) => ({ flag: '--metrics', name, meaning })),
    ...breakdowns.map(({ name, meaning }) => ({ flag: '--by', name, meaning })),
    ...filters.map(({ name, meaning }) => ({ flag: '--filter', name, meaning })),
    ...countries.map(countryRow),
  ];
  if (rows.length === 0) {
    const close = [
      ...closestNames({ place: 'metric', text: term, accepted: allMetrics.map(nameOf) }),
      ...closestNames({ place: 'breakdown', text: term, accepted: allBreakdowns.map(nameOf) }),
    ];
    throw new UsageError(`Nothing matches ${quoted(term)} in the ${profile} profile.`, {
      hint: close.length > 0 ? `Did you mean ${alternatives(close)}?` : 'See: adreport fields',
    });
  }
  const look = tableLook(context);
  await context.console.write(textTable(wrapMeanings(rows, look.width), columns, look));
  if (rows.some(({ name }) => name.startsWith('revenue'))) context.console.note(revenueMeaning);
}

/** Wraps meanings: each further line is a row of its own. */
function wrapMeanings(rows: readonly FieldRow[], width = Number.POSITIVE_INFINITY): FieldRow[] {
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(widthOf));
  const before = widest(rows.map(({ flag }) => flag)) + widest(rows.map(({ name }) => name));
  const room = Math.max(minMeaningWidth, width - before - 4);

  const lines: FieldRow[] = [];
  for (const { flag, name, meaning } of rows) {
    const [first = '', ...others] = wrap(meaning, room);
    lines.push({ flag, name, meaning: first });
    for (const line of others) lines.push({ flag: '', name: '', meaning: line });
  }
  return lines;
}

/** A narrower column is unreadable. */
const minMeaningWidth = 20;

const columns = [
  { name: 'flag', value: (row: FieldRow) => row.flag, whole: true },
  { name: 'name', value: (row: FieldRow) => row.name, whole: true },
  { name: 'meaning', value: (row: FieldRow) => row.meaning },
];

/** Makes a computed metric a vocabulary entry, under the name that `--metrics` takes. */
function computedMetric(metric: DerivedMetric) {
  const { field, unit } = metric;
  return { ...metric, name: field, type: unit };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function isAbout(place: NamePlace, { name, meaning }: VocabularyEntry, term: string): boolean {
  const text = `${name}\n${meaning}`.toLowerCase();
  const isCalled = () =>
    meaningOf(place, term, [name]) !== undefined || namesRelatedTo(place, term, [name]).length > 0;
  return text.includes(term.toLowerCase()) || isCalled();
}

/** Finds the country that a term names, or else all that contain it, if it is long enough. */
function countriesFor(term: string): readonly Country[] {
  const country = findCountry(term);
  if (country) return [country];
  if (term.length < 4) return [];
  return searchCountries(term);
}

function countryRow({ code, id, name }: Country): FieldRow {
  return { flag: '--country', name: code, meaning: `${name}, countryId ${id}` };
}
