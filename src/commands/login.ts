import { readPasswordFrom } from '../account/password-command.ts';
import { readGivenBaseUrl, type Settings } from '../account/resolve.ts';
import { checkToken, formatBaseUrl, readCommand } from '../account/setting-values.ts';
import { settingTable } from '../account/settings.ts';
import { findAccount, type StoredAccount, withAccount } from '../account/store.ts';
import { checkBaseUrl, exampleBaseUrl, guessBaseUrl } from '../api/base-url.ts';
import type { Client, Credentials } from '../api/client.ts';
import type { Context } from '../context.ts';
import { type Encoding, encodings, type ReportRequest } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { AdreportError, isNotSignedIn, UsageError } from '../errors.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { encodeRequest } from '../query/request.ts';
import { formatPlural } from '../text/quantity.ts';
import { Prompt, readSecret } from '../ui/prompt.ts';
import { declareCommand } from './command.ts';

const loginFlags = flagGroup('Flags:', {
  baseUrl: { flags: settingTable.baseUrl.flag, meaning: 'base URL of the service' },
  email: { flags: '--email <address>', meaning: 'sign in with e-mail and password' },
  passwordStdin: {
    flags: '--password-stdin',
    meaning: 'read the password from standard input',
    conflicts: ['tokenStdin'],
  },
  passwordCommand: {
    flags: settingTable.passwordCommand.flag,
    meaning: "store a command that prints the password, e.g. 'pass show ads/b'",
    conflicts: ['passwordStdin', 'tokenStdin'],
  },
  tokenStdin: {
    flags: '--token-stdin',
    meaning: 'read a token (from the service’s console) from standard input',
  },
  profile: {
    flags: settingTable.profile.flag,
    meaning: 'profile of the account: buyer or dsp',
    words: profiles,
  },
  encoding: {
    flags: settingTable.encoding.flag,
    meaning: 'request bodies as json or form (default: json)',
    words: encodings,
    isRare: true,
  },
  account: {
    flags: settingTable.account.flag,
    meaning: 'store the account under this name (default: “default”)',
  },
});

type LoginOptions = OptionsOf<typeof loginFlags>;

export const loginCommand = declareCommand({
  name: 'login',
  summary: 'sign in and store the token',
  examples: [
    ['adreport login', 'prompts for what it needs'],
    [
      'adreport login --base-url https://reports.example.com --token-stdin <token.txt',
      'unattended',
    ],
    ['adreport login --account agency --email buyer@example.com', 'a second account'],
  ],
  flags: [loginFlags],
  async action({ context, options }) {
    await login(context, options);
    return 0;
  },
});

/** A token, or e-mail and password. */
interface Proof {
  readonly token?: string;
  readonly credentials?: Credentials;

  /** Command that printed the password, to be stored. */
  readonly passwordCommand?: string;
}

/** Service to sign in to, with its settings. */
interface SignInTarget {
  /** Name of the account to store. */
  readonly name: string;

  /** Account of that name, if there is one. */
  readonly before: StoredAccount | undefined;
  readonly baseUrl: URL;
  readonly settings: Settings;
}

/** A sign-in that the service accepted. */
interface SignedIn {
  readonly token: string;
  readonly profile: Profile;
  readonly email: string | undefined;
  readonly passwordCommand: string | undefined;

  /** `undefined` if the account cannot list campaigns. */
  readonly campaignCount: number | undefined;
}

/** Maximum number of tries at a prompt. */
const maxTries = 3;

/** Asks for missing values, checks them with a call, and stores the token, never the password. */
async function login(context: Context, options: LoginOptions): Promise<void> {
  const { console, host } = context;
  const settings = await context.account.settings();
  const prompt = new Prompt(host.stdin, console, host.signal);
  const name = await context.accounts.nameToChange();
  const before = findAccount(settings.stored, name);
  const baseUrl = await readBaseUrl(context, options, before?.baseUrl, prompt);
  const target = { name, before, baseUrl, settings };

  const email = options.email ?? (host.env.ADREPORT_EMAIL || undefined);
  const proof = await readProof(context, options, { ...target, email });
  const signedIn = proof
    ? await tryProof(context, target, proof)
    : await askUntilAccepted(context, target, prompt, email);

  await storeAccount(context, target, signedIn);
}

/** Reads the base URL from the flag or the environment; otherwise asks for it. */
async function readBaseUrl(
  { host }: Context,
  options: LoginOptions,
  storedUrl: string | undefined,
  prompt: Prompt,
): Promise<URL> {
  const given = readGivenBaseUrl(options, host.env);
  if (given) return given;

  const typed = await prompt.ask({
    what: 'base URL of the service',
    flag: '--base-url URL',
    example: exampleBaseUrl,
    check: readTypedBaseUrl,
    default: storedUrl,
  });
  return readTypedBaseUrl(typed);
}

/** Adds a missing scheme. Throws `UsageError` for an invalid base URL. */
function readTypedBaseUrl(text: string): URL {
  return checkBaseUrl(guessBaseUrl(text) ?? text);
}

/**
 * Asks for a token, or for e-mail and password, until the service accepts it, three times at most.
 *
 * @param email from a flag or the environment, so that it is not asked for
 */
async function askUntilAccepted(
  context: Context,
  target: SignInTarget,
  prompt: Prompt,
  email: string | undefined,
): Promise<SignedIn> {
  const way = email === undefined ? await askWay(prompt) : 'password';
  let lastEmail = target.before?.email;
  for (let tries = 1; ; tries += 1) {
    lastEmail = email ?? (way === 'password' ? await askEmail(prompt, lastEmail) : undefined);
    const proof = await askProof(prompt, lastEmail);
    try {
      return await tryProof(context, target, proof);
    } catch (error) {
      if (!isNotSignedIn(error) || tries === maxTries) throw error;
      context.console.warn(`${error.message} Try again.`);
    }
  }
}

function askWay(prompt: Prompt): Promise<'password' | 'token'> {
  const flag = '--token-stdin, or with --email and --password-stdin';
  return prompt.choose({ what: 'way to sign in', title: 'Sign in with', flag }, [
    { value: 'password', name: 'E-mail and password' },
    { value: 'token', name: 'Token from the service’s console' },
  ]);
}

function askEmail(prompt: Prompt, before: string | undefined): Promise<string> {
  return prompt.ask({ what: 'e-mail address', flag: '--email ADDRESS', default: before });
}

/** Asks for the password of an e-mail address, or for a token without one. */
async function askProof(prompt: Prompt, email: string | undefined): Promise<Proof> {
  if (email === undefined) {
    const question = { what: 'token', flag: '--token-stdin', check: checkToken };
    return { token: checkToken(await prompt.askSecret(question)) };
  }
  const question = { what: 'password', flag: '--password-stdin' };
  return { credentials: { email, password: await prompt.askSecret(question) } };
}

/** Signs in and reads the account's profile. Throws `SignInError` if the service refuses. */
async function tryProof(
  context: Context,
  { baseUrl, settings }: SignInTarget,
  { token: ownToken, credentials, passwordCommand }: Proof,
): Promise<SignedIn> {
  const { profile, encoding } = settings;
  const signIn = { baseUrl, encoding: encoding.value, token: ownToken, credentials };
  const client = await context.account.signingInWith(signIn).client();

  const token = ownToken ?? (await client.signIn());
  const campaignCount = await countCampaigns(context, client);
  const isDsp = profile.source === 'default' && (await refusesBuyers(client, encoding.value));
  return {
    token,
    profile: isDsp ? 'dsp' : profile.value,
    email: credentials?.email,
    passwordCommand,
    campaignCount,
  };
}

/** Also prints a note with the next command. */
async function storeAccount(
  context: Context,
  { name, before, baseUrl, settings }: SignInTarget,
  { token, profile, email, passwordCommand, campaignCount }: SignedIn,
): Promise<void> {
  const encoding = settings.encoding.value;
  const windowClock = settings.windowClock.value;

  const isSameUser = email !== undefined && email === before?.email;
  const keptCommand = isSameUser ? before?.passwordCommand : undefined;

  const account: StoredAccount = {
    baseUrl: baseUrl.href,
    token,
    profile,
    // Defaults are not stored, so that they can change later.
    encoding: encoding === 'json' ? undefined : encoding,
    windowClock: windowClock === 'instant' ? undefined : windowClock,
    email,
    passwordCommand: passwordCommand ?? keptCommand,
  };
  let isDefault = false;
  await context.store().update((stored) => {
    const changed = withAccount(stored, name, account);
    isDefault = changed.defaultAccount === name;
    return changed;
  });

  const campaigns =
    campaignCount === undefined ? '' : `, ${formatPlural(campaignCount, 'campaign')}`;
  const description = `account “${name}”: ${profile} profile${campaigns}`;
  context.console.note(`Signed in to ${formatBaseUrl(baseUrl)} as ${description}.`);
  const flags = isDefault ? '' : ` --account ${name}`;
  const by = profile === 'dsp' ? 'DAILY' : 'CAMPAIGN';
  context.console.note(`Next: adreport run --period last-week --by ${by}${flags}`);
}

/** Returns `undefined`, with a warning, if the account cannot list campaigns. */
async function countCampaigns({ console }: Context, client: Client): Promise<number | undefined> {
  try {
    const { campaigns } = await client.campaigns();
    return campaigns.length;
  } catch (error) {
    const hasNoList = error instanceof AdreportError && [403, 404].includes(error.httpStatus ?? 0);
    if (!hasNoList) throw error;
    console.warn(`The token was not checked, because listing campaigns failed: ${error.message}`);
    return undefined;
  }
}

/**
 * Checks whether the service refuses the buyer profile. Two time breakdowns exclude each other, so
 * that no report is requested.
 */
async function refusesBuyers(client: Client, encoding: Encoding): Promise<boolean> {
  const impossibleRequest: ReportRequest = {
    since: 0,
    until: 1,
    metrics: ['clicks'],
    breakdowns: ['DAILY', 'MONTHLY'],
    filters: {},
  };
  try {
    await client.createReport({ body: encodeRequest(impossibleRequest, encoding) });
    return false;
  } catch (error) {
    return error instanceof AdreportError && error.code === 'PROFILE_MISMATCH';
  }
}

/**
 * Reads the token or password from flags or the environment, if any. `--email` wins over a token
 * from the environment.
 */
async function readProof(
  { console, host }: Context,
  options: LoginOptions,
  { email, name, before }: SignInTarget & { readonly email: string | undefined },
): Promise<Proof | undefined> {
  const { env, stdin, signal } = host;
  if (options.passwordCommand !== undefined) {
    const command = readCommand(options.passwordCommand);
    const ownEmail = email ?? before?.email;
    if (ownEmail === undefined) {
      throw new UsageError('--password-command needs --email.', { hint: 'Add --email.' });
    }
    const password = await readPasswordFrom(command, { account: name, env, signal });
    console.hide(password);
    return { credentials: { email: ownEmail, password }, passwordCommand: command };
  }

  if (options.tokenStdin) {
    const token = await readSecret({ stdin, console, flag: '--token-stdin', signal });
    return { token: checkToken(token) };
  }

  if (options.passwordStdin) {
    if (email === undefined) {
      throw new UsageError('--password-stdin needs --email.', { hint: 'Add --email.' });
    }
    const password = await readSecret({ stdin, console, flag: '--password-stdin', signal });
    return { credentials: { email, password } };
  }

  if (options.email === undefined && env.ADREPORT_TOKEN) {
    return { token: checkToken(env.ADREPORT_TOKEN) };
  }
  const password = env.ADREPORT_PASSWORD;
  const isOwn = env.ADREPORT_EMAIL === email || !env.ADREPORT_EMAIL;
  if (email === undefined || !password || !isOwn) return undefined;
  return { credentials: { email, password } };
}
