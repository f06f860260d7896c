import type { Client } from '../api/client.ts';
import { checkCampaigns } from '../checks/outside-rows.ts';
import type { CampaignList } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';

/** Checks the list of campaigns too. Throws as the client's `campaigns`. */
export async function readCampaigns(client: Client): Promise<CampaignList & CheckResult> {
  const list = await client.campaigns();
  const { warnings, notes } = checkCampaigns(list);
  return { ...list, warnings, notes };
}
