import { checkFlags } from './check-flags.ts';
import { flagGroup, type OptionsOf } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { remoteServiceFlags } from './service-flags.ts';
import { waitFlags } from './wait-flags.ts';

const ownFlags = flagGroup('Flags:', {
  wait: { flags: '--wait', meaning: 'wait until the report is ready' },
  ...checkFlags.flags,
});

export const downloadFlags = [ownFlags, outputFlags, waitFlags, remoteServiceFlags] as const;

export type DownloadFlags = OptionsOf<typeof downloadFlags>;
