import { Client } from '../api/client.ts';
import type { ExchangeOptions } from '../api/exchange.ts';
import { createHttp, type Http, readProxy } from '../api/http.ts';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { SignInError, UsageError } from '../errors.ts';
import type { FileMachine } from '../text/held-file.ts';
import type { Console } from '../ui/console.ts';
import { readProjectDefaults } from './project-file.ts';
import {
  readUnlessNeedless,
  resolveAccountList,
  resolveSettings,
  type Settings,
} from './resolve.ts';
import { refuseSeveralAccounts } from './setting-values.ts';
import { type ProjectChoice, settingKeys, settingTable } from './settings.ts';
import { nameOfAccount, type PasswordRunner, requireSignIn, type SignIn } from './sign-in.ts';
import { noSettings, Store } from './store.ts';

/**
 * What the flags of a command say of the account, and how long its calls are tried; durations are
 * in milliseconds.
 */
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

/** The server of `--local`, as far as it is signed in to. */
interface LocalService {
  readonly url: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly token: string;
    readonly profile: Profile;
  }[];
}

/** What accounts take from the machine and the program. */
export interface AccountMachine {
  readonly env: Readonly<Record<string, string | undefined>>;

  /** Where `adreport.yaml` is looked for, and in the folders above. */
  readonly cwd: string;
  readonly console: Console;

  /** How the settings file is changed. */
  readonly files: FileMachine;

  /** The clocks, the sleep and the signal of every call. */
  readonly exchange: ExchangeOptions['host'];
  readonly userAgent: string;

  /** The server of `--local`, which is started when it is first asked for. */
  readonly localServer: () => Promise<LocalService>;
}

/**
 * The accounts of one command, and what they share: the store, the project file, and the
 * connections.
 */
export class Accounts {
  /** The account that the command line, the environment or the stored settings name. */
  readonly own: ServiceAccount;
  readonly #machine: AccountMachine;
  readonly #options: AccountOptions;

  /** What `adreport.yaml` says of the account for all commands. */
  readonly #projectDefaults: () => Promise<ProjectChoice>;
  readonly #chosen = new Map<string, ServiceAccount>();
  readonly #saidSentences = new Set<string>();

  /** The accounts whose settings were asked for. */
  readonly #accountNames = new Set<string>();
  readonly #connections: Http[] = [];

  constructor(machine: AccountMachine, options: AccountOptions) {
    this.#machine = machine;
    this.#options = options;
    this.#projectDefaults = once(() => readProjectDefaults(machine.cwd, machine.console.warn));
    this.own = this.#accountOf(options);
  }

  /** The settings file of this user. */
  store(): Store {
    return new Store(this.#machine.env, this.#machine.console.warn, this.#machine.files);
  }

  /**
   * The accounts that a run is for, where it is for several; `undefined` for one. A saved report
   * has a choice of its own. Throws `UsageError` as `resolveAccountList`, and `SignInError` for all
   * of none.
   */
  async names(
    { account }: AccountOptions,
    choice?: ProjectChoice,
  ): Promise<readonly string[] | undefined> {
    const flags = { account };
    const names = this.own.isLocal
      ? resolveAccountList({ flags, env: {} })
      : resolveAccountList({
          flags,
          env: this.#machine.env,
          projectFile: choice ?? (await this.#projectDefaults()),
        });
    return names === 'all' ? this.#allNames() : names;
  }

  /** The account that options and a saved report choose; reports of one account share it. */
  choose(options: AccountOptions, choice?: ProjectChoice): ServiceAccount {
    const isOwn = !choice && options.account === this.#options.account;
    if (isOwn) return this.own;

    const { account, retries, timeout } = options;
    const key = JSON.stringify([choice, account, retries, timeout]);
    const existing = this.#chosen.get(key);
    if (existing) return existing;

    const chosen = this.#accountOf({ ...this.#options, ...options }, choice);
    this.#chosen.set(key, chosen);
    return chosen;
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    for (const http of this.#connections) await http.close();
  }

  #accountOf(options: AccountOptions, choice?: ProjectChoice): ServiceAccount {
    const isLocal = options.local === true;
    return new ServiceAccount({
      isLocal,
      findSettings: () =>
        isLocal ? this.#localSettings(options, choice) : this.#findSettings(options, choice),
      connect: (signIn) => this.#connect(signIn, options),
      withOwnPassword: (settings) => this.#withOwnPassword(settings),
      runCommand: (command, account) => this.#runCommand(command, account),
      note: (sentence) => this.#noteOnce(sentence),
    });
  }

  /**
   * Every stored account, or those of the local server. Throws `SignInError` where none is stored.
   */
  async #allNames(): Promise<readonly string[]> {
    if (this.own.isLocal) {
      const { accounts } = await this.#machine.localServer();
      return accounts.map(({ name }) => name);
    }

    const { accounts } = await this.store().read();
    const names = Object.keys(accounts);
    if (names.length > 0) return names;
    throw new SignInError('No account is stored.', { hint: 'Sign in with: adreport login' });
  }

  async #findSettings(options: AccountOptions, choice?: ProjectChoice): Promise<Settings> {
    const { env, console } = this.#machine;
    const projectFile = choice ?? (await this.#projectDefaults());
    const stored = await readUnlessNeedless(this.store(), env, options, console.warn);
    const settings = resolveSettings({ flags: options, env, projectFile, stored });
    hideSecrets(settings, console);
    this.#accountNames.add(settings.account.value);
    return settings;
  }

  async #localSettings(options: AccountOptions, choice?: ProjectChoice): Promise<Settings> {
    const server = await this.#machine.localServer();
    const settings = settingsOfLocal(server, options, choice);
    hideSecrets(settings, this.#machine.console);
    return settings;
  }

  async #connect(signIn: SignIn, options: AccountOptions): Promise<Client> {
    const { env, console, exchange, userAgent } = this.#machine;
    const { timeout = 30_000, retries = 5 } = options;
    const proxy = readProxy(env);
    if (proxy) console.hide(decodeURIComponent(proxy.url.password));

    const trace = (line: string): void => console.trace(1, line);
    const http = await createHttp({ timeoutMs: timeout, userAgent, proxy, trace });
    this.#connections.push(http);

    const { hide, redact } = console;
    const note = (sentence: string): void => console.note(`Note: ${sentence}`);
    return new Client({ ...signIn, http, retries, host: exchange, note, hide, redact });
  }

  /**
   * The settings without a password of the environment that is for one account, if there are two:
   * it may be that of the other one.
   */
  #withOwnPassword(settings: Settings): Settings {
    const { isPasswordUnclaimed, password, email } = settings;
    const mayBeAnothers = isPasswordUnclaimed && email.value && this.#accountNames.size > 1;
    if (!mayBeAnothers || password.value === undefined) return settings;

    this.#noteOnce(
      'ADREPORT_PASSWORD is not used: it does not say which of the accounts it is for. Set ADREPORT_EMAIL too.',
    );
    return { ...settings, password: { ...password, value: undefined } };
  }

  async #runCommand(command: string, account: string): Promise<string> {
    const { env, exchange } = this.#machine;
    const { readPasswordFrom } = await import('./password-command.ts');
    return readPasswordFrom(command, { account, env, signal: exchange.signal });
  }

  /** Says what several accounts may have alike. */
  #noteOnce(sentence: string): void {
    if (!this.#saidSentences.has(sentence)) this.#machine.console.note(sentence);
    this.#saidSentences.add(sentence);
  }
}

/** What an account is made with. */
interface ServiceAccountOptions {
  readonly isLocal: boolean;
  readonly findSettings: () => Promise<Settings>;
  readonly connect: (signIn: SignIn) => Promise<Client>;

  /** The settings without a password that may be another account's. */
  readonly withOwnPassword: (settings: Settings) => Settings;
  readonly runCommand: PasswordRunner;
  readonly note: (sentence: string) => void;

  /** Stands in for what the settings give to sign in with. */
  readonly signIn?: SignIn;
}

/**
 * One account of one service: its settings and its client, each made when it is first asked for.
 */
export class ServiceAccount {
  readonly isLocal: boolean;

  /**
   * Base URL, token and the like with where each came from; with `--local` those of the server in
   * this process.
   */
  readonly settings: () => Promise<Settings>;

  /**
   * The client for what the settings say. Throws `SignInError` where they lack a base URL, or both
   * token and credentials.
   */
  readonly client: () => Promise<Client>;
  readonly #options: ServiceAccountOptions;

  constructor(options: ServiceAccountOptions) {
    this.isLocal = options.isLocal;
    this.settings = once(options.findSettings);
    this.client = once(() => this.#open());
    this.#options = options;
  }

  /** What the settings give to sign in with. Throws as `requireSignIn`. */
  async signIn(): Promise<SignIn> {
    const { withOwnPassword, runCommand } = this.#options;
    return requireSignIn(withOwnPassword(await this.settings()), runCommand);
  }

  /** As `nameOfAccount`. */
  async name(): Promise<string> {
    return nameOfAccount(await this.settings());
  }

  /** The same account with another sign-in: what is to be proved before it is stored. */
  signingInWith(signIn: SignIn): ServiceAccount {
    return new ServiceAccount({ ...this.#options, findSettings: this.settings, signIn });
  }

  async #open(): Promise<Client> {
    const { connect, note, signIn } = this.#options;
    if (signIn) return connect(signIn);

    const settings = await this.settings();
    const ownSignIn = await this.signIn();
    const { token, email, password, account, signInNote } = settings;
    if (signInNote !== undefined) note(signInNote);

    const isRenewedByEnv = email.source === 'env' && password.value !== undefined;
    if (token.source === 'account' && isRenewedByEnv) {
      note(
        `The stored token of account “${account.value}” is used; ADREPORT_PASSWORD only renews it.`,
      );
    }
    return connect(ownSignIn);
  }
}

/**
 * Keeps secrets out of stderr; a `-vv` trace is made to be sent to others, who need not know whose
 * account it is.
 */
function hideSecrets(settings: Settings, console: Console): void {
  for (const key of settingKeys) {
    const { hiddenFrom } = { hiddenFrom: undefined, ...settingTable[key] };
    const { value } = settings[key];
    if (hiddenFrom === undefined || typeof value !== 'string' || value === '') continue;
    if (hiddenFrom === 'stderr') console.hide(value);
    else if (console.verbosity >= 2) console.hideWhole(value);
  }
}

/**
 * The settings of `--local`: an account of the server in this process, by name (`--account`) or by
 * profile.
 */
function settingsOfLocal(
  { url, accounts }: LocalService,
  options: AccountOptions,
  choice: ProjectChoice | undefined,
): Settings {
  if (options.account !== undefined) refuseSeveralAccounts(options.account);
  const wantedName = options.account ?? options.profile ?? choice?.profile ?? 'buyer';
  const account = accounts.find(({ name }) => name === wantedName);
  if (!account) {
    const names = accounts.map(({ name }) => name).join(', ');
    throw new UsageError(`The local server has no account “${wantedName}”.`, {
      hint: `It has: ${names}.`,
    });
  }

  const { name, token, profile } = account;
  const { baseUrl: _address, profile: _profile, ...others } = options;
  const stored = { ...noSettings, accounts: { [name]: { baseUrl: url, token, profile } } };
  const flags = { ...others, account: name };
  const settings = resolveSettings({ flags, env: {}, stored });
  return { ...settings, account: { ...settings.account, from: '--local' } };
}

/** What is made at most once, when first asked for. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
