import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.ts';
import { type AppParts, addEndpoints, createListener } from './app.ts';
import { checkOptions } from './check-options.ts';
import { addAdmin } from './control/admin.ts';
import { createControl } from './control/control.ts';
import { RequestLog } from './control/request-log.ts';
import { Faults } from './faults/faults.ts';
import { builtInFixtures } from './fixtures/built-in.ts';
import type { Account, Fixtures } from './fixtures/fixtures.ts';
import { watchFixtures } from './fixtures/reload.ts';
import { closeServer, createHttpServer, listen } from './http/http-server.ts';
import { RateLimit } from './http/rate-limit.ts';
import { Routes } from './http/routes.ts';
import type { LocalAccount, LocalServer, LocalServerOptions } from './local-server.ts';
import { addOpenapi } from './openapi/openapi.ts';
import { addPage } from './page/page.ts';
import { ServerClock } from './service/clock.ts';
import { type Readiness, Reports } from './service/reports.ts';
import { Sessions } from './service/sessions.ts';

export type { LocalServer, LocalServerOptions };

const hourMs = 3_600_000;
const defaultDelayMs = 2_000;

/**
 * Starts the reporting service on this machine. It prints nothing, and holds the process until it is closed.
 * Throws `UsageError` for options that cannot be, for a port that is taken, and for data that is wrong.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  checkOptions(options);
  const { host = '127.0.0.1', port = 0, seed = 1, scale = 1 } = options;
  const fixtures =
    options.fixtures === undefined ? builtInFixtures({ seed, scale }) : await loadFolder(options.fixtures);
  const clock = new ServerClock(options.clock ?? Date.now);
  const parts: AppParts = {
    clock,
    fixtures,
    sessions: new Sessions(fixtures.accounts, options.tokenTtlMs ?? 2 * hourMs),
    reports: new Reports({ readiness: readinessOf(options), ttlMs: options.reportTtlMs ?? 24 * hourMs }),
    faults: new Faults(options.faults ?? [], seed),
    restateDays: options.restateDays ?? 0,
    lenient: options.lenient ?? false,
    rateLimit: options.rateLimitPerSecond === undefined ? undefined : new RateLimit(options.rateLimitPerSecond),
    log: new RequestLog(),
    onRequest: options.onRequest,
  };
  const control = createControl(parts);
  const routes = new Routes();
  addEndpoints(routes, parts);
  addAdmin(routes, { parts, control });
  addOpenapi(routes);
  addPage(routes, parts);
  const server = await createHttpServer(createListener(parts, routes), options.tls);
  const bound = await listen(server, host, port);
  const endWatch = watchData(parts, options);
  const close = async (): Promise<void> => {
    endWatch();
    await closeServer(server);
  };
  return {
    ...control,
    url: `${options.tls ? 'https' : 'http'}://${reachableHost(bound)}:${bound.port}`,
    port: bound.port,
    get accounts() {
      return parts.fixtures.accounts.map(localAccount);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function localAccount({ name, email, password, profile, admin, token }: Account): LocalAccount {
  return { name, email, password, profile, admin, token };
}

/** A host by which this machine reaches what is bound: an address that stands for all addresses is nobody's own. */
function reachableHost({ family, address }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}

/** Takes up edits of the folder that the data come from, if they do. Returns the function that ends it. */
function watchData(parts: AppParts, { fixtures: directory, onNotice = () => {} }: LocalServerOptions): () => void {
  if (directory === undefined) return () => {};
  return watchFixtures(directory, {
    load: () => loadFolder(directory),
    onFixtures: (fixtures) => {
      parts.fixtures = fixtures;
      parts.sessions.replaceAccounts(fixtures.accounts);
    },
    onNotice,
  });
}

async function loadFolder(directory: string): Promise<Fixtures> {
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
