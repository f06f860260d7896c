import type { RunCommandLine } from '../account/saved-reports.ts';
import { isAccountList } from '../account/setting-values.ts';
import { findNames } from '../contract/aliases.ts';
import { UsageError } from '../errors.ts';
import { requireValidOnWindows } from '../output/file/file-name.ts';
import { targetKey } from '../output/target.ts';
import { listFileNames } from '../query/file-name.ts';
import { runFlags } from '../query/flags/run-flags.ts';
import { findPartUnit, mergesParts } from '../query/parts.ts';
import type { Context } from '../run/context.ts';
import { declareFolders, planRun, type ReportPlan } from '../run/plan-run.ts';
import { runReports } from '../run/run-reports.ts';
import { formatComparisonNote } from '../totals/comparison.ts';
import { declareCommand } from './command.ts';
import { showPlan } from './dry-run.ts';
import { promptForQuery, shouldPrompt } from './prompt-for-query.ts';

export const runCommand = declareCommand({
  name: 'run',
  args: ['[saved-report...]'],
  summary: 'request a report, wait for it, and write it to a file',
  examples: [
    [
      'adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv',
      'no account needed',
    ],
    [
      "adreport run --local --period last-30d --split day -o 'daily/{date}.csv'",
      'one file per day',
    ],
  ],
  flags: runFlags,
  async action({ context, options, args: [names], explicitOptions }) {
    const isAsked = shouldPrompt(context, { options, names });
    const completed = isAsked ? await promptForQuery(context, options) : options;
    await run(context, { options: completed, names, explicitOptions });
  },
});

/** Downloads the report given by flags, or saved reports of `adreport.yaml`. */
async function run(context: Context, command: RunCommandLine): Promise<void> {
  const { options } = command;
  requireEffect(command);
  const planned = await planRun(context, command);
  requireDistinctFiles(planned, context.host);
  const compared = planned.filter(({ query }) => query.compare !== undefined);
  const notes = new Set(compared.flatMap(({ whole }) => formatComparisonNote(whole) ?? []));
  for (const note of notes) context.console.note(`Note: ${note}`);

  const reports = await declareFolders(context, planned, { shouldDeclare: !options.dryRun });

  const isNothingPlanned = planned.every(({ parts }) => parts.length === 0);
  if (isNothingPlanned && options.shard) {
    context.console.note('Nothing to download: this shard is empty.');
    return;
  }
  if (options.dryRun) {
    await showPlan(context, reports);
    for (const { refusal } of reports) if (refusal) throw refusal;
    return;
  }
  await runReports(context, reports);

  if (reports.some(({ parts }) => parts.length > 0)) return;
  const early = options.shard ? undefined : planned.find(({ parts }) => parts.length === 0);
  const unit = early && findPartUnit(early.query);
  const why = unit ? ` yet: no ${unit} is over` : ': all files are final';
  context.console.note(`Nothing to download${why}.`);
}

/** Throws `UsageError` for flags that only make sense for several reports. */
function requireEffect({ options, names, explicitOptions }: RunCommandLine): void {
  const { split, all, account = '', by = [], shard } = options;
  const isWeekly = by.some((name) => findNames(name, ['WEEKLY']).length > 0);
  const isInParts = split !== undefined || isWeekly || all || names.length > 0;
  const hasSeveral = isInParts || isAccountList(account);
  if (explicitOptions.has('concurrency') && !hasSeveral) throw needsSplitError('--concurrency');
  if (shard && !isInParts) throw needsSplitError('--shard');
}

function needsSplitError(flag: string): UsageError {
  return new UsageError(`${flag} has no effect on a single report.`, {
    about: { flag },
    hint: `Add --split day, week or month, or remove ${flag}.`,
  });
}

/**
 * Throws `UsageError` if two reports of a run write to the same file, or if the system does not
 * allow a file name.
 */
function requireDistinctFiles(
  reports: readonly ReportPlan[],
  { cwd, platform }: Context['host'],
): void {
  const owners = new Map<string, ReportPlan>();
  for (const report of reports) {
    const { query, parts, whole } = report;
    const written = mergesParts(query) && parts.length > 0 ? [whole] : parts;
    for (const name of new Set(written.flatMap(listFileNames))) {
      if (name !== '-') requireValidOnWindows(name, platform);
      const key = targetKey(name, cwd);
      const owner = owners.get(key) ?? report;
      owners.set(key, owner);
      if (owner === report) continue;

      const displayPath = name === '-' ? 'stdout' : name;
      const message = `The reports ${owner.label} and ${report.label} would both be written to ${displayPath}.`;
      throw new UsageError(message, {
        hint: 'Use a separate output for each, for example with {report} or {account} in the name.',
      });
    }
  }
}
