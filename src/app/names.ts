import type { Context } from '../context.ts';
import type { CampaignRecord } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { splitValues } from '../report/request.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import { type Job, type ProfilePlan, planFromFlags } from './plan.ts';

type Named = readonly [id: string, name: string];

/** The flags that take names, with the options and the filters that they are, and what they name in a campaign. */
const nameFlags: readonly [
  string,
  'campaign' | 'adUnit' | 'advertiser',
  string,
  (one: CampaignRecord) => Named[],
][] = [
  [
    '--campaign',
    'campaign',
    'campaignId',
    ({ campaignId, campaignName }) => [[campaignId, campaignName]],
  ],
  [
    '--ad-unit',
    'adUnit',
    'adunitId',
    ({ adunits }) => adunits.map((unit) => [unit.adunitId, unit.adunitName]),
  ],
  [
    '--advertiser',
    'advertiser',
    'advertiserId',
    ({ advertiserId: id, advertiserName }) => [[id, advertiserName]],
  ],
];

/**
 * The plan with the names of campaigns, ad units and advertisers turned into filters of their ids, and what was found said
 * on stderr. Asks the service for its campaigns only where a name was given. Throws `UsageError` for a name that matches
 * nothing. A `-vv` trace is made to be sent to others, so it shows ids only.
 */
export async function planWithIds(
  context: Context,
  flags: ReportFlags,
  plan: ProfilePlan,
): Promise<ProfilePlan> {
  const show = (name: string): string =>
    context.console.verbosity >= 2 ? '[hidden]' : printable(name);
  const wanted = nameFlags.flatMap(([flag, option, filter, named]) => {
    const patterns = flags[option]?.flatMap((list) => readPatterns(flag, list));
    return patterns ? [{ flag, filter, patterns, named }] : [];
  });
  if (wanted.length === 0) return plan;
  const campaigns = await (await context.client()).campaigns();
  const found = wanted.map(({ flag, filter, patterns, named }) => {
    const all = new Map(campaigns.flatMap(named));
    const matching = new Map(patterns.flatMap((pattern) => match(flag, pattern, all, show)));
    const names = [...matching].map(([id, name]) => `${show(name)} (${id})`);
    const more = names.length > 10 ? `, and ${names.length - 10} more` : '';
    context.console.note(
      `${flag} ${patterns.map(show).join(',')}: ${names.slice(0, 10).join(', ')}${more}.`,
    );
    return `${filter}=${[...matching.keys()].join(',')}`;
  });
  const { filters } = (
    await planFromFlags(context, { ...flags, filter: [...(flags.filter ?? []), ...found] })
  ).request;
  return { ...plan, request: { ...plan.request, filters } };
}

/** The job as `planWithIds` completes its plan: only once it is known to be right, because that asks the service. */
export async function jobWithIds(job: Job): Promise<Job> {
  const plan = await planWithIds(job.context, job.options, job.plan);
  const { filters } = plan.request;
  return {
    ...job,
    plan,
    parts: job.parts.map((part) => ({ ...part, request: { ...part.request, filters } })),
  };
}

/** Names are separated as the values of `--filter` are: by commas, where none of them stands in double quotes. */
function readPatterns(flag: string, list: string): string[] {
  const patterns = splitValues(list);
  if (patterns && patterns.length > 0) return patterns;
  throw new UsageError(`${flag} ${JSON.stringify(list)}: this is no name.`, {
    hint: `Write ${flag} 'Summer*'; a name that holds a comma stands in double quotes: ${flag} '"A, B"'.`,
  });
}

/** Those of the name, any case, `*` for any text and `?` for one character; or the one of that id. */
function match(
  flag: string,
  pattern: string,
  all: ReadonlyMap<string, string>,
  show: (name: string) => string,
) {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const form = new RegExp(`^${source}$`, 'isu');
  const found = [...all].filter(([id, name]) => id === pattern || form.test(name));
  if (found.length > 0) return found;
  const near = nearestNames(pattern.replaceAll('*', '').trim(), [...all.values()]);
  const meant = near.map((name) => JSON.stringify(show(name))).join(', ');
  const hint = meant ? `Did you mean ${meant}?` : 'See them with: adreport campaigns --ad-units';
  throw new UsageError(
    `${flag} ${JSON.stringify(show(pattern))} matches none of the ${all.size} names.`,
    { hint },
  );
}

/** At most three names that are near a misspelt one, or that have as many words in a row that are. */
function nearestNames(wanted: string, names: readonly string[]): string[] {
  const wordCount = wanted.split(/\s+/).length;
  const piecesOf = (name: string): string[] => {
    const words = name.split(/\s+/);
    return [name, ...words.map((_, at) => words.slice(at, at + wordCount).join(' '))];
  };
  const best = nearest(wanted, names.flatMap(piecesOf))?.toLowerCase();
  return names
    .filter((name) => piecesOf(name).some((piece) => piece.toLowerCase() === best))
    .slice(0, 3);
}
