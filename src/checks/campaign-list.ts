import type { CampaignList } from '../contract/messages.ts';
import type { Judgement } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { judgeBesideRows } from './beside-rows.ts';
import { Remarks } from './row-check.ts';

/** Finds a campaign list that is incomplete or has an error: filters would miss campaigns. */
export function judgeCampaigns(list: CampaignList): Judgement {
  const remarks = new Remarks();
  judgeBesideRows(
    {
      ...list,
      subject: 'The campaign list',
      members: isObject(list.answer) ? list.answer : {},
      rowCount: list.campaigns.length,
    },
    remarks,
  );
  return remarks;
}
