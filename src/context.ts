import manifest from '../package.json' with { type: 'json' };
import { type Client, createClient } from './api/client.ts';
import { createHttp, readProxy } from './api/http.ts';
import { readProjectDefaults } from './config/project-file.ts';
import {
  type ProjectChoice,
  readUnlessNeedless,
  requireSignIn,
  resolveSettings,
  type Settings,
  type SignIn,
} from './config/settings.ts';
import { makeFolder, noSettings, openStore, type Store } from './config/store.ts';
import type { Encoding, WindowClock } from './contract/messages.ts';
import type { Profile } from './contract/vocabulary.ts';
import { UsageError } from './errors.ts';
import type { Host } from './host.ts';
import { type Ledger, openLedger } from './report/ledger.ts';
import type { LocalServer } from './server/start.ts';
import type { Console, ConsoleFlags } from './ui/console.ts';
import { createProgress, type Progress, type ProgressMode } from './ui/progress.ts';

/** The version of this program. */
export const version: string = manifest.version;

/** The flags of the program, which hold for every command. */
interface ProgramFlags extends ConsoleFlags {
  readonly progress: ProgressMode;
}

/** Which service is called, with which account, and how long the program tries; durations are in milliseconds. */
interface ServiceOptions {
  readonly account?: string;
  readonly baseUrl?: string;
  readonly local?: boolean;
  readonly encoding?: Encoding;
  readonly retries?: number;
  readonly timeout?: number;
}

/** What a command line says to its context; an option is absent where its command does not have it. */
export interface ContextOptions extends ProgramFlags, ServiceOptions {
  readonly profile?: Profile;
  readonly windowClock?: WindowClock;
}

/** What commands need. Everything is made when it is first asked for, in this order: store, settings, server, client. */
export interface Context {
  readonly host: Host;
  readonly console: Console;
  readonly flags: ProgramFlags;
  elapsedMs(): number;
  /** With `--local`, a server inside this process. */
  readonly isLocal: boolean;
  store(): Store;
  /** Base URL, token and the like with where each came from; with `--local` those of the server in this process. */
  settings(): Promise<Settings>;
  /** The client for what the settings say. Throws `SignInError` where they lack a base URL, or both token and credentials. */
  client(): Promise<Client>;
  /** A client of its own, for what is to be proved before it is stored. */
  clientFor(signIn: SignIn): Promise<Client>;
  /** The context of a saved report, which may have another account; reports of one account share their client. */
  forSavedReport(choice: ProjectChoice, options: ServiceOptions): Context;
  /** The reports created on this machine; none with `--local`. */
  ledger(): Promise<Ledger | undefined>;
  progress(): Promise<Progress>;
  dispose(): Promise<void>;
}

type OptionsOfAccount = ContextOptions & {
  /** Given for a saved report: what the project file says of its account. */
  readonly saved?: ProjectChoice;
};

/** Makes the context of one command line. */
export function createContext(host: Host, console: Console, options: ContextOptions): Context {
  // What ends what was made, in the order in which it must end.
  const cleanUps: (() => Promise<unknown>)[] = [];
  const { env, wallClock } = host;
  const { warn, hide } = console;
  const startedMs = host.stopwatch();
  const store = () => openStore(env, warn);
  const localServer = once(async () => {
    const { startLocalServer } = await import('./server/start.ts');
    const server = await startLocalServer({ port: 0, clock: wallClock });
    cleanUps.push(server.close);
    return server;
  });
  const ledger = once(async () =>
    options.local
      ? undefined
      : openLedger({ directory: store().directory, makeFolder, wallClock, warn }),
  );
  const progress = once(async () => createProgress(options.progress, console, host.stopwatch));
  const ofSavedReports = new Map<string, Context>();

  const contextFor = (own: OptionsOfAccount): Context => {
    const resolve = async () => {
      if (own.local) return localSettings(await localServer(), own);
      const projectFile = own.saved ?? (await readProjectDefaults(host.cwd, warn));
      return resolveSettings({
        flags: own,
        env,
        projectFile,
        stored: await readUnlessNeedless(store(), env, own, warn),
      });
    };
    const settings = once(async () => {
      const resolved = await resolve();
      // A `-vv` trace is made to be sent to others, who need not know whose account it is.
      const email = console.verbosity >= 2 ? resolved.email.value : undefined;
      for (const secret of [resolved.token.value, resolved.password.value, email])
        if (secret) hide(secret);
      return resolved;
    });
    const clientFor = async (signIn: SignIn): Promise<Client> => {
      const proxy = readProxy(env);
      if (proxy) hide(decodeURIComponent(proxy.url.password));
      const trace = (line: string) => console.trace(1, line);
      const userAgent = `adreport/${version}`;
      const http = await createHttp({ timeoutMs: own.timeout ?? 30_000, userAgent, proxy, trace });
      cleanUps.unshift(http.close);
      return createClient({ ...signIn, http, retries: own.retries ?? 5, host, warn, hide });
    };
    return {
      host,
      console,
      flags: own,
      elapsedMs: () => host.stopwatch() - startedMs,
      isLocal: own.local === true,
      store,
      settings,
      client: once(async () => {
        const resolved = await settings();
        const { token, email, password, account } = resolved;
        if (token.source === 'account' && email.source === 'env' && password.value !== undefined) {
          console.note(
            `The stored token of account “${account.value}” is used; ADREPORT_PASSWORD only renews it.`,
          );
        }
        return clientFor(requireSignIn(resolved));
      }),
      clientFor,
      ledger,
      progress,
      forSavedReport(choice, serviceFlags) {
        const key = JSON.stringify([choice, serviceFlags.retries, serviceFlags.timeout]);
        const known =
          ofSavedReports.get(key) ?? contextFor({ ...own, ...serviceFlags, saved: choice });
        ofSavedReports.set(key, known);
        return known;
      },
      async dispose() {
        for (const cleanUp of cleanUps) await cleanUp();
      },
    };
  };
  return contextFor(options);
}

/** The settings of `--local`: an account of the server in this process, by name (`--account`) or by profile. */
function localSettings({ url, accounts }: LocalServer, options: OptionsOfAccount): Settings {
  const wanted = options.account ?? options.profile ?? options.saved?.profile ?? 'buyer';
  const found = accounts.find(({ name }) => name === wanted);
  if (!found) {
    const names = accounts.map(({ name }) => name).join(', ');
    throw new UsageError(`The local server has no account “${wanted}”.`, {
      hint: `It has: ${names}.`,
    });
  }
  const { name, token, profile } = found;
  const { encoding, windowClock } = options;
  const stored = { ...noSettings, accounts: { [name]: { baseUrl: url, token, profile } } };
  const settings = resolveSettings({
    flags: { account: name, encoding, windowClock },
    env: {},
    stored,
  });
  return { ...settings, account: { ...settings.account, from: '--local' } };
}

/** What is made at most once, when first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
