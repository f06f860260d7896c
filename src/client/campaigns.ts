import type { Client } from '../api/client.ts';
import { checkCampaigns } from '../checks/outside-rows.ts';
import type { CampaignList } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';

/** Downloads the campaign list and checks that it is complete. */
export async function readCampaigns(client: Client): Promise<CampaignList & CheckResult> {
  const list = await client.campaigns();
  const { warnings, notes } = checkCampaigns(list);
  return { ...list, warnings, notes };
}
