import { resolve } from 'node:path';
import { readFolder } from '../../folder/folder-snapshot.ts';
import { overlaps } from '../../folder/parts.ts';
import { type SelectedPart, selectFiles } from '../../folder/select-files.ts';
import type { Window } from '../../query/calendar.ts';
import { printable } from '../../text/printable.ts';
import { chooseBe, chooseHave, formatPlural } from '../../text/quantity.ts';
import type { DeclaredFolder, OpenedPaths, SourceFile } from './open-paths.ts';

export interface PeriodFiles {
  readonly files: readonly SourceFile[];

  /** Warnings about missing and changed days, weeks and months. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];

  /**
   * End of the last day, week or month that a folder has or should have, in unix seconds. 0 without
   * folders.
   */
  readonly end: number;
}

interface Search {
  /** Period to find files for, or `undefined` for all files. */
  readonly window: Window | undefined;

  /** Current time in unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Finds the files of a period. In a folder, only files that match their history lines count. */
export async function findFiles(paths: OpenedPaths, search: Search): Promise<PeriodFiles> {
  const { window } = search;
  const files = paths.files.filter(({ record }) => {
    return !record || overlaps(record.part, { window });
  });
  const warnings: string[] = [];
  const notes: string[] = [];
  let end = 0;
  for (const folder of paths.folders) {
    const selected = await selectFolderFiles(folder, search);
    files.push(...listSourceFiles(folder, selected));
    warnings.push(...formatGapWarnings(folder, selected));
    notes.push(...formatNotFinalNotes(folder, selected));
    end = Math.max(end, selected.at(-1)?.part.end ?? 0);
  }
  return { files, warnings, notes, end };
}

async function selectFolderFiles(
  { path, declaration }: DeclaredFolder,
  { window, now, signal }: Search,
): Promise<SelectedPart[]> {
  const select = async (): Promise<SelectedPart[]> => {
    const reading = { selection: { window }, signal, computeHash: true };
    return selectFiles(await readFolder(path, declaration, reading), now);
  };
  const selected = await select();
  // A concurrent run may have written the history line, but not yet the file.
  return selected.some(({ gap }) => gap !== undefined) ? select() : selected;
}

function listSourceFiles(
  { path, displayPath, declaration }: DeclaredFolder,
  selected: readonly SelectedPart[],
): SourceFile[] {
  const files: SourceFile[] = [];
  for (const { part, line } of selected) {
    if (!line) continue;
    const { name } = part;
    const record = { declaration, line, part };
    files.push({
      path: resolve(path, name),
      displayPath: printable(`${displayPath}/${name}`),
      record,
    });
  }
  return files;
}

const maxNamedDays = 5;

/** Formats `3 of 31 days are missing (2026-10-04, …).` and `1 of 31 days has changed (…).` */
function formatGapWarnings(
  { declaration: { split } }: DeclaredFolder,
  selected: readonly SelectedPart[],
): string[] {
  const warnings: string[] = [];
  const gaps = selected.filter(({ gap }) => gap !== undefined);
  for (const problem of ['missing', 'changed']) {
    const parts = gaps.filter(({ gap }) => (gap === 'changed') === (problem === 'changed'));
    if (parts.length === 0) continue;
    const days = parts.map(({ part }) => part.firstDay);
    const count = `${days.length} of ${formatPlural(selected.length, split)}`;
    const more = days.length > maxNamedDays ? ', …' : '';
    const list = `(${days.slice(0, maxNamedDays).join(', ')}${more})`;
    const verb = problem === 'missing' ? chooseBe(days.length) : chooseHave(days.length);
    warnings.push(`${count} ${verb} ${problem} ${list}.`);
  }
  return warnings;
}

function formatNotFinalNotes(
  { declaration: { split } }: DeclaredFolder,
  selected: readonly SelectedPart[],
): string[] {
  const readable = selected.filter(({ gap }) => gap === undefined);
  const count = readable.filter(({ isFinal }) => !isFinal).length;
  if (count === 0) return [];
  const rest = count === 1 ? 'is not final: its numbers' : 'are not final: their numbers';
  return [`${count} of ${formatPlural(readable.length, split)} ${rest} may still change.`];
}
