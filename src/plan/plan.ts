import { resolve } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import { askedColumns, type Column } from '../contract/columns.ts';
import { type Remark, UsageError } from '../errors.ts';
import type { Expectation } from '../judge/check.ts';
import {
  diskKey,
  expandName,
  expectValidOnWindows,
  hasTimePlaceholder,
  type NameValues,
  placeholdersOf,
} from '../output/file/file-name.ts';
import { comparableWindow } from '../report/compared-window.ts';
import { checkMergeable, daysOf, type Part, partsOf, takeShard } from '../report/parts.ts';
import { planSpec, type ReportPlan, requestFor } from '../report/request.ts';
import type { ReportSpec } from '../report/spec.ts';
import { hasFixedBeginning } from '../report/spec-window.ts';
import {
  expectBegun,
  formatDate,
  type SplitUnit,
  splitWindow,
  type Window,
} from '../report/window.ts';
import { formatPlural } from '../text/quantity.ts';
import { checkColumns } from './check-columns.ts';
import type { JobOptions, ThisRunFlags } from './flags/run-flags.ts';
import { jobOptions } from './job-options.ts';

/** A plan whose names of campaigns are ids. */
export interface JobPlan extends ReportPlan {
  /** The findings on the list of campaigns, if names were looked up in it. */
  readonly earlierFindings?: readonly Remark[] | undefined;
}

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

  /** What is asked for, and how it is kept. */
  readonly spec: ReportSpec;

  /** The spec and this run's flags as the steps take them. */
  readonly options: JobOptions;
  readonly plan: JobPlan;

  /** All of the window, in time order. */
  readonly allParts: readonly Part[];

  /** What is to be fetched, in time order. */
  readonly parts: readonly Part[];

  /** Whether the parts go into one output, rather than each into its own. */
  readonly isMerged: boolean;
}

/** What a job is made from. */
interface JobSource {
  readonly account: ServiceAccount;
  readonly spec: ReportSpec;
  readonly thisRun: ThisRunFlags;

  /** The name of a saved report. */
  readonly name?: string | undefined;

  /** As that of the job, if that is not the name of the report. */
  readonly label?: string | undefined;

  /** The present, in milliseconds since 1970. */
  readonly nowMs: number;

  /** Limits the parts to these whole units, in time order, wherever the window of the spec is. */
  readonly units?: readonly PlannedUnit[];
}

/** The first and the last second of a unit, in unix seconds. */
type PlannedUnit = Pick<Window, 'since' | 'until'>;

/**
 * The job of a spec. Throws `UsageError` for what does not fit together, before anything is sent.
 */
export async function planJob(source: JobSource): Promise<Job> {
  const { account, spec, thisRun, name, label = name, nowMs, units } = source;
  const now = Math.floor(nowMs / 1_000);
  const asked = planSpec(units ? limitedTo(spec, units, now) : spec, {
    nowMs,
    direct: thisRun.direct,
    wholeUnit: unitOfFiles(spec),
  });
  expectBegun(asked.window, now, spec.period === undefined ? '--since' : '--period');
  const given = jobOptions(spec, thisRun);
  const options = asked.isWeekly ? { ...given, split: weeklySplit(given) } : given;
  const isMerged = mergesParts(options);
  // A file of a part contains a whole unit, whether that is over or not.
  const isOneReport = options.split === undefined || isMerged;
  const isCompared = options.compare !== undefined && isOneReport;
  const plan = isCompared ? comparablePlan(asked, now) : asked;
  const { columns } = spec.request;
  if (columns !== undefined && columns !== 'all') checkColumns(plan, columns);
  if (isMerged && options.split) checkMergeable(plan.request.breakdowns, options.split);
  checkCombination(options, isMerged);
  if (!units) checkLookback(spec, { options, window: plan.window, nowMs });

  const needsWholeUnits = !isMerged || asked.isWeekly;
  const allParts = partsOf(plan, options.split, needsWholeUnits ? now : undefined);
  const { shard } = options;
  const { split } = options;
  const isShard = shard !== undefined && split !== undefined;
  const own = isShard ? takeShard(allParts, shard, split) : allParts;
  const parts = units ? own.filter(({ window }) => units.some((unit) => holds(unit, window))) : own;
  const accountName = await account.name();
  return { name, label, account, accountName, spec, options, plan, isMerged, allParts, parts };
}

/** A spec whose window runs from the first of some units to the last, as far as that has begun. */
function limitedTo(spec: ReportSpec, units: readonly PlannedUnit[], now: number): ReportSpec {
  const since = Math.min(...units.map((unit) => unit.since));
  const until = Math.min(now, Math.max(...units.map((unit) => unit.until)));
  return { ...spec, period: undefined, since: String(since), until: String(until) };
}

function holds(unit: PlannedUnit, { since }: Window): boolean {
  return unit.since <= since && since <= unit.until;
}

/** The unit that each file or each week of a spec is of; `undefined` for one report. */
function unitOfFiles({ split, output = '-', request }: ReportSpec): SplitUnit | undefined {
  if (request.breakdowns.includes('WEEKLY')) return 'week';
  return hasTimePlaceholder(output) ? split : undefined;
}

/**
 * Throws `UsageError` for a window that moves on before its units are final, so that no run would
 * download them once more.
 */
function checkLookback(
  spec: ReportSpec,
  { options, window, nowMs }: { options: JobOptions; window: Window; nowMs: number },
): void {
  const { lookback = 0, split } = options;
  if (lookback === 0 || split === undefined || hasFixedBeginning(spec, nowMs)) return;
  const count = splitWindow(window, split).length;
  if (count > lookback) return;

  const message = `--lookback ${lookback} needs a window of ${formatPlural(lookback + 1, split)}, and this one has ${count}.`;
  throw new UsageError(message, {
    hint: `Without that, each ${split} leaves the window before it is final. Use a longer period, or --since.`,
  });
}

/** How a report by week is split. Throws `UsageError` where a flag says otherwise. */
function weeklySplit({ split = 'week' }: JobOptions): 'week' {
  if (split === 'week') return split;
  throw new UsageError(`--by WEEKLY makes a report of each week, and not of each ${split}.`, {
    about: { flag: '--split' },
    hint: `Leave --split ${split} out${split === 'day' ? ', or give --by DAILY' : ''}.`,
  });
}

/** A plan whose window ends where it can be compared. */
function comparablePlan(plan: ReportPlan, now: number): ReportPlan {
  const window = comparableWindow(plan.window, now);
  return { ...plan, window, request: requestFor(plan, window) };
}

/** Whether the parts go into one output, because its name does not tell their days apart. */
function mergesParts({ split, output = '-' }: JobOptions): boolean {
  if (split === undefined) return false;
  return !hasTimePlaceholder(output);
}

/** Throws `UsageError` for flags that have no meaning together, or without another one. */
function checkCombination(options: JobOptions, isMerged: boolean): void {
  const { split, shard, missing, lookback, output = '-' } = options;

  if (placeholdersOf(output).includes('id') && (isMerged || missing)) {
    const why = isMerged
      ? 'the merged output of several reports has no id'
      : '--missing asks which files are there';
    throw new UsageError(`-o has {id}, but ${why}.`, {
      about: { flag: '--output' },
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  if (shard !== undefined && split === undefined) {
    throw needs('--shard', '--split', 'It chooses among the parts.');
  }
  if (lookback !== undefined && !missing) {
    throw needs('--lookback', '--missing', 'Without it all parts are fetched anyway.');
  }
  if (missing && !options.clobber) {
    throw new UsageError('--missing and --no-clobber exclude each other.', {
      hint: '--missing replaces files that are not final. Leave --no-clobber out.',
    });
  }
  if (missing && output === '-') {
    throw needs('--missing', '-o', 'It asks which files are not there yet.');
  }
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, {
    about: { flag },
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
  readonly earlierFindings?: readonly Remark[] | undefined;
}

/** As much of a job as its outputs follow from. */
interface OutputSource extends Pick<Job, 'plan' | 'accountName'> {
  /** The name of a saved report. */
  readonly name?: string | undefined;
  readonly isMerged?: boolean;
  readonly options: Pick<JobOptions, 'output' | 'shard'>;
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

  const { windowClock } = plan;
  const expectation = { profile, window, windowClock, breakdowns, columns, filters };
  return { ...output, expectation };
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
function askedBreakdowns({ request, isWeekly }: ReportPlan): string[] {
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
 * link, and for an output that the system cannot hold.
 */
export function expectOwnPlaces(
  jobs: readonly Job[],
  { cwd, platform }: { readonly cwd: string; readonly platform: NodeJS.Platform },
): void {
  const owners = new Map<string, Owner>();

  for (const job of jobs) {
    // The parts of a merged report share one output.
    const outputs = new Set(job.parts.map((part) => outputOf(job, part).file));
    for (const output of outputs) {
      if (output !== undefined) expectValidOnWindows(output, platform);
      const place = output === undefined ? 'stdout' : diskKey(resolve(cwd, output));
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
