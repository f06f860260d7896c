import { type OptionsOf, runFlagGroup } from './flag.ts';
import { readDuration, readPollInterval } from './read-value.ts';

export const waitFlags = runFlagGroup('Waiting:', {
  waitTimeout: {
    belongsTo: 'this-run',
    flags: '--wait-timeout <duration>',
    meaning: 'stop waiting after this time and exit with 7',
    read: readDuration,
    default: 30 * 60_000,
    defaultText: '30m',
    conflicts: ['direct'],
    isRare: true,
  },
  pollInterval: {
    belongsTo: 'this-run',
    flags: '--poll-interval <duration>',
    meaning: 'pause between status calls: auto, or a duration',
    read: readPollInterval,
    default: 'auto',
    conflicts: ['direct'],
    isRare: true,
  },
});

/** Options for waiting, in milliseconds. */
export type WaitFlags = OptionsOf<typeof waitFlags>;
