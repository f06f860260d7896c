import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import type { Window } from '../../query/calendar.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import type { ViewOptions } from '../view-flags.ts';
import { findFiles, type PeriodFiles } from './find-files.ts';
import { type OpenedPaths, openPaths, type SourceFile } from './open-paths.ts';
import {
  findWindow,
  formatDaySpan,
  limitToParts,
  resolvePeriods,
  toDaySpan,
  type ViewPeriods,
} from './period.ts';

/** Files of a view, before they are read. */
export interface Sources {
  /** Files in time order, so that the newest name of a campaign is the last. */
  readonly files: readonly SourceFile[];

  /** Period of all rows, or `undefined` if it is not known before they are read. */
  readonly window: Window | undefined;

  /** Period of `--compare`. */
  readonly earlier: Window | undefined;

  /** Whether rows are selected by date. */
  readonly hasPeriod: boolean;

  /** Query of the first folder, or of the first file in a folder. */
  readonly query: FolderQuery | undefined;

  /** Whether folders are named. Missing days are then warnings. */
  readonly hasFolders: boolean;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  /** Name for all paths in messages: `2 paths`. */
  readonly displayPath: string;
}

/**
 * Finds the files to read: those in `--period` and `--compare`, or all files by default.
 *
 * @throws UsageError for a path that `openPaths` rejects, a file that is given twice, a period
 * without files, and `--compare` without a period
 */
export async function findSources(
  paths: readonly string[],
  options: ViewOptions,
  host: Context['host'],
): Promise<Sources> {
  const opened = await openPaths(paths, host);
  const displayPath = formatPaths(paths);
  const query = findQuery(opened);
  const nowMs = host.wallClock();
  const periods = resolvePeriods(options, { displayPath, query }, nowMs);
  const search = { now: Math.floor(nowMs / 1_000), signal: host.signal };

  const now = await findFiles(opened, { ...search, window: periods.window });
  if (now.files.length === 0) throw noFilesError(displayPath, periods, now);
  const { earlier } = periods;
  const before = earlier && (await findFiles(opened, { ...search, window: earlier }));
  if (earlier && before?.files.length === 0) throw noEarlierDataError(displayPath, earlier);

  const window = periods.window
    ? limitToParts(periods.window, now.end, search.now)
    : findWindow(now.files, query);
  return {
    files: joinPeriods(now, before),
    window,
    earlier,
    hasPeriod: periods.window !== undefined,
    query,
    hasFolders: opened.folders.length > 0,
    warnings: [...opened.warnings, ...now.warnings, ...(before?.warnings ?? [])],
    notes: now.notes,
    displayPath,
  };
}

function findQuery({ folders, files }: OpenedPaths): FolderQuery | undefined {
  const [folder] = folders;
  const record = files.find((file) => file.record !== undefined)?.record;
  return (folder ?? record)?.declaration.query;
}

function formatPaths(paths: readonly string[]): string {
  const [path = ''] = paths;
  if (paths.length > 1) return `${paths.length} paths`;
  return path === '-' ? 'stdin' : printable(path);
}

/**
 * Returns the files of both periods in time order. A file outside a folder is in both. Throws
 * `UsageError` for a file that is given twice.
 */
function joinPeriods(now: PeriodFiles, before: PeriodFiles | undefined): SourceFile[] {
  const files = new Map<string, SourceFile>();
  for (const file of now.files) {
    if (files.has(file.path)) {
      throw new UsageError(`${file.displayPath} is given twice and would be counted twice.`, {
        hint: 'Pass each file only once.',
      });
    }
    files.set(file.path, file);
  }
  for (const file of before?.files ?? []) files.set(file.path, file);
  const startOf = ({ record }: SourceFile): number => record?.part.since ?? 0;
  return [...files.values()].sort((a, b) => startOf(a) - startOf(b));
}

function noFilesError(
  displayPath: string,
  { window }: ViewPeriods,
  { warnings }: PeriodFiles,
): UsageError {
  const message = window
    ? `No files for these days in ${displayPath}.`
    : `No files to show in ${displayPath}: ${warnings.join(' ')}`;
  return new UsageError(message, {
    about: { flag: '--period' },
    hint: 'Choose another period. adreport check FOLDER shows which days a folder has.',
  });
}

/** Without earlier data, every row would look new. */
export function noEarlierDataError(displayPath: string, earlier: Window): UsageError {
  const message = `${displayPath} has no data for ${formatDaySpan(toDaySpan(earlier))}, the period to compare with.`;
  return new UsageError(message, {
    about: { flag: '--compare' },
    hint: 'Choose a later or a shorter --period, or remove --compare.',
  });
}
