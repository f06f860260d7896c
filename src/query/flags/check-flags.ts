import { flagGroup } from './flag.ts';

/** Flags for the checks of a report, shared by `run` and `download`. */
export const checkFlags = flagGroup('Request:', {
  strict: {
    flags: '--strict',
    meaning: 'treat warnings as errors: write nothing, exit with 9',
  },
});
