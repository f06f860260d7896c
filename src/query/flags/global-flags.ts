import { flagGroup, type OptionsOf } from './flag.ts';

/** Flags of every command. */
export const globalFlags = flagGroup('Flags:', {
  json: { flags: '--json', meaning: 'machine-readable results and errors' },
  quiet: { flags: '-q, --quiet', meaning: 'print only warnings and errors on stderr' },
  verbose: { flags: '-v, --verbose', meaning: 'trace HTTP calls on stderr' },
  color: {
    flags: '--no-color',
    meaning: 'no color (also NO_COLOR; FORCE_COLOR turns it on)',
  },
});

export type GlobalFlags = OptionsOf<typeof globalFlags>;
