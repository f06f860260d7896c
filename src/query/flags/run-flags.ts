import { comparisons, splitUnits } from '../calendar.ts';
import { checkFlags } from './check-flags.ts';
import { type Flag, flagGroup, type OptionsOf } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { parseCount, parsePositive, parseShard } from './read-value.ts';
import { reportFlags } from './report-flags.ts';
import { serviceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

const otherRequestFlags = flagGroup('Request:', {
  compare: {
    flags: '--compare [period]',
    meaning:
      'compare with the previous period (previous, the default) or a year earlier (last-year)',
    choices: comparisons,
    preset: 'previous',
  },
  fresh: {
    scope: 'run',
    flags: '--fresh',
    meaning: 'request a new report instead of resuming one; replace a folder’s declaration',
    isRare: true,
  },
});

export const concurrencyFlag = {
  scope: 'run',
  flags: '--concurrency <n>',
  meaning: 'reports to request at once',
  read: parsePositive,
  default: 4,
  isRare: true,
} as const;

export const shardFlag = {
  scope: 'command-line',
  flags: '--shard <k/n>',
  meaning: 'download a share of the days, e.g. 1/4 on the first of 4 machines',
  read: parseShard,
  isRare: true,
} as const;

const manyReportsFlags = flagGroup('Many reports:', {
  split: {
    flags: '--split <unit>',
    meaning: 'one report per day, week or month: one file each if -o has {date}, otherwise merged',
    choices: splitUnits,
  },
  concurrency: concurrencyFlag,
  lookback: {
    flags: '--lookback <n>',
    meaning: 're-download the last n days (weeks, months), to catch late data',
    read: parseCount,
  },
  shard: shardFlag,
});

const { account, ...otherServiceFlags } = serviceFlags.flags;

/** Service flags that accept several accounts. */
const runServiceFlags = flagGroup(serviceFlags.heading, {
  account: {
    ...account,
    flags: '--account <a,b>',
    meaning: 'stored account, several (a,b) or all; more than one needs {account} in -o',
  },
  ...otherServiceFlags,
});

const savedReportFlags = flagGroup('Saved reports:', {
  all: {
    scope: 'command-line',
    flags: '--all',
    meaning: 'run all reports in adreport.yaml',
  },
  file: {
    scope: 'command-line',
    flags: '--file <file>',
    meaning: 'file with saved reports (default: adreport.yaml, here or in a parent folder)',
    isRare: true,
  },
});

/** Flags of `run`, whose names are also the keys of saved reports. */
export const runFlags = [
  ...reportFlags,
  otherRequestFlags,
  checkFlags,
  outputFlags,
  manyReportsFlags,
  waitFlags,
  runServiceFlags,
  savedReportFlags,
] as const;

export type RunFlags = OptionsOf<typeof runFlags>;

type ScopedNames<Table> = Table extends unknown
  ? { [Name in keyof Table]: Table[Name] extends { scope: string } ? Name : never }[keyof Table]
  : never;

type ScopedName = ScopedNames<(typeof runFlags)[number]['flags']>;

/** Options that belong to the query. */
export type QueryFlags = Omit<RunFlags, ScopedName>;

/** Options that a query stores under another name or in another form. */
export const parsedOptions = [
  'profile',
  'metrics',
  'by',
  'filter',
  'country',
  'campaign',
  'adUnit',
  'advertiser',
  'timezone',
  'windowClock',
  'encoding',
  'account',
  'output',
  'format',
] as const;

/** Options that a query stores under the same name and with the same value. */
export type KeptFlags = Omit<QueryFlags, (typeof parsedOptions)[number]>;

/** Options that apply to a single run. */
export type ThisRunFlags = Pick<RunFlags, ScopedName>;

/** Flags of `run` by option name, in the order of its help. */
export const runFlagsByName: ReadonlyMap<string, Flag> = new Map(
  runFlags.flatMap(({ flags }) => Object.entries<Flag>(flags)),
);
