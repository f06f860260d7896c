import { comparedWindows } from '../../report/compared-window.ts';
import { splitUnits } from '../../report/window.ts';
import {
  type FlagGroup,
  type OptionsOf,
  type RunFlag,
  runFlagGroup,
  type SpecFlag,
} from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { readCount, readPositive } from './read-value.ts';
import { reportFlags } from './report-flags.ts';
import { serviceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

/** Turns a finding into an error. */
export const strictFlag = {
  belongsTo: 'spec',
  flags: '--strict',
  meaning: 'end with exit 9, and without a file, if a report has a finding',
} as const;

const judgeFlags = runFlagGroup('Request:', {
  compare: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--compare [window]',
    meaning: 'show the change against the period before (the default), or last year',
    words: comparedWindows,
    preset: 'previous',
  },
  fresh: {
    belongsTo: 'this-run',
    flags: '--fresh',
    meaning: 'create a new report, even if an unfinished one of the same request exists',
    isRare: true,
  },
  strict: strictFlag,
});

/** How many reports of an account run at a time. */
export const concurrencyFlag = {
  belongsTo: 'this-run',
  flags: '--concurrency <n>',
  meaning: 'how many reports run at a time',
  read: readPositive,
  default: 4,
  isRare: true,
} as const;

const manyReportsFlags = runFlagGroup('Many reports:', {
  split: {
    belongsTo: 'spec',
    flags: '--split <unit>',
    meaning: 'one report per unit, merged; a file each where -o has {date}',
    words: splitUnits,
  },
  concurrency: concurrencyFlag,
  missing: {
    belongsTo: 'this-run',
    flags: '--missing',
    meaning: 'download only what is due: no file, changed, or not final',
  },
  lookback: {
    belongsTo: 'spec',
    flags: '--lookback <n>',
    meaning: 'download a day again until n more are over, because late figures still arrive',
    read: readCount,
  },
  refetch: {
    belongsTo: 'this-run',
    flags: '--refetch',
    meaning: 'download the whole window again, also over files of another request or account',
    isRare: true,
    isNeverSaved: true,
  },
  history: {
    belongsTo: 'this-run',
    flags: '--no-history',
    meaning: 'do not write _adreport.ndjson, the history of the folder',
    isRare: true,
  },
  shard: {
    belongsTo: 'this-run',
    flags: '--shard <k/n>',
    meaning: 'fetch only the k-th of n shares of the parts, so that n machines share the work',
    isRare: true,
    isNeverSaved: true,
  },
});

const { account, ...otherServiceFlags } = serviceFlags.flags;

/** Those of every command, with several accounts. */
const runServiceFlags = runFlagGroup(serviceFlags.heading, {
  account: {
    ...account,
    flags: '--account <a,b>',
    meaning: 'the stored account to use; several, or all, where -o has {account}',
  },
  ...otherServiceFlags,
});

const savedReportFlags = runFlagGroup('Saved reports:', {
  all: {
    belongsTo: 'this-run',
    flags: '--all',
    meaning: 'every report of adreport.yaml',
    isNeverSaved: true,
  },
  file: {
    belongsTo: 'this-run',
    flags: '--file <file>',
    meaning: 'take the reports from this file (default: adreport.yaml, here or in a folder above)',
    isRare: true,
    isNeverSaved: true,
  },
});

/** Everything that `run` takes; the names of these flags are also the keys of a saved report. */
export const runFlags = [
  ...reportFlags,
  judgeFlags,
  outputFlags,
  manyReportsFlags,
  waitFlags,
  runServiceFlags,
  savedReportFlags,
] as const satisfies readonly FlagGroup<Readonly<Record<string, RunFlag>>>[];

export type RunFlags = OptionsOf<typeof runFlags>;

type KeysOf<Table, Kind> = Table extends unknown
  ? { [Key in keyof Table]: Table[Key] extends Kind ? Key : never }[keyof Table]
  : never;

type RunTable = (typeof runFlags)[number]['flags'];

/** The options that decide how one run gets its reports. */
export type ThisRunFlags = Pick<RunFlags, KeysOf<RunTable, { readonly belongsTo: 'this-run' }>>;

/**
 * What the steps of a report are told: the options of its run, and those of its spec but for what
 * is asked of the service and who asks.
 */
export type JobOptions = Omit<
  RunFlags,
  Exclude<KeysOf<RunTable, { readonly partOf: 'request' | 'settings' }>, 'columns'>
>;

/** The flags of `run` that belong to the spec, by the names of their options. */
export const specFlags: ReadonlyMap<string, SpecFlag> = new Map(
  runFlags.flatMap(({ flags }) => Object.entries<RunFlag>(flags).filter(isOfSpec)),
);

function isOfSpec(entry: [option: string, flag: RunFlag]): entry is [string, SpecFlag] {
  return entry[1].belongsTo === 'spec';
}
