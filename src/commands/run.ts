import type { RunCommandLine } from '../account/saved-reports.ts';
import { runFlags } from '../query/flags/run-flags.ts';
import { unitOfParts } from '../query/parts.ts';
import type { Context } from '../run/context.ts';
import { declareFolders } from '../run/plan-folder.ts';
import { planRun, requireDistinctFiles } from '../run/plan-run.ts';
import { runReports } from '../run/run-reports.ts';
import { comparisonNote } from '../totals/comparison.ts';
import { declareCommand } from './command.ts';
import { showPlan } from './dry-run.ts';
import { promptForQuery, shouldPrompt } from './prompt-for-query.ts';

export const runCommand = declareCommand({
  name: 'run',
  args: [{ name: '[name...]', meaning: 'reports saved in adreport.yaml' }],
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
  async action({ context, options, args: [names], typedOptions }) {
    const isAsked = shouldPrompt(context, { options, names });
    const completed = isAsked ? await promptForQuery(context, options) : options;
    await run(context, { options: completed, names, typedOptions });
    return 0;
  },
});

/** Downloads the report of the flags, or the named ones of `adreport.yaml`. */
async function run(context: Context, command: RunCommandLine): Promise<void> {
  const { options } = command;
  const planned = await planRun(context, command);
  const compared = planned.filter(({ query }) => query.compare !== undefined);
  const notes = new Set(compared.flatMap(({ whole }) => comparisonNote(whole) ?? []));
  for (const note of notes) context.console.note(`Note: ${note}`);

  const reports = await declareFolders(context, planned, { declares: !options.dryRun });
  requireDistinctFiles(reports, context.host);

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
  const early = planned.find(({ parts }) => parts.length === 0);
  const unit = early && unitOfParts(early.query);
  const why = unit ? ` yet: no ${unit} is over` : ': all files are final';
  context.console.note(`Nothing to download${why}.`);
}
