import { findNames } from '../contract/aliases.ts';
import { searchCountries } from '../contract/countries.ts';
import {
  type Profile,
  profiles,
  revenueMeaning,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { closestHint } from '../query/names.ts';
import type { Context } from '../run/context.ts';
import { quoted } from '../text/printable.ts';
import { layOutPairs, type Pair } from '../ui/pairs.ts';
import { declareCommand } from './command.ts';

const fieldsFlags = flagGroup('Flags:', {
  profile: {
    flags: '--profile <name>',
    meaning: 'buyer or dsp (default: the account’s, otherwise buyer)',
    choices: profiles,
  },
});

export const fieldsCommand = declareCommand({
  name: 'fields',
  args: ['[term]'],
  summary: 'list metrics, breakdowns and filters, with their meanings',
  examples: [
    ['adreport fields', 'everything in the buyer profile'],
    ['adreport fields country', 'everything about countries'],
  ],
  flags: [fieldsFlags],
  action: ({ context, options, args: [term] }) => fields(context, options, term),
});

/** Prints the vocabulary of a profile, or only the entries that match a term. */
async function fields(
  context: Context,
  options: { readonly profile?: Profile },
  term = '',
): Promise<void> {
  const { console, flags } = context;
  const profile = options.profile ?? (await context.account.settings()).profile.value;
  const vocabulary = vocabularyOf(profile);

  const all = {
    metrics: [...vocabulary.metrics, ...vocabulary.computed],
    breakdowns: [...vocabulary.breakdowns, ...vocabulary.derivedBreakdowns],
    filters: vocabulary.filters,
  };
  const isFound = (entry: VocabularyEntry) => matchesTerm(entry, term);
  const metrics = all.metrics.filter(isFound);
  const breakdowns = all.breakdowns.filter(isFound);
  const filters = all.filters.filter(isFound);
  const hasCountries = vocabulary.filters.length > 0 && term !== '';
  const countries = hasCountries ? searchCountries(term) : [];

  if (flags.json) {
    const lists = {
      profile,
      metrics: metrics.map(({ name, type, meaning }) => ({ name, type, meaning })),
      breakdowns: breakdowns.map(({ name, fields: rowFields, meaning }) => {
        return { name, rowFields: rowFields.map((field) => field.name), meaning };
      }),
      filters: filters.map(({ name, meaning }) => ({ name, meaning })),
      countries,
    };
    return console.result(JSON.stringify(lists));
  }

  const rows = [
    ...metrics.map(({ name, meaning }): Pair => [`--metrics ${name}`, meaning]),
    ...breakdowns.map(({ name, meaning }): Pair => [`--by ${name}`, meaning]),
    ...filters.map(({ name, meaning }): Pair => [`--filter ${name}`, meaning]),
    ...countries.map(({ code, id, name }): Pair => {
      return [`--country ${code}`, `${name}, countryId ${id}`];
    }),
  ];
  if (rows.length === 0) {
    const accepted = [...all.metrics, ...all.breakdowns].map(({ name }) => name);
    throw new UsageError(`Nothing matches ${quoted(term)} in the ${profile} profile.`, {
      hint: closestHint(term, accepted, 'See: adreport fields'),
    });
  }
  const { width = Number.POSITIVE_INFINITY } = console.out.look;
  await console.write(`${layOutPairs(rows, width)}\n`);
  if (metrics.some(({ name }) => name.startsWith('revenue'))) console.note(revenueMeaning);
}

/** Whether a term occurs in the name or the meaning, or equals the name or an alias. */
function matchesTerm({ name, meaning }: VocabularyEntry, term: string): boolean {
  const text = `${name}\n${meaning}`.toLowerCase();
  return text.includes(term.toLowerCase()) || findNames(term, [name]).length > 0;
}
