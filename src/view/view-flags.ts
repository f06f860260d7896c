import { InvalidArgumentError } from 'commander';
import { comparisons } from '../query/calendar.ts';
import { type FlagTable, flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { outputFlags } from '../query/flags/output-flags.ts';
import { parseList, parsePositive, splitList } from '../query/flags/read-value.ts';

/** A condition of `--filter`: the named column must have one of the values. */
export interface Condition {
  readonly name: string;
  readonly values: readonly string[];
}

const { output, ...otherOutputFlags } = outputFlags.flags;

export const viewFlags = flagGroup('Flags:', {
  by: {
    flags: '--by <a,b>',
    meaning: 'group by these breakdowns or columns, e.g. CAMPAIGN',
    read: parseList,
  },
  metrics: {
    flags: '--metrics <a,b>',
    meaning: 'show these metrics, e.g. displays,ctr',
    read: parseList,
  },
  period: {
    flags: '--period <p>',
    meaning: 'show these days: last-month, 2026-10, …',
  },
  since: { flags: '--since <day>', meaning: 'first day, instead of --period', isRare: true },
  until: { flags: '--until <day>', meaning: 'last day (default: today)', isRare: true },
  compare: {
    flags: '--compare [period]',
    meaning:
      'compare with the previous period (previous, the default) or a year earlier (last-year)',
    choices: comparisons,
    preset: 'previous',
  },
  filter: {
    flags: '--filter <name=v1,v2>',
    meaning: "keep only rows that match, e.g. 'campaign=Ski*'; repeatable",
    read: parseCondition,
    isRepeatable: true,
  },
  sort: {
    flags: '--sort <column[:asc|desc]>',
    meaning: 'sort the rows or groups by this column',
  },
  top: {
    flags: '--top <n>',
    meaning: 'show the first n, and add up the rest as “others”',
    read: parsePositive,
  },
  chart: {
    flags: '--chart <kind>',
    meaning: 'draw a bar chart of the groups, or a line chart over time',
    choices: ['bar', 'line'],
    conflicts: ['format', 'output', 'compare'],
  },
  output: { ...output, meaning: 'file to write: page.html, sums.csv, …' },
  strict: {
    flags: '--strict',
    meaning: 'write nothing and exit with 9 if days are missing or values are wrong',
    isRare: true,
  },
});

export type ViewOptions = OptionsOf<[typeof viewFlags, typeof viewOutputFlags]>;

/** Output flags that only `--help-all` shows. */
export const viewOutputFlags = flagGroup(outputFlags.heading, rareFlags(otherOutputFlags));

function rareFlags<Flags extends FlagTable>(flags: Flags): Flags {
  const rare = Object.entries(flags).map(([name, flag]) => [name, { ...flag, isRare: true }]);
  return Object.fromEntries(rare) as Flags;
}

function parseCondition(text: string): Condition {
  const end = text.indexOf('=');
  const name = text.slice(0, Math.max(0, end)).trim();
  if (name === '') {
    throw new InvalidArgumentError("Use NAME=VALUE, for example 'country=France,Germany'.");
  }
  const list = splitList(text.slice(end + 1));
  return { name, values: list.length > 0 ? list : [''] };
}
