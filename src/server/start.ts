import type { FastifyInstance } from 'fastify';
import { UsageError } from '../errors.ts';
import { createApp } from './app.ts';
import { ServerClock } from './clock.ts';
import { createControl } from './control/control.ts';
import { Faults } from './faults/faults.ts';
import type { Account, Fixtures } from './fixtures/fixtures.ts';
import type { Control, LocalAccount, LocalServer, LocalServerOptions } from './local-server.ts';
import { OpenCalls } from './open-calls.ts';
import { checkOptions } from './options.ts';
import { RequestLog } from './request-log.ts';
import { idsFrom } from './service/ids.ts';
import { Reports } from './service/reports.ts';
import { Sessions } from './service/sessions.ts';
import type { Services } from './services.ts';
import { builtInFixtures } from './world/built-in.ts';

export type { LocalServer, LocalServerOptions };

/**
 * Starts the reporting service on this machine. It prints nothing, and holds the process until it
 * is closed. Throws `UsageError` for options that cannot be, for a port that is taken, and for data
 * that is wrong.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  checkOptions(options);

  const services = await createServices(options);
  const control = createControl(services);
  const { app, url, port } = await listen(services, control);

  const close = async (): Promise<void> => {
    await app.close();
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

async function createServices(options: LocalServerOptions): Promise<Services> {
  const { seed = 1, faults: texts = [], clock: machineClock = Date.now, now } = options;
  const faults = new Faults(texts, seed);
  const fixtures = await readData(options);
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

/** The data that is served: of a folder, or built in. */
async function readData(options: LocalServerOptions): Promise<Fixtures> {
  const { fixtures, seed = 1, scale = 1, onFactsRead } = options;
  if (!fixtures) return builtInFixtures({ seed, scale });

  // A folder of data takes packages to read that the built-in data do without.
  const { loadFixtures } = await import('./fixtures/load.ts');
  return await loadFixtures(fixtures, onFactsRead);
}

/** An account as test suites see it. */
function publicAccount({ advertiserIds: _, ...account }: Account): LocalAccount {
  return account;
}

/** A server that listens. */
interface Listening {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly port: number;
}

/**
 * Makes the app and listens. Throws `UsageError` where its certificate, its host or its port cannot
 * be used.
 */
async function listen(services: Services, control: Control): Promise<Listening> {
  const { tls, host = '127.0.0.1', port = 0 } = services.options;

  try {
    assertCertificate(tls);
    const app = createApp(services, { control, ownHost: host });
    const address = await app.listen({ host, port });
    // The address that stands for all addresses is nobody's own; of the others Fastify tells the
    // loopback one.
    const url = address.replace('[::]', '[::1]');
    return { app, url, port: Number(new URL(url).port) || port };
  } catch (cause) {
    throw cannotListen(cause as NodeJS.ErrnoException, services.options);
  }
}

function assertCertificate(tls: LocalServerOptions['tls']): void {
  if (!tls) return;
  if (tls.cert.trim() === '' || tls.key.trim() === '') throw new Error('one of them is empty');
}

/** Why the server does not listen, and what to do about it. */
function cannotListen(cause: NodeJS.ErrnoException, options: LocalServerOptions): UsageError {
  const { tls, host = '127.0.0.1', port = 0 } = options;
  const { code, message, syscall } = cause;

  if (tls && syscall === undefined) {
    return new UsageError(`The TLS certificate and key cannot be used: ${message}.`, {
      hint: 'Give a certificate and its own key, both as PEM.',
      cause,
    });
  }

  const reason =
    code === 'EADDRINUSE' ? 'another program listens there' : message.replace(/\.$/, '');
  return new UsageError(`The local server cannot listen on ${host}, port ${port}: ${reason}.`, {
    code,
    hint: 'Take a free port with --port 0, and with --host an address of this machine, such as 127.0.0.1.',
    cause,
  });
}
