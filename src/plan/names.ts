import type { ServiceAccount } from '../account/account.ts';
import type { Context } from '../context.ts';
import type { CampaignRecord } from '../contract/messages.ts';
import { wallTimeOf } from '../contract/values.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import { FindingsError, UsageError } from '../errors.ts';
import { judgeCampaigns } from '../judge/campaign-list.ts';
import type { ReportPlan } from '../report/request.ts';
import type { NamedFilter, ReportSpec } from '../report/spec.ts';
import { formatDate, type Window } from '../report/window.ts';
import { nearest } from '../text/nearest.ts';
import { printable, quoted, shortened } from '../text/printable.ts';
import { matchesWildcard } from '../text/wildcard.ts';
import type { Job, JobPlan } from './plan.ts';

/** What a campaign, an ad unit or an advertiser is called. */
interface NamedThing {
  readonly id: string;
  readonly name: string;
}

/** A flag that takes names, and the filter that their ids become. */
interface NameFlag {
  readonly flag: string;
  readonly name: NamedFilter;
  readonly filter: FilterName;

  /** What the flag's names are looked for in. */
  readonly thingsOf: (campaign: CampaignRecord) => readonly NamedThing[];
}

const nameFlags: readonly NameFlag[] = [
  {
    flag: '--campaign',
    name: 'campaign',
    filter: 'campaignId',
    thingsOf: ({ campaignId, campaignName }) => [{ id: campaignId, name: campaignName }],
  },
  {
    flag: '--ad-unit',
    name: 'adUnit',
    filter: 'adunitId',
    thingsOf: ({ adunits }) =>
      adunits.map(({ adunitId, adunitName }) => ({ id: adunitId, name: adunitName })),
  },
  {
    flag: '--advertiser',
    name: 'advertiser',
    filter: 'advertiserId',
    thingsOf: ({ advertiserId, advertiserName }) => [{ id: advertiserId, name: advertiserName }],
  },
];

/** A flag with the names, or patterns of names, that it was given. */
interface NameQuery {
  readonly nameFlag: NameFlag;
  readonly patterns: readonly string[];
}

/** How many of the names that were found are listed. */
const listedAtMost = 10;

const idsHint = 'Give the ids instead: --filter campaignId=1234,5678';

/** What a plan is completed for. */
interface PlanSource {
  readonly account: ServiceAccount;
  readonly spec: ReportSpec;
}

/**
 * The plan with the names of campaigns, ad units and advertisers turned into filters of their ids,
 * and what was found said on stderr. Asks the service for its campaigns only where a name was
 * given. Throws `UsageError` for a name that matches nothing, and with `--strict`
 * `IncompleteDataError` for a list that is not whole. A `-vv` trace is made to be sent to others,
 * so it shows ids only.
 */
export async function planWithIds(
  { console }: Pick<Context, 'console'>,
  { account, spec }: PlanSource,
  plan: ReportPlan,
): Promise<JobPlan> {
  const queries = queriesOf(spec);
  if (queries.length === 0) return plan;

  const show = (name: string) => (console.verbosity >= 2 ? '[hidden]' : printable(shortened(name)));
  const client = await account.client();
  const list = await client.campaigns();
  const { campaigns } = list;
  const earlierFindings = judgeCampaigns(list).findings;
  if (earlierFindings.length > 0 && spec.strict) {
    throw new FindingsError(earlierFindings, { lastly: 'No report was ordered.', hint: idsHint });
  }
  const filters: { [Name in FilterName]?: readonly string[] } = { ...plan.request.filters };
  for (const query of queries) {
    const { flag, filter } = query.nameFlag;
    const matches = findMatches(query, campaigns, show);
    const names = [...matches].map(([id, name]) => `${show(name)} (${id})`);
    const moreCount = names.length - listedAtMost;
    const more = moreCount > 0 ? `, and ${moreCount} more` : '';
    const list = names.slice(0, listedAtMost).join(', ');
    console.note(`${flag} “${query.patterns.map(show).join(',')}” selects ${list}${more}.`);
    filters[filter] = [...new Set([...(filters[filter] ?? []), ...matches.keys()])];

    const matched = campaigns.filter((campaign) =>
      query.nameFlag.thingsOf(campaign).some(({ id }) => matches.has(id)),
    );
    const idle = idleNote(matched, plan.window, show);
    if (idle !== undefined) console.note(idle);
  }

  return { ...plan, earlierFindings, request: { ...plan.request, filters } };
}

/** Says when campaigns run, where none of them does within a window. */
function idleNote(
  campaigns: readonly CampaignRecord[],
  { since, until, zone }: Window,
  show: (name: string) => string,
): string | undefined {
  const first = formatDate(since, zone);
  const last = formatDate(until, zone);
  const isIdle = ({ campaignStartDate, campaignEndDate }: CampaignRecord): boolean => {
    const isTold =
      wallTimeOf(campaignStartDate) !== undefined && wallTimeOf(campaignEndDate) !== undefined;
    if (!isTold) return false;
    return campaignStartDate.slice(0, 10) > last || campaignEndDate.slice(0, 10) < first;
  };
  if (!campaigns.every(isIdle)) return undefined;

  const runs = campaigns.slice(0, 3).map(({ campaignName, campaignStartDate, campaignEndDate }) => {
    return `${show(campaignName)} runs from ${campaignStartDate.slice(0, 10)} to ${campaignEndDate.slice(0, 10)}`;
  });
  const more = campaigns.length > runs.length ? `; and ${campaigns.length - runs.length} more` : '';
  return `${runs.join('; ')}${more}: nothing of that is in ${first} to ${last}.`;
}

/**
 * The job as `planWithIds` completes its plan: only once it is known to be right, because that asks
 * the service.
 */
export async function jobWithIds(context: Pick<Context, 'console'>, job: Job): Promise<Job> {
  // What was looked up once has its ids.
  if (job.plan.earlierFindings) return job;
  const plan = await planWithIds(context, job, job.plan);
  const { filters } = plan.request;
  const parts = job.parts.map((part) => ({ ...part, request: { ...part.request, filters } }));
  return { ...job, plan, parts };
}

function queriesOf({ request }: ReportSpec): NameQuery[] {
  const queries: NameQuery[] = [];
  for (const nameFlag of nameFlags) {
    const patterns = request.filters?.[nameFlag.name];
    if (patterns) queries.push({ nameFlag, patterns });
  }
  return queries;
}

/**
 * What the patterns match, as names by their ids. Throws `UsageError` for a pattern that matches
 * nothing.
 */
function findMatches(
  { nameFlag, patterns }: NameQuery,
  campaigns: readonly CampaignRecord[],
  show: (name: string) => string,
): Map<string, string> {
  const names = new Map<string, string>();
  for (const campaign of campaigns) {
    for (const { id, name } of nameFlag.thingsOf(campaign)) names.set(id, name);
  }

  const matches = new Map<string, string>();
  for (const pattern of patterns) {
    let isMatched = false;
    for (const [id, name] of names) {
      if (id !== pattern && !matchesWildcard(pattern, name)) continue;
      matches.set(id, name);
      isMatched = true;
    }
    if (!isMatched) throw unmatched(nameFlag.flag, pattern, [...names.values()], show);
  }
  return matches;
}

function unmatched(
  flag: string,
  pattern: string,
  names: readonly string[],
  show: (name: string) => string,
): UsageError {
  const nearNames = nearestNames(pattern.replaceAll('*', '').trim(), names);
  const list = nearNames.map((name) => quoted(show(name))).join(', ');
  const hint = list ? `Did you mean ${list}?` : 'See them with: adreport campaigns --ad-units';
  const wanted = quoted(show(pattern));
  return new UsageError(`${flag} ${wanted} matches none of the ${names.length} names.`, {
    hint,
    about: { flag },
  });
}

/**
 * At most three names that are near a misspelt one, or that have as many words in a row that are.
 */
function nearestNames(wanted: string, names: readonly string[]): string[] {
  const wordCount = wanted.split(/\s+/).length;
  const piecesOf = (name: string): string[] => {
    const words = name.split(/\s+/);
    return [name, ...words.map((_, at) => words.slice(at, at + wordCount).join(' '))];
  };

  const best = nearest(wanted, names.flatMap(piecesOf))?.toLowerCase();
  const nearNames = names.filter((name) =>
    piecesOf(name).some((piece) => piece.toLowerCase() === best),
  );
  return nearNames.slice(0, 3);
}
