import type { Client } from '../api/client.ts';
import type { CampaignRecord } from '../contract/messages.ts';
import { type CheckMessage, UsageError } from '../errors.ts';
import { type NamedFilter, namedFilters, type Query } from '../query/query.ts';
import { findNearestNames } from '../text/nearest.ts';
import { printable, quoted, truncate } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { matchesWildcard } from '../text/wildcard.ts';
import { readCampaigns } from './campaigns.ts';

/** A campaign, ad unit or advertiser. */
interface Candidate {
  readonly id: string;
  readonly name: string;
}

/** Lists the names that each flag accepts. */
const candidateListers: Readonly<
  Record<NamedFilter['name'], (campaign: CampaignRecord) => readonly Candidate[]>
> = {
  campaign: ({ campaignId, campaignName }) => [{ id: campaignId, name: campaignName }],
  adUnit: ({ adunits }) =>
    adunits.map(({ adunitId, adunitName }) => ({ id: adunitId, name: adunitName })),
  advertiser: ({ advertiserId, advertiserName }) => [{ id: advertiserId, name: advertiserName }],
};

/** A query whose filters have IDs instead of names. */
interface FoundIds {
  readonly query: Query;

  /** One sentence for each flag: `--campaign “Summer*” selects Summer Sale (12).` */
  readonly selections: readonly string[];

  /** Warnings on the campaign list. */
  readonly warnings: readonly CheckMessage[];
}

/**
 * Replaces the names of campaigns, ad units and advertisers with IDs. Downloads the campaign list
 * only if a name was given. Throws `UsageError` for a name that matches nothing.
 */
export async function findIds(client: () => Promise<Client>, query: Query): Promise<FoundIds> {
  const { campaign, adUnit, advertiser, ...filters } = query.filters;
  const patterns = { campaign, adUnit, advertiser };
  const named = namedFilters.filter(({ name }) => patterns[name] !== undefined);
  if (named.length === 0) return { query, selections: [], warnings: [] };

  const { campaigns, warnings } = await readCampaigns(await client());
  const selections: string[] = [];
  const ids: Record<string, readonly string[]> = { ...filters };
  for (const filter of named) {
    const filterPatterns = patterns[filter.name] ?? [];
    const matches = findMatches(filter, filterPatterns, campaigns);
    selections.push(
      `${filter.flag} ${quoted(filterPatterns.join(','))} selects ${formatMatches(matches)}.`,
    );
    ids[filter.filter] = [...new Set([...(ids[filter.filter] ?? []), ...matches.keys()])];
  }
  return { query: Object.freeze({ ...query, filters: ids }), selections, warnings };
}

function formatMatches(matches: ReadonlyMap<string, string>): string {
  const names = [...matches].map(([id, name]) => `${printable(name)} (${id})`);
  return truncate(names.join(', '));
}

/** Returns the matching names by ID. Throws `UsageError` if a pattern matches nothing. */
function findMatches(
  { name: kind, flag }: NamedFilter,
  patterns: readonly string[],
  campaigns: readonly CampaignRecord[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const campaign of campaigns) {
    for (const { id, name } of candidateListers[kind](campaign)) names.set(id, name);
  }

  const matches = new Map<string, string>();
  for (const pattern of patterns) {
    const selected = [...names].filter(
      ([id, name]) => id === pattern || matchesWildcard(pattern, name),
    );
    if (selected.length === 0) throw noMatchError(flag, pattern, [...names.values()]);
    for (const [id, name] of selected) matches.set(id, name);
  }
  return matches;
}

function noMatchError(flag: string, pattern: string, names: readonly string[]): UsageError {
  const nearby = findNearestNames(pattern, names).map((name) => quoted(truncate(name)));
  const hint =
    nearby.length > 0
      ? `Did you mean ${nearby.join(', ')}?`
      : 'List them with: adreport campaigns --ad-units';
  const thing = flag.slice(2).replaceAll('-', ' ');
  const count = formatPlural(names.length, thing);
  return new UsageError(`No ${thing} matches ${quoted(truncate(pattern))} (${count}).`, {
    about: { flag },
    hint,
  });
}
