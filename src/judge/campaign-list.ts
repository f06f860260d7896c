import type { Judgement } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { judgeBesideRows } from './beside-rows.ts';
import { Remarks } from './check.ts';

/** A campaign list with the answer it came in. */
export interface CampaignsWithAnswer {
  readonly campaigns: readonly unknown[];

  /** The whole document. */
  readonly answer: unknown;

  readonly isPart: boolean;

  readonly hasNextLink: boolean;

  readonly countInHeader: number | undefined;
}

/** Finds a campaign list that is incomplete or has an error: filters would miss campaigns. */
export function judgeCampaigns(list: CampaignsWithAnswer): Judgement {
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
