import {
  AdreportError,
  ErrorInContext,
  isClosedPipe,
  isReportFailure,
  isStillInProgress,
  isUnreachable,
} from '../errors.ts';
import { countDays } from '../query/calendar.ts';
import { placeholdersOf } from '../query/file-name.ts';
import { canMerge, canSplit, unitOfParts } from '../query/parts.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { announce } from './announce.ts';
import type { Context } from './context.ts';
import type { FolderReport } from './folder-jobs.ts';
import { prepareReportOutput } from './job-output.ts';
import { withIds } from './names-to-ids.ts';
import { type PartsOptions, runParts } from './parts.ts';
import type { PlannedQuery } from './plan-run.ts';
import { fetchToOutput, setUpFetch } from './report-fetch.ts';
import { toolsFor } from './request.ts';
import { resumeCommand } from './resume-command.ts';
import { splitAfterFailure, splitReport } from './split-retry.ts';

/** Downloads the parts of jobs, several at a time. Throws the error of the earliest failed part. */
export async function runJobs(
  context: Context,
  jobs: readonly FolderReport[],
  options: PartsOptions = {},
): Promise<void> {
  const [first, ...others] = jobs;
  if (!first) return;

  const isSingle = unitOfParts(first.query) === undefined && first.parts.length === 1;
  const isOneReport = others.length === 0 && isSingle;
  if (isOneReport) return fetchWhole(context, first);

  await runParts(context, jobs, options);
}

/** Downloads and announces a single report. If it fails, it is downloaded in parts. */
async function fetchWhole(context: Context, planned: PlannedQuery): Promise<void> {
  const job = await withIds(context, planned);
  const tools = toolsFor(context, job.account);
  const [part] = job.parts;
  const output = await prepareReportOutput(context, tools, job, part);

  // The one output of several reports has no id.
  const hasId = job.query.outputs.some(({ path }) => placeholdersOf(path).includes('id'));
  const split = hasId ? undefined : splitReport(job);
  const report = setUpFetch(tools, job, { part, files: output.planned.files });
  let parts: PlannedQuery;
  try {
    const written = await fetchToOutput(tools, report, output);
    return await announce(context, written);
  } catch (error) {
    parts = splitAfterFailure(tools, withCommands(context, error, job), split);
  }
  await runParts(context, [parts], { output });
}

/** Adds the command to repeat, and how to split a long window, to an error. */
function withCommands({ host }: Pick<Context, 'host'>, error: unknown, job: PlannedQuery): unknown {
  if (!(error instanceof AdreportError) || isClosedPipe(error)) return error;

  const hints: string[] = [];
  const command = resumeCommand(job, host.platform);
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
function hintToSplit({ query, whole }: PlannedQuery, host: Context['host']): string | undefined {
  if (countDays(whole) <= maxDaysWithoutHint) return undefined;

  const now = Math.floor(host.wallClock() / 1_000);
  const isMergeable = canMerge(query, 'week');
  const unit = isMergeable
    ? 'week'
    : fileUnits.find((candidate) => canSplit(whole, candidate, now));
  if (unit === undefined) return undefined;

  const isFile = query.outputs.some(({ path }) => path !== '-');
  const ownFiles = `--split ${unit} -o ${shellWord('{date}.csv', host.platform)}`;
  const split = isMergeable ? '--split week' : ownFiles;
  const more = isMergeable || !isFile ? '' : `, one file per ${unit}`;
  return `Shorter reports may succeed: repeat the command with ${split}${more}.`;
}
