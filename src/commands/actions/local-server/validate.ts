import { resolve } from 'node:path';
import type { Context } from '../../../context.ts';
import { loadFixtures } from '../../../server/fixtures/load.ts';
import { formatPlural } from '../../../text/quantity.ts';

/** Reads a folder of data as the server would, and says what is in it. Throws `UsageError` for the first mistake. */
export async function validateFixtures(context: Context, _options: unknown, directory: string): Promise<void> {
  const { accounts, campaigns, facts } = await loadFixtures(resolve(context.host.cwd, directory));
  const hasFacts = facts.lastHour >= facts.firstHour;
  const [first, last] = hasFacts ? [hourText(facts.firstHour), hourText(facts.lastHour)] : [null, null];
  if (context.flags.json) {
    const counts = { accounts: accounts.length, campaigns: campaigns.length };
    return context.console.result(JSON.stringify({ directory, ...counts, firstHour: first, lastHour: last }));
  }
  const span = hasFacts ? `facts from ${first} to ${last}` : 'no facts';
  const counts = [formatPlural(accounts.length, 'account'), formatPlural(campaigns.length, 'campaign')].join(', ');
  await context.console.result(`${directory}: ${counts}, ${span}`);
}

/** An hour, counted from 1970 on, as `2026-11-20T12:00:00Z`. */
function hourText(hour: number): string {
  return new Date(hour * 3_600_000).toISOString().replace('.000', '');
}
