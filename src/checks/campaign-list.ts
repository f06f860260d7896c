import type { CampaignList } from '../contract/messages.ts';
import type { CheckResult } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { checkBesideRows } from './beside-rows.ts';
import { CheckMessages } from './row-check.ts';

/** Finds a campaign list that is incomplete or has an error: filters would miss campaigns. */
export function checkCampaigns(list: CampaignList): CheckResult {
  const messages = new CheckMessages();
  checkBesideRows(
    {
      ...list,
      subject: 'The campaign list',
      members: isObject(list.answer) ? list.answer : {},
      rowCount: list.campaigns.length,
    },
    messages,
  );
  return messages;
}
