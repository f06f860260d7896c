import { serviceFlags } from '../app/flags/service-flags.ts';
import { maskToken } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { AdreportError } from '../errors.ts';
import { formatPlural } from '../text/quantity.ts';
import { declareCommand } from './command.ts';

export const whoamiCommand = declareCommand({
  name: 'whoami',
  summary: 'the account, where its token comes from, and whether it works',
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

/** Shows who the program is to the service, and proves it with a call; what does not work is thrown once it is shown. */
async function whoami({ console, flags, settings, client }: Context): Promise<void> {
  const { account, baseUrl, token, profile } = await settings();
  let problem: AdreportError | undefined;
  // The list of campaigns is the lightest call of the service.
  const asked = client().then((service) => service.campaigns());
  const campaigns = await asked.catch((error) => {
    problem = error;
    if (!(error instanceof AdreportError)) throw error;
  });
  const isSet = token.value !== undefined;
  const shown = {
    account: account.value,
    baseUrl: baseUrl.value?.href ?? null,
    profile: profile.value,
    token: isSet ? maskToken(token.value) : null,
    tokenSource: isSet ? token.source : null,
    works: campaigns !== undefined,
  };
  const parts = [
    `account ${shown.account}`,
    shown.baseUrl ?? 'no base URL',
    `${shown.profile} profile`,
    isSet ? `token ${shown.token} (from ${token.from})` : 'no token',
    campaigns ? `works: ${formatPlural(campaigns.length, 'campaign')}` : 'does not work',
  ];
  await console.result(flags.json ? JSON.stringify(shown) : parts.join(' · '));
  if (problem) throw problem;
}
