import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { askedColumns } from '../contract/columns.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { expandName, modifiedAt, type NameValues, placeholdersOf } from '../output/file/file-name.ts';
import { checkMergeable, type Part, parseShard, partsOf, stillToFetch, takeShard } from '../report/parts.ts';
import { planReport, type ReportPlan } from '../report/request.ts';
import { formatDate, type Window } from '../report/window.ts';
import type { ReportFacts } from './deliver.ts';
import type { ReportFlags, RunOptions } from './flags.ts';
import { checkDialect, chooseFormat, columnsNamed } from './output-flags.ts';

/** A plan with the profile it was made for. */
export interface ProfilePlan extends ReportPlan {
  readonly profile: Profile;
}

/** One report to run: whole, or in parts. */
export interface Job {
  /** The saved report's name; absent for what flags alone describe. */
  readonly name: string | undefined;
  /** That of the report's account. */
  readonly context: Context;
  readonly options: RunOptions;
  readonly plan: ProfilePlan;
  /** What the placeholders of `-o` stand for. */
  readonly names: NameValues;
  /** What is to be fetched, in time order. */
  readonly parts: readonly Part[];
  /** How many parts there are with those whose files are there already. */
  readonly partCount: number;
  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/** Turns the flags of `run` and `report create` into a plan. Throws `UsageError` for what the service would refuse. */
export async function planFromFlags(context: Context, flags: ReportFlags): Promise<ProfilePlan> {
  const settings = await context.settings();
  const profile = flags.profile ?? settings.profile.value;
  const { metrics, timezone, direct, since, until, period } = flags;
  const plan = planReport({
    profile,
    metrics,
    by: flags.by ?? flags.breakdowns,
    filters: flags.filter,
    countries: flags.country,
    windowClock: settings.windowClock.value,
    timezone,
    direct,
    since,
    until,
    period,
    nowMs: context.host.wallClock(),
  });
  return { ...plan, profile };
}

/** Says on stderr how wall times that do not exist, or exist twice, were resolved. */
export function sayNotes({ console }: Context, { window }: ReportPlan): void {
  for (const note of window.notes) console.note(note);
}

/**
 * What the placeholders of `-o` stand for: dates are local to the report's zone.
 *
 * @param report the name of a saved report; what is broken down by where there is none
 */
export function reportNames({ profile, request, window }: ProfilePlan, report?: string): NameValues {
  const since = formatDate(window.since, window.zone);
  const until = formatDate(window.until, window.zone);
  const { breakdowns } = request;
  const described = breakdowns.length === 0 ? 'total' : breakdowns.join('-').toLowerCase();
  return { profile, report: report ?? described, since, until, date: since };
}

/**
 * What the flags of `run` ask for. Throws `UsageError` for what does not fit together, before anything is sent.
 *
 * @param name the saved report's
 */
export async function planJob(context: Context, options: RunOptions, name?: string): Promise<Job> {
  const { split, shard, output } = options;
  checkDialect(context, options, chooseFormat(context, options));
  columnsNamed(options);
  const plan = await planFromFlags(context, options);
  const placeholders = output === undefined ? [] : placeholdersOf(output);
  const isMerged = split !== undefined && !placeholders.some((word) => ['date', 'since', 'until'].includes(word));
  if (isMerged) {
    checkMergeable(plan.request.breakdowns, split);
    if (placeholders.includes('id')) {
      throw new UsageError('-o has {id}, but the merged output of several reports has no id.', {
        hint: 'Leave {id} out, or write a file a part with {date}.',
      });
    }
  }
  if (shard !== undefined && split === undefined) throw needs('--shard', '--split', 'It chooses among the parts.');
  const now = Math.floor(context.host.wallClock() / 1_000);
  const all = partsOf(plan, split, isMerged ? undefined : now);
  const mine = shard === undefined ? all : takeShard(all, parseShard(shard));
  const names = reportNames(plan, name);
  const job = { name, context, options, plan, names, isMerged, parts: mine, partCount: mine.length };
  return { ...job, parts: isMissingOnly(options) ? missingOf(job, all, now) : mine };
}

/** Whether `--missing` is given. Throws `UsageError` where its flags do not fit. */
function isMissingOnly({ missing, lookback, output }: RunOptions): boolean {
  if (!missing) {
    if (lookback !== undefined) throw needs('--lookback', '--missing', 'Without it all parts are fetched anyway.');
    return false;
  }
  if (output === undefined || output === '-') throw needs('--missing', '-o', 'It asks which files are not there yet.');
  if (placeholdersOf(output).includes('id')) {
    throw new UsageError('--missing cannot tell which files are there: -o has {id}, which is not known before.', {
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  return true;
}

/** The job's parts that `--missing` fetches. A merged output is one file: it is written anew if any part is not final. */
function missingOf(job: Job, all: readonly Part[], now: number): readonly Part[] {
  const { cwd } = job.context.host;
  const writtenAt = (part: Part) => modifiedAt(resolve(cwd, fileOf(job, part) ?? ''));
  const wanted = stillToFetch(all, { now, lookback: job.options.lookback ?? 0, writtenAt });
  if (job.isMerged) return wanted.length > 0 ? job.parts : [];
  return job.parts.filter((part) => wanted.includes(part));
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, { hint: `${why} Add ${other}, or leave ${flag} out.` });
}

/** The file of a part as the user names it, with `{id}` where only the service knows it; `undefined` for stdout. */
export function fileOf(job: Job, part: Part): string | undefined {
  const { output } = job.options;
  return output === undefined || output === '-' ? undefined : expandName(output, { ...namesOf(job, part), id: '{id}' });
}

/** What is known of a part that has an output of its own. */
export function factsOf(job: Job, part: Part): ReportFacts {
  return describe(job, namesOf(job, part), part.window);
}

/** What is known of the output that all parts go into. A shard of them lacks the days of the others, as it should. */
export function mergedFactsOf(job: Job): ReportFacts {
  return describe(job, job.names, job.options.shard === undefined ? job.plan.window : undefined);
}

/** @param window of which no time may be missing, where that can be told */
function describe({ plan, options }: Job, names: NameValues, window: Window | undefined): ReportFacts {
  const { breakdowns, filters } = plan.request;
  const columns = askedColumns(plan.profile, plan.request, plan.shownMetrics);
  const isFiltered = Object.keys(filters).length > 0;
  const facts = { names, columns, strict: options.strict ?? false };
  return window ? { ...facts, window, expectation: { window, breakdowns, columns, isFiltered } } : facts;
}

/** What the placeholders of `-o` stand for in the file name of a part; a merged output is named for the whole window. */
function namesOf({ names, isMerged }: Job, { since, until }: Part): NameValues {
  return isMerged ? names : { ...names, since, until, date: since };
}
