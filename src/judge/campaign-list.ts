import type { Judgement } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { judgeBesideRows } from './beside-rows.ts';
import { Sayings } from './check.ts';

/** A list of campaigns, and what stands beside it. */
export interface CampaignsWithAnswer {
  readonly campaigns: readonly unknown[];

  /** All that the service answered. */
  readonly answer: unknown;

  readonly isPart: boolean;

  readonly hasNextLink: boolean;

  readonly countInHeader: number | undefined;
}

/**
 * Whether the list is not whole, or comes with an error: names that it lacks would be in no filter.
 */
export function judgeCampaigns(list: CampaignsWithAnswer): Judgement {
  const sayings = new Sayings();
  judgeBesideRows(
    {
      ...list,
      subject: 'The list of campaigns',
      members: isObject(list.answer) ? list.answer : {},
      rowCount: list.campaigns.length,
    },
    sayings,
  );
  return sayings;
}
