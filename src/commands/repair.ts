import type { Context } from '../context.ts';
import { AdreportError, InterruptedError } from '../errors.ts';
import { jobsOfBooks, type RepairFlags } from '../fetch/booked-jobs.ts';
import { runJobs } from '../fetch/run-jobs.ts';
import { flagGroup } from '../plan/flags/flag.ts';
import { concurrencyFlag } from '../plan/flags/run-flags.ts';
import { serviceFlags } from '../plan/flags/service-flags.ts';
import { waitFlags } from '../plan/flags/wait-flags.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { exitCodeOfFindings } from './check.ts';
import { type CheckedPath, checkPath, writeChecked } from './checked-path.ts';
import { declareCommand } from './command.ts';

const repairFlags = flagGroup('Repair:', {
  dryRun: { flags: '--dry-run', meaning: 'list what would be fetched, and fetch nothing' },
  concurrency: concurrencyFlag,
});

export const repairCommand = declareCommand({
  name: 'repair',
  summary: 'fetch again what check names, as the books describe it',
  args: ['<path>'],
  examples: [
    ['adreport repair data', 'what check data names; exit 9 where something is left'],
    ['adreport repair data --dry-run', 'list it, and fetch nothing'],
  ],
  flags: [repairFlags, waitFlags, serviceFlags],
  async action({ context, options, args: [path] }) {
    const checked = await checkPath(context, path);
    if (options.dryRun) {
      await listFetches(context, checked);
      return checked.findings.length === 0 ? 0 : exitCodeOfFindings;
    }

    const failure = await repair(context, checked, options);
    const after = await checkPath(context, path);
    await writeChecked(context, [after]);
    if (failure) throw failure;
    return after.findings.length === 0 ? 0 : exitCodeOfFindings;
  },
});

/** Fetches again what can be fetched; gives the error of what could not be. */
async function repair(
  context: Context,
  { folders }: CheckedPath,
  flags: RepairFlags,
): Promise<AdreportError | undefined> {
  const fetches = folders.flatMap(({ plan }) => plan.fetches);
  const { jobs, refusals } = await jobsOfBooks(context, fetches, flags);
  for (const refusal of refusals) context.console.warn(refusal);

  try {
    await runJobs(context, jobs);
    return undefined;
  } catch (error) {
    if (!(error instanceof AdreportError) || error instanceof InterruptedError) throw error;
    return error;
  }
}

/** Lists what would be fetched, and why. */
async function listFetches({ console, flags }: Context, checked: CheckedPath): Promise<void> {
  const { findings, fetchCount, forPerson } = checked;
  if (flags.json) return console.result(visibleJson({ findings, fetches: fetchCount }));

  const lines = findings.map(({ file, kind, said }) => `${file}  ${kind}: ${said}`);
  for (const sentence of forPerson) lines.push(`Only you can decide: ${sentence}`);
  lines.push(`${formatPlural(fetchCount, 'file')} would be fetched.`);
  await console.write(`${lines.map(printable).join('\n')}\n`);
}
