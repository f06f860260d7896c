import { type CalendarUnit, unitContaining, unitsIn, type Window } from '../query/calendar.ts';
import type { Declaration } from './declaration.ts';

/** A day, week or month of a folder. */
export interface FolderPart extends CalendarUnit {
  /** Path of the file, relative to the folder and with slashes. */
  readonly name: string;
}

/** Files and days to check. A field that is not set selects everything. */
export interface Selection {
  readonly window?: Pick<Window, 'since' | 'until'> | undefined;

  /** Paths relative to the folder. */
  readonly names?: ReadonlySet<string> | undefined;
}

/**
 * Lists the selected parts of a folder that have ended, in time order.
 *
 * @param now in unix seconds
 */
export function listParts(
  declaration: Declaration,
  now: number,
  selection: Selection = {},
): FolderPart[] {
  const { since, until, split, timezone } = declaration;
  const first = unitContaining(since, split, timezone);
  const last = unitContaining(until, split, timezone);
  if (!first) return [];

  const days = { since: first.since, until: last ? last.end - 1 : now };
  const { names } = selection;
  return listPartsIn(days, declaration, now).filter((part) => {
    return overlaps(part, selection) && (!names || names.has(part.name));
  });
}

/** Lists the parts of a period that have ended, even if they are outside the folder's days. */
export function listPartsIn(
  { since, until }: Pick<Window, 'since' | 'until'>,
  { split, timezone, pattern }: Declaration,
  now: number,
): FolderPart[] {
  const parts: FolderPart[] = [];
  for (const unit of unitsIn({ since, until: Math.min(until, now), zone: timezone }, split)) {
    if (unit.end <= now) parts.push({ ...unit, name: pattern.nameFor(unit) });
  }
  return parts;
}

export function overlaps({ since, end }: CalendarUnit, { window }: Selection): boolean {
  return !window || (since <= window.until && window.since < end);
}

/** Finds the part that a file name represents, even if it is outside the folder's days. */
export function findPart(name: string, declaration: Declaration): FolderPart | undefined {
  const { split, timezone, pattern } = declaration;
  const day = pattern.readDay(name);
  const unit = day === undefined ? undefined : unitContaining(day, split, timezone);
  return unit && pattern.nameFor(unit) === name ? { ...unit, name } : undefined;
}
