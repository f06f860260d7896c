import { dirname, resolve } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import type { Column } from '../contract/columns.ts';
import { type CheckMessage, UsageError } from '../errors.ts';
import {
  beforeTime,
  expandName,
  expectValidOnWindows,
  hasTimePlaceholder,
  type NameValues,
  pathKey,
  placeholdersOf,
} from '../output/file/file-name.ts';
import { formatPlural } from '../text/quantity.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import {
  comparableWindow,
  describeWindow,
  formatDate,
  type SplitUnit,
  unitsIn,
  type Window,
} from './calendar.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import type { JobOptions, ThisRunFlags } from './flags/run-flags.ts';
import { jobOptions } from './job-options.ts';
import { planSpec, type ReportPlan, requestFor } from './request.ts';
import type { ReportSpec } from './spec.ts';
import { hasFixedBeginning } from './spec-window.ts';
import {
  checkMergeable,
  daysOf,
  type Part,
  requireBegun,
  splitPlan,
  takeShard,
} from './window-parts.ts';

/** A plan with campaign names resolved to ids. */
export interface JobPlan extends ReportPlan {
  /** Warnings on the campaign list, if names were looked up. */
  readonly earlierWarnings?: readonly CheckMessage[] | undefined;
}

/** One report to run, as a whole or in parts. */
export interface Job {
  /** Name of the saved report; absent for a report from flags alone. */
  readonly name: string | undefined;

  /** Distinguishes the jobs of a run: the saved report, and the account if there are several. */
  readonly label: string | undefined;
  readonly account: ServiceAccount;
  readonly accountName: string;
  readonly spec: ReportSpec;

  /** False if the metrics are those of the profile or of the folder. */
  readonly hasTypedMetrics: boolean;

  /** Flags of the spec and of this run. */
  readonly options: JobOptions;
  readonly plan: JobPlan;

  /** Parts of the whole window, in time order. */
  readonly allParts: readonly Part[];

  /** Parts to download, in time order. */
  readonly parts: readonly Part[];

  /** All parts go into one output. */
  readonly isMerged: boolean;
}

interface JobSource {
  readonly account: ServiceAccount;
  readonly spec: ReportSpec;
  readonly thisRun: ThisRunFlags;
  readonly hasTypedMetrics: boolean;

  /** Set for a saved report. */
  readonly name?: string | undefined;

  /** Name of the report by default. */
  readonly label?: string | undefined;

  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /** Replaces the window of the spec with these days, weeks or months, in time order. */
  readonly units?: readonly PlannedUnit[];
}

/** First and last second, in unix seconds. */
type PlannedUnit = Pick<Window, 'since' | 'until'>;

/** Plans the job of a spec, without network. Throws `UsageError` for an invalid combination. */
export async function planJob(source: JobSource): Promise<Job> {
  const { account, spec, thisRun, hasTypedMetrics, name, label = name, nowMs, units } = source;
  const now = Math.floor(nowMs / 1_000);
  const requested = planSpec(units ? limitWindow(spec, units, now) : spec, {
    nowMs,
    direct: thisRun.direct,
    wholeUnit: unitOfFiles(spec),
  });
  requireBegun(requested.window, now, spec.period === undefined ? '--since' : '--period');
  const jobFlags = jobOptions(spec, thisRun);
  const options = requested.isWeekly ? { ...jobFlags, split: weeklySplit(jobFlags) } : jobFlags;
  const isMerged = mergesParts(options);
  const isCompared = options.compare !== undefined;
  const plan: JobPlan = isCompared ? comparablePlan(requested, now) : requested;
  if (isMerged && options.split) checkMergeable(plan.request.breakdowns, options.split);
  checkCombination(options, isMerged);
  if (isCompared && options.split && !isMerged) throw oneFilePerPart(options, plan.window);
  // A repair and a download of the whole window keep no rolling window.
  const keepsWindow = !units && !options.refetch;
  if (keepsWindow) checkLookback(spec, { options, window: plan.window, nowMs });

  const needsWholeUnits = !isMerged || requested.isWeekly;
  const allParts = splitPlan(plan, options.split, needsWholeUnits ? now : undefined);
  const { shard } = options;
  const { split } = options;
  const isShard = shard !== undefined && split !== undefined;
  const own = isShard ? takeShard(allParts, shard, split) : allParts;
  const parts = units ? own.filter(({ window }) => units.some((unit) => holds(unit, window))) : own;
  const accountName = await account.name();
  return {
    name,
    label,
    account,
    accountName,
    spec,
    hasTypedMetrics,
    options,
    plan,
    isMerged,
    allParts,
    parts,
  };
}

/** Replaces the window by one from the first unit to the last one, at most until now. */
function limitWindow(spec: ReportSpec, units: readonly PlannedUnit[], now: number): ReportSpec {
  const since = Math.min(...units.map((unit) => unit.since));
  const until = Math.min(now, Math.max(...units.map((unit) => unit.until)));
  return { ...spec, period: undefined, since: String(since), until: String(until) };
}

function holds(unit: PlannedUnit, { since }: Window): boolean {
  return unit.since <= since && since <= unit.until;
}

/** Returns the unit of each file, or the week of `--by WEEKLY`; `undefined` for a single report. */
function unitOfFiles({ split, output = '-', request }: ReportSpec): SplitUnit | undefined {
  if (request.breakdowns.includes('WEEKLY')) return 'week';
  return hasTimePlaceholder(output) ? split : undefined;
}

/** Throws `UsageError` for a rolling window that leaves units behind before they are final. */
function checkLookback(
  spec: ReportSpec,
  { options, window, nowMs }: { options: JobOptions; window: Window; nowMs: number },
): void {
  const { lookback, missing, split } = options;
  if (lookback !== undefined && !missing) {
    throw needs('--lookback', '--missing', 'Without it, everything is downloaded anyway.');
  }
  if (!lookback || split === undefined || hasFixedBeginning(spec, nowMs)) return;
  const count = [...unitsIn(window, split)].length;
  if (count > lookback) return;

  const message = `--lookback ${lookback} needs a period of at least ${formatPlural(lookback + 1, split)}; this one has ${count}.`;
  throw new UsageError(message, {
    hint: `Otherwise ${split}s drop out of the period before they are final. Use a longer period, or --since.`,
  });
}

/** Throws `UsageError` for any `--split` other than by week. */
function weeklySplit({ split = 'week' }: JobOptions): 'week' {
  if (split === 'week') return split;
  throw new UsageError(`--by WEEKLY requests one report per week, not per ${split}.`, {
    about: { flag: '--split' },
    hint: `Remove --split ${split}${split === 'day' ? ', or use --by DAILY' : ''}.`,
  });
}

/** Limits the window of a plan to one that can be compared with an earlier one. */
function comparablePlan(plan: ReportPlan, now: number): ReportPlan {
  const window = comparableWindow(plan.window, now);
  return { ...plan, window, request: requestFor(plan, window) };
}

/** Holds for a split report whose output name has no time placeholder. */
function mergesParts({ split, output = '-' }: JobOptions): boolean {
  if (split === undefined) return false;
  return !hasTimePlaceholder(output);
}

/** Throws `UsageError` for flags that exclude or require each other. */
function checkCombination(options: JobOptions, isMerged: boolean): void {
  const { split, shard, missing, output = '-' } = options;

  if (placeholdersOf(output).includes('id') && (isMerged || missing)) {
    const why = isMerged
      ? 'merged reports have no single ID'
      : '--missing must know the file names in advance';
    throw new UsageError(`-o has {id}, but ${why}.`, {
      about: { flag: '--output' },
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  if (shard !== undefined && split === undefined) {
    throw needs('--shard', '--split', 'It selects some of the days, weeks or months.');
  }
  if (missing && !options.clobber) {
    throw new UsageError('--missing cannot be used with --no-clobber.', {
      hint: '--missing replaces files that are not final. Remove --no-clobber.',
    });
  }
  if (missing && output === '-') {
    throw needs('--missing', '-o', 'It downloads files that do not exist yet.');
  }
}

function oneFilePerPart({ output = '-', split, compare }: JobOptions, window: Window): UsageError {
  const folder = shellWord(dirname(`${beforeTime(output)}x`), 'linux');
  const { since, until } = describeWindow(window);
  const days = `--since ${since.slice(0, 10)} --until ${until.slice(0, 10)}`;
  return new UsageError(`--compare cannot be used with one file per ${split}.`, {
    about: { flag: '--compare' },
    hint: `Remove --compare, and compare the files: adreport view ${folder} ${days} --compare ${compare} -o report.html`,
  });
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} works only with ${other}.`, {
    about: { flag },
    hint: `${why} Add ${other}, or remove ${flag}.`,
  });
}

/** Output of a report or part, and the checks of its rows. */
export interface ReportOutput {
  /** Name as typed, filled in except for `{id}`; `undefined` for stdout. */
  readonly file?: string | undefined;

  /** Values of the placeholders in `-o`. Dates are in the report's zone. */
  readonly names: NameValues;

  /** Absent if the request is unknown. */
  readonly columns?: readonly Column[];

  /** Absent if the rows cannot be checked. */
  readonly expectation?: Expectation;

  /** Warnings on the campaign list. */
  readonly earlierWarnings?: readonly CheckMessage[] | undefined;
}

/** Members of a job that decide its outputs. */
interface OutputSource extends Pick<Job, 'plan' | 'accountName'> {
  /** Set for a saved report. */
  readonly name?: string | undefined;
  readonly isMerged?: boolean;
  readonly options: Pick<JobOptions, 'output' | 'shard'>;
}

/**
 * Returns the output of a part, or without `part` of the whole report. The parts of a merged report
 * share one output, but each is checked against its own request.
 */
export function outputOf(job: OutputSource, part?: Part): ReportOutput {
  const { plan, name, accountName, isMerged, options } = job;
  const { profile } = plan;
  const { since, until } = part && !isMerged ? part : daysOfWindow(plan.window);
  const report = name ?? (requestedBreakdowns(plan).join('-').toLowerCase() || 'total');
  const names = { profile, report, account: accountName, since, until, date: since };
  const { output: template = '-', shard } = options;
  const file = template === '-' ? undefined : expandName(template, { ...names, id: '{id}' });

  const requested = expectationOf(plan);
  const columns = plan.isWeekly ? requested.columns.map(asWeeks) : requested.columns;
  const output = { file, names, columns, earlierWarnings: plan.earlierWarnings };
  // A shard has only some of the days, so its merged output cannot be checked by window.
  const window = part?.window ?? (shard === undefined ? plan.window : undefined);
  if (!window) return output;

  return { ...output, expectation: { ...requested, window, columns } };
}

/** Adds the days to the label of the job if it is split; uses the days alone if it has no label. */
export function labelOfPart(
  { label, options }: Pick<Job, 'label' | 'options'>,
  part: Part,
): string {
  const days = daysOf(part);
  if (!label) return days;
  return options.split ? `${label} ${days}` : label;
}

/** Formats the first and last day of a window as `2026-11-01`. */
function daysOfWindow({ since, until, zone }: Window): Pick<Part, 'since' | 'until'> {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

/** Names the breakdowns as the user typed them. */
function requestedBreakdowns({ request, isWeekly }: ReportPlan): string[] {
  return request.breakdowns.map((name) => (isWeekly && name === 'RANGE' ? 'WEEKLY' : name));
}

/** Marks the RANGE column as one of weeks. */
function asWeeks(column: Column): Column {
  return column.breakdown === 'RANGE' ? { ...column, isOfWeeks: true } : column;
}

/** A job that writes to a place, and the name it uses. */
interface Owner {
  readonly job: Job;
  readonly output: string;
}

/**
 * Throws `UsageError` if two outputs of a run have the same name, or if the system does not allow a
 * name.
 */
export function requireDistinctOutputs(
  jobs: readonly Job[],
  { cwd, platform }: { readonly cwd: string; readonly platform: NodeJS.Platform },
): void {
  const owners = new Map<string, Owner>();

  for (const job of jobs) {
    // The parts of a merged report share one output.
    const outputs = new Set(job.parts.map((part) => outputOf(job, part).file));
    for (const output of outputs) {
      if (output !== undefined) expectValidOnWindows(output, platform);
      const place = output === undefined ? 'stdout' : pathKey(resolve(cwd, output));
      const owner = owners.get(place);
      if (owner) throw sharedPlace(owner, { job, output: output ?? 'stdout' });
      owners.set(place, { job, output: output ?? 'stdout' });
    }
  }
}

function sharedPlace(first: Owner, second: Owner): UsageError {
  return new UsageError(
    `The reports ${first.job.label} and ${second.job.label} would both be written to ${second.output}.`,
    { hint: 'Use a separate output for each, for example with {report} or {account} in the name.' },
  );
}
