import { comparedWindows, splitUnits } from '../../report/window.ts';
import { flagGroup, type OptionsOf } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { readCount, readPositive } from './read-value.ts';
import { reportFlags } from './report-flags.ts';
import { serviceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

const judgeFlags = flagGroup('Request:', {
  compare: {
    flags: '--compare <window>',
    meaning: 'html, table, xlsx and the card: the change against that window',
    words: comparedWindows,
  },
  fresh: {
    flags: '--fresh',
    meaning: 'create a new report even where the same one is still unfinished',
    isRare: true,
  },
  strict: {
    flags: '--strict',
    meaning: 'days missing from the window, or a repeated row, are exit 9 instead of a warning',
  },
});

const manyReportsFlags = flagGroup('Many reports:', {
  split: {
    flags: '--split <unit>',
    meaning: 'a report for each unit; one merged output, or with {date} a file each',
    words: splitUnits,
  },
  concurrency: {
    flags: '--concurrency <n>',
    meaning: 'reports at a time',
    read: readPositive,
    default: 4,
    isRare: true,
  },
  missing: { flags: '--missing', meaning: 'fetch only what has no file yet' },
  lookback: {
    flags: '--lookback <n>',
    meaning: 'with --missing: the last n parts again, because late numbers change them',
    read: readCount,
  },
  refetch: {
    flags: '--refetch',
    meaning: 'with --missing: fetch files of another request again',
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
    meaning: 'only every n-th part, for n machines side by side',
    isRare: true,
    isNeverSaved: true,
  },
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
  serviceFlags,
  savedReportFlags,
] as const;

export type RunFlags = OptionsOf<typeof runFlags>;
