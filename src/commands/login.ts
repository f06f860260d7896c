import { readPasswordFrom } from '../account/password-command.ts';
import { readBaseUrlFrom, type Settings } from '../account/resolve.ts';
import {
  allowedHttpHosts,
  checkToken,
  formatBaseUrl,
  parseCommand,
} from '../account/setting-values.ts';
import { findAccount, type StoredAccount, withAccount } from '../account/store.ts';
import { tryToken } from '../account/try-token.ts';
import { checkBaseUrl, exampleBaseUrl, guessBaseUrl } from '../api/base-url.ts';
import type { Credentials } from '../api/client.ts';
import { encodings } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { isNotSignedIn, UsageError } from '../errors.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import type { Context } from '../run/context.ts';
import { Prompt, readSecret } from '../ui/prompt.ts';
import { declareCommand } from './command.ts';

const loginFlags = flagGroup('Flags:', {
  baseUrl: { flags: '--base-url <url>', meaning: 'base URL of the service' },
  email: { flags: '--email <address>', meaning: 'sign in with e-mail and password' },
  passwordStdin: {
    flags: '--password-stdin',
    meaning: 'read the password from standard input',
    conflicts: ['tokenStdin'],
  },
  passwordCommand: {
    flags: '--password-command <cmd>',
    meaning: "store a command that prints the password, e.g. 'pass show ads/b'",
    conflicts: ['passwordStdin', 'tokenStdin'],
  },
  tokenStdin: {
    flags: '--token-stdin',
    meaning: 'read a token (from the service’s console) from standard input',
  },
  profile: {
    flags: '--profile <name>',
    meaning: 'profile of the account: buyer or dsp',
    choices: profiles,
  },
  encoding: {
    flags: '--encoding <kind>',
    meaning: 'encode requests as json or form (default: json)',
    choices: encodings,
    isRare: true,
  },
  account: {
    flags: '--account <name>',
    meaning: 'store the account under this name (default: “default”)',
  },
});

type LoginOptions = OptionsOf<typeof loginFlags>;

export const loginCommand = declareCommand({
  name: 'login',
  summary: 'sign in and store the token',
  examples: [
    ['adreport login', 'prompt for what is missing'],
    [
      'adreport login --base-url https://reports.example.com --token-stdin <token.txt',
      'unattended',
    ],
  ],
  flags: [loginFlags],
  action: ({ context, options }) => login(context, options),
});

/** The service to sign in to, and the account to store. */
interface Target {
  readonly name: string;

  /** Account already stored under that name, if any. */
  readonly before: StoredAccount | undefined;
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly settings: Settings;
}

/** Credentials from flags or prompts: a token, or an e-mail address and a password. */
interface SignInInput {
  readonly token?: string;
  readonly credentials?: Credentials & { readonly password: string };

  /** Command that printed the password, to be stored. */
  readonly passwordCommand?: string;
}

/** Maximum number of attempts at a prompt. */
const maxTries = 3;

/** Prompts for missing values and checks them with a call. Stores the token, never the password. */
async function login(context: Context, options: LoginOptions): Promise<void> {
  const { accounts, console, host } = context;
  const prompt = new Prompt(host.stdin, console, host.signal);
  const settings = await context.account.settings();
  const name = await accounts.nameToChange();
  const before = findAccount(settings.stored, name);

  const urlInput = readBaseUrlFrom(options, host.env);
  const baseUrl = urlInput ?? (await askBaseUrl(prompt, before, host.env));
  const isAsked = settings.profile.source === 'default' && console.isInteractive;
  const profile = isAsked ? await askProfile(prompt) : settings.profile.value;
  const target = { name, before, baseUrl, profile, settings };

  const signInInput = await readCredentials(context, options, target);
  if (signInInput) return signIn(context, target, signInInput);

  const way = options.email === undefined ? await askWay(prompt) : 'password';
  let lastEmail = before?.email;
  for (let tries = 1; ; tries += 1) {
    const isToken = way === 'token';
    const input = isToken
      ? await askToken(prompt)
      : await askPassword(prompt, options.email, lastEmail);
    lastEmail = input.credentials?.email;
    try {
      return await signIn(context, target, input);
    } catch (error) {
      if (!isNotSignedIn(error) || tries === maxTries) throw error;
      console.warn(`${error.message} Try again.`);
    }
  }
}

async function askBaseUrl(
  prompt: Prompt,
  before: StoredAccount | undefined,
  env: Context['host']['env'],
): Promise<URL> {
  // Adds a missing scheme.
  const read = (text: string) => checkBaseUrl(guessBaseUrl(text) ?? text, allowedHttpHosts(env));
  const answer = await prompt.ask({
    noun: 'the base URL of the service',
    flag: '--base-url URL',
    example: exampleBaseUrl,
    check: read,
    default: before?.baseUrl,
  });
  return read(answer);
}

function askProfile(prompt: Prompt): Promise<Profile> {
  return prompt.choose({ noun: 'the profile of the account', flag: '--profile NAME' }, [
    { value: 'buyer', name: 'Buyer' },
    { value: 'dsp', name: 'DSP' },
  ]);
}

/**
 * Reads the secret from the source that the flags name, or returns `undefined` without such a flag.
 */
async function readCredentials(
  { console, host }: Context,
  { tokenStdin, passwordStdin, passwordCommand, email: emailInput }: LoginOptions,
  { name, before }: Target,
): Promise<SignInInput | undefined> {
  const { env, stdin, signal } = host;
  if (tokenStdin) {
    const token = await readSecret({ stdin, console, flag: '--token-stdin', signal });
    return { token: checkToken(token) };
  }
  if (!passwordStdin && passwordCommand === undefined) return undefined;

  const email = emailInput ?? before?.email;
  if (email === undefined) {
    throw new UsageError('A password alone cannot sign in.', { hint: 'Add --email ADDRESS.' });
  }
  if (passwordCommand === undefined) {
    const password = await readSecret({ stdin, console, flag: '--password-stdin', signal });
    return { credentials: { email, password } };
  }
  const command = parseCommand(passwordCommand);
  const password = await readPasswordFrom(command, { account: name, env, signal });
  console.hide(password);
  return { credentials: { email, password }, passwordCommand: command };
}

function askWay(prompt: Prompt): Promise<'password' | 'token'> {
  const flag = '--token-stdin, or with --email and --password-stdin';
  return prompt.choose({ noun: 'the sign-in method', title: 'Sign in with', flag }, [
    { value: 'password', name: 'E-mail and password' },
    { value: 'token', name: 'Token from the service’s console' },
  ]);
}

async function askToken(prompt: Prompt): Promise<SignInInput> {
  const question = { noun: 'the token', flag: '--token-stdin', check: checkToken };
  return { token: checkToken(await prompt.askSecret(question)) };
}

/** @param lastEmail default at the prompt for the e-mail address */
async function askPassword(
  prompt: Prompt,
  emailInput: string | undefined,
  lastEmail: string | undefined,
): Promise<SignInInput> {
  const question = { noun: 'the e-mail address', flag: '--email ADDRESS', default: lastEmail };
  const email = emailInput ?? (await prompt.ask(question));
  const password = await prompt.askSecret({ noun: 'the password', flag: '--password-stdin' });
  return { credentials: { email, password } };
}

/**
 * Checks the credentials with a call, and stores the account. Throws `SignInError` if the service
 * refuses them.
 */
async function signIn(context: Context, target: Target, input: SignInInput): Promise<void> {
  const { accounts, account, console } = context;
  const { name, before, baseUrl, profile, settings } = target;
  const { credentials, passwordCommand } = input;
  const [encoding, windowClock] = [settings.encoding.value, settings.windowClock.value];

  const newSignIn = { baseUrl, encoding, token: input.token, credentials };
  const client = await account.connectWith(newSignIn);
  const token = input.token ?? (await client.signIn());
  const { campaigns, warning } = await tryToken(client, true);
  if (warning) {
    console.warn(`The token was not checked, because listing campaigns failed: ${warning.message}`);
  }

  const email = credentials?.email;
  const isSameUser = email !== undefined && email === before?.email;
  const stored: StoredAccount = {
    baseUrl: baseUrl.href,
    token,
    profile,
    // Defaults are not stored, so that they can change later.
    encoding: encoding === 'json' ? undefined : encoding,
    windowClock: windowClock === 'instant' ? undefined : windowClock,
    email,
    passwordCommand: passwordCommand ?? (isSameUser ? before?.passwordCommand : undefined),
  };
  let isDefault = false;
  await accounts.store().update((all) => {
    const changed = withAccount(all, name, stored);
    isDefault = changed.defaultAccount === name;
    return changed;
  });

  const description = [`account “${name}”: ${profile} profile`, campaigns]
    .filter(Boolean)
    .join(', ');
  console.note(`Signed in to ${formatBaseUrl(baseUrl)} as ${description}.`);
  const by = profile === 'dsp' ? 'DAILY' : 'CAMPAIGN';
  const flags = isDefault ? '' : ` --account ${name}`;
  console.note(`Next: adreport run --period last-week --by ${by}${flags}`);
}
