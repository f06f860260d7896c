import { defaultZone } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { earlierWindow, type SplitUnit, type Window } from '../../query/calendar.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { pathWord } from '../../text/quote-for-shell.ts';
import type { ViewOptions } from '../view-flags.ts';
import { findFiles, type PeriodFiles } from './find-files.ts';
import { openPaths } from './open-paths.ts';
import {
  dropRunningPart,
  formatDaySpan,
  limitToParts,
  resolveViewPeriod,
  windowOfParts,
} from './period.ts';
import type { SourceFile } from './source-file.ts';

/** The files of a view, and what is known before they are read. */
export interface Sources {
  /** In time order, so that the newest name of a campaign is the last. */
  readonly files: readonly SourceFile[];

  /** Period of all rows; `undefined` if it is not known yet. */
  readonly window: Window | undefined;

  /** Period of `--compare`. */
  readonly earlier: Window | undefined;

  /** True if rows are selected by their days. */
  readonly isOfPeriod: boolean;

  /** Request of the files, if a declaration has it. */
  readonly query: FolderQuery | undefined;

  /** True if folders have told which days are missing. */
  readonly hasFolders: boolean;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  /** Name of all paths, for messages. */
  readonly shown: string;
}

/**
 * Finds the files of some paths, and of the periods of `--period` and `--compare`.
 *
 * @throws UsageError as `openPaths`; for a file that is given twice, for a period without files, and
 *   for `--compare` without a period
 */
export async function findSources(
  paths: readonly string[],
  options: ViewOptions,
  host: Context['host'],
): Promise<Sources> {
  const opened = await openPaths(paths, host);
  const { folders } = opened;
  const shown = shownName(paths);
  const declarations = [...folders, ...opened.files.map(({ record }) => record)];
  const query = declarations.find((one) => one !== undefined)?.declaration.query;
  const unit: SplitUnit = query?.split ?? 'day';

  const nowMs = host.wallClock();
  const search = { now: Math.floor(nowMs / 1_000), signal: host.signal };
  const period = resolveViewPeriod(
    options,
    { shown, zone: query?.timezone ?? defaultZone, unit },
    nowMs,
  );
  if (options.compare && !period) throw periodRequired();
  const compared = period && options.compare && dropRunningPart(period, unit, search.now);
  const window = compared ?? period;
  const now = await findFiles(opened, { ...search, window });
  if (now.files.length === 0) {
    const folder = folders[0] && pathWord(folders[0].shown, host.platform);
    throw noFiles({ shown, isOfPeriod: period !== undefined, warnings: now.warnings, folder });
  }
  const earlier = compared && options.compare && earlierWindow(compared, options.compare);
  const suffix = ' in the period before';
  const before = earlier && (await findFiles(opened, { ...search, window: earlier, suffix }));
  if (earlier && before?.files.length === 0) throw noEarlierData(shown, earlier);

  const files = filesOfBoth(now, before);
  expectDistinctFiles(files);
  return {
    files,
    window: window ? limitToParts(window, now.end, search.now) : windowOfParts(now.files, query),
    earlier,
    isOfPeriod: period !== undefined,
    query,
    hasFolders: folders.length > 0,
    warnings: [...opened.warnings, ...now.warnings, ...(before?.warnings ?? [])],
    notes: now.notes,
    shown,
  };
}

function shownName(paths: readonly string[]): string {
  const [path = ''] = paths;
  if (paths.length > 1) return `${paths.length} paths`;
  return path === '-' ? 'stdin' : printable(path);
}

/** Files outside folders are in both periods. */
function filesOfBoth(now: PeriodFiles, before: PeriodFiles | undefined): SourceFile[] {
  const files = [...now.files];
  for (const file of before?.files ?? []) {
    if (file.record && !now.files.some(({ path }) => path === file.path)) files.push(file);
  }
  return files.sort(
    (one, other) => (one.record?.part.since ?? 0) - (other.record?.part.since ?? 0),
  );
}

function expectDistinctFiles(files: readonly SourceFile[]): void {
  const paths = new Set<string>();
  for (const { path, shown } of files) {
    if (paths.has(path)) {
      throw new UsageError(`${printable(shown)} is given twice and would be counted twice.`, {
        hint: 'Give each file once.',
      });
    }
    paths.add(path);
  }
}

interface NoFiles {
  readonly shown: string;
  readonly isOfPeriod: boolean;
  readonly warnings: readonly string[];

  /** First folder, as a word of the shell. */
  readonly folder: string | undefined;
}

function noFiles({ shown, isOfPeriod, warnings, folder }: NoFiles): UsageError {
  const message = isOfPeriod
    ? `No files for these days in ${shown}.`
    : `No files to show in ${shown}: ${warnings.join(' ')}`;
  const hint = folder ? `adreport check ${folder} shows what it has.` : 'Choose another period.';
  return new UsageError(message, { about: { flag: '--period' }, hint });
}

/** For files without a day of the period before: every row would be new. */
export function noEarlierData(shown: string, earlier: Window): UsageError {
  const message = `${shown} has no data for ${formatDaySpan(earlier)}, the period to compare with.`;
  return new UsageError(message, {
    about: { flag: '--compare' },
    hint: 'Choose a later or a shorter --period, or remove --compare.',
  });
}

/** The period before all files is in none of them. */
function periodRequired(): UsageError {
  return new UsageError('--compare needs a period.', {
    about: { flag: '--compare' },
    hint: 'Add --period, for example --period last-month.',
  });
}
