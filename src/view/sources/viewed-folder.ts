import { join, relative, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Declaration } from '../../folder/declaration.ts';
import { requireDeclaration } from '../../folder/declaration-file.ts';
import type { Mismatch } from '../../folder/due.ts';
import {
  type FolderState,
  findFolders,
  readFolder,
  type TypedPath,
} from '../../folder/folder-state.ts';
import { type SelectedPart, selectFiles } from '../../folder/select-files.ts';
import type { CalendarUnit, Window } from '../../query/calendar.ts';
import { printable } from '../../text/printable.ts';
import { formatPlural } from '../../text/quantity.ts';
import { pathWord } from '../../text/quote-for-shell.ts';
import { knownGap, type SourceFile, type UnusableFileError } from './source-file.ts';

/** A declared folder to view. */
export interface ViewedFolder {
  /** As the user typed it, and as one word of a shell. */
  readonly shown: string;
  readonly word: string;
  readonly state: FolderState;
}

/** Attempt to find the files of a view. */
export interface Search {
  /** In unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;

  /** Results of earlier attempts. */
  readonly unusable: readonly UnusableFileError[];
}

/**
 * Opens a declared folder.
 *
 * @throws UsageError for a folder without a declaration, or with several declared ones below it
 */
export async function openFolder(
  path: TypedPath,
  platform: NodeJS.Platform,
  { signal }: Search,
): Promise<ViewedFolder> {
  const { absolute, shown } = path;
  const word = pathWord(shown, platform);
  const [found, ...others] = await findFolders(path, signal);
  if (!found || others.length > 0) {
    throw new UsageError(`${printable(shown)} has ${others.length + 1} declared folders.`, {
      hint: 'Name one of them, or the files.',
    });
  }
  const { folder } = found;
  const place = { shown: join(shown, relative(absolute, folder)), platform };
  const declaration = await requireDeclaration(folder, place);
  return { shown, word, state: await readFolder(folder, declaration, { signal, hashes: false }) };
}

/** Files and gaps of a window in a folder. */
export interface FolderFiles {
  readonly viewed: ViewedFolder;
  readonly files: readonly SourceFile[];

  /** Last unit for which there is, or should be, a file. */
  readonly lastUnit: CalendarUnit | undefined;
  readonly unitCount: number;

  /** First days of the units that are left out, by reason. */
  readonly gaps: ReadonlyMap<Mismatch, readonly string[]>;

  /** Files that are not final. */
  readonly openCount: number;
}

/** Finds the files of a folder in a window; without one, all of them. */
export async function filesInFolder(
  viewed: ViewedFolder,
  window: Window | undefined,
  search: Search,
): Promise<FolderFiles> {
  const { state, shown } = viewed;
  const { now, signal, unusable } = search;
  const { folder, declaration } = state;
  let selected = selectFiles(state, { window, now });
  if (selected.some(({ gap }) => gap !== undefined)) {
    // A run beside this command may have been between the line of a file and the file.
    const again = await readFolder(folder, declaration, { signal, hashes: false });
    selected = selectFiles(again, { window, now });
  }

  const files: SourceFile[] = [];
  const gaps = new Map<Mismatch, string[]>();
  let openCount = 0;
  for (const one of selected) {
    const path = resolve(folder, one.part.name);
    const gap = one.gap ?? (one.line && knownGap(unusable, path, one.line));
    if (gap !== undefined) gaps.set(gap, [...(gaps.get(gap) ?? []), one.part.firstDay]);
    else files.push(toSourceFile(one, { path, shown: `${shown}/${one.part.name}`, declaration }));
    if (gap === undefined && !one.isFinal) openCount += 1;
  }
  const lastUnit = selected.at(-1)?.part;
  return { viewed, files, lastUnit, unitCount: selected.length, gaps, openCount };
}

function toSourceFile(
  { part, line }: SelectedPart,
  place: Pick<SourceFile, 'path' | 'shown' | 'declaration'>,
): SourceFile {
  return { ...place, unit: part, line, sizeBytes: line?.bytes };
}

const gapTexts: Readonly<Record<Mismatch, readonly [one: string, several: string]>> = {
  missing: ['is missing', 'are missing'],
  changed: ['has changed since its download', 'have changed since their download'],
  untracked: ['is not in the history', 'are not in the history'],
  'other report': ['is from another report', 'are from another report'],
  unreadable: ['cannot be read', 'cannot be read'],
};

const maxNamedDays = 5;

/**
 * Returns sentences on the units that are left out: `3 of 31 days are missing (2026-10-04, …).`
 *
 * @param isEarlier for the earlier period of a comparison
 */
export function gapWarnings(
  { viewed, gaps, unitCount }: FolderFiles,
  isEarlier: boolean,
): string[] {
  const { split } = viewed.state.declaration;
  const sentences: string[] = [];
  for (const [gap, [one, several]] of Object.entries(gapTexts)) {
    const days = gaps.get(gap as Mismatch) ?? [];
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
export function notFinalNote({ viewed, openCount, files }: FolderFiles): string | undefined {
  if (openCount === 0) return undefined;
  const { split } = viewed.state.declaration;
  const rest = openCount === 1 ? 'is not final: its numbers' : 'are not final: their numbers';
  return `${openCount} of ${formatPlural(files.length, split)} ${rest} may still change.`;
}

export function queryOf({ state }: ViewedFolder): Declaration['query'] {
  return state.declaration.query;
}
