import { InvalidArgumentError } from 'commander';
import { flagGroup, type OptionsOf } from '../plan/flags/flag.ts';
import type { outputFlags } from '../plan/flags/output-flags.ts';
import { readPositive } from '../plan/flags/read-value.ts';
import { comparedWindows } from '../report/compared-window.ts';

/** Rows must have one of the values in the column of that name. */
export interface Condition {
  readonly name: string;
  readonly values: readonly string[];
}

export const viewFlags = flagGroup('Options:', {
  by: {
    flags: '--by <a,b>',
    meaning: 'add up by breakdowns or columns, e.g. CAMPAIGN; WEEKLY and MONTHLY add up days',
    read: parseNames,
  },
  metrics: {
    flags: '--metrics <a,b>',
    meaning: 'figures to show; ctr, ecpmEuro, cpcEuro and others are computed from sums',
    read: parseNames,
  },
  period: {
    flags: '--period <p>',
    meaning: 'only these days: last-month, 2026-10, 2026-10-01..2026-10-15, …',
  },
  since: { flags: '--since <day>', meaning: 'first day, instead of --period' },
  until: { flags: '--until <day>', meaning: 'last day (default: now)' },
  compare: {
    flags: '--compare [window]',
    meaning: 'show the change against the period before (the default), or last year',
    words: comparedWindows,
    preset: 'previous',
  },
  filter: {
    flags: '--filter <name=v1,v2>',
    meaning: "only rows with one of these values, e.g. 'campaign=Ski*'; repeatable",
    read: parseCondition,
    isRepeatable: true,
    otherNames: ['--where'],
  },
  sort: {
    flags: '--sort <column[:asc|desc]>',
    meaning: 'order of the groups, largest first',
  },
  top: {
    flags: '--top <n>',
    meaning: 'the first n groups and the sum of the others; without --by, how many rows',
    read: readPositive,
  },
  chart: {
    flags: '--chart <kind>',
    meaning: 'bars of groups, or a line over time',
    words: ['bar', 'line'],
    conflicts: ['format', 'output', 'compare'],
  },
  series: {
    flags: '--series <output>',
    meaning: 'which series of the folder, if it has several',
  },
  strict: {
    flags: '--strict',
    meaning: 'exit 9, and write nothing, if days of the folder are missing or changed',
  },
});

export type ViewOptions = OptionsOf<[typeof viewFlags, typeof outputFlags]>;

function parseNames(text: string): string[] {
  const items = text.split(',').map((name) => name.trim());
  const names = items.filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('Give names, with commas between them.');
  return names;
}

function parseCondition(text: string): Condition {
  const [, name, values = ''] = /^\s*([^=]+?)\s*=(.*)$/s.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError("Give a name, = and values: 'country=France,Germany'.");
  }
  return { name, values: values.split(',').map((value) => value.trim()) };
}
