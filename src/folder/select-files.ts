import { type CalendarUnit, unitsIn, type Window } from '../query/calendar.ts';
import { type FolderPart, findMismatch, findPart, listParts, type Mismatch } from './due.ts';
import { isExpected, isFinal } from './finality.ts';
import type { FolderSnapshot } from './folder-snapshot.ts';
import type { FileLine } from './history-schema.ts';

/** A part with the history line of its file, or with the reason why the file cannot be used. */
export interface SelectedPart {
  readonly part: FolderPart;
  readonly line?: FileLine | undefined;
  readonly isFinal: boolean;
  readonly gap?: Mismatch;
}

/**
 * Selects the files of a folder that match their history lines and the declaration. They are
 * returned by part, in time order.
 *
 * @param options `window` selects the parts in it that are over. Without a window, all parts are
 * selected that the folder should have or that have a file. `now` is in unix seconds
 */
export function selectFiles(
  snapshot: FolderSnapshot,
  { window, now }: { readonly window?: Window | undefined; readonly now: number },
): SelectedPart[] {
  const { declaration, onDisk } = snapshot;
  const parts = new Map<string, FolderPart>();
  const expected = window ? listPartsIn(snapshot, window, now) : listParts(declaration, now);
  for (const part of expected) {
    const counts = window || onDisk.has(part.name) || isExpected(part, declaration, now);
    if (counts) parts.set(part.name, part);
  }
  for (const name of onDisk.keys()) {
    if (parts.has(name) || !matchesDeclaration(snapshot, name)) continue;
    const part = findPart(name, declaration);
    if (part && overlaps(part, window)) parts.set(name, part);
  }
  const inOrder = [...parts.values()].sort((one, other) => one.since - other.since);
  return inOrder.map((part) => selectPart(part, snapshot));
}

function listPartsIn(
  { declaration: { split, pattern } }: FolderSnapshot,
  window: Window,
  now: number,
): FolderPart[] {
  const units = [...unitsIn(window, split)].filter(({ end }) => end <= now);
  return units.map((unit) => ({ ...unit, name: pattern.nameFor(unit) }));
}

function overlaps({ since, end }: CalendarUnit, window: Window | undefined): boolean {
  return window === undefined || (since <= window.until && window.since < end);
}

function matchesDeclaration({ declaration, history }: FolderSnapshot, name: string): boolean {
  return history.lines.get(name)?.id === declaration.id;
}

function selectPart(part: FolderPart, snapshot: FolderSnapshot): SelectedPart {
  const { declaration, history } = snapshot;
  const gap = findMismatch(part.name, snapshot);
  if (gap !== undefined) return { part, gap, isFinal: false };

  const line = history.lines.get(part.name);
  return { part, line, isFinal: line !== undefined && isFinal(line, part, declaration) };
}
