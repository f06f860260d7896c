import manifest from '../package.json' with { type: 'json' };
import { Accounts, once } from './account/account.ts';
import type { Host } from './host.ts';
import type { Context, ContextOptions } from './run/context.ts';
import { Ledger } from './run/ledger.ts';
import type { LocalServer } from './server/public-types.ts';
import { allowManyListeners, anySignal } from './signals.ts';
import type { Console } from './ui/console.ts';
import { createProgress } from './ui/progress.ts';

export const version: string = manifest.version;

/** A report of the local server in this process is ready after this time. */
const localDelayMs = 200;

export function createContext(
  host: Host,
  console: Console,
  { argv, ...options }: ContextOptions & Pick<Context, 'argv'>,
): Context {
  const startedMs = host.stopwatch();
  const stopper = new AbortController();
  const signal = anySignal(allowManyListeners(host.signal), stopper.signal);

  let server: LocalServer | undefined;
  async function startLocal(): Promise<LocalServer> {
    const { startServer } = await import('./server/start.ts');
    server = await startServer({ clock: host.wallClock, delayMs: localDelayMs });
    return server;
  }

  const { env, cwd, wallClock, stopwatch, sleep, random } = host;
  const accounts = new Accounts(
    {
      env,
      cwd,
      console,
      exchange: { wallClock, stopwatch, sleep, random, signal },
      userAgent: `adreport/${version}`,
      localServer: once(startLocal),
    },
    options,
  );
  const { current: account } = accounts;
  let ledger: Ledger | undefined;

  return {
    version,
    host,
    console,
    flags: options,
    argv,
    account,
    accounts,
    elapsedMs: () => stopwatch() - startedMs,

    ledger() {
      if (account.isLocal) return undefined;
      const { directory } = accounts.store();
      ledger ??= new Ledger(directory, host, console.warn);
      return ledger;
    },

    progress: once(async () => createProgress(console, host)),
    signal,
    stopper,
    async dispose() {
      // Connections must end before the server.
      await accounts.close();
      await server?.close();
    },
  };
}
