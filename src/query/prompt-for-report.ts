import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { formatOfFile } from '../formats/index.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { Prompt } from '../ui/prompt.ts';
import type { RunFlags } from './flags/run-flags.ts';
import type { PlanTools } from './plan-tools.ts';
import { planReport } from './request.ts';
import type { RunCommandLine } from './saved-reports.ts';

/** Holds on a terminal when neither a period nor a saved report was given. */
export function shouldPromptForReport(
  { console }: Pick<PlanTools, 'console'>,
  { options, names }: Pick<RunCommandLine, 'options' | 'names'>,
): boolean {
  const { period, since, until, all, file } = options;
  const namesReport = names.length > 0 || all || file !== undefined;
  const hasWindow = (period ?? since ?? until) !== undefined;
  return console.isInteractive && !namesReport && !hasWindow;
}

/**
 * Asks for the period, and for the breakdowns and the file unless they were typed, and prints the
 * equivalent command line.
 *
 * @param words arguments after `adreport run`
 */
export async function promptForReport(
  tools: PlanTools,
  options: RunFlags,
  words: readonly string[],
): Promise<RunFlags> {
  const { console, host, account } = tools;
  // Fails before the first question if there is no sign-in.
  if (!options.dryRun) await account.client();

  const profile = options.profile ?? (await account.settings()).profile.value;
  const prompt = new Prompt(host.stdin, console, host.signal);
  const check = checkWith(profile, host.wallClock());
  const typed = [...words];

  const period = await prompt.ask({
    what: 'period',
    example: 'last-month, 2026-10, 2026-11-01',
    flag: '--period P',
    default: 'last-week',
    check: (answer) => check({ period: answer }),
  });
  typed.push('--period', period);

  let by = options.by ?? options.breakdowns;
  if (by === undefined) {
    const answer = await prompt.ask({
      what: 'breakdowns',
      example: 'COUNTRY; none for the total',
      flag: '--by A,B',
      default: profile === 'buyer' ? 'DAILY,CAMPAIGN' : 'DAILY,FORMAT',
      check: (text) => check({ period, by: withoutNone(text) }),
    });
    by = withoutNone(answer);
    if (by !== undefined) typed.push('--by', by);
  }

  let { output } = options;
  if (output === undefined && options.format === undefined && console.out.isTerminal) {
    output = await prompt.ask({
      what: 'file',
      example: 'report.xlsx; - for this terminal',
      flag: '-o FILE',
      default: 'report.csv',
      check: checkFile,
    });
    typed.push('-o', output);
  }

  console.note('To run this again without prompts:');
  const quoted = typed.map((word) => shellWord(word, host.platform));
  console.note(`  adreport run ${quoted.join(' ')}`);
  return { ...options, period, by, output };
}

function withoutNone(answer: string): string | undefined {
  return answer.toLowerCase() === 'none' ? undefined : answer;
}

/** Returns a function that throws `UsageError` for invalid answers. */
function checkWith(profile: Profile, nowMs: number) {
  return (answers: { readonly period: string; readonly by?: string | undefined }): void => {
    try {
      planReport({ profile, ...answers, nowMs });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // The question shows examples, so a long list of accepted values is left out.
      const { message, hint = '' } = error;
      throw new UsageError(hint.length > 80 ? message : `${message} ${hint}`.trim());
    }
  };
}

function checkFile(answer: string): void {
  if (answer === '-' || formatOfFile(answer) !== undefined) return;
  throw new UsageError('Use a file extension: .csv, .xlsx, .html, .pdf, .json or .parquet.');
}
