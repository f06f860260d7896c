import type { Context } from '../context.ts';
import { AdreportError, isInterruption } from '../errors.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { concurrencyFlag } from '../query/flags/run-flags.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { waitFlags } from '../query/flags/wait-flags.ts';
import { planRepairs, type RepairFlags } from '../run/repair-jobs.ts';
import { runJobs } from '../run/run-jobs.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { Prompt } from '../ui/prompt.ts';
import { problemsExitCode, windowFlags } from './check.ts';
import {
  type CheckedPath,
  checkPath,
  countProblems,
  countReports,
  problemsAt,
  repairCommandFor,
  writeCheckResults,
} from './checked-path.ts';
import { declareCommand } from './command.ts';

const repairFlags = flagGroup('Repair:', {
  dryRun: { flags: '--dry-run', meaning: 'list the downloads, and download nothing' },
  yes: { flags: '--yes', meaning: 'request more than 100 reports without asking' },
  concurrency: concurrencyFlag,
});

export const repairCommand = declareCommand({
  name: 'repair',
  summary: 'download again what check finds missing or changed',
  args: ['<path>'],
  examples: [
    ['adreport repair data', 'fixes what check data reports; exits with 9 if problems remain'],
    ['adreport repair data --dry-run', 'lists the downloads, and downloads nothing'],
  ],
  flags: [windowFlags, repairFlags, waitFlags, serviceFlags],
  async action({ context, options, args: [path] }) {
    const checked = await checkPath(context, path, options);
    const hasNoProblems = countProblems(checked) === 0;
    if (options.dryRun) {
      await listRepairs(context, checked);
      return hasNoProblems ? 0 : problemsExitCode;
    }
    if (!options.yes && !(await confirmRequests(context, checked))) return problemsExitCode;

    const failure = await repair(context, checked, options);
    const after = await checkPath(context, path, options);
    await writeCheckResults(context, [after]);
    if (failure) throw failure;
    return countProblems(after) === 0 ? 0 : problemsExitCode;
  },
});

/** Maximum number of reports requested without asking. */
const maxWithoutConfirmation = 100;

/** Asks before many reports are requested. Throws `UsageError` with `--yes` without a terminal. */
async function confirmRequests({ console, host }: Context, checked: CheckedPath): Promise<boolean> {
  const count = countReports(checked);
  if (count <= maxWithoutConfirmation) return true;

  const reports = formatPlural(count, 'report');
  const prompt = new Prompt(host.stdin, console, host.signal);
  return prompt.choose({ what: `permission to request ${reports}`, flag: '--yes' }, [
    { value: false, name: 'Request nothing' },
    { value: true, name: `Request ${reports}` },
  ]);
}

/** Returns the first error. */
async function repair(
  context: Context,
  checked: CheckedPath,
  flags: RepairFlags,
): Promise<AdreportError | undefined> {
  const { jobs, failures } = await planRepairs(context, checked.repairs, flags);
  try {
    const again = repairCommandFor(checked);
    await runJobs(context, jobs, { ...(again !== null && { again: `Run again: ${again}` }) });
  } catch (error) {
    if (!(error instanceof AdreportError) || isInterruption(error)) throw error;
    failures.push(error);
  }

  const [first, ...others] = failures;
  for (const { message } of others) context.console.warn(message);
  return first;
}

async function listRepairs({ console, flags }: Context, checked: CheckedPath): Promise<void> {
  const problems = [...problemsAt(checked)];
  const count = countReports(checked);
  if (flags.json) {
    const listed = problems.map(({ file, kind, message }) => ({ file, kind, message }));
    return console.result(visibleJson({ problems: listed, reports: count }));
  }

  const lines = problems.map(({ file, kind, message }) => `${file}  ${kind}: ${message}`);
  lines.push(`${formatPlural(count, 'report')} would be requested.`);
  await console.write(`${lines.map(printable).join('\n')}\n`);
}
