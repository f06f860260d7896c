import { settingTable } from '../../account/settings.ts';
import { encodings } from '../../contract/messages.ts';
import { flagGroup, type OptionsOf } from './flag.ts';
import { readCount, readTimeout } from './read-value.ts';

/** Which service is called, with which account, and how long the program tries. */
export const serviceFlags = flagGroup('Service:', {
  account: { flags: settingTable.account.flag, meaning: 'the stored account to use' },
  baseUrl: {
    flags: settingTable.baseUrl.flag,
    meaning: 'address of the service',
    isRare: true,
    isNeverSaved: true,
  },
  local: {
    flags: '--local',
    meaning: 'use a local server started inside this process: no account, no network',
    isNeverSaved: true,
  },
  encoding: {
    flags: settingTable.encoding.flag,
    meaning: 'how the bodies of all calls are written (default: the stored one, else json)',
    words: encodings,
    isRare: true,
  },
  retries: {
    flags: '--retries <n>',
    meaning: 'how often a failed call is repeated (default: 5)',
    read: readCount,
    isRare: true,
  },
  timeout: {
    flags: '--timeout <duration>',
    meaning: 'longest wait to connect, and for each byte (default: 30s)',
    read: readTimeout,
    isRare: true,
  },
});

/** Durations are in milliseconds. */
export type ServiceFlags = OptionsOf<typeof serviceFlags>;
