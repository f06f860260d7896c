import {
  AdreportError,
  ErrorInContext,
  isClosedPipe,
  isReportFailure,
  isStillInProgress,
  isUnreachable,
} from '../errors.ts';
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
import { splitAfterFailure, splitJob } from './split-retry.ts';
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
  const job = await jobWithIds(context, planned);
  const tools = toolsFor(context, job.account);
  const [part] = job.parts;
  const output = await prepareJobOutput(context, tools, job, part);

  // The one output of several reports has no id.
  const hasId = placeholdersOf(job.options.output ?? '').includes('id');
  const split = hasId ? undefined : splitJob(job);
  const nameFile = output.delivery.target.name;
  const report = setUpFetch(tools, job, { part, nameFile });
  let parts: Job;
  try {
    const written = await fetchToOutput(tools, report, output);
    return await announce(context, written);
  } catch (error) {
    parts = splitAfterFailure(tools, withCommands(context, error, job), split);
  }
  await runParts(context, [parts], { output: bufferUntilComplete(job, output) });
}

/**
 * Holds back the output of parts that the user did not request: if a later one fails, stdout has
 * nothing of the earlier ones. A file has nothing of them anyway.
 */
function bufferUntilComplete({ options }: Job, output: PreparedOutput): PreparedOutput {
  if (!goesToStdout(options)) return output;
  return { ...output, delivery: bufferDelivery(output.delivery) };
}

/** Adds the command to repeat, and how to split a long window, to an error. */
function withCommands({ host }: Pick<RunTools, 'host'>, error: unknown, job: Job): unknown {
  if (!(error instanceof AdreportError) || isClosedPipe(error)) return error;

  const hints: string[] = [];
  const command = continuedCommand(job, host.platform);
  const isLost = isUnreachable(error) && error.reportId === undefined;
  if (isReportFailure(error) && !job.account.isLocal) hints.push(`Request it again: ${command}`);
  else if (error.hint !== undefined) hints.push(error.hint);
  if (isLost && !job.account.isLocal) hints.push(`To run it again: ${command}`);

  const mayDependOnSize = isReportFailure(error) || isStillInProgress(error);
  const splitHint = mayDependOnSize ? hintToSplit(job, host) : undefined;
  if (splitHint !== undefined) hints.push(splitHint);
  return new ErrorInContext(error, { hint: hints.join('\n') || undefined });
}

/** Longer windows get a hint to split them. */
const maxDaysWithoutHint = 14;

const fileUnits = ['week', 'month', 'day'] as const;

/** Returns `undefined` for a short window, and for one that cannot be split. */
function hintToSplit({ plan, options }: Job, host: RunTools['host']): string | undefined {
  if (countDays(plan.window) <= maxDaysWithoutHint) return undefined;

  const now = Math.floor(host.wallClock() / 1_000);
  const isMergeable = canMerge(plan.request.breakdowns, 'week');
  const unit = isMergeable ? 'week' : fileUnits.find((candidate) => canSplit(plan, candidate, now));
  if (unit === undefined) return undefined;

  const isFile = (options.output ?? '-') !== '-';
  const ownFiles = `--split ${unit} -o ${shellWord('{date}.csv', host.platform)}`;
  const split = isMergeable ? '--split week' : ownFiles;
  const more = isMergeable || !isFile ? '' : `, one file per ${unit}`;
  return `Shorter reports may succeed: repeat the command with ${split}${more}.`;
}
