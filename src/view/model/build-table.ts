import type { ReportSummary } from '../../contract/messages.ts';
import { formatInstant, type Window } from '../../query/calendar.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import type { Comparison } from '../../totals/comparison.ts';
import { ReportSums } from '../../totals/report-sums.ts';
import { buildGroupsTable } from './groups-table.ts';
import { buildRowsTable } from './rows-table.ts';
import { breakdownNames } from './table-columns.ts';
import type { View, ViewTable } from './view.ts';

export function buildViewTable(view: View): ViewTable {
  return view.rows ? buildRowsTable(view, view.rows) : buildGroupsTable(view);
}

/** Adds up the period of `--compare`; `undefined` without it. */
export async function compareTable(
  { window, sources: { earlier } }: View,
  { before }: ViewTable,
): Promise<Comparison | undefined> {
  if (!window || !earlier || !before) return undefined;
  const sums = new ReportSums({ keepsRows: true });
  const columns = before.columns.map(({ field, type }) => {
    return { field, numeric: type === 'integer' || type === 'money' };
  });
  for await (const batch of before.batches()) sums.observe(batch, columns);
  return { sums, now: window, before: earlier };
}

/** Returns what a report has after its last row. */
export function buildTail(
  { window }: View,
  { fields, breakdowns }: ViewTable,
  rowCount: number,
): ReportTail {
  const summary = window && toSummary(window, breakdowns);
  const members = summary ? [{ name: 'summary', json: Buffer.from(JSON.stringify(summary)) }] : [];
  return { rowCount, fields, summary, members };
}

function toSummary({ since, until, zone }: Window, breakdowns: readonly string[]): ReportSummary {
  return {
    since: formatInstant(since, zone),
    until: formatInstant(until, zone),
    breakdowns: breakdownNames(breakdowns),
    timezone: zone,
  };
}
