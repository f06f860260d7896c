import type { ProgressMode } from '../../ui/progress.ts';
import { flagGroup, type OptionsOf } from './flag.ts';

const progressModes: readonly ProgressMode[] = ['auto', 'bar', 'plain', 'json', 'none'];

/** Flags that every command takes. */
export const globalFlags = flagGroup('Flags:', {
  json: { flags: '--json', meaning: 'machine-readable results and errors' },
  quiet: { flags: '-q, --quiet', meaning: 'print only warnings and errors on stderr' },
  verbose: {
    flags: '-v, --verbose',
    meaning: 'trace HTTP calls on stderr (-vv: more)',
    isCounted: true,
    default: 0,
  },
  color: {
    flags: '--no-color',
    meaning: 'no colour (also NO_COLOR; FORCE_COLOR turns it on)',
  },
  progress: {
    flags: '--progress <mode>',
    meaning: 'how to show progress: bar, plain, json or none',
    words: progressModes,
    default: 'auto',
  },
});

export type GlobalFlags = OptionsOf<typeof globalFlags>;
