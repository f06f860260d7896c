import { setMaxListeners } from 'node:events';
import manifest from '../package.json' with { type: 'json' };
import { type Client, createClient } from './api/client.ts';
import { createHttp, type Http, readProxy } from './api/http.ts';
import { readProjectDefaults } from './config/project-file.ts';
import {
  defaultAccountName,
  type ProjectChoice,
  readUnlessNeedless,
  refuseSeveralAccounts,
  requireSignIn,
  resolveAccountList,
  resolveSettings,
  type Settings,
  type SignIn,
} from './config/settings.ts';
import { makeFolder, noSettings, openStore, type Store } from './config/store.ts';
import type { Encoding, WindowClock } from './contract/messages.ts';
import type { Profile } from './contract/vocabulary.ts';
import { SignInError, UsageError } from './errors.ts';
import type { Host } from './host.ts';
import { type Ledger, openLedger } from './report/ledger.ts';
import type { LocalServer } from './server/start.ts';
import type { Console, ConsoleFlags } from './ui/console.ts';
import { createProgress, type Progress, type ProgressMode } from './ui/progress.ts';

/** The version of this program. */
export const version: string = manifest.version;

/** The flags of the program, which work with every command. */
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

/** What commands need; each is made when it is first asked for. It is made once a command, and never copied. */
export interface Context {
  readonly host: Host;
  readonly console: Console;
  readonly flags: ProgramFlags;
  /** The account that the command line, the environment or the stored settings name. */
  readonly account: ServiceAccount;
  elapsedMs(): number;
  /** With `--local`, a server inside this process. */
  readonly isLocal: boolean;
  store(): Store;
  /** Those of the account. */
  settings(): Promise<Settings>;
  /** That of the account. */
  client(): Promise<Client>;
  /** A client of its own, for what is to be proved before it is stored. */
  clientFor(signIn: SignIn): Promise<Client>;
  /**
   * The accounts that a run is for, where it is for several; `undefined` for one. A saved report has a choice of its own.
   * Throws `UsageError` as `resolveAccountList`, and `SignInError` for all of none.
   */
  accountNames(
    options: ServiceOptions,
    choice?: ProjectChoice,
  ): Promise<readonly string[] | undefined>;
  /** The account that options and a saved report choose; reports of one account share it. */
  accountFor(options: ServiceOptions, choice?: ProjectChoice): ServiceAccount;
  /** The reports created on this machine; none with `--local`. */
  ledger(): Ledger | undefined;
  /** What was asked for under each id that this command has got, as the hash of the request. */
  readonly requestsById: Map<string, string>;
  progress(): Promise<Progress>;
  /** Ends the work of this command early: every call of its clients too. */
  readonly callOff: AbortController;
  dispose(): Promise<void>;
}

/** Makes the context of one command line. */
export function createContext(host: Host, console: Console, options: ContextOptions): Context {
  const startedMs = host.stopwatch();
  const callOff = new AbortController();
  const signal = AbortSignal.any([host.signal, callOff.signal]);
  // Every call under way listens to it, and Node warns of more than ten listeners by default.
  setMaxListeners(0, signal);
  const machine = new Machine(host, console, signal);
  const account = new ServiceAccount(machine, options);
  const accounts = new Map<string, ServiceAccount>();
  let ledger: Ledger | undefined;

  return {
    host,
    console,
    flags: options,
    account,
    elapsedMs: () => host.stopwatch() - startedMs,
    isLocal: account.isLocal,
    store: () => machine.store(),
    settings: () => account.settings(),
    client: () => account.client(),
    clientFor: (signIn) => account.openClient(signIn),

    async accountNames(serviceOptions, choice) {
      const flags = { account: serviceOptions.account };
      const names = account.isLocal
        ? resolveAccountList({ flags, env: {} })
        : resolveAccountList({
            flags,
            env: host.env,
            projectFile: choice ?? (await machine.projectDefaults()),
          });
      return names === 'all' ? machine.allAccountNames(account.isLocal) : names;
    },

    accountFor(serviceOptions, choice) {
      const isOwn = !choice && serviceOptions.account === options.account;
      if (isOwn) return account;

      const { account: name, retries, timeout } = serviceOptions;
      const key = JSON.stringify([choice, name, retries, timeout]);
      const sameAccount = accounts.get(key);
      if (sameAccount) return sameAccount;

      const ownOptions = { ...options, ...serviceOptions };
      const newAccount = new ServiceAccount(machine, ownOptions, choice);
      accounts.set(key, newAccount);
      return newAccount;
    },

    ledger() {
      if (account.isLocal) return undefined;
      const { directory } = machine.store();
      ledger ??= openLedger({
        directory,
        makeFolder,
        wallClock: host.wallClock,
        warn: console.warn,
      });
      return ledger;
    },

    requestsById: new Map(),

    progress: once(async () => createProgress(options.progress, console, host.stopwatch)),
    callOff,
    dispose: () => machine.dispose(),
  };
}

/** What the accounts of one command share. */
class Machine {
  readonly host: Host;
  readonly console: Console;
  /** Ends every call. */
  readonly signal: AbortSignal;
  /** The local server of `--local`. */
  readonly localServer: () => Promise<LocalServer>;
  /** What `adreport.yaml` says of the account for all commands. */
  readonly projectDefaults: () => Promise<ProjectChoice>;
  /** What ends the connections that were made; they end before the server does. */
  readonly #closeClients: (() => Promise<unknown>)[] = [];
  #closeServer: (() => Promise<void>) | undefined;

  constructor(host: Host, console: Console, signal: AbortSignal) {
    this.host = host;
    this.console = console;
    this.signal = signal;
    this.localServer = once(() => this.#startLocalServer());
    this.projectDefaults = once(() => readProjectDefaults(host.cwd, console.warn));
  }

  store(): Store {
    return openStore(this.host.env, this.console.warn);
  }

  /** Every stored account, or those of the local server. Throws `SignInError` where none is stored. */
  async allAccountNames(isLocal: boolean): Promise<readonly string[]> {
    if (isLocal) {
      const { accounts } = await this.localServer();
      return accounts.map(({ name }) => name);
    }

    const { accounts } = await this.store().read();
    const names = Object.keys(accounts);
    if (names.length > 0) return names;
    throw new SignInError('No account is stored.', { hint: 'Sign in with: adreport login' });
  }

  async openHttp(timeoutMs: number): Promise<Http> {
    const proxy = readProxy(this.host.env);
    if (proxy) this.console.hide(decodeURIComponent(proxy.url.password));

    const http = await createHttp({
      timeoutMs,
      userAgent: `adreport/${version}`,
      proxy,
      trace: (line) => this.console.trace(1, line),
    });
    this.#closeClients.push(http.close);
    return http;
  }

  async dispose(): Promise<void> {
    for (const close of this.#closeClients) await close();
    await this.#closeServer?.();
  }

  async #startLocalServer(): Promise<LocalServer> {
    const { startLocalServer } = await import('./server/start.ts');
    const server = await startLocalServer({ port: 0, clock: this.host.wallClock });
    this.#closeServer = server.close;
    return server;
  }
}

/** One account of one service: its settings and its client, each made when it is first asked for. */
export class ServiceAccount {
  readonly isLocal: boolean;
  /** Base URL, token and the like with where each came from; with `--local` those of the server in this process. */
  readonly settings: () => Promise<Settings>;
  /** The client for what the settings say. Throws `SignInError` where they lack a base URL, or both token and credentials. */
  readonly client: () => Promise<Client>;
  readonly #machine: Machine;
  readonly #options: ContextOptions;
  /** What the project file says of the account of a saved report. */
  readonly #savedChoice: ProjectChoice | undefined;

  constructor(machine: Machine, options: ContextOptions, savedChoice?: ProjectChoice) {
    this.isLocal = options.local === true;
    this.settings = once(() => this.#findSettings());
    this.client = once(() => this.#signIn());
    this.#machine = machine;
    this.#options = options;
    this.#savedChoice = savedChoice;
  }

  /**
   * What it is called: its name, or the e-mail address where it has none but that of every account without a name; never
   * its token.
   */
  async name(): Promise<string> {
    const { account, email } = await this.settings();
    if (account.value !== defaultAccountName) return account.value;
    return email.value ?? account.value;
  }

  /** A client for what is to be signed in with. */
  async openClient(signIn: SignIn): Promise<Client> {
    const { console, signal } = this.#machine;
    const { wallClock, stopwatch, sleep, random } = this.#machine.host;
    const host = { wallClock, stopwatch, sleep, random, signal };
    const { timeout = 30_000, retries = 5 } = this.#options;
    const http = await this.#machine.openHttp(timeout);
    const { warn, hide, redact } = console;
    return createClient({ ...signIn, http, retries, host, warn, hide, redact });
  }

  async #signIn(): Promise<Client> {
    const settings = await this.settings();
    const { token, email, password, account } = settings;

    const isRenewedByEnv = email.source === 'env' && password.value !== undefined;
    if (token.source === 'account' && isRenewedByEnv) {
      this.#machine.console.note(
        `The stored token of account “${account.value}” is used; ADREPORT_PASSWORD only renews it.`,
      );
    }
    return this.openClient(requireSignIn(settings));
  }

  async #findSettings(): Promise<Settings> {
    const { console } = this.#machine;
    const settings = await this.#resolveSettings();
    const { token, password, email } = settings;
    if (token.value) console.hide(token.value);
    if (password.value) console.hide(password.value);
    // A `-vv` trace is made to be sent to others, who need not know whose account it is.
    if (email.value && console.verbosity >= 2) console.hideWhole(email.value);
    return settings;
  }

  async #resolveSettings(): Promise<Settings> {
    const { host, console } = this.#machine;
    const options = this.#options;
    if (this.isLocal) {
      return localSettings(await this.#machine.localServer(), options, this.#savedChoice);
    }

    const projectFile = this.#savedChoice ?? (await this.#machine.projectDefaults());
    const stored = await readUnlessNeedless(this.#machine.store(), host.env, options, console.warn);
    return resolveSettings({ flags: options, env: host.env, projectFile, stored });
  }
}

/** The settings of `--local`: an account of the server in this process, by name (`--account`) or by profile. */
function localSettings(
  { url, accounts }: LocalServer,
  options: ContextOptions,
  savedChoice: ProjectChoice | undefined,
): Settings {
  if (options.account !== undefined) refuseSeveralAccounts(options.account);
  const wantedName = options.account ?? options.profile ?? savedChoice?.profile ?? 'buyer';
  const account = accounts.find(({ name }) => name === wantedName);
  if (!account) {
    const names = accounts.map(({ name }) => name).join(', ');
    throw new UsageError(`The local server has no account “${wantedName}”.`, {
      hint: `It has: ${names}.`,
    });
  }

  const { name, token, profile } = account;
  const { encoding, windowClock } = options;
  const stored = { ...noSettings, accounts: { [name]: { baseUrl: url, token, profile } } };
  const flags = { account: name, encoding, windowClock };
  const settings = resolveSettings({ flags, env: {}, stored });
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
