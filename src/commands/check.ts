import { UsageError } from '../errors.ts';
import { type CheckedPath, checkPath, findingsOf, writeChecked } from './checked-path.ts';
import { declareCommand } from './command.ts';

export const checkCommand = declareCommand({
  name: 'check',
  summary: 'find missing, changed and wrong files in a folder of reports',
  args: ['<path...>'],
  examples: [
    ['adreport check data', 'a folder filled by run; exits with 9 if something is wrong'],
    ['adreport check data/date=2026-11-01/part.parquet', 'a single file'],
    ["adreport check data --json | jq '.findings[].message'", 'the findings as data'],
  ],
  async action({ context, args: [paths] }) {
    const checked: CheckedPath[] = [];
    const refused: UsageError[] = [];
    for (const path of paths) {
      try {
        checked.push(await checkPath(context, path));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        refused.push(error);
      }
    }

    if (checked.length > 0) await writeChecked(context, checked, { isList: paths.length > 1 });
    const [first] = refused;
    if (first) {
      const message = refused.map((error) => error.message).join(' ');
      throw new UsageError(message, { ...(first.hint !== undefined && { hint: first.hint }) });
    }
    const isSound = checked.every((path) => findingsOf(path).length === 0);
    return isSound ? 0 : exitCodeOfFindings;
  },
});

/** The code for incomplete or wrong data (cli.md, Exit codes). */
export const exitCodeOfFindings = 9;
