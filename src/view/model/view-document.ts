import { groupsAsJson, metricsAsJson, objectOf } from '../../totals/ranked-groups.ts';
import { rankViewGroups } from './shown-metrics.ts';
import type { View } from './view.ts';

/** Formats the object of `--json`. Sums have all their digits. */
export function formatDocument(view: View): string {
  const { groups, read } = view;
  const ranked = rankViewGroups(view);
  const document = objectOf([
    { name: 'rows', json: String(groups.rowCount) },
    { name: 'bytes', json: String(read.sizeBytes) },
    { name: 'totals', json: objectOf(metricsAsJson(ranked.metrics, groups.totals())) },
    { name: 'groups', json: `[${groupsAsJson(ranked).join(',')}]` },
  ]);
  return `${document}\n`;
}
