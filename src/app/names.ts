import type { Context, ServiceAccount } from '../context.ts';
import type { CampaignRecord } from '../contract/messages.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { splitValues } from '../report/request.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { matchesWildcard } from '../text/wildcard.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import { type Job, type ProfilePlan, planFromFlags } from './plan.ts';

/** What a campaign, an ad unit or an advertiser is called. */
interface NamedThing {
  readonly id: string;
  readonly name: string;
}

/** A flag that takes names, and the filter that their ids become. */
interface NameFlag {
  readonly flag: string;
  readonly option: 'campaign' | 'adUnit' | 'advertiser';
  readonly filter: FilterName;
  /** What the flag's names are looked for in. */
  readonly thingsOf: (campaign: CampaignRecord) => readonly NamedThing[];
}

const nameFlags: readonly NameFlag[] = [
  {
    flag: '--campaign',
    option: 'campaign',
    filter: 'campaignId',
    thingsOf: ({ campaignId, campaignName }) => [{ id: campaignId, name: campaignName }],
  },
  {
    flag: '--ad-unit',
    option: 'adUnit',
    filter: 'adunitId',
    thingsOf: ({ adunits }) =>
      adunits.map(({ adunitId, adunitName }) => ({ id: adunitId, name: adunitName })),
  },
  {
    flag: '--advertiser',
    option: 'advertiser',
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

const cutList =
  'The service has a further page of campaigns, which was not fetched: names that match there are not in the filter.';
const idsHint = 'Give the ids instead: --filter campaignId=1234,5678';

/** What a plan is completed for. */
interface PlanSource {
  readonly account: ServiceAccount;
  readonly flags: ReportFlags & { readonly strict?: boolean };
}

/**
 * The plan with the names of campaigns, ad units and advertisers turned into filters of their ids, and what was found said
 * on stderr. Asks the service for its campaigns only where a name was given. Throws `UsageError` for a name that matches
 * nothing. A `-vv` trace is made to be sent to others, so it shows ids only.
 */
export async function planWithIds(
  { console, host }: Pick<Context, 'console' | 'host'>,
  { account, flags }: PlanSource,
  plan: ProfilePlan,
): Promise<ProfilePlan> {
  const queries = readQueries(flags);
  if (queries.length === 0) return plan;

  const show = (name: string) => (console.verbosity >= 2 ? '[hidden]' : printable(name));
  const client = await account.client();
  const { campaigns, hasMore } = await client.campaigns();
  if (hasMore && flags.strict) {
    throw new UsageError(`${cutList} With --strict no report is asked for.`, { hint: idsHint });
  }
  const idFilters: string[] = [];
  for (const query of queries) {
    const { flag, filter } = query.nameFlag;
    const matches = findMatches(query, campaigns, show);
    const names = [...matches].map(([id, name]) => `${show(name)} (${id})`);
    const moreCount = names.length - listedAtMost;
    const more = moreCount > 0 ? `, and ${moreCount} more` : '';
    const list = names.slice(0, listedAtMost).join(', ');
    console.note(`${flag} ${query.patterns.map(show).join(',')}: ${list}${more}.`);
    idFilters.push(`${filter}=${[...matches.keys()].join(',')}`);
  }

  const flagsWithIds = { ...flags, filter: [...(flags.filter ?? []), ...idFilters] };
  const { request } = await planFromFlags(account, flagsWithIds, host.wallClock());
  const notices = hasMore ? [cutList] : [];
  return { ...plan, notices, request: { ...plan.request, filters: request.filters } };
}

/** The job as `planWithIds` completes its plan: only once it is known to be right, because that asks the service. */
export async function jobWithIds(
  context: Pick<Context, 'console' | 'host'>,
  job: Job,
): Promise<Job> {
  const { account, options } = job;
  const plan = await planWithIds(context, { account, flags: options }, job.plan);
  const { filters } = plan.request;
  const parts = job.parts.map((part) => ({ ...part, request: { ...part.request, filters } }));
  return { ...job, plan, parts };
}

function readQueries(flags: ReportFlags): NameQuery[] {
  const queries: NameQuery[] = [];
  for (const nameFlag of nameFlags) {
    const lists = flags[nameFlag.option];
    if (!lists) continue;
    const patterns = lists.flatMap((list) => readPatterns(nameFlag.flag, list));
    queries.push({ nameFlag, patterns });
  }
  return queries;
}

/** Names are separated as the values of `--filter` are: by commas, where none of them stands in double quotes. */
function readPatterns(flag: string, list: string): string[] {
  const patterns = splitValues(list);
  if (patterns && patterns.length > 0) return patterns;
  throw new UsageError(`${flag} ${JSON.stringify(list)}: this is no name.`, {
    hint: `Write ${flag} 'Summer*'; a name that holds a comma stands in double quotes: ${flag} '"A, B"'.`,
  });
}

/** What the patterns match, as names by their ids. Throws `UsageError` for a pattern that matches nothing. */
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
  const list = nearNames.map((name) => JSON.stringify(show(name))).join(', ');
  const hint = list ? `Did you mean ${list}?` : 'See them with: adreport campaigns --ad-units';
  const quoted = JSON.stringify(show(pattern));
  return new UsageError(`${flag} ${quoted} matches none of the ${names.length} names.`, { hint });
}

/** At most three names that are near a misspelt one, or that have as many words in a row that are. */
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
