import { findMismatch, type Mismatch } from './due.ts';
import { isExpected, isFinal } from './finality.ts';
import type { FolderSnapshot } from './folder-snapshot.ts';
import type { FileLine } from './history-schema.ts';
import { type FolderPart, findPart, listParts, listPartsIn } from './parts.ts';

/** A part with the history line of its file, or with the reason why the file is unusable. */
export interface SelectedPart {
  readonly part: FolderPart;
  readonly line: FileLine | undefined;
  readonly gap: Mismatch | undefined;
  readonly isFinal: boolean;
}

/**
 * Selects the files of a folder that match their history lines and the declaration, in time order.
 * With a period, a missing file is a gap as soon as its part has ended, otherwise once it is
 * expected.
 *
 * @param now in unix seconds
 */
export function selectFiles(snapshot: FolderSnapshot, now: number): SelectedPart[] {
  const { declaration, history, onDisk, selection } = snapshot;
  const { window } = selection;
  const over = window ? listPartsIn(window, declaration, now) : listParts(declaration, now);
  const parts = new Map(over.map((part) => [part.name, part]));
  for (const name of onDisk.keys()) {
    const matches = history.lines.get(name)?.id === declaration.id;
    const part = matches && !parts.has(name) ? findPart(name, declaration) : undefined;
    if (part) parts.set(name, part);
  }

  const selected: SelectedPart[] = [];
  for (const part of parts.values()) {
    const { name } = part;
    const gap = findMismatch(name, snapshot);
    const mayBeMissing = window === undefined && !isExpected(part, declaration, now);
    if (gap === 'missing' && mayBeMissing) continue;

    const line = gap === undefined ? history.lines.get(name) : undefined;
    const isFinished = line !== undefined && isFinal(line, part, declaration);
    selected.push({ part, gap, line, isFinal: isFinished });
  }
  return selected.sort((a, b) => a.part.since - b.part.since);
}
