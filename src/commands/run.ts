import type { RunCommandLine } from '../account/saved-reports.ts';
import { UsageError } from '../errors.ts';
import { runFlags } from '../query/flags/run-flags.ts';
import { maxParts, unitOfParts } from '../query/parts.ts';
import type { Context } from '../run/context.ts';
import { showPlan } from '../run/dry-run.ts';
import { chooseParts } from '../run/fill-folder.ts';
import { expectDistinctFiles, planRun, type ReportPlan } from '../run/plan-run.ts';
import { runReports } from '../run/run-reports.ts';
import { formatCount } from '../text/quantity.ts';
import { comparisonNote } from '../totals/compared-report.ts';
import { declareCommand } from './command.ts';
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
  expectFewParts(planned);
  const compared = planned.filter(({ query }) => query.compare !== undefined);
  const notes = new Set(compared.flatMap(({ whole }) => comparisonNote(whole) ?? []));
  for (const note of notes) context.console.note(`Note: ${note}`);

  const declares = !options.dryRun;
  const chosen = await chooseParts(context, planned, { declares });
  const reports = chosen.filter(({ refusal, allParts }) => !refusal && allParts.length > 0);
  expectDistinctFiles(reports, context.host);

  const isEmptyShard = options.shard && planned.every(({ parts }) => parts.length === 0);
  if (isEmptyShard) {
    context.console.note('Nothing to download: this shard is empty.');
    return;
  }

  const refusal = combineRefusals(chosen);
  if (options.dryRun) {
    await showPlan(context, reports);
    if (refusal) throw refusal;
    return;
  }
  try {
    await runReports(context, reports);
  } catch (error) {
    if (refusal) context.console.warn(refusal.message);
    throw error;
  }
  if (refusal) throw refusal;

  const isNothingDue = chosen.every(({ parts }) => parts.length === 0);
  if (!isNothingDue || chosen.length === 0) return;
  const first = chosen.find(({ allParts }) => allParts.length === 0);
  const unit = first && unitOfParts(first.query);
  const why = unit ? `yet: no ${unit} is over` : ': all files are final';
  context.console.note(`Nothing to download${unit ? ' ' : ''}${why}.`);
}

/** Combines the errors of all reports refused by their folders; `undefined` if none is. */
function combineRefusals(planned: readonly ReportPlan[]): UsageError | undefined {
  const refused = planned.flatMap(({ label, refusal }) => (refusal ? { label, refusal } : []));
  const [first, ...others] = refused;
  if (!first || others.length === 0) return first?.refusal;

  const lines = refused.map(({ label, refusal }) => `\n  - ${label}: ${refusal.message}`);
  const { code, hint } = first.refusal;
  return new UsageError(`${refused.length} reports were refused:${lines.join('')}`, {
    code,
    ...(hint !== undefined && { hint }),
  });
}

/** Throws `UsageError` if all reports together have too many parts. */
function expectFewParts(reports: readonly ReportPlan[]): void {
  let count = 0;
  for (const { parts } of reports) count += parts.length;
  if (count <= maxParts) return;

  throw new UsageError(
    `This run would request ${formatCount(count)} reports; the limit is ${formatCount(maxParts)}.`,
    {
      hint: 'Run fewer accounts or reports at a time, or choose a shorter period or a longer --split.',
    },
  );
}
