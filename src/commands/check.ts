import { join, relative, resolve } from 'node:path';
import { fieldLabel, findField } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { continuesProblem, type Problem } from '../folder/check-folder.ts';
import { type CheckedFolder, checkPath } from '../folder/check-paths.ts';
import type { PathArgument } from '../folder/find-folders.ts';
import type { FolderPart } from '../folder/parts.ts';
import { describeQuery, toRequestRecord } from '../query/describe.ts';
import { flagGroup } from '../query/flags/flag.ts';
import type { PeriodInput } from '../query/period.ts';
import type { Context } from '../run/context.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { pathWord, shellWord } from '../text/quote-for-shell.ts';
import { formatSum } from '../totals/report-metrics.ts';
import { declareCommand } from './command.ts';

/** Flags that select days, weeks or months of a folder. */
export const folderPeriodFlags = flagGroup('Period:', {
  period: { flags: '--period <p>', meaning: 'only these days, weeks or months, e.g. 2026-10' },
  since: { flags: '--since <day>', meaning: 'first day, instead of --period' },
  until: { flags: '--until <day>', meaning: 'last day (default: today)' },
});

export const checkCommand = declareCommand({
  name: 'check',
  summary: 'find missing, changed and unexpected files in a folder',
  args: ['<path...>'],
  examples: [
    ['adreport check data', 'a folder filled by run; exits with 9 if something is wrong'],
    ["adreport check data --json | jq '.problems[].message'", 'the problems as data'],
  ],
  flags: [folderPeriodFlags],
  async action({ context, options, args: [paths] }) {
    const { checked, refusal } = await checkPaths(context, paths, options);
    if (checked.length > 0) await writeChecks(context, { checked, paths, period: options });
    if (refusal) throw refusal;
    return checked.some(({ check }) => check.problems.length > 0) ? problemsExitCode : 0;
  },
});

/** Exit code for incomplete or wrong data (`cli.md`, Streams and errors). */
export const problemsExitCode = 9;

/** Checks all paths, then throws one `UsageError` for all paths without a declaration. */
async function checkPaths(context: Context, paths: readonly string[], period: PeriodInput) {
  const { cwd, signal, wallClock } = context.host;
  const checked: CheckedFolder[] = [];
  const refused: UsageError[] = [];
  for (const path of new Set(paths)) {
    try {
      const options = { period, nowMs: wallClock(), signal };
      checked.push(...(await checkPath(toPathArgument(cwd, path), options)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error);
    }
  }
  const [refusal] = refused;
  if (refusal) refusal.message = refused.map(({ message }) => message).join(' ');
  return { checked, refusal };
}

/** Throws `UsageError` for an empty path, as from an unset shell variable. */
export function toPathArgument(cwd: string, path: string): PathArgument {
  if (path !== '') return { absolute: resolve(cwd, path), displayPath: path };
  throw new UsageError('The path is empty.', { hint: 'Pass a folder written by run.' });
}

interface WrittenChecks {
  readonly checked: readonly CheckedFolder[];

  /** Paths as the user entered them. */
  readonly paths: readonly string[];
  readonly period: PeriodInput;
}

async function writeChecks(context: Context, written: WrittenChecks): Promise<void> {
  const { console, flags, host } = context;
  if (flags.json) return console.result(visibleJson(toDocument(host.cwd, written)));

  const lines: string[] = [];
  const { checked } = written;
  if (!console.isQuiet) lines.push(...checked.flatMap((folder) => folderLines(host.cwd, folder)));
  for (const folder of checked) {
    lines.push(...problemLines(host.cwd, { ...folder, problems: folder.check.problems }));
  }
  if (!console.isQuiet) lines.push(...closingLines(context, written));
  if (lines.length > 0) await console.write(`${lines.map(printable).join('\n')}\n`);
}

/** Builds the object of `--json` (cli.md, Folders). */
function toDocument(cwd: string, { checked }: WrittenChecks): object {
  const folders = checked.map(({ folder, declaration, check }) => ({
    folder: relative(cwd, folder) || '.',
    request: declaration ? toRequestRecord(declaration.query) : null,
    since: check.parts[0]?.firstDay ?? null,
    until: check.parts.at(-1)?.lastDay ?? null,
    files: check.files,
    rows: check.rows,
    totals: check.totals,
  }));
  const problems = checked.flatMap(({ folder, check }) => {
    return check.problems.map(({ file, kind, clause, advice }) => {
      const displayPath = join(relative(cwd, folder), file);
      return { file: displayPath, kind, message: formatProblem(displayPath, clause, advice) };
    });
  });
  return { folders, problems, notes: checked.flatMap(({ check }) => check.notes) };
}

function formatProblem(subject: string, clause: string, advice?: string): string {
  return advice === undefined ? `${subject} ${clause}.` : `${subject} ${clause}. ${advice}`;
}

/** Describes the request, days, files and totals of a folder. */
function folderLines(cwd: string, { folder, declaration, check }: CheckedFolder): string[] {
  const name = relative(cwd, folder) || '.';
  if (!declaration) return [`${name}: its declaration cannot be used`];

  const { query, split } = declaration;
  const account = query.account === undefined ? '' : `; account ${query.account}`;
  const [first] = check.parts;
  const last = check.parts.at(-1);
  const days = first && last ? formatRange(first, last) : `no ${split} is over yet`;
  const lines = [
    `${name}: ${describeQuery(query)}${account}`,
    `  ${days}: ${formatPlural(check.files, 'file')}, ${formatPlural(check.rows, 'row')}`,
  ];
  const sums = Object.entries(check.totals).map(([metric, sum]) => {
    return `${fieldLabel(findField(metric))} ${formatSum(metric, sum)}`;
  });
  return sums.length > 0 ? [...lines, `  ${sums.join(', ')}`] : lines;
}

function formatRange({ firstDay }: FolderPart, { lastDay }: FolderPart): string {
  return firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
}

/** The problems of a folder, with its declaration if that is usable. */
interface FolderProblems extends Pick<CheckedFolder, 'folder' | 'declaration'> {
  readonly problems: readonly Problem[];
}

/** Formats a line for each problem, and one line for the same problem in consecutive files. */
export function problemLines(
  cwd: string,
  { folder, declaration, problems }: FolderProblems,
): string[] {
  const groups: Problem[][] = [];
  for (const problem of problems) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && continuesProblem(before, problem)) group.push(problem);
    else groups.push([problem]);
  }

  return groups.map((group) => {
    const [first, ...others] = group as [Problem, ...Problem[]];
    const { file, kind, clause, advice = '' } = first;
    const displayPath = join(relative(cwd, folder), file);
    const last = others.at(-1);
    const count = formatPlural(group.length, declaration?.split ?? 'file');
    const files = last ? `${displayPath} … ${last.file} (${count})` : displayPath;

    // `missing` needs no further explanation.
    if (kind === 'missing') return `missing: ${files}. ${advice}`.trimEnd();
    const subject = last ? `${files}. ${file}` : files;
    return `${kind}: ${formatProblem(subject, clause, first.advice)}`;
  });
}

function closingLines({ host }: Context, { checked, paths, period }: WrittenChecks): string[] {
  const problems = checked.flatMap(({ check }) => check.problems);
  const notes = checked.flatMap(({ check }) => check.notes.map((note) => `Note: ${note}`));
  if (problems.length === 0) return [...notes, 'No problems found.'];
  if (!problems.some(({ fixedBy }) => fixedBy === 'update')) return notes;

  return [...notes, `To solve: ${formatUpdate({ paths, period }, host.platform)}`];
}

/** Formats the command that updates the paths in a period. */
export function formatUpdate(
  { paths, period }: Pick<WrittenChecks, 'paths' | 'period'>,
  platform: NodeJS.Platform,
): string {
  const args = paths.map((path) => pathWord(path, platform));
  for (const flag of ['period', 'since', 'until'] as const) {
    const value = period[flag];
    if (value !== undefined) args.push(`--${flag}`, shellWord(value, platform));
  }
  return `adreport update ${args.join(' ')}`;
}
