import { UsageError } from '../errors.ts';
import { createApp } from './app.ts';
import { createFaults } from './faults/faults.ts';
import type { LocalServer, LocalServerOptions } from './local-server.ts';
import { createRequestLog } from './request-log.ts';
import { createReports } from './service/reports.ts';
import type { ServiceParts } from './service/service.ts';
import { createSessions } from './service/sessions.ts';
import { builtInFixtures } from './world/built-in.ts';

export type { LocalServer, LocalServerOptions };

/**
 * Starts the reporting service on this machine. It prints nothing, and holds the process until it is closed.
 * Throws `UsageError` for options that cannot be, for a port that is taken, and for data that is wrong.
 */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  assertOptions(options);
  const {
    seed = 1,
    scale = 1,
    fixtures: directory,
    clock = Date.now,
    onNotice = () => {},
  } = options;
  // A folder of data takes packages to read that the built-in data do without.
  const files = directory === undefined ? undefined : await import('./fixtures/load.ts');
  const faults = createFaults(options.faults ?? [], seed);
  const parts: ServiceParts = {
    options,
    now: () => clock() + parts.advancedMs,
    advancedMs: 0,
    fixtures:
      directory && files ? await files.loadFixtures(directory) : builtInFixtures({ seed, scale }),
    sessions: createSessions(() => parts.fixtures.accounts, options),
    reports: createReports(options, faults.endOf),
    faults,
    log: createRequestLog(options.onRequest),
  };
  const { app, control, url, port } = await listen(parts);
  const closing = new AbortController();
  if (directory) void files?.watchFixtures(directory, parts, closing.signal, onNotice);
  const close = async (): Promise<void> => {
    closing.abort();
    await app.close();
  };
  return {
    ...control,
    url,
    port,
    get accounts() {
      return parts.fixtures.accounts.map(({ advertiserIds: _, ...account }) => account);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Makes the app and listens. Throws `UsageError` where its certificate, its host or its port cannot be used. */
async function listen(parts: ServiceParts) {
  const { tls, host = '127.0.0.1', port = 0 } = parts.options;
  try {
    if (tls && (tls.cert.trim() === '' || tls.key.trim() === ''))
      throw new Error('one of them is empty');
    const { app, control } = createApp(parts, host);
    const url = await app.listen({ host, port });
    // The address that stands for all addresses is nobody's own; of the others Fastify tells the loopback one.
    return {
      app,
      control,
      url: url.replace('[::]', '[::1]'),
      port: Number(new URL(url).port) || port,
    };
  } catch (cause) {
    const { code, message, syscall } = cause as NodeJS.ErrnoException;
    if (tls && syscall === undefined) {
      const hint = 'Give a certificate and its own key, both as PEM.';
      throw new UsageError(`The TLS certificate and key cannot be used: ${message}.`, {
        hint,
        cause,
      });
    }
    const why =
      code === 'EADDRINUSE' ? 'another program listens there' : message.replace(/\.$/, '');
    const hint =
      'Take a free port with --port 0, and with --host an address of this machine, such as 127.0.0.1.';
    throw new UsageError(`The local server cannot listen on ${host}, port ${port}: ${why}.`, {
      code,
      hint,
      cause,
    });
  }
}

/** Throws `UsageError` for options that cannot be: a `NaN` would go unseen, and its reports would never be ready. */
function assertOptions(options: LocalServerOptions): void {
  const { delayMs, polls, manual } = options;
  if ([delayMs, polls, manual || undefined].filter((value) => value !== undefined).length > 1) {
    throw new UsageError(
      'delayMs, polls and manual exclude each other: each says how long a report takes.',
    );
  }
  for (const [name, value] of Object.entries(options)) {
    const least = ['scale', 'polls', 'rateLimitPerSecond'].includes(name) ? 1 : 0;
    if (typeof value !== 'number' || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new UsageError(`${name} cannot be ${value}.`, {
      hint: `Give a whole number, ${least} or more.`,
    });
  }
}
