import { maskToken } from '../account/setting-values.ts';
import type { Context } from '../context.ts';
import { AdreportError, isForbidden } from '../errors.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { printable } from '../text/printable.ts';
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
  const settings = await context.account.settings();
  const { account, baseUrl, token, profile, passwordCommand } = settings;
  const answer = await askService(context);

  const identity = {
    account: account.value,
    baseUrl: baseUrl.value?.href ?? null,
    profile: profile.value,
    token: token.value === undefined ? null : maskToken(token.value),
    tokenSource: token.value === undefined ? null : token.source,
    passwordCommand: passwordCommand.value ?? null,
    works: answer.uncertain ? null : answer.error === undefined,
  };
  if (flags.json) {
    await console.result(JSON.stringify(identity));
  } else {
    const isSignedIn = token.value !== undefined && baseUrl.value !== undefined;
    const facts = [
      `account ${identity.account}`,
      identity.baseUrl ?? 'no base URL',
      `${identity.profile} profile`,
      identity.token === null ? 'no token' : `token ${identity.token} (from ${token.from})`,
      ...(passwordCommand.value ? [`password command ${printable(passwordCommand.value)}`] : []),
      isSignedIn ? describeTokenCheck(answer) : 'not signed in',
    ];
    await console.result(facts.join(' · '));
  }

  if (answer.uncertain) console.warn(answer.uncertain.message);
  if (answer.error) throw answer.error;
}

function describeTokenCheck({ campaignCount = 0, uncertain, error }: TokenCheck): string {
  if (error) return 'does not work';
  return uncertain ? 'not checked' : `works: ${formatPlural(campaignCount, 'campaign')}`;
}

/** Result of a call with the token. */
interface TokenCheck {
  readonly campaignCount?: number;

  /** The token may work: some accounts cannot list campaigns. */
  readonly uncertain?: AdreportError;
  readonly error?: AdreportError;
}

/** Requests the list of campaigns, the cheapest call. */
async function askService(context: Context): Promise<TokenCheck> {
  try {
    const client = await context.account.client();
    const { campaigns } = await client.campaigns();
    return { campaignCount: campaigns.length };
  } catch (error) {
    if (!(error instanceof AdreportError)) throw error;
    return isForbidden(error) ? { uncertain: error } : { error };
  }
}
