import { addServiceFlags, type ServiceFlags } from '../app/flags.ts';
import { maskToken } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { AdreportError } from '../errors.ts';
import { formatPlural } from '../text/quantity.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

type WhoamiOptions = ServiceFlags;

export const whoamiCommand: CommandBuilder = (perform) =>
  addServiceFlags(
    declareCommand('whoami', 'the account, where its token comes from, and whether it works', [
      ['adreport whoami', 'one line'],
      ['adreport whoami --json', 'for programs'],
    ]),
  ).action(perform(whoami));

/** Shows who the program is to the service, and proves it with a call; what does not work is thrown once it is shown. */
async function whoami(context: Context, _options: WhoamiOptions): Promise<void> {
  const { account, baseUrl, token, profile } = await context.settings();
  const { campaignCount = 0, problem } = await tryOut(context);
  const shown = {
    account: account.value,
    baseUrl: baseUrl.value?.href ?? null,
    profile: profile.value,
    token: token.value === undefined ? null : maskToken(token.value),
    tokenSource: token.value === undefined ? null : token.source,
    works: problem === undefined,
  };
  if (context.flags.json) {
    await context.console.result(JSON.stringify(shown));
  } else {
    const parts = [
      `account ${shown.account}`,
      shown.baseUrl ?? 'no base URL',
      `${shown.profile} profile`,
      shown.token === null ? 'no token' : `token ${shown.token} (from ${token.from})`,
      problem === undefined ? `works: ${formatPlural(campaignCount, 'campaign')}` : 'does not work',
    ];
    await context.console.result(parts.join(' · '));
  }
  if (problem) throw problem;
}

/** What the lightest call of the service, the list of campaigns, comes to. */
async function tryOut(context: Context): Promise<{ campaignCount?: number; problem?: AdreportError }> {
  try {
    return { campaignCount: (await (await context.client()).campaigns()).length };
  } catch (error) {
    if (error instanceof AdreportError) return { problem: error };
    throw error;
  }
}
