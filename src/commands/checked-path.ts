import { join, relative, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { fieldLabel, fieldOfName } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import {
  bytesIn,
  checkFolder,
  findFolders,
  noHistory,
  type TypedWindow,
} from '../folder/find-folders.ts';
import {
  type CheckedFiles,
  type FolderProblem,
  type FolderSelection,
  isSameInNextUnit,
  problemsByFile,
  type SeriesSummary,
} from '../folder/folder-check.ts';
import { nameInFolder } from '../folder/history.ts';
import { isRepairable, repairsFor, type SeriesRepair } from '../folder/series-repair.ts';
import { type CheckText, checkLines } from '../present/terminal/check-lines.ts';
import { formatDays } from '../query/calendar.ts';
import { commandFor } from '../query/command-for.ts';
import { describeQuery } from '../query/describe.ts';
import { templateOf } from '../query/file-name.ts';
import { tableLook } from '../run/deliver.ts';
import { queryOfSpec } from '../run/old-spec.ts';
import { needsLocal } from '../run/repair-jobs.ts';
import { visibleJson } from '../text/printable.ts';
import { formatPlural, isOrAre } from '../text/quantity.ts';
import { pathWord } from '../text/quote-for-shell.ts';
import { formatSum } from '../totals/numbers.ts';

export interface CheckedPath {
  /** Quoted for the shell. */
  readonly shellPath: string;
  readonly folders: readonly CheckedFolder[];
  readonly repairs: readonly SeriesRepair[];

  /** Period that was checked; everything if none was typed. */
  readonly window: TypedWindow;

  /** For `adreport repair`. */
  readonly needsLocal: boolean;
}

/** A folder with its history. */
interface CheckedFolder {
  /** Path from the working folder; `within` is from the checked path. */
  readonly path: string;
  readonly within: string;
  readonly part: FolderSelection;
  readonly files: CheckedFiles;
}

/**
 * Compares the files at a path with their history.
 *
 * @param typed path as the user typed it
 * @param window period to check; everything if none was typed
 * @throws UsageError for a path that is empty, does not exist, or has no history, and for a period
 * that is invalid or cuts a day, week or month
 */
export async function checkPath(
  context: Context,
  typed: string,
  window: TypedWindow,
): Promise<CheckedPath> {
  const { cwd, platform, signal, wallClock } = context.host;
  // An unset shell variable makes an empty word, which does not mean the working folder.
  if (typed === '') {
    throw new UsageError('The path is empty.', {
      hint: 'Give a folder of reports, or a report file.',
    });
  }

  const path = resolve(cwd, typed);
  const shellPath = pathWord(relative(cwd, path), platform);
  const now = Math.floor(wallClock() / 1_000);
  const folders: CheckedFolder[] = [];
  for (const part of await findFolders(path, { now, signal })) {
    const { folder } = part.history;
    const files = await checkWithMeter(context, part, { now, window });
    folders.push({
      path: relative(cwd, folder) || '.',
      within: nameInFolder(path, folder),
      part,
      files: { ...files, problems: files.problems.map(addRefetchHint(context, folder)) },
    });
  }

  if (folders.length === 0) {
    throw noHistory(
      typed,
      'Give a folder filled by run --split, and check that its disk is mounted.',
    );
  }
  const repairs = folders.flatMap(({ part, files }) => repairsFor(part.history, files.problems));
  return { shellPath, folders, repairs, window, needsLocal: await needsLocal(context, repairs) };
}

/** Adds to a file that was kept and is not final how to accept that it has no metrics. */
function addRefetchHint(
  { host: { cwd, platform, wallClock } }: Context,
  folder: string,
): (problem: FolderProblem) => FolderProblem {
  return (problem) => {
    const { keptSince, of } = problem;
    if (keptSince === undefined || !of) return problem;

    const { spec } = of.series.current;
    const output = join(templateOf(relative(cwd, folder)), spec.output);
    const window = { period: formatDays({ firstDay: of.unit.since, lastDay: of.unit.until }) };
    const query = queryOfSpec({ ...spec, output }, wallClock());
    const command = commandFor(query, window, { platform, more: ['--refetch'] });
    const since = keptSince.slice(0, '2026-11-01'.length);
    const advice = `Without figures since ${since}; to accept that: ${command}`;
    return { ...problem, message: `${problem.message} ${advice}` };
  };
}

async function checkWithMeter(
  context: Context,
  part: FolderSelection,
  { now, window }: { readonly now: number; readonly window: TypedWindow },
): Promise<CheckedFiles> {
  const meter = (await context.progress()).transfer('Checking', bytesIn(part));
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
    meter.update({ bytes });
  };

  try {
    return await checkFolder(part, { now, window, signal: context.host.signal, onBytes });
  } finally {
    meter.stop();
  }
}

/** Yields a problem for each file at a path, with file paths from the working folder. */
export function* problemsAt({ folders }: CheckedPath): Generator<FolderProblem> {
  for (const { path, files } of folders) {
    for (const problem of problemsByFile(files.problems)) {
      yield { ...problem, file: join(path, problem.file) };
    }
  }
}

/** Counts files with a problem. */
export function countProblems({ folders }: CheckedPath): number {
  let count = 0;
  for (const { files } of folders) {
    for (const { of } of files.problems) count += of?.count ?? 1;
  }
  return count;
}

/** Counts the reports that the repairs of a path download. */
export function countReports({ repairs }: CheckedPath): number {
  let count = 0;
  for (const { unitCount } of repairs) count += unitCount;
  return count;
}

/**
 * Writes results as text, or with `--json` as an object or a list of objects.
 *
 * @param isList true if several paths were given
 */
export async function writeCheckResults(
  context: Context,
  checked: readonly CheckedPath[],
  { isList = false } = {},
): Promise<void> {
  const { console, flags } = context;
  if (flags.json) {
    const separator = isList ? ['[', ',', ']\n'] : ['', '', '\n'];
    const [begin = '', between = '', end = ''] = separator;
    await console.write(begin);
    for (const [index, path] of checked.entries()) {
      if (index > 0) await console.write(between);
      for (const piece of documentPieces(path)) await console.write(piece);
    }
    return console.write(end);
  }

  const look = tableLook(context);
  const blocks = checked.map((path) => checkLines(describeCheck(path), look).join('\n'));
  await console.write(`${blocks.join('\n\n')}\n`);
}

const problemsPerPiece = 1_000;

/**
 * Formats a path as one object of `--json` (cli.md, `adreport check`), in pieces: the problems of a
 * folder may be longer than any string.
 */
function* documentPieces(checked: CheckedPath): Generator<string> {
  const { folders } = checked;
  const series = folders.flatMap(({ within, files }) => {
    return files.series.map((summary) => seriesDocument(summary, within));
  });
  yield `{"series":${visibleJson(series)},"problems":[`;

  let separator = '';
  let lines: string[] = [];
  for (const { file, kind, message, fix } of problemsAt(checked)) {
    lines.push(visibleJson({ file, kind, message: `${message} ${fix}` }));
    if (lines.length < problemsPerPiece) continue;
    yield separator + lines.join(',');
    separator = ',';
    lines = [];
  }
  if (lines.length > 0) yield separator + lines.join(',');

  const histories = folders.flatMap(({ path, part }) => {
    return part.history.sources.map(({ name, skippedLines, unreadable = null }) => {
      return { file: join(path, name), skippedLines, unreadable };
    });
  });
  const notes = folders.flatMap(({ files }) => files.notes);
  const rest = { notes, histories, repair: repairCommandFor(checked) };
  yield `],${visibleJson(rest).slice(1)}`;
}

function seriesDocument(summary: SeriesSummary, within: string): object {
  const { series, since = null, until = null, files, rows, totals, outside } = summary;
  const request = series?.current.spec.request ?? null;
  return {
    output: seriesName(summary, within),
    request,
    since,
    until,
    files,
    rows,
    totals,
    outside,
  };
}

/** Builds the path of a series from the checked path. */
function seriesName({ output }: SeriesSummary, within: string): string {
  const isBelow = within !== '' && !within.startsWith('..');
  return isBelow ? `${within}/${output}` : output;
}

/** Returns `null` if there is nothing to download. */
export function repairCommandFor(checked: CheckedPath): string | null {
  const { shellPath, repairs, window, needsLocal: isLocal } = checked;
  if (repairs.length === 0) return null;
  const words = [`adreport repair ${shellPath}`];
  for (const flag of ['period', 'since', 'until'] as const) {
    if (window[flag] !== undefined) words.push(`--${flag} ${window[flag]}`);
  }
  if (isLocal) words.push('--local');
  return words.join(' ');
}

/** Describes the result in sentences. */
function describeCheck(checked: CheckedPath): CheckText {
  const { folders } = checked;
  const problems = folders.flatMap(({ files }) => files.problems);
  const byHand = problems.filter((problem) => !isRepairable(problem));
  const hasChanged = problems.some(({ kind }) => kind === 'changed');
  return {
    folders: folders.map(({ path, within, files }) => {
      return { path, sentences: files.series.flatMap((series) => seriesLines(series, within)) };
    }),
    problemCount: countProblems(checked),
    problems: folders.flatMap(({ files }) => groupProblems(files.problems).map(groupLine)),
    notes: folders.flatMap(({ files }) => files.notes),
    fixes: [...new Set(byHand.map(({ fix }) => fix))],
    advice: hasChanged ? adviceOnChanges : undefined,
    repairCommand: repairCommandFor(checked) ?? undefined,
    reportCount: countReports(checked),
  };
}

const adviceOnChanges =
  'If the service no longer has that data, restore the file, or use --refetch, which replaces it with an empty report.';

/** Describes the request, window, files and totals of a series. */
function seriesLines(summary: SeriesSummary, within: string): string[] {
  const { series, since, until, files, rows, totals, outside, gone } = summary;
  const name = seriesName(summary, within);
  if (!series)
    return [`${name}: the history no longer has the request for ${formatPlural(files, 'file')}`];

  const { request, account } = series.current.spec;
  const ofAccount = account === undefined ? '' : `; account ${account}`;
  const lines = [`${name}: ${describeQuery({ filters: {}, ...request })}${ofAccount}`];
  const days = since === undefined ? 'no days yet' : `${since} … ${until}`;
  lines.push(`${days}: ${formatPlural(files, 'file')}, ${formatPlural(rows, 'row')}`);

  const sums = Object.entries(totals).map(([metric, sum]) => {
    return `${fieldLabel(fieldOfName(metric))} ${formatSum(metric, sum)}`;
  });
  if (sums.length > 0) lines.push(sums.join(', '));
  if (outside > 0) lines.push(`${formatPlural(outside, 'file')} for other days`);
  if (gone > 0) lines.push(`${formatPlural(gone, 'file')} for other days ${isOrAre(gone)} gone`);
  return lines;
}

/** Groups problems of consecutive days, weeks or months. */
function groupProblems(problems: readonly FolderProblem[]): FolderProblem[][] {
  const groups: FolderProblem[][] = [];
  for (const problem of problems) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && isSameInNextUnit(last, problem)) group.push(problem);
    else groups.push([problem]);
  }
  return groups;
}

function groupLine(group: readonly FolderProblem[]): string {
  const [first] = group;
  const last = group.at(-1);
  if (!first || !last) return '';

  let count = 0;
  for (const { of } of group) count += of?.count ?? 1;
  if (count === 1) return `${first.kind}: ${first.message}`;

  const { series } = first.of ?? {};
  const unit = series?.current.spec.split ?? 'day';
  const lastFile = last.of ? last.of.series.names.nameFor(last.of.last) : last.file;
  const files = `${first.file} … ${lastFile} (${formatPlural(count, unit)})`;
  const isClear = first.kind === 'missing';
  return isClear ? `${first.kind}: ${files}` : `${first.kind}: ${files}. ${first.message}`;
}
