import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { defaultZone } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { FolderSpec } from '../../folder/history.ts';
import { expectNoAddressToRead } from '../../output/file/address.ts';
import { isHistoryName } from '../../output/file/file-name.ts';
import {
  comparableWindow,
  type EarlierWindow,
  earlierWindow,
} from '../../report/compared-window.ts';
import { calendarUnitsIn, type SplitUnit, type Window } from '../../report/window.ts';
import { printable } from '../../text/printable.ts';
import type { DaySpan } from '../files/file-taker.ts';
import { daysOfWindow, windowOfView } from '../select-days.ts';
import type { ViewOptions } from '../view-flags.ts';
import { type Clock, openSeries, specOf, type ViewedSeries } from './folder-series.ts';
import { type FolderUnits, spanOf, unitsOf } from './folder-units.ts';
import { gapSentences } from './gap-sentences.ts';
import { KnownFiles } from './known-files.ts';
import type { SourceFile } from './source-file.ts';

/** The files of a view, and what is known of them before they are read. */
export interface Sources {
  readonly files: readonly SourceFile[];

  /** The window of all rows; `undefined` if it is not known before they are read. */
  readonly window: Window | undefined;

  /** The window of `--compare`. */
  readonly earlier: EarlierWindow | undefined;

  /** The days of `--period` and of `--compare`; empty for all rows. */
  readonly spans: readonly DaySpan[];

  /** The spec of the files, if a history has it. */
  readonly spec: FolderSpec | undefined;

  /** The units that folders have and lack, in the window and in that of `--compare`. */
  readonly folders: readonly FolderUnits[];
  readonly earlierFolders: readonly FolderUnits[];
  readonly warnings: readonly string[];
  readonly shown: string;
}

/** A path of the command line: a series of a folder, or a file. */
type Source = { readonly viewed: ViewedSeries } | { readonly file: SourceFile };

/**
 * Finds the files of some paths.
 *
 * @throws UsageError for a path that does not exist, a folder without a history or with several
 *   series, a window that its files do not have
 */
export async function findSources(
  { host }: Pick<Context, 'host'>,
  options: ViewOptions,
  paths: readonly string[],
): Promise<Sources> {
  const nowMs = host.wallClock();
  const clock = { now: Math.floor(nowMs / 1_000), signal: host.signal };
  const warnings: string[] = [];
  const knownFiles = new KnownFiles(clock);
  const opening = { host, options, clock, knownFiles, warnings };
  const sources = await openSources(paths, opening);
  const shown = paths.length === 1 ? (paths[0] as string) : `${paths.length} paths`;

  const spec = sources.map(specOfSource).find((each) => each !== undefined);
  const unit: SplitUnit = spec?.split ?? 'day';
  const zone = spec?.timezone ?? defaultZone;
  const asked = windowOfView(options, { shown, zone, unit }, nowMs);
  const isCompared = options.compare !== undefined;
  const counted = asked && isCompared ? wholeUnitsOf(asked, { unit, now: clock.now }) : asked;

  const now = await readSources(sources, counted, clock);
  if (now.files.length === 0) throw hasNoFile(shown, asked !== undefined, now.folders);
  const window = counted
    ? endOfFiles(counted, now.folders, clock.now)
    : windowOfUnits(now.files, spec);
  if (isCompared && !asked) throw needsPeriod(shown, window && { window, unit });

  const earlier =
    isCompared && window ? earlierWindow(window, options.compare, clock.now) : undefined;
  const before = earlier && (await readSources(sources, earlier, clock));
  if (earlier && before?.files.length === 0) throw hasNothingBefore(shown, earlier);

  const further = (before?.files ?? []).filter((each) => !isIn(each, now.files));
  return {
    files: inTimeOrder([...now.files, ...further]),
    window,
    earlier,
    spans: asked ? spansOf(window, earlier) : [],
    spec,
    folders: now.folders,
    earlierFolders: before?.folders ?? [],
    warnings,
    shown,
  };
}

interface Opening {
  readonly host: Context['host'];
  readonly options: ViewOptions;
  readonly clock: Clock;
  readonly knownFiles: KnownFiles;
  readonly warnings: string[];
}

async function openSources(paths: readonly string[], opening: Opening): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    expectNoAddressToRead(path, opening.host.platform);
    sources.push(await openSource(path, opening));
  }
  const hasFolder = sources.some((source) => 'viewed' in source);
  if (opening.options.series !== undefined && !hasFolder) {
    throw new UsageError('--series is for folders.', { about: { flag: '--series' } });
  }
  return sources;
}

async function openSource(path: string, opening: Opening): Promise<Source> {
  const { host, options, clock, knownFiles, warnings } = opening;
  if (path === '-') return { file: { path, shown: 'stdin' } };
  if (path === '') {
    throw new UsageError('The path is empty.', { hint: 'Give a report file or a folder.' });
  }

  const absolute = resolve(host.cwd, path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) {
    return { viewed: await openSeries({ path: absolute, shown: path }, options.series, clock) };
  }
  if (!stats && path.includes('*')) throw isPattern(path);
  if (isHistoryName(basename(path))) throw isHistory(path);

  const file = { path: absolute, shown: path, sizeBytes: stats?.isFile() ? stats.size : undefined };
  if (!stats?.isFile()) return { file };

  const known = await knownFiles.entryOf(absolute);
  if (known === 'changed') {
    warnings.push(`${printable(path)} has changed since its download.`);
    return { file };
  }
  return { file: { ...file, ...known } };
}

function isPattern(path: string): UsageError {
  return new UsageError(`No file is named ${printable(path)}.`, {
    hint: 'Some shells leave a * as it is: name the folder, or each file.',
  });
}

function isHistory(path: string): UsageError {
  const folder = printable(dirname(path));
  return new UsageError(`${printable(path)} is the history of a folder.`, {
    hint: `View the folder: adreport view ${folder}`,
  });
}

function specOfSource(source: Source): FolderSpec | undefined {
  return 'viewed' in source ? specOf(source.viewed) : source.file.entry?.own?.spec;
}

/** What the sources have in a window. */
interface SourcesInWindow {
  readonly files: readonly SourceFile[];
  readonly folders: readonly FolderUnits[];
}

async function readSources(
  sources: readonly Source[],
  window: Window | undefined,
  clock: Clock,
): Promise<SourcesInWindow> {
  const files = filesOf(sources, window);
  const folders: FolderUnits[] = [];
  for (const source of sources) {
    if (!('viewed' in source)) continue;
    const units = await unitsOf(source.viewed, window, clock);
    folders.push(units);
    files.push(...units.files);
  }
  return { files, folders };
}

function spansOf(...windows: readonly (Window | undefined)[]): DaySpan[] {
  const spans: DaySpan[] = [];
  for (const window of windows) if (window) spans.push(daysOfWindow(window));
  return spans;
}

/** The files that were named, but those of units outside the window. */
function filesOf(sources: readonly Source[], window: Window | undefined): SourceFile[] {
  const files: SourceFile[] = [];
  for (const source of sources) {
    if (!('file' in source)) continue;
    const { unit } = source.file;
    const isOutside = unit && window && (unit.start < window.since || unit.start > window.until);
    if (!isOutside) files.push(source.file);
  }
  return files;
}

/** A window without the unit that is still running, and what is to come. */
function wholeUnitsOf(window: Window, { unit, now }: { unit: SplitUnit; now: number }): Window {
  if (window.until < now) return window;
  if (unit === 'day') return comparableWindow(window, now);
  const over = [...calendarUnitsIn({ ...window, until: now }, unit)].findLast(
    (each) => each.over <= now,
  );
  return over ? { ...window, until: over.over - 1, plannedUntil: window.until } : window;
}

/** The window as far as its days have been. */
function endOfFiles(window: Window, folders: readonly FolderUnits[], now: number): Window {
  if (window.until <= now || folders.length === 0) return window;
  const lasts = folders.flatMap(({ lastUnit }) => (lastUnit ? [lastUnit.over - 1] : []));
  const until = Math.min(window.until, Math.max(...lasts));
  return Number.isFinite(until) ? { ...window, until } : window;
}

function windowOfUnits(
  files: readonly SourceFile[],
  spec: FolderSpec | undefined,
): Window | undefined {
  const units = files.flatMap(({ unit }) => (unit ? [unit] : []));
  if (!spec || units.length < files.length) return undefined;
  const span = spanOf(units.sort((one, other) => one.start - other.start));
  return span && { ...span, zone: spec.timezone, notes: [] };
}

function isIn({ path }: SourceFile, files: readonly SourceFile[]): boolean {
  return files.some((each) => each.path === path);
}

/** Files with the history's days by these, so that the newest name of a campaign is the last. */
function inTimeOrder(files: readonly SourceFile[]): SourceFile[] {
  return [...files].sort((one, other) => (one.unit?.start ?? 0) - (other.unit?.start ?? 0));
}

/** The error for a window of which no file is there, or is as it was downloaded. */
function hasNoFile(shown: string, isAsked: boolean, folders: readonly FolderUnits[]): UsageError {
  const [first] = folders;
  const isElsewhere = folders.every(({ gaps }) => gaps.size === 0 || gaps.has('missing'));
  const sentences = folders.flatMap((folder) => gapSentences(folder, false));
  const why = isAsked && isElsewhere ? 'for these days.' : `to show: ${sentences.join(' ')}`;
  return new UsageError(`${printable(shown)} has no file ${why}`, {
    about: { flag: '--period' },
    hint: first
      ? `adreport check ${printable(first.viewed.shown)} shows what it has.`
      : 'Choose another period.',
  });
}

/** The error for files without a day of the period before: all their figures would be new. */
export function hasNothingBefore(shown: string, earlier: Window): UsageError {
  const { since, until } = daysOfWindow(earlier);
  const days = since === until ? since : `${since} to ${until}`;
  return new UsageError(`${printable(shown)} has nothing of ${days} to compare with.`, {
    about: { flag: '--compare' },
    hint: 'Choose a later or a shorter --period, or leave out --compare.',
  });
}

/** The error for `--compare` without a period: the period before all files is in none of them. */
function needsPeriod(
  shown: string,
  known: { readonly window: Window; readonly unit: SplitUnit } | undefined,
): UsageError {
  const period = known && laterHalf(known.window, known.unit);
  const hint = period
    ? `Add --period, for example --period ${period} for the later half of ${printable(shown)}.`
    : 'Add --period, for example --period last-month.';
  return new UsageError('--compare needs a period.', { about: { flag: '--compare' }, hint });
}

/** The later half of a window as a value of `--period`; `undefined` for a single unit. */
function laterHalf(window: Window, unit: SplitUnit): string | undefined {
  const units = [...calendarUnitsIn(window, unit)];
  const half = units.slice(Math.ceil(units.length / 2));
  const [first] = half;
  const last = half.at(-1);
  return first && last && `${first.since}..${last.until}`;
}
