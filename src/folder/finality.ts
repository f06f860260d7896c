import { createdAt, type FileEntry, type FolderSpec, isInFuture } from './history.ts';
import type { FileLine } from './history-schema.ts';
import { endAfter, type FolderUnit } from './units.ts';

/** State of a file with regard to later corrections. */
export interface Finality {
  /**
   * `final`: the service will not correct it. `open`: due for another download. `stale`: that
   * download is overdue.
   */
  readonly state: 'final' | 'open' | 'stale';

  /** Explains why it is not final, as a clause. */
  readonly reason?: string;
}

const finalState: Finality = { state: 'final' };

export const maxUnitSeconds = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 } as const;

/**
 * Decides whether a file is final: the window of its report has to reach the end of its unit, and
 * the report has to be created at least `--lookback` units later, by the lookback of its own spec.
 * A longer lookback of the current spec reopens the units that it still covers.
 */
export function finality(
  { line, own }: FileEntry,
  unit: FolderUnit,
  { spec, now }: { spec: FolderSpec; now: number },
): Finality {
  const created = createdAt(line);
  if (isInFuture(created, now)) {
    return { state: 'stale', reason: `its report was created in the future (${line.created})` };
  }

  const { split, timezone: zone } = spec;
  const lookback = own?.spec.lookback ?? 0;
  const longest = Math.max(lookback, spec.lookback ?? 0);
  const isWhole = reachesEnd(line, unit);
  // A shortcut without calendar arithmetic, enough for most files of a long history.
  const safeEnd = unit.over + (longest + 1) * maxUnitSeconds[split] + 2 * 86_400;
  if (isWhole && created > safeEnd) return finalState;

  const overFor = (count: number): number => endAfter(unit, count, { unit: split, zone });
  if (!isWhole || created < overFor(lookback)) {
    const state = now >= overFor(lookback + 2) ? 'stale' : 'open';
    return { state, reason: whyNotFinal(line, unit, { split, lookback }) };
  }

  const isReopened = longest > lookback && now < overFor(longest);
  if (!isReopened) return finalState;
  return { state: 'open', reason: `its numbers may still change (--lookback ${longest})` };
}

/** The report must be requested to the end of the unit, and created after it. */
export function coversWholeUnit(line: FileLine, unit: Pick<FolderUnit, 'over'>): boolean {
  return reachesEnd(line, unit) && createdAt(line) >= unit.over;
}

/** Compares the end of the requested window with the last second of the unit. */
function reachesEnd({ until }: FileLine, { over }: Pick<FolderUnit, 'over'>): boolean {
  return Date.parse(until) / 1_000 >= over - 1;
}

function whyNotFinal(
  line: FileLine,
  unit: FolderUnit,
  { split, lookback }: { readonly split: string; readonly lookback: number },
): string {
  if (createdAt(line) < unit.over) {
    return `its report was created before its ${split} was over (${line.created})`;
  }
  if (!reachesEnd(line, unit)) {
    return `its report ends before its ${split} was over (${line.until})`;
  }
  return `its report was created at ${line.created}, too early for --lookback ${lookback}`;
}
