import { encodings } from '../../contract/messages.ts';
import { runFlagGroup } from './flag.ts';
import { readCount, readTimeout } from './read-value.ts';

export const serviceFlags = runFlagGroup('Service:', {
  account: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--account <name>',
    meaning: 'stored account to use',
  },
  baseUrl: {
    belongsTo: 'this-run',
    flags: '--base-url <url>',
    meaning: 'base URL of the service',
    isRare: true,
    isNeverSaved: true,
  },
  local: {
    belongsTo: 'this-run',
    flags: '--local',
    meaning: 'use a local server inside this process: no account, no network',
    isNeverSaved: true,
  },
  encoding: {
    belongsTo: 'query',
    isParsed: true,
    flags: '--encoding <kind>',
    meaning: 'request bodies as json or form (default: the account’s)',
    words: encodings,
    isRare: true,
  },
  retries: {
    belongsTo: 'this-run',
    flags: '--retries <n>',
    meaning: 'number of retries of a failed call (default: 5)',
    read: readCount,
    isRare: true,
  },
  timeout: {
    belongsTo: 'this-run',
    flags: '--timeout <duration>',
    meaning: 'give up after this long without data (default: 30s)',
    read: readTimeout,
    isRare: true,
  },
});

const { local: _local, ...remoteFlags } = serviceFlags.flags;

/**
 * Service flags for commands that name a report by its ID. `--local` is left out, because a server
 * in this process loses its reports when the process ends.
 */
export const remoteServiceFlags = runFlagGroup(serviceFlags.heading, remoteFlags);
