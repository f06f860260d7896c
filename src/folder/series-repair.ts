import type { FolderProblem, ProblemKind } from './folder-check.ts';
import type { History } from './history.ts';
import type { Span } from './range.ts';
import type { Series } from './series.ts';

/** Units to download again with the current spec of a series. */
export interface SeriesRepair {
  readonly history: History;
  readonly series: Series;

  /** Units, or consecutive units, in time order. */
  readonly spans: readonly Span[];
  readonly unitCount: number;
}

const repairable: readonly ProblemKind[] = ['missing', 'changed', 'stale', 'untracked'];

/** For a problem that `adreport repair` can fix. */
export function isRepairable({ kind, of }: FolderProblem): boolean {
  return of !== undefined && repairable.includes(kind);
}

/** Groups the repairable problems by series. */
export function repairsFor(history: History, problems: readonly FolderProblem[]): SeriesRepair[] {
  const repairs = new Map<Series, { spans: Span[]; unitCount: number }>();
  for (const problem of problems) {
    if (!problem.of || !isRepairable(problem)) continue;
    const { series, unit, last, count } = problem.of;
    const repair = repairs.get(series) ?? { spans: [], unitCount: 0 };
    repair.spans.push({ since: unit.start, until: last.over - 1 });
    repair.unitCount += count;
    repairs.set(series, repair);
  }
  return [...repairs].map(([series, repair]) => ({ history, series, ...repair }));
}
