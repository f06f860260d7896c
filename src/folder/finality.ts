import { formatDate, overAfter, unitHolding } from '../report/window.ts';
import { createdAt, type FileEntry, type FolderSpec, isAhead } from './history.ts';

/** Whether a file will stay as it is. */
export interface Finality {
  /**
   * `final`: the service does not correct it any more. `open`: it has to be downloaded again.
   * `stale`: that should have happened.
   */
  readonly state: 'final' | 'open' | 'stale';

  /** Why it is not final, as a clause. */
  readonly reason?: string;
}

const isFinal: Finality = { state: 'final' };

/** The longest that a unit lasts, in seconds. */
export const longestUnitSeconds = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 } as const;

/**
 * Whether the file of a line is final: its report was created so many units after its own as the
 * `--lookback` of its own spec says. A spec that looks back further opens it again, as long as its
 * unit is not older than that.
 *
 * @param spec the spec of the run, or of the series
 * @param now the present, in unix seconds
 */
export function finality({ line, own }: FileEntry, spec: FolderSpec, now: number): Finality {
  const created = createdAt(line);
  if (isAhead(created, now)) {
    return {
      state: 'stale',
      reason: `a clock that was ahead created its report (${line.created})`,
    };
  }

  const { split, timezone: zone } = spec;
  const lookback = own?.spec.lookback ?? 0;
  const longest = Math.max(lookback, spec.lookback ?? 0);
  // No calendar is needed for most files of a long history.
  const end = Date.parse(line.until) / 1_000 + 2 * 86_400;
  if (created > end + (longest + 1) * longestUnitSeconds[split]) return isFinal;

  const day = formatDate(Date.parse(line.since) / 1_000, zone);
  const unit = unitHolding(day, split, zone);
  if (!unit) return { state: 'open', reason: 'its window is not a unit of the calendar' };

  const overFor = (count: number): number => overAfter(unit, count, { unit: split, zone });
  if (created < overFor(lookback)) {
    const state = now >= overFor(lookback + 2) ? 'stale' : 'open';
    const isEarly = created < unit.over;
    const reason = isEarly
      ? `its report was created before its ${split} was over (${line.created})`
      : `its report was created at ${line.created}, and --lookback ${lookback} needs a later one`;
    return { state, reason };
  }

  const isOpenAgain = longest > lookback && now < overFor(longest);
  if (!isOpenAgain) return isFinal;
  return { state: 'open', reason: `--lookback ${longest} says that its figures still change` };
}
