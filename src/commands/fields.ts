import { tableLook } from '../app/deliver.ts';
import { flagGroup } from '../app/flags/flag.ts';
import type { Context } from '../context.ts';
import { allCountries, findCountry } from '../contract/countries.ts';
import {
  isCalled,
  type Profile,
  profiles,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../output/table/table-layout.ts';
import { declareCommand } from './command.ts';

const fieldsFlags = flagGroup('Options:', {
  profile: {
    flags: '--profile <name>',
    meaning: "the profile (default: the stored account's, else buyer)",
    words: profiles,
  },
});

export const fieldsCommand = declareCommand({
  name: 'fields',
  args: ['[term]'],
  summary: 'the metrics, breakdowns and filters of a profile, with meanings',
  examples: [
    ['adreport fields', 'all of the buyer profile'],
    ['adreport fields country', 'those about countries'],
    ['adreport fields --profile dsp --json', 'for programs'],
  ],
  flags: [fieldsFlags],
  async action({ context, options, args: [term] }) {
    await fields(context, options, term);
    return 0;
  },
});

/** Prints the vocabulary of a profile, or what of it a term means, by name, meaning or the trade's other words. */
async function fields(
  context: Context,
  options: { readonly profile?: Profile },
  term = '',
): Promise<void> {
  const profile = options.profile ?? (await context.settings()).profile.value;
  const vocabulary = vocabularyOf(profile);
  const matches = (entry: VocabularyEntry): boolean =>
    `${entry.name}\n${entry.meaning}`.toLowerCase().includes(term.toLowerCase()) ||
    isCalled(entry, term);
  const computed = vocabulary.derived.map((metric) => {
    return {
      ...metric,
      name: metric.field,
      type: metric.unit,
      meaning: `computed: ${metric.meaning}`,
    };
  });
  const metrics = [...vocabulary.metrics, ...computed]
    .filter(matches)
    .map(({ name, type, meaning }) => ({ name, type, meaning }));
  const breakdowns = vocabulary.breakdowns.filter(matches).map((one) => ({
    name: one.name,
    rowFields: one.fields.map(({ name }) => name),
    meaning: one.meaning,
  }));
  const filters = vocabulary.filters
    .filter(matches)
    .map(({ name, meaning }) => ({ name, meaning }));
  const country = findCountry(term);
  const isNamed = ({ name }: { name: string }) =>
    term.length >= 4 && name.toLowerCase().includes(term.toLowerCase());
  const countries =
    vocabulary.filters.length === 0 ? [] : country ? [country] : allCountries().filter(isNamed);
  if (context.flags.json) {
    return context.console.result(
      JSON.stringify({ profile, metrics, breakdowns, filters, countries }),
    );
  }
  const called = countries.map(({ code, id, name }) => ({
    name: code,
    meaning: `${name}, countryId ${id}`,
  }));
  const found = {
    '--metrics': metrics,
    '--by': breakdowns,
    '--filter': filters,
    '--country': called,
  };
  const rows = Object.entries(found).flatMap(([flag, list]) =>
    list.map(({ name, meaning }) => ({ flag, name, meaning })),
  );
  if (rows.length === 0) {
    throw new UsageError(`No field of the ${profile} profile is about “${term}”.`, {
      hint: 'See: adreport fields',
    });
  }
  const columns = (['flag', 'name', 'meaning'] as const).map((name) => ({
    name,
    value: (row: (typeof rows)[number]) => row[name],
    keep: name !== 'flag',
  }));
  await context.console.write(textTable(rows, columns, tableLook(context)));
}
