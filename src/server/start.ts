import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf, UsageError } from '../errors.ts';
import { type AppParts, createApp } from './app.ts';
import { adminCalls, createControl } from './control/admin.ts';
import { RequestLog } from './control/request-log.ts';
import { Faults } from './faults/faults.ts';
import type { Fixtures } from './fixtures/fixtures.ts';
import { watchFixtures } from './fixtures/reload.ts';
import type { Control, LocalServer, LocalServerOptions } from './local-server.ts';
import { RateLimit } from './service/rate-limit.ts';
import { type Readiness, Reports } from './service/reports.ts';
import { Sessions } from './service/sessions.ts';
import { builtInFixtures } from './world/built-in.ts';

export type { LocalServer, LocalServerOptions };

const hourMs = 3_600_000;
const defaultDelayMs = 2_000;

/**
 * Starts the reporting service on this machine. It prints nothing, and holds the process until it is closed.
 * Throws `UsageError` for options that cannot be, for a port that is taken, and for data that is wrong.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  assertNumbers(options);
  const { host = '127.0.0.1', port = 0, seed = 1, scale = 1, fixtures: directory, tls } = options;
  const fixtures = directory === undefined ? builtInFixtures({ seed, scale }) : await loadFolder(directory);
  const parts: AppParts = {
    now: () => (options.clock ?? Date.now)() + parts.advancedMs,
    advancedMs: 0,
    fixtures,
    sessions: new Sessions(fixtures.accounts, options.tokenTtlMs ?? 2 * hourMs),
    reports: new Reports({ readiness: readinessOf(options), ttlMs: options.reportTtlMs ?? 24 * hourMs }),
    faults: new Faults(options.faults ?? [], seed),
    restateDays: options.restateDays ?? 0,
    lenient: options.lenient ?? false,
    windowClock: options.windowClock ?? 'instant',
    rateLimit: options.rateLimitPerSecond === undefined ? undefined : new RateLimit(options.rateLimitPerSecond),
    log: new RequestLog(),
    onRequest: options.onRequest,
    tls,
    ownHosts: ownHostsOf(host),
  };
  const control = createControl(parts);
  const app = buildApp(parts, control);
  // A connection whose TLS handshake is not over would hold the server, and is in nobody's list but this.
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bound = await listen(app, host, port);
  const onFixtures = (edited: Fixtures): void => {
    parts.fixtures = edited;
    parts.sessions.replaceAccounts(edited.accounts);
  };
  const load = { load: loadFolder, onFixtures, onNotice: options.onNotice ?? (() => {}) };
  const endWatch = directory === undefined ? () => {} : watchFixtures(directory, load);

  async function close(): Promise<void> {
    endWatch();
    const closed = app.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    ...control,
    url: `${tls ? 'https' : 'http'}://${reachableHost(bound)}:${bound.port}`,
    port: bound.port,
    get accounts() {
      return parts.fixtures.accounts.map(({ advertiserIds: _, ...account }) => account);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function buildApp(parts: AppParts, control: Control): FastifyInstance {
  const { tls } = parts;
  try {
    if (tls && (tls.cert.trim() === '' || tls.key.trim() === '')) throw new Error('one of them is empty');
    return createApp(parts, adminCalls(parts, control));
  } catch (cause) {
    if (!tls) throw cause;
    throw new UsageError(`The TLS certificate and key cannot be used: ${(cause as Error).message}.`, {
      hint: 'Give a certificate and its own key, both as PEM.',
      cause,
    });
  }
}

/** Listens, and says where. Throws `UsageError` where it cannot. */
async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port });
    return app.server.address() as AddressInfo;
  } catch (cause) {
    await app.close();
    const code = codeOf(cause) ?? 'LISTEN';
    const [why, hint] = refusals[code] ?? [(cause as Error).message, otherPort];
    throw new UsageError(`The local server cannot listen on ${host}, port ${port}: ${why}.`, { code, hint, cause });
  }
}

const otherPort = 'Take a free port with --port 0.';
const otherHost = 'Give an address of this machine with --host: 127.0.0.1, ::1 or its own.';

/** Why it cannot listen, and what to do, by the code of the system. */
const refusals: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  EADDRINUSE: ['another program listens there', otherPort],
  EACCES: ['this user may not take that port', otherPort],
  EADDRNOTAVAIL: ['that is no address of this machine', otherHost],
  ENOTFOUND: ['no such host is known', otherHost],
};

/** A host by which this machine reaches what is bound: an address that stands for all addresses is nobody's own. */
function reachableHost({ family, address }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}

/**
 * The names by which a server on loopback may be called. Any other is that of a web page which has pointed its own name at
 * this machine in order to read tokens (DNS rebinding). A server that others reach has names that it does not know.
 */
function ownHostsOf(host: string): readonly string[] | undefined {
  const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  return isLoopback ? [...new Set(['localhost', '127.0.0.1', '[::1]', host])] : undefined;
}

async function loadFolder(directory: string): Promise<Fixtures> {
  // The packages that read and check files are needed for own data alone.
  const { loadFixtures } = await import('./fixtures/load.ts');
  return loadFixtures(directory);
}

function readinessOf({ delayMs, polls, manual }: LocalServerOptions): Readiness {
  const given = [delayMs, polls, manual || undefined].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new UsageError('delayMs, polls and manual exclude each other: each says how long a report takes.');
  }
  if (manual) return { manual };
  return polls === undefined ? { delayMs: delayMs ?? defaultDelayMs } : { polls };
}

/** What the numbers among the options may be. A `NaN` would go unseen otherwise, and its reports would never be ready. */
const numbers: {
  readonly [Name in keyof LocalServerOptions]?: readonly [words: string, least: number, most?: number];
} = {
  port: ['a port from 0 to 65535', 0, 65_535],
  seed: ['a whole number', Number.NEGATIVE_INFINITY],
  scale: ['a whole number, 1 or more', 1],
  polls: ['a whole number, 1 or more', 1],
  rateLimitPerSecond: ['a whole number, 1 or more', 1],
  restateDays: ['a whole number, 0 or more', 0],
  delayMs: ['milliseconds, 0 or more', 0],
  tokenTtlMs: ['milliseconds, 0 or more', 0],
  reportTtlMs: ['milliseconds, 0 or more', 0],
};

/** Throws `UsageError` for a number that cannot be. */
function assertNumbers(options: LocalServerOptions): void {
  for (const [name, [words, least, most = Number.POSITIVE_INFINITY]] of Object.entries(numbers)) {
    const value = options[name as keyof LocalServerOptions];
    if (value === undefined) continue;
    const isNumber = typeof value === 'number' && (name.endsWith('Ms') || Number.isInteger(value));
    if (isNumber && value >= least && value <= most) continue;
    throw new UsageError(`${name} cannot be ${String(value).slice(0, 40)}.`, { hint: `Give ${words}.` });
  }
}
