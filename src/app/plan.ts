import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { askedColumns } from '../contract/columns.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  expandName,
  modifiedAt,
  type NameValues,
  placeholdersOf,
} from '../output/file/file-name.ts';
import { checkMergeable, type Part, partsOf, stillToFetch, takeShard } from '../report/parts.ts';
import {
  createUrl,
  curlLine,
  encodeRequest,
  planReport,
  type ReportPlan,
  requestParameters,
} from '../report/request.ts';
import { describeWindow, formatDate } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { checkFormat, type ReportFacts } from './deliver.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';

/** A plan with the profile it was made for. */
export type ProfilePlan = ReportPlan & { readonly profile: Profile };

/** One report to run: whole, or in parts. */
export interface Job {
  /** The saved report's name; absent for what flags alone describe. */
  readonly name: string | undefined;
  /** That of the report's account. */
  readonly context: Context;
  readonly options: RunFlags;
  readonly plan: ProfilePlan;
  /** What is to be fetched, in time order. */
  readonly parts: readonly Part[];
  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/** Turns the flags of `run` and `report create` into a plan. Throws `UsageError` for what the service would refuse. */
export async function planFromFlags(context: Context, flags: ReportFlags): Promise<ProfilePlan> {
  const settings = await context.settings();
  const profile = flags.profile ?? settings.profile.value;
  const { breakdowns, by = breakdowns, filter: filters, country: countries } = flags;
  const own = { profile, by, filters, countries, windowClock: settings.windowClock.value };
  return { ...planReport({ ...flags, ...own, nowMs: context.host.wallClock() }), profile };
}

/** What the flags of `run` ask for. Throws `UsageError` for what does not fit together, before anything is sent. */
export async function planJob(context: Context, options: RunFlags, name?: string): Promise<Job> {
  const { split, shard, missing, lookback, output = '-' } = options;
  checkFormat(context, options);
  const plan = await planFromFlags(context, options);
  const placeholders = placeholdersOf(output);
  const isMerged =
    split !== undefined && !placeholders.some((word) => ['date', 'since', 'until'].includes(word));
  if (isMerged) checkMergeable(plan.request.breakdowns, split);
  if (placeholders.includes('id') && (isMerged || missing)) {
    const why = isMerged
      ? 'the merged output of several reports has no id'
      : '--missing asks which files are there';
    throw new UsageError(`-o has {id}, but ${why}.`, {
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  if (shard !== undefined && split === undefined)
    throw needs('--shard', '--split', 'It chooses among the parts.');
  if (lookback !== undefined && !missing) {
    throw needs('--lookback', '--missing', 'Without it all parts are fetched anyway.');
  }
  if (missing && output === '-')
    throw needs('--missing', '-o', 'It asks which files are not there yet.');
  const now = Math.floor(context.host.wallClock() / 1_000);
  const all = partsOf(plan, split, isMerged ? undefined : now);
  const mine = shard === undefined ? all : takeShard(all, shard);
  const job = { name, context, options, plan, isMerged, parts: mine };
  if (!missing) return job;
  const writtenAt = (part: Part) => modifiedAt(resolve(context.host.cwd, fileOf(job, part) ?? ''));
  const wanted = stillToFetch(all, now, lookback ?? 0, writtenAt);
  // A merged output is one file: it is written anew if any part is not final.
  return {
    ...job,
    parts: mine.filter((part) => (isMerged ? wanted.length > 0 : wanted.includes(part))),
  };
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, {
    hint: `${why} Add ${other}, or leave ${flag} out.`,
  });
}

type Described = Pick<Job, 'plan'> & Partial<Pick<Job, 'name' | 'isMerged'>>;

/** What the placeholders of `-o` stand for: dates are local to the report's zone, of the part or of the whole window. */
function namesOf(
  { plan: { profile, request, window }, name, isMerged }: Described,
  part?: Part,
): NameValues {
  const report = name ?? (request.breakdowns.join('-').toLowerCase() || 'total');
  const whole = {
    since: formatDate(window.since, window.zone),
    until: formatDate(window.until, window.zone),
  };
  const { since, until } = part && !isMerged ? part : whole;
  return { profile, report, since, until, date: since };
}

/** The file of a part as the user names it, with `{id}` where only the service knows it; `undefined` for stdout. */
export function fileOf(job: Job, part: Part): string | undefined {
  const { output = '-' } = job.options;
  return output === '-' ? undefined : expandName(output, { ...namesOf(job, part), id: '{id}' });
}

/** What is known of a part that has an output of its own; without a part, of the output that all parts go into. */
export function factsOf(
  job: Described & { readonly options: { shard?: string } },
  part?: Part,
): ReportFacts {
  const { profile, request, shownMetrics, window: whole } = job.plan;
  const { breakdowns, filters } = request;
  const columns = askedColumns(profile, request, shownMetrics);
  const facts = { names: namesOf(job, part), columns };
  // A shard of the parts lacks the days of the others, as it should.
  const window = part?.window ?? (job.options.shard === undefined ? whole : undefined);
  const isFiltered = Object.keys(filters).length > 0;
  return window ? { ...facts, expectation: { window, breakdowns, columns, isFiltered } } : facts;
}

/** One create call that would be made, with its account's context; `output` is absent for stdout. */
type PlannedCall = Pick<Job & Part, 'context' | 'window' | 'request'> & {
  readonly name?: string;
  output?: string;
};

/** Prints what would be sent, as text or with `--json` as one object (`cli.md`, `--dry-run`). */
export async function printDryRun(
  { console, flags }: Context,
  calls: readonly PlannedCall[],
): Promise<void> {
  const requests: object[] = [];
  const texts: string[] = [];
  for (const { context, name, window, request, output } of calls) {
    const { baseUrl, encoding } = await context.settings();
    const address = baseUrl.value?.href ?? 'https://reports.example.com';
    const { since, until, zone: timezone } = window;
    const encoded = encodeRequest(request, encoding.value);
    const curl = curlLine(address, encoded);
    const call = { method: 'POST', url: createUrl(address), body: requestParameters(request) };
    requests.push({ ...call, window: { since, until, timezone }, output: output ?? '-', curl });
    const shown = describeWindow(window);
    const lines = {
      ...(name !== undefined && { report: printable(name) }),
      window: `${shown.since} … ${shown.until} (${timezone}, ${shown.length})`,
      unix: `${since} … ${until}`,
      output: printable(output ?? 'stdout'),
      body: encoded.text,
    };
    const labelled = Object.entries(lines).map(
      ([label, text]) => console.out.style.bold(label.padEnd(8)) + text,
    );
    texts.push([...labelled, '', curl].join('\n'));
  }
  await console.result(flags.json ? JSON.stringify({ requests }) : texts.join('\n\n'));
}
