import { join, relative, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { tableLook } from '../deliver/deliver.ts';
import { UsageError } from '../errors.ts';
import { needsLocal } from '../fetch/repair-jobs.ts';
import { formatSum } from '../figures/numbers.ts';
import { bytesIn, checkFolder, findFolders, isUnlistable, noHistory } from '../folder/find.ts';
import type {
  FolderFinding,
  FolderPart,
  FolderVerdict,
  SeriesSummary,
} from '../folder/folder-check.ts';
import { nameInFolder } from '../folder/history.ts';
import { isRepairable, repairsOf, type SeriesRepair } from '../folder/series-repair.ts';
import { type CheckText, checkLines } from '../present/terminal/check-lines.ts';
import { requestInWords } from '../report/filter-words.ts';
import { visibleJson } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { pathWord } from '../text/quote-for-shell.ts';

/** The result of checking a path. */
export interface CheckedPath {
  /** The path, quoted for the shell. */
  readonly word: string;
  readonly folders: readonly CheckedFolder[];

  /** Findings outside of folders with a history. */
  readonly findings: readonly FolderFinding[];

  /** True if `adreport repair` needs `--local`. */
  readonly needsLocal: boolean;
}

/** A folder with its history. */
interface CheckedFolder {
  /** The path from the working folder, then from the checked path. */
  readonly path: string;
  readonly within: string;
  readonly part: FolderPart;
  readonly verdict: FolderVerdict;
}

/**
 * Compares the files at a path with their history.
 *
 * @param typed the path as the user typed it
 * @throws UsageError for a path that is empty, does not exist, or has no history
 */
export async function checkPath(context: Context, typed: string): Promise<CheckedPath> {
  const { cwd, platform, signal, wallClock } = context.host;
  // An unset shell variable makes an empty word, which does not mean the working folder.
  if (typed === '') {
    throw new UsageError('The path is empty.', {
      hint: 'Give a folder of reports, or a report file.',
    });
  }

  const path = resolve(cwd, typed);
  const word = pathWord(relative(cwd, path), platform);
  const now = Math.floor(wallClock() / 1_000);
  const folders: CheckedFolder[] = [];
  for (const part of await findFolders(path, { now, signal })) {
    const { folder } = part.history;
    const verdict = await checkWithMeter(context, part, now);
    folders.push({
      path: relative(cwd, folder) || '.',
      within: nameInFolder(path, folder),
      part,
      verdict,
    });
  }

  const isClosed = folders.length === 0 && (await isUnlistable(path));
  if (isClosed) return { word, folders, findings: [closedFinding(typed)], needsLocal: false };
  if (folders.length > 0) {
    const isLocal = await needsLocal(context, repairsOfFolders(folders));
    return { word, folders, findings: [], needsLocal: isLocal };
  }
  throw noHistory(
    typed,
    'Give a folder filled by run --split, and check that its disk is mounted.',
  );
}

function closedFinding(path: string): FolderFinding {
  const message = `Cannot list ${path}: permission denied.`;
  return { file: path, kind: 'unreadable', message, fix: `Make ${path} readable.` };
}

async function checkWithMeter(
  context: Context,
  part: FolderPart,
  now: number,
): Promise<FolderVerdict> {
  const meter = (await context.progress()).transfer('Checking', bytesIn(part));
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
    meter.update({ bytes });
  };

  try {
    return await checkFolder(part, { now, signal: context.host.signal, onBytes });
  } finally {
    meter.stop();
  }
}

/** All findings at a path, with file paths from the working folder. */
export function findingsOf({ folders, findings }: CheckedPath): FolderFinding[] {
  const ofFolders = folders.flatMap(({ path, verdict }) => {
    return verdict.findings.map((finding) => ({ ...finding, file: join(path, finding.file) }));
  });
  return [...ofFolders, ...findings];
}

/** The repairs possible at a path. */
export function repairsAt({ folders }: CheckedPath): SeriesRepair[] {
  return repairsOfFolders(folders);
}

function repairsOfFolders(folders: readonly CheckedFolder[]): SeriesRepair[] {
  return folders.flatMap(({ part, verdict }) => repairsOf(part.history, verdict.findings));
}

/** The number of reports that repairs download. */
export function countReports(repairs: readonly SeriesRepair[]): number {
  let count = 0;
  for (const { units } of repairs) count += units.length;
  return count;
}

/**
 * Writes results as text, or with `--json` as an object or a list of objects.
 *
 * @param isList true if several paths were given
 */
export async function writeChecked(
  context: Context,
  checked: readonly CheckedPath[],
  { isList = false } = {},
): Promise<void> {
  const { console, flags } = context;
  if (flags.json) {
    const documents = checked.map(documentOf);
    return console.result(visibleJson(isList ? documents : documents[0]));
  }

  const look = tableLook(context);
  const blocks = checked.map((path) => checkLines(textOf(path), look).join('\n'));
  await console.write(`${blocks.join('\n\n')}\n`);
}

/** A path as one object of `--json` (cli.md, `adreport check`). */
function documentOf(checked: CheckedPath): object {
  const { folders } = checked;
  return {
    series: folders.flatMap(({ within, verdict }) => {
      return verdict.series.map((series) => documentOfSeries(series, within));
    }),
    findings: findingsOf(checked).map(({ file, kind, message, fix }) => {
      return { file, kind, message: `${message} ${fix}` };
    }),
    notes: folders.flatMap(({ verdict }) => verdict.notes),
    histories: folders.flatMap(({ path, part }) => {
      return part.history.sources.map(({ name, skippedLines, unreadable = null }) => {
        return { file: join(path, name), skippedLines, unreadable };
      });
    }),
    repair: repairCommandFor(checked),
  };
}

function documentOfSeries(summary: SeriesSummary, within: string): object {
  const { series, since = null, until = null, files, rows, totals, outside } = summary;
  const request = series?.current.spec.request ?? null;
  return { output: nameOf(summary, within), request, since, until, files, rows, totals, outside };
}

/** The path of a series from the checked path. */
function nameOf({ output }: SeriesSummary, within: string): string {
  const isBelow = within !== '' && !within.startsWith('..');
  return isBelow ? `${within}/${output}` : output;
}

/** The command that repairs a path; `null` if there is nothing to download. */
function repairCommandFor(checked: CheckedPath): string | null {
  if (repairsAt(checked).length === 0) return null;
  return `adreport repair ${checked.word}${checked.needsLocal ? ' --local' : ''}`;
}

/** The result as sentences. */
function textOf(checked: CheckedPath): CheckText {
  const findings = findingsOf(checked);
  const fixes = new Set(findings.filter((each) => !isRepairable(each)).map(({ fix }) => fix));
  const hasChanged = findings.some(({ kind }) => kind === 'changed');
  return {
    folders: checked.folders.map(({ path, within, verdict }) => {
      return { path, sentences: verdict.series.flatMap((each) => seriesInWords(each, within)) };
    }),
    findingCount: findings.length,
    findings: findingsInWords(checked),
    notes: checked.folders.flatMap(({ verdict }) => verdict.notes),
    fixes: [...fixes],
    advice: hasChanged ? adviceOnChanges : undefined,
    repairCommand: repairCommandFor(checked) ?? undefined,
    reportCount: countReports(repairsAt(checked)),
  };
}

const adviceOnChanges =
  'If the service no longer has data for a changed file, restore the file or use --refetch, which empties it.';

/** The request, window, files and totals of a series. */
function seriesInWords(summary: SeriesSummary, within: string): string[] {
  const { series, since, until, files, rows, totals, outside } = summary;
  const name = nameOf(summary, within);
  if (!series) return [`${name}: ${formatPlural(files, 'file')} whose spec is lost`];

  const { request, account } = series.current.spec;
  const ofAccount = account === undefined ? '' : `; account ${account}`;
  const lines = [`${name}: ${requestInWords(request)}${ofAccount}`];
  const days = since === undefined ? 'no days yet' : `${since} … ${until}`;
  lines.push(`${days}: ${formatPlural(files, 'file')}, ${formatPlural(rows, 'row')}`);

  const sums = Object.entries(totals).map(([metric, sum]) => `${metric} ${formatSum(metric, sum)}`);
  if (sums.length > 0) lines.push(sums.join(', '));
  if (outside > 0) lines.push(`${formatPlural(outside, 'file')} outside this range, not checked`);
  return lines;
}

/** The findings as texts, one for consecutive units. */
function findingsInWords({ folders, findings }: CheckedPath): string[] {
  const texts: string[] = [];
  for (const { verdict } of folders) {
    for (const group of groupsOf(verdict.findings)) texts.push(textOfGroup(group));
  }
  return [...texts, ...findings.map((finding) => textOfGroup([finding]))];
}

function groupsOf(findings: readonly FolderFinding[]): FolderFinding[][] {
  const groups: FolderFinding[][] = [];
  for (const finding of findings) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && isNext(last, finding)) group.push(finding);
    else groups.push([finding]);
  }
  return groups;
}

/** True for the same problem in the next unit of a series. */
function isNext(last: FolderFinding, { kind, of }: FolderFinding): boolean {
  if (last.kind !== kind || last.of?.series !== of?.series) return false;
  return of !== undefined && last.of?.unit.over === of.unit.start;
}

function textOfGroup(group: readonly FolderFinding[]): string {
  const [first] = group;
  const last = group.at(-1);
  if (!first || !last) return '';
  if (first === last) return `${first.kind}: ${first.message}`;

  const unit = first.of?.series.current.spec.split ?? 'day';
  const files = `${first.file} … ${last.file} (${formatPlural(group.length, unit)})`;
  const isClear = first.kind === 'missing';
  return isClear ? `${first.kind}: ${files}` : `${first.kind}: ${files}. ${first.message}`;
}
