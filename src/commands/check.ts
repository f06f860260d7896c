import { UsageError } from '../errors.ts';
import { flagGroup } from '../query/flags/flag.ts';
import { type CheckedPath, checkPath, countProblems, writeCheckResults } from './checked-path.ts';
import { declareCommand } from './command.ts';

/** Flags for the days, weeks or months of a folder to check or to repair. */
export const windowFlags = flagGroup('Period:', {
  period: { flags: '--period <p>', meaning: 'only these days, weeks or months, e.g. 2025' },
  since: { flags: '--since <day>', meaning: 'first day, instead of --period' },
  until: { flags: '--until <day>', meaning: 'last day (default: today)' },
});

export const checkCommand = declareCommand({
  name: 'check',
  summary: 'find missing, changed and wrong files in a folder',
  args: ['<path...>'],
  examples: [
    ['adreport check data', 'a folder filled by run; exits with 9 if something is wrong'],
    ['adreport check data/date=2026-11-01/part.parquet', 'a single file'],
    ['adreport check data --period 2025', 'only the days of a year'],
    ["adreport check data --json | jq '.problems[].message'", 'the problems as data'],
  ],
  flags: [windowFlags],
  async action({ context, options, args: [paths] }) {
    const checked: CheckedPath[] = [];
    const refused: UsageError[] = [];
    for (const path of paths) {
      try {
        checked.push(await checkPath(context, path, options));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        refused.push(error);
      }
    }

    if (checked.length > 0) await writeCheckResults(context, checked, { isList: paths.length > 1 });
    const [first] = refused;
    if (first) {
      const message = refused.map((error) => error.message).join(' ');
      throw new UsageError(message, { ...(first.hint !== undefined && { hint: first.hint }) });
    }
    const hasNoProblems = checked.every((path) => countProblems(path) === 0);
    return hasNoProblems ? 0 : problemsExitCode;
  },
});

/** Exit code for incomplete or wrong data (cli.md, Exit codes). */
export const problemsExitCode = 9;
