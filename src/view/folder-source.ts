import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { lookAtFiles, type OnDisk } from '../folder/disk.ts';
import { finality } from '../folder/finality.ts';
import { findFolders } from '../folder/find.ts';
import {
  type FileEntry,
  type FolderSpec,
  type History,
  nameInFolder,
  newestEntry,
} from '../folder/history.ts';
import { unitsInRange } from '../folder/range.ts';
import { isOfUnit, ownerConflict, type Series, seriesOf } from '../folder/series.ts';
import {
  type CalendarUnit,
  calendarUnitsIn,
  formatDate,
  unitHolding,
  type Window,
} from '../report/window.ts';
import { printable, quoted } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { SourceFile } from './source-file.ts';

/** The files of one series of a folder. */
export interface ViewedSeries {
  /** The folder as the user typed it. */
  readonly shown: string;
  readonly history: History;
  readonly series: Series;

  /** True for the name of a file below the path that was asked about. */
  readonly isSelected: (name: string) => boolean;
}

/** When folders are read. */
interface Clock {
  /** In unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * The series of a folder.
 *
 * @param path absolute; `shown` is how the user typed it
 * @param output the `--series` of the command; needed if there are several
 * @throws UsageError for a folder without a history, and for several series without `output`
 */
export async function openSeries(
  { path, shown, output }: { path: string; shown: string; output: string | undefined },
  { now, signal }: Clock,
): Promise<ViewedSeries> {
  const found: NamedSeries[] = [];
  for (const { history, isSelected = () => true } of await findFolders(path, { now, signal })) {
    const within = nameInFolder(path, history.folder);
    for (const series of seriesOf(history, now)) {
      const names = [...history.files.keys()].filter((name) => series.names.fits(name));
      const isAsked = names.length === 0 || names.some(isSelected);
      const isBelow = within !== '' && !within.startsWith('..');
      const label = isBelow ? `${within}/${series.names.output}` : series.names.output;
      if (isAsked) found.push({ label, viewed: { shown, history, series, isSelected } });
    }
  }

  const name = printable(shown);
  if (found.length === 0) {
    throw new UsageError(`No adreport history in ${name}.`, {
      hint: 'Give the files by name, or a folder that adreport run --split has filled.',
    });
  }
  const named = output === undefined ? found : found.filter(({ label }) => label === output);
  const [first, second] = named;
  if (first && !second) return first.viewed;

  const message = first
    ? `${name} has ${found.length} series.`
    : `${name} has no series ${quoted(output ?? '')}.`;
  throw new UsageError(message, {
    about: { flag: '--series' },
    hint: `Choose one: ${found.map(({ label }) => `--series '${printable(label)}'`).join(', ')}`,
  });
}

/** A series with its path from the folder that was asked about. */
interface NamedSeries {
  readonly label: string;
  readonly viewed: ViewedSeries;
}

/** The spec and the zone of a series. */
export function specOf({ series }: ViewedSeries): FolderSpec {
  return series.current.spec;
}

/** Why the file of a unit is left out. */
type Gap = 'missing' | 'changed' | 'untracked' | 'foreign' | 'unreadable';

/** The units of a window, as far as a folder has them. */
export interface FolderUnits {
  readonly viewed: ViewedSeries;
  readonly files: readonly SourceFile[];

  /** The last unit of the window that a file is, or should be, there for. */
  readonly lastUnit: CalendarUnit | undefined;

  /** The units that the window should have, and those of them that are left out. */
  readonly unitCount: number;
  readonly gaps: ReadonlyMap<Gap, readonly string[]>;

  /** How many files are not final. */
  readonly openCount: number;
}

/**
 * Finds the files of a series that match their newest lines in a window; without a window, all of
 * them.
 *
 * @throws the reason of the signal once it is aborted
 */
export async function unitsOf(
  viewed: ViewedSeries,
  window: Pick<Window, 'since' | 'until'> | undefined,
  { now, signal }: Clock,
): Promise<FolderUnits> {
  const { history, series, isSelected } = viewed;
  const inWindow = window ? unitsInWindow(viewed, window, now) : allUnits(viewed, now);
  const units = inWindow.filter((unit) => isSelected(series.names.of(unit)));
  const names = units.map((unit) => series.names.of(unit));
  const onDisk = await lookAtFiles(history.folder, names, { signal, reads: () => true });

  const files: SourceFile[] = [];
  const gaps = new Map<Gap, string[]>();
  let openCount = 0;
  for (const [index, unit] of units.entries()) {
    const name = names[index] as string;
    const entry = newestEntry(history, name);
    const gap = gapOf(series, { unit, entry, onDisk: onDisk.get(name) ?? { kind: 'nothing' } });
    if (gap !== undefined) {
      const days = gaps.get(gap);
      if (days) days.push(unit.since);
      else gaps.set(gap, [unit.since]);
      continue;
    }

    const path = resolve(history.folder, name);
    if (entry && finality(entry, series.current.spec, now).state !== 'final') openCount += 1;
    files.push({ path, shown: path, unit, entry, sizeBytes: entry?.line.bytes });
  }
  return { viewed, files, lastUnit: units.at(-1), unitCount: units.length, gaps, openCount };
}

/** The units of a window that are over, and those that have a line already. */
function unitsInWindow(
  { history, series }: ViewedSeries,
  { since, until }: Pick<Window, 'since' | 'until'>,
  now: number,
): CalendarUnit[] {
  const { split, timezone: zone } = series.current.spec;
  const begun = { since, until: Math.min(until, now), zone };
  return [...calendarUnitsIn(begun, split)].filter((unit) => {
    return unit.over <= now || history.files.has(series.names.of(unit));
  });
}

/** The units that the series should have, and all others that it has a line for. */
function allUnits({ history, series }: ViewedSeries, now: number): CalendarUnit[] {
  const { split, timezone: zone } = series.current.spec;
  const units = new Map<number, CalendarUnit>();
  for (const unit of unitsInRange(series, now)) {
    const isKnown = unit.isExpected || history.files.has(series.names.of(unit));
    if (isKnown) units.set(unit.start, unit);
  }
  for (const [name, entries] of history.files) {
    const line = entries.at(-1)?.line;
    if (!line || !series.names.fits(name)) continue;
    const unit = unitHolding(formatDate(Date.parse(line.since) / 1_000, zone), split, zone);
    if (unit && series.names.of(unit) === name) units.set(unit.start, unit);
  }
  return [...units.values()].sort((one, other) => one.start - other.start);
}

/** The file of a unit, on disk and in the history. */
interface UnitFile {
  readonly unit: CalendarUnit;
  readonly entry: FileEntry | undefined;
  readonly onDisk: OnDisk;
}

function gapOf(series: Series, { unit, entry, onDisk }: UnitFile): Gap | undefined {
  if (onDisk.kind === 'nothing') return 'missing';
  if (onDisk.kind !== 'file') return 'unreadable';
  if (!entry?.own || !isOfUnit(entry, unit)) return 'untracked';

  const { content, spec } = entry.own;
  const { current } = series;
  const isForeign = content !== current.content || ownerConflict(spec, current.spec) !== undefined;
  if (isForeign) return 'foreign';
  return onDisk.sha256 === entry.line.sha256 ? undefined : 'changed';
}

const gapTexts: Readonly<Record<Gap, readonly [one: string, several: string]>> = {
  missing: ['is missing', 'are missing'],
  changed: ['has changed since its download', 'have changed since their download'],
  untracked: ['is not in the history', 'are not in the history'],
  foreign: ['answers another request', 'answer another request'],
  unreadable: ['cannot be read', 'cannot be read'],
};

const daysNamedAtMost = 5;

/**
 * Sentences on the units that are left out: `3 of 31 days are missing (2026-10-04, …).`
 *
 * @param isEarlier true for the period that is compared with
 */
export function gapSentences(
  { viewed, gaps, unitCount }: FolderUnits,
  isEarlier: boolean,
): string[] {
  const { split } = specOf(viewed);
  const sentences: string[] = [];
  for (const [gap, [one, several]] of Object.entries(gapTexts)) {
    const days = gaps.get(gap as Gap) ?? [];
    if (days.length === 0) continue;
    const more = days.length > daysNamedAtMost ? ', …' : '';
    const list = `${days.slice(0, daysNamedAtMost).join(', ')}${more}`;
    const period = isEarlier ? ' in the period before' : '';
    const of = `${days.length} of ${formatPlural(unitCount, split)}${period}`;
    sentences.push(`${of} ${days.length === 1 ? one : several} (${list}).`);
  }
  return sentences;
}

/** A sentence on files that the service may still correct; `undefined` if all are final. */
export function openSentence({ viewed, openCount, files }: FolderUnits): string | undefined {
  if (openCount === 0) return undefined;
  const { split } = specOf(viewed);
  const rest = openCount === 1 ? 'is not final: its figures' : 'are not final: their figures';
  return `${openCount} of ${formatPlural(files.length, split)} ${rest} may still change.`;
}

/**
 * The newest history line of a single file, if the file has its bytes; `changed` if it has others.
 */
export async function entryOfFile(
  path: string,
  { now, signal }: Clock,
): Promise<{ readonly entry: FileEntry; readonly unit: CalendarUnit } | 'changed' | undefined> {
  for (const { history } of await findFolders(path, { now, signal })) {
    const name = nameInFolder(history.folder, path);
    const entry = newestEntry(history, name);
    if (!entry?.own) continue;

    const onDisk = (await lookAtFiles(history.folder, [name], { signal, reads: () => true })).get(
      name,
    );
    const isSame = onDisk?.kind === 'file' && onDisk.sha256 === entry.line.sha256;
    if (!isSame) return 'changed';

    const { split, timezone: zone } = entry.own.spec;
    const unit = unitHolding(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
    if (unit) return { entry, unit };
  }
  return undefined;
}

/** The window from the first to the last of some units, in unix seconds. */
export function spanOf(
  units: readonly CalendarUnit[],
): { readonly since: number; readonly until: number } | undefined {
  const first = units[0];
  const last = units.at(-1);
  return first && last && { since: first.start, until: last.over - 1 };
}
