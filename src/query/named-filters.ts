import type { FilterName } from '../contract/vocabulary.ts';

/**
 * Filters by name, which is resolved to ids with `/campaigns`: the member of a spec and option of
 * the flag, the flag, and the filter for the ids.
 */
export const namedFilters = [
  { name: 'campaign', flag: '--campaign', filter: 'campaignId' },
  { name: 'adUnit', flag: '--ad-unit', filter: 'adunitId' },
  { name: 'advertiser', flag: '--advertiser', filter: 'advertiserId' },
] as const satisfies readonly {
  readonly name: string;
  readonly flag: string;
  readonly filter: FilterName;
}[];

export type NamedFilter = (typeof namedFilters)[number];
