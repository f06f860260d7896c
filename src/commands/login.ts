import type { Client, Credentials } from '../api/client.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { checkBaseUrl, checkToken } from '../config/settings.ts';
import { withAccount } from '../config/store.ts';
import type { Context } from '../context.ts';
import { type Encoding, encodings } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { AdreportError, SignInError, UsageError } from '../errors.ts';
import { encodeRequest } from '../report/request.ts';
import { formatPlural } from '../text/quantity.ts';
import { createPrompt, type Prompt, readSecret } from '../ui/prompt.ts';
import { declareCommand } from './command.ts';

const loginFlags = flagGroup('Options:', {
  baseUrl: { flags: '--base-url <url>', meaning: 'address of the service' },
  email: { flags: '--email <address>', meaning: 'sign in with e-mail and password' },
  passwordStdin: {
    flags: '--password-stdin',
    meaning: 'read the password from standard input',
    conflicts: ['tokenStdin'],
  },
  tokenStdin: {
    flags: '--token-stdin',
    meaning: 'read a token made in the service’s console from standard input',
  },
  profile: {
    flags: '--profile <name>',
    meaning: 'the profile of the account (default: buyer)',
    words: profiles,
  },
  encoding: {
    flags: '--encoding <kind>',
    meaning: 'of the bodies of all calls (default: json)',
    words: encodings,
  },
  account: {
    flags: '--account <name>',
    meaning: 'name to store it under (default: default)',
  },
});

type LoginOptions = OptionsOf<typeof loginFlags>;

export const loginCommand = declareCommand({
  name: 'login',
  summary: 'sign in and store the token',
  examples: [
    ['adreport login', 'asks for everything'],
    [
      'adreport login --base-url https://reports.example.com --token-stdin < token.txt',
      'unattended',
    ],
    [
      'adreport login --account agency --email buyer@example.com',
      'a second account, beside the first',
    ],
  ],
  flags: [loginFlags],
  async action({ context, options }) {
    await login(context, options);
    return 0;
  },
});

/** Who somebody is, as they say. */
type Proof = { readonly token?: string; readonly credentials?: Credentials };

/** Asks for what is missing, proves it with a call, and stores the token; the password is never stored. */
async function login(context: Context, options: LoginOptions): Promise<void> {
  const { console, host } = context;
  const {
    account,
    baseUrl: known,
    profile,
    encoding,
    windowClock,
    storedAccount,
  } = await context.settings();
  const prompt = createPrompt(host.stdin, console, host.signal);
  const question = { what: 'base URL of the service', flag: '--base-url URL', check: checkBaseUrl };
  const isGiven = known.value && known.source !== 'account';
  const askBaseUrl = () => prompt.ask({ ...question, default: storedAccount?.baseUrl });
  const baseUrl = isGiven ? known.value : checkBaseUrl(await askBaseUrl());
  const email = options.email ?? (host.env.ADREPORT_EMAIL || undefined);
  const given: Proof | undefined = await givenProof(context, options, email);
  for (let tries = 1; ; tries += 1) {
    const proof = given ?? (await askProof(prompt, email, storedAccount?.email));
    const none = { token: undefined, credentials: undefined };
    const client = await context.clientFor({
      baseUrl,
      encoding: encoding.value,
      ...none,
      ...proof,
    });
    try {
      const token = proof.token ?? (await client.signIn());
      const campaigns = await countCampaigns(context, client);
      const isDsp = profile.source === 'default' && (await refusesBuyers(client, encoding.value));
      const stored = isDsp ? 'dsp' : profile.value;
      const saved = {
        baseUrl: baseUrl.href,
        token,
        profile: stored,
        // What is the default is not stored, so that a service that changes needs no change here.
        encoding: encoding.value === 'json' ? undefined : encoding.value,
        windowClock: windowClock.value === 'instant' ? undefined : windowClock.value,
        email: proof.credentials?.email,
      };
      await context.store().update((settings) => withAccount(settings, account.value, saved));
      const shown = `account “${account.value}”: ${stored} profile${campaigns}`;
      return console.note(`Signed in to ${baseUrl.href} as ${shown}.`);
    } catch (error) {
      // What is typed and refused is asked for again, three times in all.
      if (!(error instanceof SignInError) || given || tries === 3) throw error;
      console.warn(`${error.message} Try again.`);
    }
  }
}

/** `, 12 campaigns`: how many the account sees; nothing, with a warning, where it has no list of them. */
async function countCampaigns({ console }: Context, client: Client): Promise<string> {
  try {
    return `, ${formatPlural((await client.campaigns()).length, 'campaign')}`;
  } catch (error) {
    if (!(error instanceof AdreportError) || ![403, 404].includes(error.httpStatus ?? 0))
      throw error;
    console.warn(
      `The list of campaigns is not to be had, so that the token is not proved: ${error.message}`,
    );
    return '';
  }
}

/** Whether the account has no buyer profile. No report is made: two time breakdowns exclude each other. */
async function refusesBuyers(client: Client, encoding: Encoding): Promise<boolean> {
  const request = {
    since: 0,
    until: 1,
    metrics: ['clicks'],
    breakdowns: ['DAILY', 'MONTHLY'],
    filters: {},
  } as const;
  return client
    .createReport(encodeRequest(request, encoding), async () => {})
    .then(
      () => false,
      (error) => error instanceof AdreportError && error.code === 'PROFILE_MISMATCH',
    );
}

/** What flags or the environment give; `undefined` where nothing does. `--email` stands above a token of the environment. */
async function givenProof({ console, host }: Context, options: LoginOptions, email?: string) {
  const { env, stdin, signal } = host;
  if (options.tokenStdin)
    return { token: checkToken(await readSecret(stdin, console, '--token-stdin', signal)) };
  if (options.passwordStdin) {
    const hint = 'Add --email.';
    if (email === undefined)
      throw new UsageError('--password-stdin needs the e-mail address.', { hint });
    return {
      credentials: {
        email,
        password: await readSecret(stdin, console, '--password-stdin', signal),
      },
    };
  }
  if (options.email === undefined && env.ADREPORT_TOKEN)
    return { token: checkToken(env.ADREPORT_TOKEN) };
  const password = env.ADREPORT_PASSWORD;
  return email !== undefined && password ? { credentials: { email, password } } : undefined;
}

async function askProof(
  prompt: Prompt,
  known: string | undefined,
  storedEmail: string | undefined,
): Promise<Proof> {
  if (known === undefined) {
    const flag = '--token-stdin, or with --email and --password-stdin';
    const way = await prompt.choose({ what: 'way to sign in', flag }, [
      { value: 'password', name: 'E-mail and password' },
      { value: 'token', name: 'A token made in the service’s console' },
    ]);
    const question = { what: 'token', flag: '--token-stdin', check: checkToken };
    if (way === 'token') return { token: checkToken(await prompt.askSecret(question)) };
  }
  const question = { what: 'e-mail address', flag: '--email ADDRESS', default: storedEmail };
  const email = known ?? (await prompt.ask(question));
  return {
    credentials: {
      email,
      password: await prompt.askSecret({ what: 'password', flag: '--password-stdin' }),
    },
  };
}
