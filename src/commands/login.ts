import { Option } from 'commander';
import type { Client, Credentials } from '../api/client.ts';
import { checkBaseUrl, checkToken } from '../config/settings.ts';
import { withAccount } from '../config/store.ts';
import type { Context } from '../context.ts';
import { type Encoding, encodings } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { AdreportError, SignInError, UsageError } from '../errors.ts';
import { encodeRequest } from '../report/request.ts';
import { formatPlural } from '../text/quantity.ts';
import { createPrompt, type Prompt, readSecret } from '../ui/prompt.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

interface LoginOptions {
  readonly baseUrl?: string;
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly tokenStdin?: boolean;
  readonly profile?: Profile;
  readonly encoding?: Encoding;
  readonly account?: string;
}

export const loginCommand: CommandBuilder = (perform) =>
  declareCommand('login', 'sign in and store the token', [
    ['adreport login', 'asks for everything'],
    ['adreport login --base-url https://reports.example.com --token-stdin < token.txt', 'unattended'],
    ['adreport login --account agency --email buyer@example.com', 'a second account, beside the first'],
  ])
    .option('--base-url <url>', 'address of the service')
    .option('--email <address>', 'sign in with e-mail and password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token-stdin', 'read a token made in the service’s console from standard input')
    .addOption(new Option('--profile <name>', 'the profile of the account (default: buyer)').choices(profiles))
    .addOption(new Option('--encoding <kind>', 'of the bodies of all calls (default: json)').choices(encodings))
    .option('--account <name>', 'name to store it under (default: default)')
    .action(perform(login));

/** Who somebody is, as they say. */
interface Proof {
  readonly token?: string;
  readonly credentials?: Credentials;
  /** Whether it was asked for, so that it can be asked for again. */
  readonly isTyped?: boolean;
}

/** Asks for what is missing, proves it with a call, and stores the token; the password is never stored. */
async function login(context: Context, options: LoginOptions): Promise<void> {
  const { console, host } = context;
  if (options.passwordStdin && options.tokenStdin) {
    throw new UsageError('--password-stdin and --token-stdin exclude each other: standard input is read once.');
  }
  const { account, baseUrl: known, profile, encoding, windowClock, storedAccount } = await context.settings();
  const prompt = createPrompt(host.stdin, console, host.signal);

  const baseUrl =
    known.value && known.source !== 'account'
      ? known.value
      : checkBaseUrl(
          await prompt.ask({
            what: 'base URL of the service',
            flag: '--base-url URL',
            check: checkBaseUrl,
            default: storedAccount?.baseUrl,
          }),
        );
  const signedIn = await signIn(context, options, prompt, {
    baseUrl,
    encoding: encoding.value,
    storedEmail: storedAccount?.email,
  });
  const { client, token, email, campaigns } = signedIn;
  const isDsp = profile.source === 'default' && (await refusesBuyers(client, encoding.value));
  const stored = isDsp ? 'dsp' : profile.value;
  const saved = {
    baseUrl: baseUrl.href,
    token,
    profile: stored,
    // What is the default is not stored, so that a service that changes needs no change here.
    encoding: encoding.value === 'json' ? undefined : encoding.value,
    windowClock: windowClock.value === 'instant' ? undefined : windowClock.value,
    email,
    savedAt: new Date(host.wallClock()).toISOString(),
  };
  await context.store().update((settings) => withAccount(settings, account.value, saved));
  const count = campaigns === undefined ? '' : `, ${formatPlural(campaigns, 'campaign')}`;
  console.note(`Signed in to ${baseUrl.href} as account “${account.value}”: ${stored} profile${count}.`);
}

/** How often a secret that is typed may be wrong. */
const triesAtMost = 3;

/** Proves who somebody is with a call. What is typed and refused is asked for again. */
async function signIn(
  context: Context,
  options: LoginOptions,
  prompt: Prompt,
  {
    storedEmail,
    ...service
  }: { readonly baseUrl: URL; readonly encoding: Encoding; readonly storedEmail: string | undefined },
) {
  for (let tries = 1; ; tries += 1) {
    const { isTyped = false, ...proof } = await askProof(context, options, prompt, storedEmail);
    const client = await context.clientFor({ ...service, token: undefined, credentials: undefined, ...proof });
    try {
      const token = proof.token ?? (await client.signIn());
      return { client, token, email: proof.credentials?.email, campaigns: await countCampaigns(context, client) };
    } catch (error) {
      if (!(error instanceof SignInError) || !isTyped || tries === triesAtMost) throw error;
      context.console.warn(`${error.message} Try again.`);
    }
  }
}

/** How many campaigns the account sees; `undefined`, with a warning, where it has no list of them. */
async function countCampaigns({ console }: Context, client: Client): Promise<number | undefined> {
  try {
    return (await client.campaigns()).length;
  } catch (error) {
    if (!(error instanceof AdreportError) || ![403, 404].includes(error.httpStatus ?? 0)) throw error;
    console.warn(`The list of campaigns is not to be had, so that the token is not proved: ${error.message}`);
    return undefined;
  }
}

/**
 * Whether the service says that the account has no buyer profile. What is asked for makes no report of any account, because
 * two time breakdowns exclude each other.
 */
async function refusesBuyers(client: Client, encoding: Encoding): Promise<boolean> {
  const request = { since: 0, until: 1, metrics: ['clicks'], breakdowns: ['DAILY', 'MONTHLY'], filters: {} } as const;
  try {
    await client.createReport(encodeRequest(request, encoding), async () => {});
  } catch (error) {
    return error instanceof AdreportError && error.code === 'PROFILE_MISMATCH';
  }
  return false;
}

/**
 * A token or credentials, from where the flags say, else the environment's, else asked for. An address given as a flag
 * stands above a token of the environment.
 */
async function askProof(
  { console, host }: Context,
  options: LoginOptions,
  prompt: Prompt,
  storedEmail: string | undefined,
): Promise<Proof> {
  const { env, stdin, signal } = host;
  if (options.tokenStdin) return { token: checkToken(await readSecret(stdin, console, '--token-stdin', signal)) };
  const email = options.email ?? (env.ADREPORT_EMAIL || undefined);
  if (options.passwordStdin) {
    if (email === undefined)
      throw new UsageError('--password-stdin needs the e-mail address.', { hint: 'Add --email.' });
    return { credentials: { email, password: await readSecret(stdin, console, '--password-stdin', signal) } };
  }
  if (options.email === undefined && env.ADREPORT_TOKEN) return { token: checkToken(env.ADREPORT_TOKEN) };
  if (email !== undefined && env.ADREPORT_PASSWORD) return { credentials: { email, password: env.ADREPORT_PASSWORD } };

  const way = email === undefined ? await chooseWay(prompt) : 'password';
  if (way === 'token') {
    const token = await prompt.askSecret({ what: 'token', flag: '--token-stdin', check: checkToken });
    return { token: checkToken(token), isTyped: true };
  }
  return { credentials: await askCredentials(prompt, email, storedEmail), isTyped: true };
}

function chooseWay(prompt: Prompt): Promise<'password' | 'token'> {
  return prompt.choose({ what: 'way to sign in', flag: '--token-stdin, or with --email and --password-stdin' }, [
    { value: 'password', name: 'E-mail and password' },
    { value: 'token', name: 'A token made in the service’s console' },
  ]);
}

async function askCredentials(
  prompt: Prompt,
  email: string | undefined,
  storedEmail: string | undefined,
): Promise<Credentials> {
  const asked = email ?? (await prompt.ask({ what: 'e-mail address', flag: '--email ADDRESS', default: storedEmail }));
  return { email: asked, password: await prompt.askSecret({ what: 'password', flag: '--password-stdin' }) };
}
