import { type OptionsOf, runFlagGroup } from './flag.ts';
import { readDuration, readPollInterval } from './read-value.ts';

/** How long a command waits for a report, and how often it asks. */
export const waitFlags = runFlagGroup('Waiting:', {
  waitTimeout: {
    belongsTo: 'this-run',
    flags: '--wait-timeout <duration>',
    meaning: 'stop waiting after this long, with exit 7',
    read: readDuration,
    default: 30 * 60_000,
    defaultText: '30m',
    isRare: true,
  },
  pollInterval: {
    belongsTo: 'this-run',
    flags: '--poll-interval <duration>',
    meaning: 'pause between status calls: auto, or a fixed one',
    read: readPollInterval,
    default: 'auto',
    isRare: true,
  },
});

/** Both are in milliseconds. */
export type WaitFlags = OptionsOf<typeof waitFlags>;
