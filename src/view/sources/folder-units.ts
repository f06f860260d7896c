import { join, relative, resolve } from 'node:path';
import { type FileState, readFileStates } from '../../folder/disk.ts';
import { finality } from '../../folder/finality.ts';
import { type FileEntry, type History, newestEntry, readHistory } from '../../folder/history.ts';
import { unitsInRange } from '../../folder/range.ts';
import { belongsToUnit, ownerConflict, type Series } from '../../folder/series.ts';
import { type FolderUnit, folderUnitsIn, unitOfDay } from '../../folder/units.ts';
import { formatDate, type Window } from '../../query/calendar.ts';
import { formatPlural } from '../../text/quantity.ts';
import { type Search, specOf, type ViewedSeries } from './folder-series.ts';
import { knownGap, type SourceFile } from './source-file.ts';

/** Reason why the file of a unit is left out. */
type Gap = 'missing' | 'changed' | 'untracked' | 'foreign' | 'unreadable';

/** Units of a window in a folder. */
export interface FolderUnits {
  readonly viewed: ViewedSeries;
  readonly files: readonly SourceFile[];

  /** Last unit of the window for which there is, or should be, a file. */
  readonly lastUnit: FolderUnit | undefined;

  /** Expected units, and those that are left out by reason. */
  readonly unitCount: number;
  readonly gaps: ReadonlyMap<Gap, readonly string[]>;

  /** Files that are not final. */
  readonly openCount: number;
}

/**
 * Finds the files of a series that have the sizes of their newest lines in a window; without a
 * window, all of them.
 *
 * @throws the reason of the signal once it is aborted
 */
export async function unitsOf(
  viewed: ViewedSeries,
  window: Pick<Window, 'since' | 'until'> | undefined,
  search: Search,
): Promise<FolderUnits> {
  const { history, series, isSelected } = viewed;
  const { now } = search;
  const inWindow = window ? unitsInWindow(viewed, window, now) : allUnits(viewed, now);
  const units = inWindow.filter((unit) => isSelected(series.names.nameFor(unit)));

  const files: SourceFile[] = [];
  const gaps = new Map<Gap, string[]>();
  let openCount = 0;
  for (const { name, unit, entry, gap } of await inspectUnits(viewed, units, search)) {
    if (gap !== undefined) {
      const days = gaps.get(gap);
      if (days) days.push(unit.since);
      else gaps.set(gap, [unit.since]);
      continue;
    }

    const path = resolve(history.folder, name);
    const rules = { spec: series.current.spec, now };
    if (entry && finality(entry, unit, rules).state !== 'final') openCount += 1;
    files.push({ path, shown: shownPath(viewed, path), unit, entry, sizeBytes: entry?.line.bytes });
  }
  return { viewed, files, lastUnit: units.at(-1), unitCount: units.length, gaps, openCount };
}

/** Unit with its file and newest line. */
interface InspectedUnit {
  readonly name: string;
  readonly unit: FolderUnit;
  readonly entry: FileEntry | undefined;

  /** Absent if the file is to be shown. */
  readonly gap: Gap | undefined;
}

async function inspectUnits(
  { history, series }: ViewedSeries,
  units: readonly FolderUnit[],
  { now, signal, unusable }: Search,
): Promise<InspectedUnit[]> {
  const { folder } = history;
  const names = units.map((unit) => series.names.nameFor(unit));
  const onDisk = await readFileStates(folder, names, { signal, reads: () => false });
  const judge = (unit: FolderUnit, lines: History): InspectedUnit => {
    const name = series.names.nameFor(unit);
    const entry = newestEntry(lines, name);
    const file = onDisk.get(name) ?? ({ kind: 'absent' } as const);
    const gap =
      gapOf(series, { unit, entry, onDisk: file }) ??
      (entry && knownGap(unusable, resolve(folder, name), entry));
    return { name, unit, entry, gap };
  };

  const judged = units.map((unit) => judge(unit, history));
  if (!judged.some(differsFromHistory)) return judged;

  // A run may have written the file since the history was read; it writes the line first.
  const later = await readHistory(folder, { now, signal });
  return judged.map((before) => {
    const after = differsFromHistory(before) ? judge(before.unit, later) : before;
    return after.gap === undefined ? after : before;
  });
}

function differsFromHistory({ gap }: InspectedUnit): boolean {
  return gap === 'changed' || gap === 'untracked';
}

/** Begins as the user typed the folder. */
function shownPath({ path: folder, shown }: ViewedSeries, path: string): string {
  return join(shown, relative(folder, path));
}

/** Returns the units of a window that are over, and those that have a line already. */
function unitsInWindow(
  { history, series }: ViewedSeries,
  { since, until }: Pick<Window, 'since' | 'until'>,
  now: number,
): FolderUnit[] {
  const { split, timezone: zone } = series.current.spec;
  const begun = { since, until: Math.min(until, now), zone };
  return [...folderUnitsIn(begun, split)].filter((unit) => {
    return unit.over <= now || history.files.has(series.names.nameFor(unit));
  });
}

/** Returns the expected units of the series, and others with a line. */
function allUnits({ history, series }: ViewedSeries, now: number): FolderUnit[] {
  const { split, timezone: zone } = series.current.spec;
  const units = new Map<number, FolderUnit>();
  for (const unit of unitsInRange(series, now)) {
    const isKnown = unit.isExpected || history.files.has(series.names.nameFor(unit));
    if (isKnown) units.set(unit.start, unit);
  }
  for (const [name, entries] of history.files) {
    const line = entries.at(-1)?.line;
    if (!line || !series.names.matches(name)) continue;
    const unit = unitOfDay(formatDate(Date.parse(line.since) / 1_000, zone), split, zone);
    if (unit && series.names.nameFor(unit) === name) units.set(unit.start, unit);
  }
  return [...units.values()].sort((one, other) => one.start - other.start);
}

/** Compares the states of a file on disk and in the history. */
function gapOf(
  series: Series,
  { unit, entry, onDisk }: { unit: FolderUnit; entry: FileEntry | undefined; onDisk: FileState },
): Gap | undefined {
  if (onDisk.kind === 'absent') return 'missing';
  if (onDisk.kind !== 'file') return 'unreadable';
  if (!entry?.own || !belongsToUnit(entry, unit)) return 'untracked';

  const { content, spec } = entry.own;
  const { current } = series;
  const isForeign = content !== current.content || ownerConflict(spec, current.spec) !== undefined;
  if (isForeign) return 'foreign';
  return onDisk.bytes === entry.line.bytes ? undefined : 'changed';
}

const gapTexts: Readonly<Record<Gap, readonly [one: string, several: string]>> = {
  missing: ['is missing', 'are missing'],
  changed: ['has changed since its download', 'have changed since their download'],
  untracked: ['is not in the history', 'are not in the history'],
  foreign: ['is from a different request', 'are from a different request'],
  unreadable: ['cannot be read', 'cannot be read'],
};

const maxNamedDays = 5;

/**
 * Returns sentences on the units that are left out: `3 of 31 days are missing (2026-10-04, …).`
 *
 * @param isEarlier for the earlier period of a comparison
 */
export function gapWarnings(
  { viewed, gaps, unitCount }: FolderUnits,
  isEarlier: boolean,
): string[] {
  const { split } = specOf(viewed);
  const sentences: string[] = [];
  for (const [gap, [one, several]] of Object.entries(gapTexts)) {
    const days = gaps.get(gap as Gap) ?? [];
    if (days.length === 0) continue;
    const more = days.length > maxNamedDays ? ', …' : '';
    const list = `${days.slice(0, maxNamedDays).join(', ')}${more}`;
    const period = isEarlier ? ' in the period before' : '';
    const of = `${days.length} of ${formatPlural(unitCount, split)}${period}`;
    sentences.push(`${of} ${days.length === 1 ? one : several} (${list}).`);
  }
  return sentences;
}

/** Returns a sentence on files that the service may still correct; `undefined` if all are final. */
export function notFinalNote({ viewed, openCount, files }: FolderUnits): string | undefined {
  if (openCount === 0) return undefined;
  const { split } = specOf(viewed);
  const rest = openCount === 1 ? 'is not final: its numbers' : 'are not final: their numbers';
  return `${openCount} of ${formatPlural(files.length, split)} ${rest} may still change.`;
}
