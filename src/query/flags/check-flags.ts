import { flagGroup } from './flag.ts';

/** Flags for the checks of a report. `run` and `download` share them. */
export const checkFlags = flagGroup('Request:', {
  strict: {
    flags: '--strict',
    meaning: 'treat warnings as errors: write nothing, exit with 9',
  },
});
