import { resolve } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import type { Bookkeeper } from '../archive/keeper.ts';
import type { Context } from '../context.ts';
import { askedColumns, type Column } from '../contract/columns.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { Expectation } from '../judge/check.ts';
import {
  expandName,
  hasTimePlaceholder,
  type NameValues,
  placeholdersOf,
  placeOnDisk,
} from '../output/file/file-name.ts';
import { comparableWindow } from '../report/compared-window.ts';
import { checkMergeable, daysOf, type Part, partsOf, takeShard } from '../report/parts.ts';
import type { Question } from '../report/question.ts';
import { planReport, type ReportPlan, requestFor } from '../report/request.ts';
import { expectBegun, formatDate, type Window } from '../report/window.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';

/** A plan with the profile it was made for. */
export type ProfilePlan = ReportPlan & {
  readonly profile: Profile;

  /** The findings on the list of campaigns, where names were looked up in it. */
  readonly earlierFindings?: readonly string[] | undefined;
};

/** One report to run: whole, or in parts. */
export interface Job {
  /** The saved report's name; absent for what flags alone describe. */
  readonly name: string | undefined;

  /**
   * What tells it from the other jobs of its run: the saved report, and the account where it is one
   * of several.
   */
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

  /**
   * What its files answer but for their time, with names where the user wrote names; `chooseParts`
   * settles it.
   */
  readonly question?: Question;

  /** Keeps the books of the folder, where the job adds files to one. */
  readonly keeper?: Bookkeeper;

  /**
   * Why parts of the window are not fetched: their files answer another request. It ends the run
   * once the others are.
   */
  readonly refusal?: UsageError;

  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/**
 * Turns the flags of `run` and `report create` into a plan. Throws `UsageError` for what the
 * service would refuse.
 */
export async function planFromFlags(
  account: ServiceAccount,
  options: ReportFlags,
  nowMs: number,
): Promise<ProfilePlan> {
  const settings = await account.settings();
  const profile = options.profile ?? settings.profile.value;
  const plan = planReport({
    profile,
    metrics: options.metrics,
    by: options.by ?? options.breakdowns,
    filters: options.filter,
    countries: options.country,
    timezone: options.timezone,
    direct: options.direct,
    windowClock: settings.windowClock.value,
    period: options.period,
    since: options.since,
    until: options.until,
    nowMs,
  });
  expectBegun(plan.window, Math.floor(nowMs / 1_000));
  return { ...plan, profile };
}

/** What a job is made from. */
interface JobSource {
  readonly account: ServiceAccount;
  readonly options: RunFlags;

  /** The name of a saved report. */
  readonly name?: string | undefined;

  /** As that of the job, where that is not the name of the report. */
  readonly label?: string | undefined;

  /** The present, in milliseconds since 1970, where it is not read now. */
  readonly nowMs?: number;
}

/**
 * What the flags of `run` ask for. Throws `UsageError` for what does not fit together, before
 * anything is sent.
 */
export async function planJob({ host }: Pick<Context, 'host'>, source: JobSource): Promise<Job> {
  const { account, name, label = name, nowMs = host.wallClock() } = source;
  const now = Math.floor(nowMs / 1_000);
  const asked = await planFromFlags(account, source.options, nowMs);
  const options = asked.isWeekly
    ? { ...source.options, split: weeklySplit(source.options) }
    : source.options;
  const isMerged = mergesParts(options);
  // A file of a part holds a whole unit, whether that is over or not.
  const isOneReport = options.split === undefined || isMerged;
  const isCompared = options.compare !== undefined && isOneReport;
  const plan = isCompared ? comparablePlan(asked, now) : asked;
  if (isMerged && options.split) checkMergeable(plan.request.breakdowns, options.split);
  checkCombination(options, isMerged);

  const needsWholeUnits = !isMerged || asked.isWeekly;
  const allParts = partsOf(plan, options.split, needsWholeUnits ? now : undefined);
  const { shard } = options;
  const accountName = await account.name();
  const parts = shard === undefined ? allParts : takeShard(allParts, shard);
  return { name, label, account, accountName, options, plan, isMerged, allParts, parts };
}

/** How a report by week is split. Throws `UsageError` where a flag says otherwise. */
function weeklySplit({ split = 'week' }: RunFlags): 'week' {
  if (split === 'week') return split;
  throw new UsageError(`--by WEEKLY makes a report of each week, and not of each ${split}.`, {
    hint: `Leave --split ${split} out${split === 'day' ? ', or give --by DAILY' : ''}.`,
  });
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
  const { split, shard, missing, lookback, output = '-' } = options;

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
  if (missing && output === '-') {
    throw needs('--missing', '-o', 'It asks which files are not there yet.');
  }
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, {
    hint: `${why} Add ${other}, or leave ${flag} out.`,
  });
}

/**
 * What a report, or a part of one, is called where it goes, and what is known of it before its data
 * comes.
 */
export interface ReportOutput {
  /**
   * The file as the user names it, with `{id}` where only the service knows it; `undefined` for
   * stdout.
   */
  readonly file?: string | undefined;

  /** What the placeholders of `-o` stand for: dates are local to the report's zone. */
  readonly names: NameValues;

  /** The columns that the request leads to, where it is known. */
  readonly columns?: readonly Column[];

  /** What its rows are to be checked against; absent where they cannot be. */
  readonly expectation?: Expectation;

  /** The findings from before it is asked for. */
  readonly earlierFindings?: readonly string[] | undefined;
}

/** As much of a job as its outputs follow from. */
interface OutputSource extends Pick<Job, 'plan' | 'accountName'> {
  /** The name of a saved report. */
  readonly name?: string | undefined;
  readonly isMerged?: boolean;
  readonly options: Pick<RunFlags, 'output' | 'shard'>;
}

/**
 * The output of a part; without one, that of the whole report. The parts of a merged report share
 * its output, and each is held against its own request.
 */
export function outputOf(job: OutputSource, part?: Part): ReportOutput {
  const { plan, name, accountName, isMerged, options } = job;
  const { profile, request } = plan;
  const { breakdowns, filters } = request;

  const { since, until } = part && !isMerged ? part : daysOfWindow(plan.window);
  const report = name ?? (askedBreakdowns(plan).join('-').toLowerCase() || 'total');
  const names = { profile, report, account: accountName, since, until, date: since };
  const { output: template = '-', shard } = options;
  const file = template === '-' ? undefined : expandName(template, { ...names, id: '{id}' });

  const asked = askedColumns(profile, request, plan.shownMetrics);
  const columns = plan.isWeekly ? asked.map(asWeeks) : asked;
  // A shard of the parts lacks the days of the others, as it should.
  const window = part?.window ?? (shard === undefined ? plan.window : undefined);
  const output = { file, names, columns, earlierFindings: plan.earlierFindings };
  if (!window) return output;

  return { ...output, expectation: { profile, window, breakdowns, columns, filters } };
}

/**
 * A part is called as its job, with its own days where the job has several parts; where that has no
 * label, by its days.
 */
export function labelOfPart(
  { label, options }: Pick<Job, 'label' | 'options'>,
  part: Part,
): string {
  const days = daysOf(part);
  if (!label) return days;
  return options.split ? `${label} ${days}` : label;
}

/** The first and the last day of a window, as `2026-11-01`. */
function daysOfWindow({ since, until, zone }: Window): Pick<Part, 'since' | 'until'> {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

/** The breakdowns as the user named them. */
function askedBreakdowns({ request, isWeekly }: ProfilePlan): string[] {
  return request.breakdowns.map((name) => (isWeekly && name === 'RANGE' ? 'WEEKLY' : name));
}

/** The column of what stands for weeks in the reports that they are made of. */
function asWeeks(column: Column): Column {
  return column.breakdown === 'RANGE' ? { ...column, isOfWeeks: true } : column;
}

/** Who writes to a place, and by which name. */
interface Owner {
  readonly job: Job;
  readonly output: string;
}

/**
 * Throws `UsageError` where two outputs of a run would be one file, by their names or through a
 * link.
 */
export function expectOwnPlaces(jobs: readonly Job[], cwd: string): void {
  const owners = new Map<string, Owner>();

  for (const job of jobs) {
    // The parts of a merged report share one output.
    const outputs = new Set(job.parts.map((part) => outputOf(job, part).file));
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
