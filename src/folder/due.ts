import { type CalendarUnit, unitContaining, unitsIn } from '../query/calendar.ts';
import type { Declaration } from './declaration.ts';
import type { FileState } from './disk.ts';
import { isFinal } from './finality.ts';
import type { FolderSnapshot } from './folder-snapshot.ts';
import type { FileLine } from './history-schema.ts';

/** A day, week or month of a folder. */
export interface FolderPart extends CalendarUnit {
  /** Path of its file from the folder, with slashes. */
  readonly name: string;
}

/**
 * Returns the parts that a folder should hold and that are over, in time order.
 *
 * @param now in unix seconds
 */
export function listParts(declaration: Declaration, now: number): FolderPart[] {
  const { since, until, split, timezone: zone, pattern } = declaration;
  const first = unitContaining(since, split, zone);
  const last = unitContaining(until, split, zone);
  if (!first) return [];

  const parts: FolderPart[] = [];
  const days = { since: first.since, until: last ? last.end - 1 : now, zone };
  for (const unit of unitsIn(days, split)) {
    if (unit.end > now) break;
    parts.push({ ...unit, name: pattern.nameFor(unit) });
  }
  return parts;
}

/** Finds the part for which a file is named, even if it is outside the folder's days. */
export function findPart(name: string, declaration: Declaration): FolderPart | undefined {
  const { split, timezone, pattern } = declaration;
  const day = pattern.dayIn(name);
  const unit = day === undefined ? undefined : unitContaining(day, split, timezone);
  return unit && pattern.nameFor(unit) === name ? { ...unit, name } : undefined;
}

/** The members of a snapshot that decide what is due. */
export type DueInputs = Pick<FolderSnapshot, 'declaration' | 'history' | 'onDisk'>;

/** Returns the parts that are due. A part whose path is not a regular file is left out. */
export function selectDueParts(parts: readonly FolderPart[], inputs: DueInputs): FolderPart[] {
  return parts.filter((part) => {
    const isReplaceable = inputs.onDisk.get(part.name)?.kind !== 'unreadable';
    return isReplaceable && isDue(part, inputs);
  });
}

/** Returns true unless the file of a part is final and matches the history and the declaration. */
export function isDue(part: FolderPart, inputs: DueInputs): boolean {
  const line = inputs.history.lines.get(part.name);
  const matches = findMismatch(part.name, inputs) === undefined;
  return !matches || !line || !isFinal(line, part, inputs.declaration);
}

/** A difference between a file and its history line or the declaration. */
export type Mismatch = 'missing' | 'unreadable' | 'untracked' | 'other report' | 'changed';

/**
 * Compares a file with its history line and with the declaration; `undefined` if it matches both.
 */
export function findMismatch(
  name: string,
  { declaration: { id }, history: { lines }, onDisk }: DueInputs,
): Mismatch | undefined {
  const file = onDisk.get(name) ?? { kind: 'absent' };
  if (file.kind === 'absent') return 'missing';
  if (file.kind === 'unreadable') return 'unreadable';

  const line = lines.get(name);
  if (!line) return 'untracked';
  if (line.id !== id) return 'other report';
  return isChanged(file, line) ? 'changed' : undefined;
}

/**
 * Compares a file with its history line. The size is compared, and the bytes too if they were read.
 */
export function isChanged(
  file: Extract<FileState, { readonly kind: 'file' }>,
  line: FileLine,
): boolean {
  const hasOtherBytes = file.sha256 !== undefined && file.sha256 !== line.sha256;
  return file.bytes !== line.bytes || hasOtherBytes;
}
