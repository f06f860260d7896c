import { Option } from 'commander';
import { tableLook } from '../app/output-flags.ts';
import type { Context } from '../context.ts';
import { allCountries, findCountry } from '../contract/countries.ts';
import { derivedMetrics } from '../contract/derived.ts';
import { isCalled, vocabularyOf } from '../contract/look-up.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../output/table/text-table.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export interface FieldsOptions {
  readonly profile?: Profile;
}

export const fieldsCommand: CommandBuilder = (perform) =>
  declareCommand('fields [term]', 'the metrics, breakdowns and filters of a profile, with meanings', [
    ['adreport fields', 'all of the buyer profile'],
    ['adreport fields spend', 'what the trade’s other words are called here'],
    ['adreport fields France', 'a country, with its id for --filter countryId'],
    ['adreport fields --profile dsp --json', 'for programs'],
  ])
    .addOption(
      new Option('--profile <name>', "the profile (default: the stored account's, else buyer)").choices(profiles),
    )
    .action(perform(fields));

/**
 * Prints the vocabulary of a profile, or what of it is about a term: by its name, its meaning, the trade's other words for
 * it, or a country's name; with `--json` `{"profile","metrics","breakdowns","filters"}`, and `countries` for a term. Throws
 * `UsageError` for a term that nothing is about, but with `--json`.
 */
async function fields(context: Context, options: FieldsOptions, term = ''): Promise<void> {
  const profile = options.profile ?? (await context.settings()).profile.value;
  const vocabulary = vocabularyOf(profile);
  const wanted = term.trim().toLowerCase();
  const matches = (entry: { readonly name: string; readonly meaning: string; readonly words?: readonly string[] }) =>
    isCalled(entry, term) || `${entry.name}\n${entry.meaning}`.toLowerCase().includes(wanted);
  const has = (name: string) => vocabulary.metrics.some((metric) => metric.name === name);
  const computed = derivedMetrics
    .filter(({ numerator, denominator }) => has(numerator) && has(denominator))
    .map(({ field, meaning, words }) => ({ name: field, type: 'computed', meaning, words }));
  const metrics = [...vocabulary.metrics, ...computed]
    .filter(matches)
    .map(({ name, type, meaning }) => ({ name, type, meaning }));
  const breakdowns = vocabulary.breakdowns
    .filter(matches)
    .map(({ name, fields: own, meaning }) => ({ name, rowFields: own.map((field) => field.name), meaning }));
  const filters = vocabulary.filters.filter(matches).map(({ name, meaning }) => ({ name, meaning }));
  const exact = findCountry(term);
  const begun = allCountries().filter(({ name }) => wanted.length > 2 && name.toLowerCase().startsWith(wanted));
  const countries = profile === 'buyer' && wanted !== '' ? (exact ? [exact] : begun) : [];

  if (context.flags.json) {
    const found = { profile, metrics, breakdowns, filters, ...(wanted === '' ? {} : { countries }) };
    return context.console.result(JSON.stringify(found));
  }
  const rows = [
    ...metrics.map(({ name, meaning }) => ({ flag: '--metrics', name, meaning })),
    ...breakdowns.map(({ name, meaning }) => ({ flag: '--by', name, meaning })),
    ...filters.map(({ name, meaning }) => ({ flag: '--filter', name, meaning })),
    ...countries.map(({ code, id, name }) => ({ flag: '--country', name: code, meaning: `${name}: countryId=${id}` })),
  ];
  if (rows.length === 0) {
    throw new UsageError(`No field of the ${profile} profile is about “${term}”.`, { hint: 'See: adreport fields' });
  }
  const columns = (['flag', 'name', 'meaning'] as const).map((name) => ({
    name,
    value: (row: (typeof rows)[number]) => row[name],
    keep: name !== 'flag',
  }));
  await context.console.write(textTable(rows, columns, tableLook(context)));
}
