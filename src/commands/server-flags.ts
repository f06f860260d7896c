import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { windowClocks } from '../contract/messages.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { parseWholeNumber, readDuration } from '../query/flags/read-value.ts';
import type { Context } from '../run/context.ts';
import { clockTimeAdvice, parseClockTime } from '../server/clock.ts';
import { optionRanges } from '../server/options.ts';
import type { LocalServer, LoggedRequest } from '../server/public-types.ts';
import { isLoopback } from '../text/loopback.ts';
import { printable } from '../text/printable.ts';

const hourMs = 3_600_000;

/** Builds a parser for numbers in the range of a server option. */
const numberReader = (name: keyof typeof optionRanges) => (text: string) =>
  parseWholeNumber(text, optionRanges[name]);

const readRate = (text: string) => numberReader('rateLimit')(text.replace(/\/s$/, ''));

const hostFlags = flagGroup('Flags:', {
  host: {
    flags: '--host <address>',
    meaning: 'address to listen on',
    read: parseHost,
    default: '127.0.0.1',
    isRare: true,
  },
});

/** Default port of `local-server`. */
export const defaultPort = 8787;

const portFlags = flagGroup('Flags:', {
  port: {
    flags: '--port <n>',
    meaning: 'port to listen on; 0 picks a free one',
    read: numberReader('port'),
    default: defaultPort,
  },
});

export const worldFlags = flagGroup('Data:', {
  seed: {
    flags: '--seed <n>',
    meaning: 'seed of the sample data',
    read: numberReader('seed'),
    default: 1,
    isRare: true,
  },
  scale: {
    flags: '--scale <n>',
    meaning: 'multiply the sample data by n',
    read: numberReader('scale'),
    default: 1,
    isRare: true,
  },
});

const dataFlags = flagGroup('Data:', {
  fixtures: {
    flags: '--fixtures <dir>',
    meaning: 'serve the data in this folder',
  },
  restate: {
    flags: '--restate <n>',
    meaning: 'add late conversions and revenue to each day for n days',
    read: numberReader('restate'),
    default: 0,
    isRare: true,
  },
});

const lifeFlags = flagGroup('Reports and tokens:', {
  delay: {
    flags: '--delay <duration>',
    meaning: 'how long a report takes (default: 2s)',
    read: readDuration,
    conflicts: ['polls', 'manual'],
  },
  polls: {
    flags: '--polls <n>',
    meaning: 'reports become ready at the n-th status call',
    read: numberReader('polls'),
    conflicts: ['manual'],
    isRare: true,
  },
  manual: {
    flags: '--manual',
    meaning: 'reports become ready only when an admin call completes them',
    isRare: true,
  },
  tokenTtl: {
    flags: '--token-ttl <duration>',
    meaning: 'token lifetime; each call renews it',
    read: readDuration,
    default: 2 * hourMs,
    defaultText: '2h',
    isRare: true,
  },
  reportTtl: {
    flags: '--report-ttl <duration>',
    meaning: 'lifetime of a report',
    read: readDuration,
    default: 24 * hourMs,
    defaultText: '24h',
    isRare: true,
  },
});

const behaviorFlags = flagGroup('Behavior:', {
  now: {
    flags: '--now <time>',
    meaning: 'start the clock at this time, e.g. 2026-11-01T09:00:00Z',
    read: readNow,
    isRare: true,
  },
  rateLimit: {
    flags: '--rate-limit <n/s>',
    meaning: 'at most n calls a second for each account; more get 429',
    read: readRate,
    isRare: true,
  },
  windowClock: {
    flags: '--window-clock <kind>',
    meaning: 'read request times as instant (UTC) or wall (local time)',
    choices: windowClocks,
    default: 'instant',
    isRare: true,
  },
  fault: {
    flags: '--fault <spec>',
    meaning: 'inject a fault, such as status:503; repeatable',
    isRepeatable: true,
  },
});

/** Flags of every server. Durations are in milliseconds. */
export const startFlags = [hostFlags, dataFlags, worldFlags, lifeFlags, behaviorFlags] as const;

export const serverFlags = [portFlags, ...startFlags] as const;

/** Parses a time with an offset into milliseconds since 1970. */
function readNow(value: string): number {
  const timeMs = parseClockTime(value);
  if (timeMs === undefined) throw new InvalidArgumentError(clockTimeAdvice);
  return timeMs;
}

/**
 * Parses an IP address or a host name. IPv6 may be in brackets. Rejects an empty value, which would
 * mean all addresses.
 */
function parseHost(value: string): string {
  const host = value.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new InvalidArgumentError('Use a host, such as 127.0.0.1.');
  return host;
}

interface StartOptions {
  readonly flags: OptionsOf<typeof startFlags>;
  readonly port?: number;

  /** Called after every request to the server. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** Starts a server with the given flags, and warns if other machines can reach it. */
export async function startFromFlags(
  { console, host: { cwd } }: Context,
  { flags, port = 0, onRequest }: StartOptions,
): Promise<LocalServer> {
  const { delay, tokenTtl, reportTtl, fixtures, fault, ...others } = flags;
  const { startServer } = await import('../server/start.ts');
  const server = await startServer({
    ...others,
    port,
    delayMs: delay,
    tokenTtlMs: tokenTtl,
    reportTtlMs: reportTtl,
    fixtures: fixtures && resolve(cwd, fixtures),
    faults: fault,
    onRequest,
  });

  if (!isLoopback(flags.host)) {
    const what = 'any machine that reaches it can use it, admin calls included';
    console.warn(`The server listens on ${flags.host}: ${what}.`);
  }
  return server;
}

/** Formats a line of the request log: `12:00:01 POST /status-reporting 404 UNKNOWN_REPORT: …`. */
export function requestLine({ time, method, path, status, why }: LoggedRequest): string {
  const reason = why === undefined ? '' : ` ${printable(why)}`;
  return `${time.slice(11, 19)} ${method} ${path} ${status || 'cut'}${reason}`;
}
