import type { Client } from '../api/client.ts';
import { checkCampaigns } from '../checks/outside-rows.ts';
import type { CampaignList } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';

/** Campaigns of an account, with the warnings and notes on their list. */
export interface CheckedCampaigns extends CampaignList, CheckResult {}

/** Also checks the list. Throws as the client's `campaigns`. */
export async function readCampaigns(client: Client): Promise<CheckedCampaigns> {
  const list = await client.campaigns();
  const { warnings, notes } = checkCampaigns(list);
  return { ...list, warnings, notes };
}
