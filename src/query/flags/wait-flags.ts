import { flagGroup, type OptionsOf } from './flag.ts';
import { parsePollInterval, readDuration } from './read-value.ts';

export const waitFlags = flagGroup('Waiting:', {
  waitTimeout: {
    scope: 'run',
    flags: '--wait-timeout <duration>',
    meaning: 'stop waiting after this time and exit with 7',
    read: readDuration,
    default: 30 * 60_000,
    defaultText: '30m',
    conflicts: ['direct'],
    isRare: true,
  },
  pollInterval: {
    scope: 'run',
    flags: '--poll-interval <duration>',
    meaning: 'pause between status calls: auto, or a duration',
    read: parsePollInterval,
    default: 'auto',
    conflicts: ['direct'],
    isRare: true,
  },
});

/** Options for waiting, in milliseconds. */
export type WaitFlags = OptionsOf<typeof waitFlags>;
