import { settingTable } from '../account/settings.ts';
import { findNames } from '../contract/aliases.ts';
import { type Country, searchCountries } from '../contract/countries.ts';
import { type Profile, profiles, revenueMeaning, vocabularyOf } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { textTable } from '../present/terminal/text-table.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { closestHint } from '../query/names.ts';
import type { Context } from '../run/context.ts';
import { wrap } from '../text/cell-width.ts';
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
  ],
  flags: [fieldsFlags],
  async action({ context, options, args: [term] }) {
    await fields(context, options, term);
    return 0;
  },
});

interface FieldRow {
  readonly flag: '--metrics' | '--by' | '--filter' | '--country';
  readonly name: string;
  readonly meaning: string;
}

/** Prints the vocabulary of a profile; with a term, the entries that it names or describes. */
async function fields(
  context: Context,
  options: { readonly profile?: Profile },
  term = '',
): Promise<void> {
  const { console, flags } = context;
  const profile = options.profile ?? (await context.account.settings()).profile.value;
  const vocabulary = vocabularyOf(profile);

  const computed = vocabulary.derived.map(({ field, unit, meaning }) => {
    return { name: field, type: unit, meaning };
  });
  const all = {
    metrics: [...vocabulary.metrics, ...computed],
    breakdowns: [...vocabulary.breakdowns, ...vocabulary.derivedBreakdowns],
    filters: vocabulary.filters,
  };
  const isFound = ({ name, meaning }: Described) => matchesTerm(term, name, meaning);
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

  const rows: readonly FieldRow[] = [
    ...metrics.map(({ name, meaning }) => ({ flag: '--metrics', name, meaning }) as const),
    ...breakdowns.map(({ name, meaning }) => ({ flag: '--by', name, meaning }) as const),
    ...filters.map(({ name, meaning }) => ({ flag: '--filter', name, meaning }) as const),
    ...countries.map(countryRow),
  ];
  if (rows.length === 0) {
    const accepted = [...all.metrics, ...all.breakdowns].map(({ name }) => name);
    throw new UsageError(`Nothing matches ${quoted(term)} in the ${profile} profile.`, {
      hint: closestHint({ text: term, accepted }, 'See: adreport fields'),
    });
  }
  const { look } = console.out;
  await console.write(textTable(wrapMeanings(rows, look.width), columns, look));
  if (rows.some(({ name }) => name.startsWith('revenue'))) console.note(revenueMeaning);
}

interface Described {
  readonly name: string;
  readonly meaning: string;
}

/** Returns true if a term occurs in a name or its meaning, or is the name or one of its aliases. */
function matchesTerm(term: string, name: string, meaning: string): boolean {
  const text = `${name}\n${meaning}`.toLowerCase();
  return text.includes(term.toLowerCase()) || findNames(term, [name]).length > 0;
}

function countryRow({ code, id, name }: Country): FieldRow {
  return { flag: '--country', name: code, meaning: `${name}, countryId ${id}` };
}

/** A narrower column is unreadable. */
const minMeaningWidth = 20;

const columns = [
  { name: 'flag', value: (row: TableRow) => row.flag, whole: true },
  { name: 'name', value: (row: TableRow) => row.name, whole: true },
  { name: 'meaning', value: (row: TableRow) => row.meaning },
];

type TableRow = Readonly<Record<keyof FieldRow, string>>;

/** Wraps meanings: each further line is a row of its own. */
function wrapMeanings(
  rows: readonly FieldRow[],
  width = Number.POSITIVE_INFINITY,
): readonly TableRow[] {
  const flagWidth = Math.max(...rows.map(({ flag }) => flag.length));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const room = Math.max(minMeaningWidth, width - flagWidth - nameWidth - 4);

  const lines: TableRow[] = [];
  for (const { flag, name, meaning } of rows) {
    const [first = '', ...others] = wrap(meaning, room);
    lines.push({ flag, name, meaning: first });
    for (const line of others) lines.push({ flag: '', name: '', meaning: line });
  }
  return lines;
}
