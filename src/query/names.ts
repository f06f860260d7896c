import { readCampaigns } from '../client/campaigns.ts';
import type { CampaignRecord } from '../contract/messages.ts';
import { wallTimeOf } from '../contract/values.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { nearestNames } from '../text/nearest.ts';
import { printable, quoted, shortened } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { matchesWildcard } from '../text/wildcard.ts';
import { formatDate, type Window } from './calendar.ts';
import { type NamedFilter, namedFilters } from './named-filters.ts';
import type { Job, JobPlan } from './plan.ts';
import type { PlanTools } from './plan-tools.ts';
import type { ReportPlan } from './request.ts';
import type { ReportSpec } from './spec.ts';

/** Lists the campaign, ad units or advertiser that each flag can name. */
const thingsOf: Readonly<
  Record<
    NamedFilter['name'],
    (campaign: CampaignRecord) => readonly { readonly id: string; readonly name: string }[]
  >
> = {
  campaign: ({ campaignId, campaignName }) => [{ id: campaignId, name: campaignName }],
  adUnit: ({ adunits }) =>
    adunits.map(({ adunitId, adunitName }) => ({ id: adunitId, name: adunitName })),
  advertiser: ({ advertiserId, advertiserName }) => [{ id: advertiserId, name: advertiserName }],
};

/** A filter with its names or patterns. */
interface NameQuery {
  readonly named: NamedFilter;
  readonly patterns: readonly string[];
}

/** Notes list at most this many matching names. */
const maxListedNames = 10;

/**
 * Resolves the names of campaigns, ad units and advertisers to filters by id, and prints the
 * matches on stderr. Downloads the campaign list only if a name was given.
 * Throws `UsageError` for a name without a match.
 */
export async function planWithIds(
  { console }: Pick<PlanTools, 'console'>,
  { account, spec }: Pick<Job, 'account' | 'spec'>,
  plan: ReportPlan,
): Promise<JobPlan> {
  const queries = queriesOf(spec);
  if (queries.length === 0) return plan;

  const show = (name: string) => printable(shortened(name));
  const { campaigns, warnings: earlierWarnings } = await readCampaigns(await account.client());
  const filters: { [Name in FilterName]?: readonly string[] } = { ...plan.request.filters };
  for (const query of queries) {
    const { flag, filter, name } = query.named;
    const matches = findMatches(query, campaigns, show);
    const names = [...matches].map(([id, name]) => `${show(name)} (${id})`);
    const moreCount = names.length - maxListedNames;
    const more = moreCount > 0 ? `, and ${moreCount} more` : '';
    const list = names.slice(0, maxListedNames).join(', ');
    console.note(`${flag} “${query.patterns.map(show).join(',')}” selects ${list}${more}.`);
    filters[filter] = [...new Set([...(filters[filter] ?? []), ...matches.keys()])];

    const matched = campaigns.filter((campaign) =>
      thingsOf[name](campaign).some(({ id }) => matches.has(id)),
    );
    const idle = idleNote(matched, plan.window, show);
    if (idle !== undefined) console.note(`Note: ${idle}`);
  }

  return { ...plan, earlierWarnings, request: { ...plan.request, filters } };
}

/** Describes when campaigns run, if none of them runs in the window. */
function idleNote(
  campaigns: readonly CampaignRecord[],
  { since, until, zone }: Window,
  show: (name: string) => string,
): string | undefined {
  const first = formatDate(since, zone);
  const last = formatDate(until, zone);
  const isIdle = ({ campaignStartDate, campaignEndDate }: CampaignRecord): boolean => {
    const hasDates =
      wallTimeOf(campaignStartDate) !== undefined && wallTimeOf(campaignEndDate) !== undefined;
    if (!hasDates) return false;
    return campaignStartDate.slice(0, 10) > last || campaignEndDate.slice(0, 10) < first;
  };
  if (!campaigns.every(isIdle)) return undefined;

  const runs = campaigns.slice(0, 3).map(({ campaignName, campaignStartDate, campaignEndDate }) => {
    return `${show(campaignName)} runs from ${campaignStartDate.slice(0, 10)} to ${campaignEndDate.slice(0, 10)}`;
  });
  const more = campaigns.length > runs.length ? `; and ${campaigns.length - runs.length} more` : '';
  return `${runs.join('; ')}${more}: outside ${first} to ${last}.`;
}

/**
 * Resolves the names in a job with `planWithIds`. Called after all checks, because it calls the
 * service.
 */
export async function jobWithIds(tools: Pick<PlanTools, 'console'>, job: Job): Promise<Job> {
  // The names are already resolved.
  if (job.plan.earlierWarnings) return job;
  const plan = await planWithIds(tools, job, job.plan);
  const { filters } = plan.request;
  const parts = job.parts.map((part) => ({ ...part, request: { ...part.request, filters } }));
  return { ...job, plan, parts };
}

function queriesOf({ request }: ReportSpec): NameQuery[] {
  const queries: NameQuery[] = [];
  for (const named of namedFilters) {
    const patterns = request.filters?.[named.name];
    if (patterns) queries.push({ named, patterns });
  }
  return queries;
}

/** Returns the names that match, by id. Throws `UsageError` for a pattern without a match. */
function findMatches(
  { named, patterns }: NameQuery,
  campaigns: readonly CampaignRecord[],
  show: (name: string) => string,
): Map<string, string> {
  const names = new Map<string, string>();
  for (const campaign of campaigns) {
    for (const { id, name } of thingsOf[named.name](campaign)) names.set(id, name);
  }

  const matches = new Map<string, string>();
  for (const pattern of patterns) {
    let isMatched = false;
    for (const [id, name] of names) {
      if (id !== pattern && !matchesWildcard(pattern, name)) continue;
      matches.set(id, name);
      isMatched = true;
    }
    if (!isMatched) throw unmatched(named.flag, pattern, [...names.values()], show);
  }
  return matches;
}

function unmatched(
  flag: string,
  pattern: string,
  names: readonly string[],
  show: (name: string) => string,
): UsageError {
  const nearNames = nearestNames(pattern, names);
  const list = nearNames.map((name) => quoted(show(name))).join(', ');
  const hint = list ? `Did you mean ${list}?` : 'List them with: adreport campaigns --ad-units';
  const thing = flag.slice(2).replaceAll('-', ' ');
  const count = formatPlural(names.length, thing);
  return new UsageError(`No ${thing} matches ${quoted(show(pattern))} (${count}).`, {
    hint,
    about: { flag },
  });
}
