import type { Client } from '../api/client.ts';
import { checkCampaigns } from '../checks/outside-rows.ts';
import type { CampaignList } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';

/** The campaigns of an account, with the warnings and notes on their list. */
export interface CheckedCampaigns extends CampaignList, CheckResult {}

/** Reads the campaign list of an account and checks it. Throws as the client's `campaigns`. */
export async function readCampaigns(client: Client): Promise<CheckedCampaigns> {
  const list = await client.campaigns();
  const { warnings, notes } = checkCampaigns(list);
  return { ...list, warnings, notes };
}
