import { formatBaseUrl, maskToken } from '../account/setting-values.ts';
import { AdreportError, isForbidden } from '../errors.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import type { Context } from '../run/context.ts';
import { formatPlural } from '../text/quantity.ts';
import { declareCommand } from './command.ts';

export const whoamiCommand = declareCommand({
  name: 'whoami',
  summary: 'show the account, where its token comes from, and whether it works',
  examples: [
    ['adreport whoami', 'one line'],
    ['adreport whoami --json', 'for programs'],
  ],
  flags: [serviceFlags],
  async action({ context }) {
    await whoami(context);
    return 0;
  },
});

/** Shows the account and tries its token with a call; a failure is thrown after the output. */
async function whoami(context: Context): Promise<void> {
  const { console, flags } = context;
  const { account, baseUrl, token, profile } = await context.account.settings();
  const { works, outcome, error } = await tryToken(context);
  if (token.value === undefined && error && !flags.json) throw error;

  const mask = token.value === undefined ? null : maskToken(token.value);
  const url = baseUrl.value ? formatBaseUrl(baseUrl.value) : null;
  if (flags.json) {
    const identity = {
      account: account.value,
      baseUrl: url,
      profile: profile.value,
      token: mask,
      tokenSource: mask && token.source,
      works,
    };
    await console.result(JSON.stringify(identity));
  } else {
    const facts = [
      `account ${account.value}`,
      url ?? 'no base URL',
      `${profile.value} profile`,
      mask === null ? 'no token' : `token ${mask} (from ${token.from})`,
      outcome,
    ];
    await console.result(facts.join(' · '));
  }

  if (works === false) throw error;
  if (error) console.warn(error.message);
}

/** Result of a call with the token. */
interface TokenTrial {
  /** True if the token works; `null` if it may, but the account cannot list campaigns. */
  readonly works: boolean | null;
  readonly outcome: string;
  readonly error?: AdreportError;
}

/** Requests the list of campaigns, the cheapest call. */
async function tryToken({ account }: Context): Promise<TokenTrial> {
  try {
    const client = await account.client();
    const { campaigns } = await client.campaigns();
    return { works: true, outcome: `works: ${formatPlural(campaigns.length, 'campaign')}` };
  } catch (error) {
    if (!(error instanceof AdreportError)) throw error;
    if (isForbidden(error)) return { works: null, outcome: 'not checked', error };
    return { works: false, outcome: 'does not work', error };
  }
}
