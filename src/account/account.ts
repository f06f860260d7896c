import { Client } from '../api/client.ts';
import { createHttp, type Http, readProxy } from '../api/http.ts';
import type { CallHost } from '../api/retry.ts';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { Console } from '../ui/console.ts';
import { readProjectDefaults } from './project-file.ts';
import {
  resolveAccount,
  resolveAccountList,
  resolveSettings,
  type Settings,
  type SettingsSources,
} from './resolve.ts';
import type { ProjectChoice } from './settings.ts';
import { chooseAccountName, requireSignIn, type SignIn } from './sign-in.ts';
import { findAccount, Store, unknownAccountError } from './store.ts';

/** Flags for an account and its calls. Durations are in milliseconds. */
export interface AccountOptions {
  readonly account?: string;
  readonly baseUrl?: string;
  readonly local?: boolean;
  readonly profile?: Profile;
  readonly encoding?: Encoding;
  readonly windowClock?: WindowClock;
  readonly retries?: number;
  readonly timeout?: number;
}

interface LocalService {
  readonly url: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly token: string;
    readonly profile: Profile;
  }[];
}

export interface AccountHost {
  readonly env: Readonly<Record<string, string | undefined>>;

  /** Where the search for `adreport.yaml` starts; it continues in the parent folders. */
  readonly cwd: string;
  readonly console: Console;

  /** Clocks, sleep and signal of every call. */
  readonly exchange: CallHost;
  readonly userAgent: string;

  /** Starts the local server on first use. */
  readonly localServer: () => Promise<LocalService>;
}

/** An account of a service. Its settings and client are created on first use. */
export interface ServiceAccount {
  readonly isLocal: boolean;

  /** Resolves the settings. With `--local`, returns the settings of the local server. */
  settings(): Promise<Settings>;

  /** Connects to the service. Rejects like `requireSignIn`. */
  client(): Promise<Client>;

  /** Returns how the account signs in. Rejects like `requireSignIn`. */
  signIn(): Promise<SignIn>;

  /** Connects with other credentials, to check them before they are stored. */
  connectWith(signIn: SignIn): Promise<Client>;

  /** Name for files and messages; never a token. */
  name(): Promise<string>;
}

/** Accounts of a command. They share the settings, the project file and the connections. */
export class Accounts {
  /** Account chosen by the command line, the environment or the stored settings. */
  readonly current: ServiceAccount;
  readonly #host: AccountHost;
  readonly #options: AccountOptions;

  /** Account settings of `adreport.yaml` that apply to all commands. */
  readonly #projectDefaults: () => Promise<ProjectChoice>;
  readonly #chosen = new Map<string, ServiceAccount>();
  readonly #connections: Http[] = [];

  constructor(host: AccountHost, options: AccountOptions) {
    this.#host = host;
    this.#options = options;
    this.#projectDefaults = once(() => readProjectDefaults(host.cwd, host.console.warn));
    this.current = this.#createAccount(options);
  }

  store(): Store {
    return new Store(this.#host.env);
  }

  /**
   * Returns the account names of a run, or `undefined` for a single account. Accounts in a saved
   * report replace those in the project defaults. Rejects like `resolveAccountList`, and with
   * `SignInError` if an account in the list is not stored.
   */
  async names(
    { account }: AccountOptions,
    choice?: ProjectChoice,
  ): Promise<readonly string[] | undefined> {
    const sources = await this.#findSources({ ...this.#options, account }, choice);
    const names = resolveAccountList(sources);
    // The local server's accounts are not stored, and have their own error.
    if (this.#options.local) return names;

    const missing = names?.find((name) => findAccount(sources.stored, name) === undefined);
    if (missing !== undefined) throw unknownAccountError(missing, sources.stored);
    return names;
  }

  /** Returns the name of the stored account for `login`, `logout` and `config` to change. */
  async nameToChange(): Promise<string> {
    return resolveAccount(await this.#findSources(this.#options)).value;
  }

  /** Returns the account for the options. Equal options get the same object. */
  choose(options: AccountOptions, choice?: ProjectChoice): ServiceAccount {
    const isCurrent = !choice && options.account === this.#options.account;
    if (isCurrent) return this.current;

    const { account, local, retries, timeout } = options;
    const key = JSON.stringify([choice, account, local, retries, timeout]);
    const existing = this.#chosen.get(key);
    if (existing) return existing;

    const chosen = this.#createAccount({ ...this.#options, ...options }, choice);
    this.#chosen.set(key, chosen);
    return chosen;
  }

  async close(): Promise<void> {
    for (const http of this.#connections) await http.close();
  }

  #createAccount(options: AccountOptions, choice?: ProjectChoice): ServiceAccount {
    const isLocal = options.local === true;
    const settings = once(async () => {
      const resolved = resolveSettings(await this.#findSources(options, choice));
      if (isLocal && !resolved.storedAccount) throw unknownLocalAccountError(resolved);
      hideSecrets(resolved, this.#host.console);
      return resolved;
    });
    const signIn = async () =>
      requireSignIn(await settings(), (command, account) => this.#runCommand(command, account));
    return {
      isLocal,
      settings,
      signIn,
      client: once(async () => this.#connect(await signIn(), options)),
      connectWith: (newSignIn) => this.#connect(newSignIn, options),
      name: async () => chooseAccountName(await settings()),
    };
  }

  async #findSources(options: AccountOptions, choice?: ProjectChoice): Promise<SettingsSources> {
    const { env, localServer } = this.#host;
    if (options.local) return listLocalSources(await localServer(), options, choice);

    const projectFile = choice ?? (await this.#projectDefaults());
    return { flags: options, env, projectFile, stored: await this.store().read() };
  }

  async #connect(signIn: SignIn, options: AccountOptions): Promise<Client> {
    const { env, console, exchange, userAgent } = this.#host;
    const { timeout = 30_000, retries = 5 } = options;
    const proxy = options.local ? undefined : readProxy(env);
    if (proxy) console.hide(decodeURIComponent(proxy.url.password));

    const trace = (line: string): void => console.trace(line);
    const http = await createHttp({
      timeoutMs: timeout,
      userAgent,
      proxy,
      wording: 'flags',
      trace,
    });
    this.#connections.push(http);

    const { hide, redact } = console;
    const note = (message: string): void => console.note(`Note: ${message}`);
    return new Client({
      ...signIn,
      http,
      retries,
      host: exchange,
      wording: 'flags',
      note,
      hide,
      redact,
    });
  }

  async #runCommand(command: string, account: string): Promise<string> {
    const { env, exchange } = this.#host;
    const { readPasswordFrom } = await import('./password-command.ts');
    return readPasswordFrom(command, { account, env, signal: exchange.signal });
  }
}

function hideSecrets({ token, password }: Settings, console: Console): void {
  for (const { value } of [token, password]) {
    if (value) console.hide(value);
  }
}

/** Treats the accounts of the local server as stored ones. The default is that of the profile. */
function listLocalSources(
  { url, accounts }: LocalService,
  { account, profile, encoding, windowClock }: AccountOptions,
  choice: ProjectChoice = {},
): SettingsSources {
  const stored = accounts.map(({ name, token, profile }) => {
    return [name, { baseUrl: url, token, profile }] as const;
  });
  return {
    flags: { account, encoding, windowClock },
    env: {},
    stored: {
      defaultAccount: profile ?? choice.profile ?? 'buyer',
      accounts: Object.fromEntries(stored),
    },
  };
}

function unknownLocalAccountError({ account, stored }: Settings): UsageError {
  return new UsageError(`The local server has no account “${account.value}”.`, {
    hint: `Choose from ${Object.keys(stored.accounts).join(', ')}.`,
  });
}

/** Calls `create` on first use and caches its result. */
export function once<T>(create: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= create();
    return result;
  };
}
