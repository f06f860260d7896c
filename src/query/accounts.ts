import type { ProjectChoice } from '../account/settings.ts';
import { defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { checkColumns } from '../formats/check-columns.ts';
import { placeholdersOf } from '../output/file/file-name.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { checkFormat, chooseFormat } from './format-choice.ts';
import { type Job, outputOf, planJob } from './plan.ts';
import type { PlanTools } from './plan-tools.ts';
import { specFromFlags } from './spec-from-flags.ts';
import { isFirstUnitRunning } from './spec-window.ts';

interface AccountsSource {
  readonly options: RunFlags;

  /** Set for a saved report. */
  readonly name?: string;

  /** Account settings of the saved report. */
  readonly choice?: ProjectChoice;
}

/**
 * Plans one report: one job for each account of `--account a,b` or `--account all`, otherwise a
 * single job; none for a cron line on its first night. Throws `UsageError` as `checkFormat` and
 * `planJob`, and if several accounts would write to one file.
 */
export async function planForAccounts(tools: PlanTools, report: AccountsSource): Promise<Job[]> {
  const { options } = report;
  checkFormat(tools, options);
  const nothingDue = nothingDueMessage(options, tools.host.wallClock());
  if (nothingDue === undefined) return planAccounts(tools, report);

  // Planned as of the second night, for the mistakes of its flags.
  await planAccounts(tools, { ...report, options: { ...options, until: 'now' } });
  tools.console.note(nothingDue);
  return [];
}

async function planAccounts(tools: PlanTools, report: AccountsSource): Promise<Job[]> {
  const { options, name, choice } = report;
  const accountNames = await tools.accounts.names(options, choice);
  if (!accountNames) return [await planForAccount(tools, report, name)];

  expectAccountInOutput(options);
  const jobs: Job[] = [];
  for (const account of accountNames) {
    const label = name === undefined ? account : `${name} ${account}`;
    const ofAccount = { ...report, options: { ...options, account } };
    try {
      jobs.push(await planForAccount(tools, ofAccount, label));
    } catch (error) {
      if (!(error instanceof UsageError) || error.message.includes(`“${account}”`)) throw error;
      const { message, hint, about } = error;
      throw new UsageError(`${message} (Account “${account}”.)`, { hint, about });
    }
  }
  return jobs;
}

/** Returns a sentence for `--missing` if no part of the window is over; `undefined` otherwise. */
function nothingDueMessage(options: RunFlags, nowMs: number): string | undefined {
  const { split, missing, since, until, period, timezone = defaultZone } = options;
  if (!missing || split === undefined || since === undefined || period !== undefined) {
    return undefined;
  }
  const isFirst = isFirstUnitRunning({ timezone, split, since, ...(until && { until }) }, nowMs);
  return isFirst ? `Nothing to download yet: no ${split} since ${since} is over.` : undefined;
}

async function planForAccount(
  tools: PlanTools,
  { options, name, choice }: AccountsSource,
  label: string | undefined,
): Promise<Job> {
  const account = tools.accounts.choose(options, choice);
  const nowMs = tools.host.wallClock();
  const spec = await specFromFlags(tools, account, { options, nowMs });
  const hasTypedMetrics = options.metrics !== undefined;
  const planned = { account, spec, thisRun: options, hasTypedMetrics, name, label, nowMs };
  const job = await planJob(planned);
  checkColumns(outputOf(job).columns ?? [], chooseFormat(tools, options));
  return job;
}

/** Throws `UsageError` if several accounts would write to one file. */
function expectAccountInOutput({ output = '-' }: RunFlags): void {
  if (output === '-') {
    throw new UsageError('Cannot write several accounts to stdout.', {
      about: { flag: '--account' },
      hint: "Write one file per account: -o '{account}-{date}.csv'",
    });
  }
  if (placeholdersOf(output).includes('account')) return;
  throw new UsageError(`-o ${output} is one file, but the run has several accounts.`, {
    about: { flag: '--output' },
    hint: "Put {account} in the name: -o '{account}-{date}.csv'",
  });
}
