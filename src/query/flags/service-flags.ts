import { encodings } from '../../contract/messages.ts';
import { flagGroup } from './flag.ts';
import { parseCount, parseTimeout } from './read-value.ts';

export const serviceFlags = flagGroup('Service:', {
  account: {
    flags: '--account <name>',
    meaning: 'stored account to use',
  },
  baseUrl: {
    scope: 'command-line',
    flags: '--base-url <url>',
    meaning: 'base URL of the service',
    conflicts: ['local'],
    isRare: true,
  },
  local: {
    scope: 'command-line',
    flags: '--local',
    meaning: 'use a local server inside this process: no account, no network',
  },
  encoding: {
    flags: '--encoding <kind>',
    meaning: 'encode requests as json or form (default: the account’s)',
    choices: encodings,
    isRare: true,
  },
  retries: {
    scope: 'run',
    flags: '--retries <n>',
    meaning: 'retries per failed call (default: 5)',
    read: parseCount,
    isRare: true,
  },
  timeout: {
    scope: 'run',
    flags: '--timeout <duration>',
    meaning: 'give up after this long without data (default: 30s)',
    read: parseTimeout,
    isRare: true,
  },
});

const { local: _local, ...remoteFlags } = serviceFlags.flags;

/**
 * Service flags for commands that take the ID of a report. `--local` is omitted, because its server
 * loses all reports when the process ends.
 */
export const remoteServiceFlags = flagGroup(serviceFlags.heading, remoteFlags);
