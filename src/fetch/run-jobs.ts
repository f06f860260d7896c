import type { Context } from '../context.ts';
import { ReportFailedError, StillInProgressError } from '../errors.ts';
import { jobWithIds } from '../plan/names.ts';
import type { Job } from '../plan/plan.ts';
import { calendarDays } from '../report/compared-window.ts';
import { canMerge, canSplit } from '../report/parts.ts';
import { formatPlural } from '../text/quantity.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { announce } from './announce.ts';
import type { FolderJob } from './folder-jobs.ts';
import { prepareJobOutput } from './job-output.ts';
import { beginsInParts, fetchOnceMore, inParts, isForParts } from './once-more.ts';
import { toolsFor } from './order.ts';
import { type PartsOptions, runParts } from './parts.ts';
import { fetchOf, writingIntake } from './receive.ts';

/**
 * Fetches the parts of some jobs: a single report by itself, and many side by side. Throws what
 * went wrong first.
 */
export async function runJobs(
  context: Context,
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

/** Fetches one report that is not split. */
async function fetchWhole(context: Context, planned: Job): Promise<void> {
  const job = await jobWithIds(context, planned);
  const tools = toolsFor(context, job.account);
  const output = await prepareJobOutput(context, tools, job, job.parts[0]);
  const intake = writingIntake(tools, output);
  const split = inParts(job);
  if (split && (await beginsInParts(tools, job, split))) {
    context.console.note(`This report failed before: it is ordered in ${partsText(split)}.`);
    return runParts(context, [split], { output });
  }

  const startedMs = context.host.stopwatch();
  try {
    const written = await fetchOnceMore(tools, { ...fetchOf(job, context.host.platform), intake });
    await announce(context, written);
  } catch (error) {
    if (!split || !isForParts(error)) {
      throw withSplitHint(context, error, job);
    }
    context.console.note(`${error.message} It is ordered in ${partsText(split)} instead.`);
    const tookMs = context.host.stopwatch() - startedMs;
    const waitTimeout = Math.max(0, job.options.waitTimeout - tookMs);
    await runParts(context, [{ ...split, options: { ...split.options, waitTimeout } }], { output });
  }
}

function partsText({ parts, options }: Job): string {
  return formatPlural(parts.length, options.split ?? 'part');
}

/** Of a window that is longer than this, shorter reports may come through. */
const daysInOneReport = 14;

/** The units that a file may have, from the one that is tried first. */
const fileUnits = ['week', 'month', 'day'] as const;

/** The error of a report that failed or took too long, with how to cut a window of many days. */
function withSplitHint(
  { host }: Pick<Context, 'host'>,
  error: unknown,
  { plan, options }: Job,
): unknown {
  const isOfSize = error instanceof ReportFailedError || error instanceof StillInProgressError;
  if (!isOfSize || calendarDays(plan.window) <= daysInOneReport) return error;

  const now = Math.floor(host.wallClock() / 1_000);
  const isMergeable = canMerge(plan.request.breakdowns, 'week');
  const unit = isMergeable ? 'week' : fileUnits.find((each) => canSplit(plan, each, now));
  if (unit === undefined) return error;

  const isFile = (options.output ?? '-') !== '-';
  const ownFiles = `--split ${unit} -o ${shellWord('{date}.csv', host.platform)}`;
  const split = isMergeable ? '--split week' : ownFiles;
  const more = isMergeable || !isFile ? '' : `, a file a ${unit}`;
  const hint = `A shorter report may come through: the same command with ${split}${more}.`;
  return error.amend('', { hint: error.hint ? `${error.hint}\n${hint}` : hint });
}
