import { type OptionsOf, runFlagGroup } from './flag.ts';

/** Flags for the checks of a report, the same for `run` and `download`. */
export const checkFlags = runFlagGroup('Request:', {
  strict: {
    belongsTo: 'spec',
    flags: '--strict',
    meaning: 'write no file and exit with 9 if a report fails a check',
  },
});

export type CheckFlags = OptionsOf<typeof checkFlags>;
