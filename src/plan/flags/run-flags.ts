import { comparedWindows } from '../../report/compared-window.ts';
import { splitUnits } from '../../report/window.ts';
import { flagGroup, type OptionsOf } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { readCount, readPositive } from './read-value.ts';
import { reportFlags } from './report-flags.ts';
import { serviceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

const judgeFlags = flagGroup('Request:', {
  compare: {
    flags: '--compare <window>',
    meaning: 'show the change against the period before, or last year',
    words: comparedWindows,
  },
  fresh: {
    flags: '--fresh',
    meaning: 'create a new report, even if an unfinished one of the same request exists',
    isRare: true,
  },
  strict: {
    flags: '--strict',
    meaning: 'end with exit 9, without a file, where a report has a finding instead of a warning',
  },
});

/** How many reports of an account run at a time. */
export const concurrencyFlag = {
  flags: '--concurrency <n>',
  meaning: 'how many reports run at a time',
  read: readPositive,
  default: 4,
  isRare: true,
} as const;

const manyReportsFlags = flagGroup('Many reports:', {
  split: {
    flags: '--split <unit>',
    meaning: 'one report per unit, merged; a file each where -o has {date}',
    words: splitUnits,
  },
  concurrency: concurrencyFlag,
  missing: { flags: '--missing', meaning: 'fetch only what has no file yet' },
  lookback: {
    flags: '--lookback <n>',
    meaning: 'fetch a day again until n more are over, because late figures still arrive',
    read: readCount,
  },
  refetch: {
    flags: '--refetch',
    meaning: 'fetch files of the window that answer another request again',
    isRare: true,
    isNeverSaved: true,
  },
  books: {
    flags: '--no-books',
    meaning: 'keep no list of the files in _adreport.ndjson',
    isRare: true,
  },
  shard: {
    flags: '--shard <k/n>',
    meaning: 'fetch only the k-th of n shares of the parts, so that n machines share the work',
    isRare: true,
    isNeverSaved: true,
  },
});

const { account, ...otherServiceFlags } = serviceFlags.flags;

/** Those of every command, with several accounts. */
const runServiceFlags = flagGroup(serviceFlags.heading, {
  account: {
    ...account,
    flags: '--account <a,b>',
    meaning: 'the stored account to use; several, or all, where -o has {account}',
  },
  ...otherServiceFlags,
});

const savedReportFlags = flagGroup('Saved reports:', {
  all: { flags: '--all', meaning: 'every report of adreport.yaml', isNeverSaved: true },
  file: {
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
] as const;

export type RunFlags = OptionsOf<typeof runFlags>;
