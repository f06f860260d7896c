import { comparisons, splitUnits } from '../calendar.ts';
import { checkFlags } from './check-flags.ts';
import { type FlagGroup, type OptionsOf, type RunFlag, runFlagGroup } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { readCount, readPositive, readShard } from './read-value.ts';
import { reportFlags } from './report-flags.ts';
import { serviceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

const otherRequestFlags = runFlagGroup('Request:', {
  compare: {
    belongsTo: 'query',
    flags: '--compare [period]',
    meaning: 'compare with the period before (previous, the default) or a year earlier (last-year)',
    words: comparisons,
    preset: 'previous',
  },
  fresh: {
    belongsTo: 'this-run',
    flags: '--fresh',
    meaning: 'request a new report instead of resuming one; replace a folder’s declaration',
    isRare: true,
  },
});

export const concurrencyFlag = {
  belongsTo: 'this-run',
  flags: '--concurrency <n>',
  meaning: 'number of reports at a time',
  read: readPositive,
  default: 4,
  isRare: true,
} as const;

export const shardFlag = {
  belongsTo: 'this-run',
  flags: '--shard <k/n>',
  meaning: 'download every n-th day, from the k-th on: 1/4 on the first of 4 machines',
  read: readShard,
  isRare: true,
  isNeverSaved: true,
} as const;

const manyReportsFlags = runFlagGroup('Many reports:', {
  split: {
    belongsTo: 'query',
    flags: '--split <unit>',
    meaning: 'one report per day, week or month: one file each if -o has {date}, otherwise merged',
    words: splitUnits,
  },
  concurrency: concurrencyFlag,
  lookback: {
    belongsTo: 'query',
    flags: '--lookback <n>',
    meaning: 're-download each day for n days after it ends; weeks and months likewise',
    read: readCount,
  },
  shard: shardFlag,
});

const { account, ...otherServiceFlags } = serviceFlags.flags;

/** The service flags, with several accounts instead of one. */
const runServiceFlags = runFlagGroup(serviceFlags.heading, {
  account: {
    ...account,
    flags: '--account <a,b>',
    meaning: 'stored account, several (a,b) or all; more than one needs {account} in -o',
  },
  ...otherServiceFlags,
});

const savedReportFlags = runFlagGroup('Saved reports:', {
  all: {
    belongsTo: 'this-run',
    flags: '--all',
    meaning: 'run all reports in adreport.yaml',
    isNeverSaved: true,
  },
  file: {
    belongsTo: 'this-run',
    flags: '--file <file>',
    meaning: 'file with saved reports (default: adreport.yaml, here or in a parent folder)',
    isRare: true,
    isNeverSaved: true,
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
] as const satisfies readonly FlagGroup<Readonly<Record<string, RunFlag>>>[];

export type RunFlags = OptionsOf<typeof runFlags>;

type RunTable = (typeof runFlags)[number]['flags'];

type NamesOf<Table, Kind> = Table extends unknown
  ? { [Name in keyof Table]: Table[Name] extends Kind ? Name : never }[keyof Table]
  : never;

type QueryName = NamesOf<RunTable, { readonly belongsTo: 'query' }>;

type ParsedName = NamesOf<RunTable, { readonly isParsed: true }>;

/** Options whose flags belong to the query. */
export type QueryFlags = Pick<RunFlags, QueryName>;

/** Options that a query stores under the same name and with the same value. */
export type KeptFlags = Pick<RunFlags, Exclude<QueryName, ParsedName>>;

/** Options that apply to a single run. */
export type ThisRunFlags = Omit<RunFlags, QueryName>;

/** Flags of `run` by option name, in the order of its help. */
export const runFlagsByName: ReadonlyMap<string, RunFlag> = new Map(
  runFlags.flatMap(({ flags }) => Object.entries<RunFlag>(flags)),
);
