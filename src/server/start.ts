import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.ts';
import { createApp } from './app.ts';
import { ServerClock } from './clock.ts';
import { createControl } from './control/control.ts';
import { Faults } from './faults/faults.ts';
import type { Account, Fixtures } from './fixtures/fixtures.ts';
import { readOptions, type ServerOptions } from './options.ts';
import type { LocalAccount, LocalServer, LocalServerOptions } from './public-types.ts';
import { RequestLog } from './request-log.ts';
import { createIdSource } from './service/ids.ts';
import { Reports } from './service/reports.ts';
import { Sessions } from './service/sessions.ts';
import type { Services } from './services.ts';
import { usageError } from './usage-error.ts';
import { builtInFixtures } from './world/built-in.ts';

export type { LocalServer, LocalServerOptions };

/**
 * Starts the reporting service on this machine. Prints nothing, and keeps the process alive until
 * the server is closed. Throws `UsageError` for invalid options or fixture data, and for a port
 * that is in use.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  return await startServer(readOptions(options));
}

/** Starts a server with options that have been checked. Rejects like `startLocalServer`. */
export async function startServer(options: ServerOptions): Promise<LocalServer> {
  const services = await createServices(options);
  const { server, url } = await listen(services);

  return {
    url,
    accounts: services.fixtures.accounts.map(toLocalAccount),
    ...createControl(services),
    async close() {
      await stop(server);
      const issue = services.faults.takeIssue();
      if (issue) throw new UsageError(issue.message, { code: issue.errorId });
    },
  };
}

async function createServices(options: ServerOptions): Promise<Services> {
  const { seed = 1, faults: initialFaults = [], clock: machineClock = Date.now, now } = options;
  const fixtures = await readData(options);
  const faults = new Faults(initialFaults);
  const clock = new ServerClock(machineClock, now);
  const createId = createIdSource(seed, clock.startMs);

  return {
    options,
    clock,
    log: new RequestLog(clock, options.onRequest),
    sessions: new Sessions(fixtures.accounts, options, createId),
    reports: new Reports(options, createId, faults),
    faults,
    fixtures,
  };
}

async function readData({ fixtures, seed = 1, scale = 1 }: ServerOptions): Promise<Fixtures> {
  if (!fixtures) return builtInFixtures({ seed, scale });

  // Loaded lazily, because the built-in data does not need the packages that read a folder.
  const { loadFixtures } = await import('./fixtures/load.ts');
  return loadFixtures(fixtures);
}

function toLocalAccount({ advertiserIds: _, ...account }: Account): LocalAccount {
  return account;
}

/** Listens for connections. Throws `UsageError` if the host or port cannot be used. */
async function listen(services: Services) {
  const { host = '127.0.0.1', port = 0 } = services.options;

  try {
    const server = createApp(services, host).listen({ host, port });
    await once(server, 'listening');
    return { server, url: formatUrl(server.address() as AddressInfo) };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'the port is already in use' : message;
    const problem = `The local server cannot listen on ${host}, port ${port}: ${reason}.`;
    const advice =
      'Use port 0 for a free port, and a host that is an address of this machine, such as 127.0.0.1.';
    throw usageError(problem, advice, { ...(code !== undefined && { code }), cause });
  }
}

/** Returns the base URL. A server that listens on all addresses is called on loopback. */
function formatUrl({ address, family, port }: AddressInfo): string {
  const callable = new Map([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
  ]);
  const host = callable.get(address) ?? address;
  return family === 'IPv6' ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}

/** Resolves once every connection is closed. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
