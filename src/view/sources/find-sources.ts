import { defaultZone } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { earlierWindow, type SplitUnit, type Window } from '../../query/calendar.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import type { DaySpan } from '../rows/collect.ts';
import type { ViewOptions } from '../view-flags.ts';
import { openSources, queryOfSource, type Source } from './open-sources.ts';
import {
  clampToFiles,
  daysOfWindow,
  dropUnfinishedUnit,
  extendToNow,
  laterHalf,
  spansOf,
  windowOfUnits,
  windowOfView,
} from './period.ts';
import type { SourceFile } from './source-file.ts';
import { type FolderFiles, filesInFolder, gapWarnings, type Search } from './viewed-folder.ts';

/** Files of a view, and the facts that are known before reading them. */
export interface Sources {
  readonly files: readonly SourceFile[];

  /** Window of all rows; `undefined` if it is not known before they are read. */
  readonly window: Window | undefined;

  /** Window of `--period`, whose last days may not have been downloaded yet. */
  readonly asked: Window | undefined;

  /** Window of `--compare`. */
  readonly earlier: Window | undefined;

  /** Days of `--period` and of `--compare`; empty for all rows. */
  readonly spans: readonly DaySpan[];

  /** Spec of the files, if a history has it. */
  readonly query: FolderQuery | undefined;

  /** Units of folders, present or missing, in the window and that of `--compare`. */
  readonly folders: readonly FolderFiles[];
  readonly earlierFolders: readonly FolderFiles[];
  readonly warnings: readonly string[];
  readonly shown: string;
}

/**
 * Finds the files of some paths.
 *
 * @throws UsageError for a path that does not exist, a folder without a declaration, or a window outside its files
 */
export async function findSources(
  { host }: Pick<Context, 'host'>,
  options: ViewOptions,
  { paths, unusable }: { readonly paths: readonly string[] } & Pick<Search, 'unusable'>,
): Promise<Sources> {
  const nowMs = host.wallClock();
  const search = { now: Math.floor(nowMs / 1_000), signal: host.signal, unusable };
  const warnings: string[] = [];
  const opening = { host, search, warnings, folders: new Map() };
  const sources = await openSources(paths, opening);
  const shown = paths.length === 1 ? (paths[0] as string) : `${paths.length} paths`;

  const query = sources.map(queryOfSource).find((each) => each !== undefined);
  const unit: SplitUnit = query?.split ?? 'day';
  const zone = query?.timezone ?? defaultZone;
  const asked = windowOfView(options, { shown, zone, unit }, nowMs);
  const isCompared = options.compare !== undefined;
  const counted =
    asked && isCompared ? dropUnfinishedUnit(asked, { unit, now: search.now }) : asked;

  const now = await readSources(sources, counted, search);
  if (now.files.length === 0) throw noFilesError(shown, asked, now.folders);
  const window = counted
    ? clampToFiles(counted, now.folders, search.now)
    : windowOfUnits(now.files, query);
  if (isCompared && !asked) throw periodRequiredError(shown, window && { window, unit });

  const earlier = isCompared && window ? earlierWindow(window, options.compare) : undefined;
  const before = earlier && (await readSources(sources, earlier, search));
  if (earlier && before?.files.length === 0) throw noEarlierDataError(shown, earlier);

  const further = (before?.files ?? []).filter((each) => !isIn(each, now.files));
  return {
    files: sortByTime([...now.files, ...further]),
    window,
    asked: asked ?? (window && extendToNow(window, search.now)),
    earlier,
    spans: asked ? spansOf(window, earlier) : [],
    query,
    folders: now.folders,
    earlierFolders: before?.folders ?? [],
    warnings,
    shown,
  };
}

/** Returns the files and folders that have rows of a window. */
async function readSources(
  sources: readonly Source[],
  window: Window | undefined,
  search: Search,
): Promise<{ readonly files: readonly SourceFile[]; readonly folders: readonly FolderFiles[] }> {
  const files = filesOf(sources, window);
  const folders: FolderFiles[] = [];
  for (const source of sources) {
    if (!('viewed' in source)) continue;
    const inFolder = await filesInFolder(source.viewed, window, search);
    folders.push(inFolder);
    files.push(...inFolder.files);
  }
  return { files, folders };
}

/** Returns the named files, except units outside the window. */
function filesOf(sources: readonly Source[], window: Window | undefined): SourceFile[] {
  const files: SourceFile[] = [];
  for (const source of sources) {
    if (!('file' in source)) continue;
    const { unit } = source.file;
    const isOutside = unit && window && (unit.since < window.since || unit.since > window.until);
    if (!isOutside) files.push(source.file);
  }
  return files;
}

function isIn({ path }: SourceFile, files: readonly SourceFile[]): boolean {
  return files.some((each) => each.path === path);
}

/** Sorts files by their days in the history, so that the newest name of a campaign is the last. */
function sortByTime(files: readonly SourceFile[]): SourceFile[] {
  return [...files].sort((one, other) => (one.unit?.since ?? 0) - (other.unit?.since ?? 0));
}

/** For a window without a single usable file. */
function noFilesError(
  shown: string,
  asked: Window | undefined,
  folders: readonly FolderFiles[],
): UsageError {
  const [first] = folders;
  const isElsewhere = folders.every(({ gaps }) => gaps.size === 0 || gaps.has('missing'));
  const sentences = folders.flatMap((folder) => gapWarnings(folder, false));
  const name = printable(shown);
  const isOutside = asked !== undefined && isElsewhere;
  const message = isOutside
    ? `No files for these days in ${name}.`
    : `No files to show in ${name}: ${sentences.join(' ')}`;
  return new UsageError(message, {
    about: { flag: '--period' },
    hint: first
      ? `adreport check ${first.viewed.word} shows what it has.`
      : 'Choose another period.',
  });
}

/** For files without a day of the period before: every row would be new. */
export function noEarlierDataError(shown: string, earlier: Window): UsageError {
  const { since, until } = daysOfWindow(earlier);
  const days = since === until ? since : `${since} to ${until}`;
  return new UsageError(
    `${printable(shown)} has no data for ${days}, the period to compare with.`,
    {
      about: { flag: '--compare' },
      hint: 'Choose a later or a shorter --period, or remove --compare.',
    },
  );
}

/** For `--compare` without a period: the period before all files is in none of them. */
function periodRequiredError(
  shown: string,
  known: { readonly window: Window; readonly unit: SplitUnit } | undefined,
): UsageError {
  const period = known && laterHalf(known.window, known.unit);
  const hint = period
    ? `Add --period, for example --period ${period} for the later half of ${printable(shown)}.`
    : 'Add --period, for example --period last-month.';
  return new UsageError('--compare needs a period.', { about: { flag: '--compare' }, hint });
}
