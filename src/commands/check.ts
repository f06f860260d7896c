import { checkPath, writeChecked } from './checked-path.ts';
import { declareCommand } from './command.ts';

export const checkCommand = declareCommand({
  name: 'check',
  summary: 'find what is missing, changed or wrong in a folder of reports',
  args: ['<path...>'],
  examples: [
    ['adreport check data', 'a folder that run filled; exit 9 where something is wrong'],
    ['adreport check data/date=2026-11-01/part.parquet', 'one file of it'],
    ["adreport check data --json | jq '.findings[].said'", 'the findings as data'],
  ],
  async action({ context, args: [paths] }) {
    const checked = [];
    for (const path of paths) checked.push(await checkPath(context, path));

    await writeChecked(context, checked);
    const isWhole = checked.every(({ findings }) => findings.length === 0);
    return isWhole ? 0 : exitCodeOfFindings;
  },
});

/** As for data that arrives damaged (`cli.md`, Exit codes). */
export const exitCodeOfFindings = 9;
