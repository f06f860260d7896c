import type { FilterName } from '../contract/vocabulary.ts';

/** Filter by name, which is resolved to ids with `/campaigns`. */
interface NamedFilterEntry {
  /** Member of a spec, and option of the flag. */
  readonly name: string;
  readonly flag: string;

  /** Filter for the ids. */
  readonly filter: FilterName;
}

export const namedFilters = [
  { name: 'campaign', flag: '--campaign', filter: 'campaignId' },
  { name: 'adUnit', flag: '--ad-unit', filter: 'adunitId' },
  { name: 'advertiser', flag: '--advertiser', filter: 'advertiserId' },
] as const satisfies readonly NamedFilterEntry[];

export type NamedFilter = (typeof namedFilters)[number];
