import { formatDate, overAfter, unitHolding } from '../report/window.ts';
import { createdAt, type FileEntry, type FolderSpec, isAhead } from './history.ts';

/** The state of a file with regard to later corrections. */
export interface Finality {
  /**
   * `final`: the service will not correct it. `open`: due for another download. `stale`: that
   * download is overdue.
   */
  readonly state: 'final' | 'open' | 'stale';

  /** Why it is not final, as a clause. */
  readonly reason?: string;
}

const isFinal: Finality = { state: 'final' };

/** The maximum length of a unit, in seconds. */
export const longestUnitSeconds = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 } as const;

/**
 * Decides whether a file is final: its report has to be created at least `--lookback` units after
 * its unit was over, by the lookback of its own spec. A longer lookback of the current spec reopens
 * the units that it still covers.
 *
 * @param spec the spec of the run, or the current one of the series
 * @param now the current time, in unix seconds
 */
export function finality({ line, own }: FileEntry, spec: FolderSpec, now: number): Finality {
  const created = createdAt(line);
  if (isAhead(created, now)) {
    return {
      state: 'stale',
      reason: `its report was created in the future (${line.created})`,
    };
  }

  const { split, timezone: zone } = spec;
  const lookback = own?.spec.lookback ?? 0;
  const longest = Math.max(lookback, spec.lookback ?? 0);
  // A shortcut without calendar arithmetic, enough for most files of a long history.
  const end = Date.parse(line.until) / 1_000 + 2 * 86_400;
  if (created > end + (longest + 1) * longestUnitSeconds[split]) return isFinal;

  const day = formatDate(Date.parse(line.since) / 1_000, zone);
  const unit = unitHolding(day, split, zone);
  if (!unit) return { state: 'open', reason: 'its window is not a calendar unit' };

  const overFor = (count: number): number => overAfter(unit, count, { unit: split, zone });
  if (created < overFor(lookback)) {
    const state = now >= overFor(lookback + 2) ? 'stale' : 'open';
    const isEarly = created < unit.over;
    const reason = isEarly
      ? `its report was created before its ${split} was over (${line.created})`
      : `its report was created at ${line.created}, too early for --lookback ${lookback}`;
    return { state, reason };
  }

  const isReopened = longest > lookback && now < overFor(longest);
  if (!isReopened) return isFinal;
  return { state: 'open', reason: `its figures may still change (--lookback ${longest})` };
}
