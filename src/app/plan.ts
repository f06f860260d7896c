import { resolve } from 'node:path';
import type { Context, ServiceAccount } from '../context.ts';
import { askedColumns, type Column } from '../contract/columns.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  expandName,
  hasTimePlaceholder,
  type NameValues,
  placeholdersOf,
  placeOnDisk,
} from '../output/file/file-name.ts';
import type { Bookkeeper } from '../report/books.ts';
import { comparableWindow } from '../report/compared-window.ts';
import type { Expectation } from '../report/completeness.ts';
import { checkMergeable, type Part, partsOf, takeShard } from '../report/parts.ts';
import type { Question } from '../report/question.ts';
import {
  createUrl,
  curlLine,
  encodeRequest,
  planReport,
  type ReportPlan,
  requestFor,
  requestParameters,
} from '../report/request.ts';
import { describeWindow, formatDate, type Window } from '../report/window.ts';
import { printable, visibleJson } from '../text/printable.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';

/** A plan with the profile it was made for. */
export type ProfilePlan = ReportPlan & {
  readonly profile: Profile;
  /** What makes the request doubtful, in sentences: a list in which names were looked up that is not whole. */
  readonly notices?: readonly string[];
};

/** One report to run: whole, or in parts. */
export interface Job {
  /** The saved report's name; absent for what flags alone describe. */
  readonly name: string | undefined;
  /** What tells it from the other jobs of its run: the saved report, and the account where it is one of several. */
  readonly label: string | undefined;
  readonly account: ServiceAccount;
  /** What the account is called. */
  readonly accountName: string;
  readonly options: RunFlags;
  readonly plan: ProfilePlan;
  /** All of the window, in time order. */
  readonly allParts: readonly Part[];
  /** What is to be fetched, in time order. */
  readonly parts: readonly Part[];
  /** What its files answer but for their time, with names where the user wrote names; `chooseParts` settles it. */
  readonly question?: Question;
  /** Keeps the books of the folder, where the job adds files to one. */
  readonly books?: Bookkeeper;
  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/** Turns the flags of `run` and `report create` into a plan. Throws `UsageError` for what the service would refuse. */
export async function planFromFlags(
  account: ServiceAccount,
  flags: ReportFlags,
  nowMs: number,
): Promise<ProfilePlan> {
  const settings = await account.settings();
  const profile = flags.profile ?? settings.profile.value;
  const plan = planReport({
    profile,
    metrics: flags.metrics,
    by: flags.by ?? flags.breakdowns,
    filters: flags.filter,
    countries: flags.country,
    timezone: flags.timezone,
    direct: flags.direct,
    windowClock: settings.windowClock.value,
    period: flags.period,
    since: flags.since,
    until: flags.until,
    nowMs,
  });
  return { ...plan, profile };
}

/** What a job is made from. */
interface JobSource {
  readonly account: ServiceAccount;
  readonly options: RunFlags;
  /** The name of a saved report. */
  readonly name?: string | undefined;
  /** As that of the job, where that is not the name of the report. */
  readonly label?: string;
}

/** What the flags of `run` ask for. Throws `UsageError` for what does not fit together, before anything is sent. */
export async function planJob(
  { host }: Pick<Context, 'host'>,
  { account, options, name, label = name }: JobSource,
): Promise<Job> {
  const nowMs = host.wallClock();
  const now = Math.floor(nowMs / 1_000);
  const asked = await planFromFlags(account, options, nowMs);
  const isMerged = mergesParts(options);
  // A file of a part holds a whole unit, whether that is over or not.
  const isOneReport = options.split === undefined || isMerged;
  const isCompared = options.compare !== undefined && isOneReport;
  const plan = isCompared ? comparablePlan(asked, now) : asked;
  if (isMerged && options.split) checkMergeable(plan.request.breakdowns, options.split);
  checkCombination(options, isMerged);

  const allParts = partsOf(plan, options.split, isMerged ? undefined : now);
  const { shard } = options;
  const accountName = await account.name();
  const parts = shard === undefined ? allParts : takeShard(allParts, shard);
  return { name, label, account, accountName, options, plan, isMerged, allParts, parts };
}

/** A plan whose window ends where it can be compared. */
function comparablePlan(plan: ProfilePlan, now: number): ProfilePlan {
  const window = comparableWindow(plan.window, now);
  return { ...plan, window, request: requestFor(plan, window) };
}

/** Whether the parts go into one output, because its name does not tell their days apart. */
function mergesParts({ split, output = '-' }: RunFlags): boolean {
  if (split === undefined) return false;
  return !hasTimePlaceholder(output);
}

/** Throws `UsageError` for flags that have no meaning together, or without another one. */
function checkCombination(options: RunFlags, isMerged: boolean): void {
  const { split, shard, missing, lookback, refetch, output = '-' } = options;

  if (placeholdersOf(output).includes('id') && (isMerged || missing)) {
    const why = isMerged
      ? 'the merged output of several reports has no id'
      : '--missing asks which files are there';
    throw new UsageError(`-o has {id}, but ${why}.`, {
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  if (shard !== undefined && split === undefined) {
    throw needs('--shard', '--split', 'It chooses among the parts.');
  }
  if (lookback !== undefined && !missing) {
    throw needs('--lookback', '--missing', 'Without it all parts are fetched anyway.');
  }
  if (refetch && !missing) {
    throw needs('--refetch', '--missing', 'Without it all parts are fetched anyway.');
  }
  if (missing && output === '-') {
    throw needs('--missing', '-o', 'It asks which files are not there yet.');
  }
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, {
    hint: `${why} Add ${other}, or leave ${flag} out.`,
  });
}

/** The file of a part as the user names it, with `{id}` where only the service knows it; `undefined` for stdout. */
export function fileOf(job: Job, part: Part): string | undefined {
  const { output = '-' } = job.options;
  if (output === '-') return undefined;
  return expandName(output, { ...nameValuesOf(job, part), id: '{id}' });
}

/** What is known of a report before its data comes. */
export interface ReportFacts {
  /** What the placeholders of `-o` stand for: dates are local to the report's zone. */
  readonly names: NameValues;
  /** The columns that the request leads to, where it is known. */
  readonly columns?: readonly Column[];
  /** What its rows are to be checked against; absent where they cannot be. */
  readonly expectation?: Omit<Expectation, 'nowMs'>;
}

/** What the placeholders of `-o` stand for in the output of a part; without a part, in that of all parts. */
export function nameValuesOf({ name, accountName, isMerged, plan }: Job, part?: Part): NameValues {
  const days = part && !isMerged ? part : daysOfWindow(plan.window);
  return namesFor(plan, { name, accountName, days });
}

/** What is known of a part that has an output of its own; without a part, of the output that all parts go into. */
export function factsOf(job: Job, part?: Part): ReportFacts {
  const days = part && !job.isMerged ? part : daysOfWindow(job.plan.window);
  // A shard of the parts lacks the days of the others, as it should.
  const wholeWindow = job.options.shard === undefined ? job.plan.window : undefined;
  const { name, accountName } = job;
  return describeFacts(job.plan, { name, accountName, days, window: part?.window ?? wholeWindow });
}

/** What is known of one part of a merged output, which is compared with its own request. */
export function factsOfPart(job: Job, part: Part): ReportFacts {
  const { name, accountName } = job;
  const facts = describeFacts(job.plan, { name, accountName, days: part, window: part.window });
  if (!facts.expectation) return facts;

  // A filter may leave nothing of a day.
  const mayBeEmpty = Object.keys(part.request.filters).length > 0;
  return { ...facts, expectation: { ...facts.expectation, mayBeEmpty } };
}

/** What is known of a report that is asked for whole. */
export function factsOfPlan(plan: ProfilePlan, accountName: string): ReportFacts {
  const { window } = plan;
  return describeFacts(plan, { name: undefined, accountName, days: daysOfWindow(window), window });
}

/** The first and the last day of what goes into an output, as `2026-11-01`. */
interface Days {
  readonly since: string;
  readonly until: string;
}

function daysOfWindow({ since, until, zone }: Window): Days {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

/** What tells the outputs of a run apart. */
interface OutputNames {
  /** The name of a saved report. */
  readonly name: string | undefined;
  readonly accountName: string;
  readonly days: Days;
}

interface OutputSpan extends OutputNames {
  /** The window that the rows must fill, where they must. */
  readonly window: Window | undefined;
}

function namesFor(
  { profile, request }: ProfilePlan,
  { name, accountName, days }: OutputNames,
): NameValues {
  const { since, until } = days;
  const report = name ?? (request.breakdowns.join('-').toLowerCase() || 'total');
  return { profile, report, account: accountName, since, until, date: since };
}

function describeFacts(plan: ProfilePlan, { window, ...output }: OutputSpan): ReportFacts {
  const { profile, request, shownMetrics } = plan;
  const { breakdowns, filters } = request;
  const names = namesFor(plan, output);
  const columns = askedColumns(profile, request, shownMetrics);
  if (!window) return { names, columns };

  return { names, columns, expectation: { window, breakdowns, columns, filters } };
}

/** One create call that would be made. */
export interface PlannedCall extends Pick<Part, 'window' | 'request'> {
  readonly account: ServiceAccount;
  /** What tells its job from the others of a run. */
  readonly label?: string | undefined;
  /** Absent for stdout; `null` for a report that is not written, but held against another one. */
  readonly output?: string | null | undefined;
  /** Why it would be made, as a clause. */
  readonly reason?: string | undefined;
}

/** Prints what would be sent, as text or with `--json` as one object (`cli.md`, `--dry-run`). */
export async function printDryRun(
  { console, flags }: Pick<Context, 'console' | 'flags'>,
  calls: readonly PlannedCall[],
): Promise<void> {
  const requests: object[] = [];
  const texts: string[] = [];

  for (const { account, label, window, request, output, reason } of calls) {
    const { baseUrl, encoding } = await account.settings();
    const address = baseUrl.value?.href ?? 'https://reports.example.com';
    const { since, until, zone } = window;
    const encoded = encodeRequest(request, encoding.value);
    const curl = curlLine(address, encoded);
    requests.push({
      method: 'POST',
      url: createUrl(address),
      body: requestParameters(request),
      window: { since, until, timezone: zone },
      output: output === undefined ? '-' : output,
      reason,
      curl,
    });

    const local = describeWindow(window);
    const line = (word: string, text: string) => console.out.style.bold(word.padEnd(8)) + text;
    const lines = [
      line('window', `${local.since} … ${local.until} (${zone}, ${local.length})`),
      line('unix', `${since} … ${until}`),
      ...(output === null ? [] : [line('output', printable(output ?? 'stdout'))]),
      ...(reason === undefined ? [] : [line('because', reason)]),
      line('body', encoded.text),
      '',
      curl,
    ];
    if (label !== undefined) lines.unshift(line('report', printable(label)));
    texts.push(lines.join('\n'));
  }

  await console.result(flags.json ? visibleJson({ requests }) : texts.join('\n\n'));
}

/** Who writes to a place, and by which name. */
interface Owner {
  readonly job: Job;
  readonly output: string;
}

/** Throws `UsageError` where two outputs of a run would be one file, by their names or through a link. */
export function expectOwnPlaces(jobs: readonly Job[], cwd: string): void {
  const owners = new Map<string, Owner>();

  for (const job of jobs) {
    // The parts of a merged report share one output.
    const outputs = new Set(job.parts.map((part) => fileOf(job, part)));
    for (const output of outputs) {
      const place = output === undefined ? 'stdout' : placeOnDisk(resolve(cwd, output));
      const owner = owners.get(place);
      if (owner) throw sharedPlace(owner, { job, output: output ?? 'stdout' });
      owners.set(place, { job, output: output ?? 'stdout' });
    }
  }
}

function sharedPlace(first: Owner, second: Owner): UsageError {
  if (first.job === second.job) {
    return new UsageError(`${first.output} and ${second.output} are one file, through a link.`, {
      hint: 'Remove the link, or write elsewhere with -o.',
    });
  }
  return new UsageError(
    `The reports ${first.job.label} and ${second.job.label} would both be written to ${second.output}.`,
    { hint: 'Give each an output of its own, e.g. with {report} or {account} in its name.' },
  );
}
