import type { FindingKind, FolderFinding } from './folder-check.ts';
import type { History } from './history.ts';
import type { Series } from './series.ts';

/** Units to download again with the current spec of a series. */
export interface SeriesRepair {
  readonly history: History;
  readonly series: Series;

  /** The first and the last second of each unit, in unix seconds and in time order. */
  readonly units: readonly { readonly since: number; readonly until: number }[];
}

const repairable: readonly FindingKind[] = ['missing', 'changed', 'stale', 'untracked'];

/** True for a finding that `adreport repair` can fix. */
export function isRepairable({ kind, of }: FolderFinding): boolean {
  return of !== undefined && repairable.includes(kind);
}

/** Groups the repairable findings by series. */
export function repairsOf(history: History, findings: readonly FolderFinding[]): SeriesRepair[] {
  const units = new Map<Series, { since: number; until: number }[]>();
  for (const finding of findings) {
    if (!finding.of || !isRepairable(finding)) continue;
    const { series, unit } = finding.of;
    const list = units.get(series) ?? [];
    list.push({ since: unit.start, until: unit.over - 1 });
    units.set(series, list);
  }
  return [...units].map(([series, list]) => ({ history, series, units: list }));
}
