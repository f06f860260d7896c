import { formatBaseUrl, maskToken } from '../account/setting-values.ts';
import { type TokenTrial, tryToken } from '../account/try-token.ts';
import { AdreportError } from '../errors.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import type { Context } from '../run/context.ts';
import { declareCommand } from './command.ts';

export const whoamiCommand = declareCommand({
  name: 'whoami',
  summary: 'show the account, where its token comes from, and whether it works',
  examples: [
    ['adreport whoami', 'one line'],
    ['adreport whoami --json', 'for programs'],
  ],
  flags: [serviceFlags],
  action: ({ context }) => whoami(context),
});

/**
 * Prints the account and checks its token with a call. If the call fails, throws the error after
 * the output.
 */
async function whoami(context: Context): Promise<void> {
  const { console, flags } = context;
  const { account, baseUrl, token, profile } = await context.account.settings();
  const trial = await tryAccount(context);
  const { warning, failure } = trial;
  if (token.value === undefined && failure && !flags.json) throw failure;

  const mask = token.value === undefined ? null : maskToken(token.value);
  const url = baseUrl.value ? formatBaseUrl(baseUrl.value) : null;
  if (flags.json) {
    const identity = {
      account: account.value,
      baseUrl: url,
      profile: profile.value,
      token: mask,
      tokenSource: mask && token.source,
      works: warning ? null : failure === undefined,
    };
    await console.result(JSON.stringify(identity));
  } else {
    const facts = [
      `account ${account.value}`,
      url ?? 'no base URL',
      `${profile.value} profile`,
      mask === null ? 'no token' : `token ${mask} (from ${token.from})`,
      describeTrial(trial),
    ];
    await console.result(facts.join(' · '));
  }

  if (failure) throw failure;
  if (warning) console.warn(warning.message);
}

interface AccountTrial extends TokenTrial {
  /** Error of the call, to be thrown after the output. */
  readonly failure?: AdreportError;
}

async function tryAccount({ account }: Context): Promise<AccountTrial> {
  try {
    return await tryToken(await account.client());
  } catch (error) {
    if (!(error instanceof AdreportError)) throw error;
    return { failure: error };
  }
}

function describeTrial({ campaigns, warning }: AccountTrial): string {
  if (campaigns !== undefined) return `works: ${campaigns}`;
  return warning ? 'not checked' : 'does not work';
}
