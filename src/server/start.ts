import { UsageError } from '../errors.ts';
import { createApp } from './app.ts';
import { ServerClock } from './clock.ts';
import { listAdminCalls } from './control/admin-calls.ts';
import { createControl } from './control/control.ts';
import { Faults } from './faults/faults.ts';
import type { Account, Fixtures } from './fixtures/fixtures.ts';
import { OpenCalls } from './open-calls.ts';
import { openapiDocument } from './openapi.ts';
import { checkOptions } from './options.ts';
import type { Control, LocalAccount, LocalServer, LocalServerOptions } from './public-types.ts';
import { RequestLog } from './request-log.ts';
import { idsFrom } from './service/ids.ts';
import { Reports } from './service/reports.ts';
import { Sessions } from './service/sessions.ts';
import type { Services } from './services.ts';
import { usageError } from './usage-error.ts';
import { builtInFixtures } from './world/built-in.ts';

export type { LocalServer, LocalServerOptions };

/**
 * Starts the reporting service on this machine. It prints nothing, and keeps the process alive
 * until it is closed. Throws `UsageError` for invalid options, invalid fixture data, and a port
 * that is in use.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  checkOptions(options);

  const services = await createServices(options);
  const control = createControl(services);
  const { app, url, port } = await listen(services, control);

  const close = async (): Promise<void> => {
    await app.close();
    const mistake = services.faults.takeMistake();
    if (mistake) throw new UsageError(mistake.message, { code: mistake.errorId });
  };

  return {
    ...control,
    url,
    port,
    accounts: services.fixtures.accounts.map(publicAccount),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the OpenAPI document of `GET /openapi.json`, from a server that does not listen. */
export async function describeService(): Promise<object> {
  const services = await createServices({});
  const adminCalls = listAdminCalls(services, createControl(services));
  return openapiDocument(adminCalls);
}

async function createServices(options: LocalServerOptions): Promise<Services> {
  const { seed = 1, faults: texts = [], clock: machineClock = Date.now, now } = options;
  const fixtures = await readData(options);
  const faults = new Faults(texts, seed, fixtures.accounts);
  const clock = new ServerClock(machineClock, now);
  const idOf = idsFrom(seed, clock.startMs);

  return {
    options,
    clock,
    calls: new OpenCalls(),
    log: new RequestLog(options.onRequest),
    sessions: new Sessions(fixtures.accounts, options, idOf),
    reports: new Reports(options, { idOf, endOf: faults.endOf.bind(faults) }),
    faults,
    fixtures,
  };
}

async function readData(options: LocalServerOptions): Promise<Fixtures> {
  const { fixtures, seed = 1, scale = 1 } = options;
  if (!fixtures) return builtInFixtures({ seed, scale });

  // The built-in data does not need the packages that read a folder.
  const { loadFixtures } = await import('./fixtures/load.ts');
  return await loadFixtures(fixtures);
}

function publicAccount({ advertiserIds: _, ...account }: Account): LocalAccount {
  return account;
}

/** Throws `UsageError` if the certificate, host or port cannot be used. */
async function listen(services: Services, control: Control) {
  const { tls, host = '127.0.0.1', port = 0 } = services.options;

  try {
    assertCertificate(tls);
    const app = createApp(services, { control, host });
    const address = await app.listen({ host, port });
    // [::] cannot be called. For 0.0.0.0, Fastify already returns the loopback address.
    const url = address.replace('[::]', '[::1]');
    return { app, url, port: Number(new URL(url).port) || port };
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, services.options);
  }
}

function assertCertificate(tls: LocalServerOptions['tls']): void {
  if (!tls) return;
  if (tls.cert.trim() === '' || tls.key.trim() === '') throw new Error('one of the two is empty');
}

function listenError(cause: NodeJS.ErrnoException, options: LocalServerOptions): UsageError {
  const { tls, host = '127.0.0.1', port = 0 } = options;
  const { code, message, syscall } = cause;

  if (tls && syscall === undefined) {
    const sentence = `Cannot use the TLS certificate and key: ${message}.`;
    const advice = 'Use a certificate and its private key, both in PEM format.';
    return usageError(sentence, advice, { cause });
  }

  const reason = code === 'EADDRINUSE' ? 'the port is already in use' : message.replace(/\.$/, '');
  const sentence = `The local server cannot listen on ${host}, port ${port}: ${reason}.`;
  const advice =
    'Use port 0 for a free port, and a host that is an address of this machine, such as 127.0.0.1.';
  return usageError(sentence, advice, { ...(code !== undefined && { code }), cause });
}
