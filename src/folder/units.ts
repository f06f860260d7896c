import type { SplitUnit, Window } from '../query/calendar.ts';
import * as calendar from '../query/calendar.ts';

/** A day, week or month of a folder. */
export interface FolderUnit {
  /** First and last local day, `2026-11-01`. */
  readonly since: string;
  readonly until: string;

  /** First second, and first second after it, in unix seconds. */
  readonly start: number;
  readonly over: number;
}

function toUnit({ firstDay, lastDay, since, end }: calendar.CalendarUnit): FolderUnit {
  return { since: firstDay, until: lastDay, start: since, over: end };
}

/** Finds the unit that contains a day; `undefined` for an invalid day. */
export function unitOfDay(day: string, unit: SplitUnit, zone: string): FolderUnit | undefined {
  const found = calendar.unitContaining(day, unit, zone);
  return found && toUnit(found);
}

/** Returns the instant at which `count` more units after a given one are over. */
export function endAfter(
  { until }: Pick<FolderUnit, 'until'>,
  count: number,
  place: { readonly unit: SplitUnit; readonly zone: string },
): number {
  return calendar.endAfterUnits({ lastDay: until }, count, place);
}

/** Yields the whole units that overlap a window, in time order. */
export function* folderUnitsIn(
  window: Omit<Window, 'end'>,
  unit: SplitUnit,
): Generator<FolderUnit> {
  for (const found of calendar.unitsIn(window, unit)) yield toUnit(found);
}

/** Returns the instant, in unix seconds, with the same wall time one unit earlier. */
export function oneUnitBefore(instant: number, unit: SplitUnit, zone: string): number {
  const wall = calendar.wallAt(instant, zone).minus({ [unit]: 1 });
  return calendar.instantsOf(wall, zone).first;
}
