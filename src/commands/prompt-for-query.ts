import type { RunCommandLine } from '../account/saved-reports.ts';
import { UsageError } from '../errors.ts';
import { buildQuery } from '../query/build-query.ts';
import { parseList } from '../query/flags/read-value.ts';
import type { RunFlags } from '../query/flags/run-flags.ts';
import { formatOfFile } from '../query/format-names.ts';
import type { Context } from '../run/context.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { Prompt } from '../ui/prompt.ts';

/** Prompts on a terminal if the user gave neither a period nor a saved report. */
export function shouldPrompt(
  { console }: Pick<Context, 'console'>,
  { options, names }: Pick<RunCommandLine, 'options' | 'names'>,
): boolean {
  const { period, since, until, all, file } = options;
  const namesReport = names.length > 0 || all || file !== undefined;
  const hasWindow = (period ?? since ?? until) !== undefined;
  return console.isInteractive && !namesReport && !hasWindow;
}

/**
 * Prompts for the period, and for the breakdowns and the file unless they were given. Prints the
 * equivalent command.
 */
export async function promptForQuery(context: Context, options: RunFlags): Promise<RunFlags> {
  const { console, host, account, argv } = context;
  // Fails before the first prompt if the user is not signed in.
  if (!options.dryRun) await account.client();

  const profile = options.profile ?? (await account.settings()).profile.value;
  const prompt = new Prompt(host.stdin, console, host.signal);
  const queryContext = { profile, nowMs: host.wallClock() };
  const args = [...argv];

  const period = await prompt.ask({
    noun: 'the period',
    example: 'last-month, 2026-10, 2026-11-01',
    flag: '--period P',
    default: 'last-week',
    check: (answer) => void buildQuery({ period: answer }, queryContext),
  });
  args.push('--period', period);

  let { by } = options;
  if (by === undefined) {
    const answer = await prompt.ask({
      noun: 'the breakdowns',
      example: 'COUNTRY; none for the total',
      flag: '--by A,B',
      default: profile === 'buyer' ? 'DAILY,CAMPAIGN' : 'DAILY,FORMAT',
      check: (text) => void buildQuery({ period, by: parseBreakdowns(text) ?? [] }, queryContext),
    });
    by = parseBreakdowns(answer);
    if (by) args.push('--by', answer);
  }

  let { output } = options;
  if (output === undefined && options.format === undefined && console.out.isTerminal) {
    const file = await prompt.ask({
      noun: 'the file',
      example: 'report.xlsx; - for this terminal',
      flag: '-o FILE',
      default: 'report.csv',
      check: checkFile,
    });
    args.push('-o', file);
    output = [file];
  }

  console.note('To run this again without prompts:');
  const quoted = args.map((arg) => shellWord(arg, host.platform));
  console.note(`  adreport ${quoted.join(' ')}`);
  return { ...options, period, by, output };
}

function parseBreakdowns(answer: string): readonly string[] | undefined {
  return answer.toLowerCase() === 'none' ? undefined : parseList(answer);
}

function checkFile(answer: string): void {
  if (answer === '-' || formatOfFile(answer) !== undefined) return;
  throw new UsageError('Use a file extension: .csv, .xlsx, .html, .pdf, .json or .parquet.');
}
