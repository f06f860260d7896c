import { AdreportError, isReportFailure, isStillInProgress, isUnreachable } from '../errors.ts';
import { goesToStdout, placeholdersOf } from '../output/file/file-name.ts';
import { countDays } from '../query/calendar.ts';
import { continuedCommand } from '../query/command-line.ts';
import { jobWithIds } from '../query/names.ts';
import type { Job } from '../query/plan.ts';
import { canMerge, canSplit } from '../query/window-parts.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { announce } from './announce.ts';
import { bufferDelivery } from './deliver.ts';
import type { FolderJob } from './folder-jobs.ts';
import { prepareJobOutput } from './job-output.ts';
import { type PartsOptions, runParts } from './parts.ts';
import { fetchToOutput, setUpFetch } from './report-fetch.ts';
import { toolsFor } from './request.ts';
import type { RunTools } from './run-tools.ts';
import { shouldStartInParts, splitAfterFailure, splitJob } from './split-retry.ts';
import type { PreparedOutput } from './write-report.ts';

/** Downloads the parts of jobs, several at a time. Throws the error of the earliest failed part. */
export async function runJobs(
  context: RunTools,
  jobs: readonly FolderJob[],
  options: PartsOptions = {},
): Promise<void> {
  const [first, ...others] = jobs;
  if (!first) return;

  const [part, ...otherParts] = first.parts;
  const isWhole = part?.window === first.plan.window && otherParts.length === 0;
  const isOneReport = others.length === 0 && first.options.split === undefined && isWhole;
  if (isOneReport) return fetchWhole(context, first);

  await runParts(context, jobs, options);
}

/** Downloads and announces a single report. If it fails, it is downloaded in parts. */
async function fetchWhole(context: RunTools, planned: Job): Promise<void> {
  const { host } = context;
  const job = await jobWithIds(context, planned);
  const tools = toolsFor(context, job.account);
  const [part] = job.parts;
  const output = await prepareJobOutput(context, tools, job, part);

  // The one output of several reports has no id.
  const hasId = placeholdersOf(job.options.output ?? '').includes('id');
  const split = hasId ? undefined : splitJob(job);
  const inOneOutput = { output: bufferUntilComplete(job, output) };
  if (split && (await shouldStartInParts(tools, job, split))) {
    return runParts(context, [split], inOneOutput);
  }

  const startedMs = host.stopwatch();
  const nameFile = output.delivery.target.name;
  const report = setUpFetch(tools, job, { part, nameFile });
  try {
    const written = await fetchToOutput(tools, report, output);
    await announce(context, written);
  } catch (thrown) {
    const repeatable = withWholeCommand(thrown, job, host.platform);
    const error = withSplitHint(context, repeatable, job);
    const parts = splitAfterFailure(tools, { error, split, startedMs });
    await runParts(context, [parts], inOneOutput);
  }
}

/**
 * Holds back the output of parts that the user did not request: if a later one fails, stdout has
 * nothing of the earlier ones. A file has nothing of them anyway.
 */
function bufferUntilComplete({ options }: Job, output: PreparedOutput): PreparedOutput {
  if (!goesToStdout(options)) return output;
  return { ...output, delivery: bufferDelivery(output.delivery) };
}

/** Adds the command to repeat to an error after which no report is left to resume. */
function withWholeCommand(error: unknown, job: Job, platform: NodeJS.Platform): unknown {
  if (!(error instanceof AdreportError) || job.account.isLocal) return error;
  const command = continuedCommand(job, platform);

  if (isUnreachable(error) && error.reportId === undefined) {
    const hint = `${error.hint ?? ''}\nTo run it again: ${command}`.trimStart();
    return error.amend('', { hint });
  }
  if (!isReportFailure(error)) return error;
  return error.amend('', { hint: `Request it again: ${command}` });
}

/** Longer windows get a hint to split them. */
const maxDaysWithoutHint = 14;

const fileUnits = ['week', 'month', 'day'] as const;

/** Adds a hint to split a long window, if a report failed or took too long. */
function withSplitHint(
  { host }: Pick<RunTools, 'host'>,
  error: unknown,
  { plan, options }: Job,
): unknown {
  const mayDependOnSize = isReportFailure(error) || isStillInProgress(error);
  if (!(error instanceof AdreportError) || !mayDependOnSize) return error;
  if (countDays(plan.window) <= maxDaysWithoutHint) return error;

  const now = Math.floor(host.wallClock() / 1_000);
  const isMergeable = canMerge(plan.request.breakdowns, 'week');
  const unit = isMergeable ? 'week' : fileUnits.find((each) => canSplit(plan, each, now));
  if (unit === undefined) return error;

  const isFile = (options.output ?? '-') !== '-';
  const ownFiles = `--split ${unit} -o ${shellWord('{date}.csv', host.platform)}`;
  const split = isMergeable ? '--split week' : ownFiles;
  const more = isMergeable || !isFile ? '' : `, one file per ${unit}`;
  const hint = `Shorter reports may succeed: repeat the command with ${split}${more}.`;
  return error.amend('', { hint: error.hint ? `${error.hint}\n${hint}` : hint });
}
