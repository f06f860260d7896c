import { type Column, listColumns } from '../contract/columns.ts';
import { breakdownsToSend, metricsToSend } from './body.ts';
import { findNamedField } from './column-plan.ts';
import type { Query } from './query.ts';

/** Members of a query that determine the columns of its report. */
export type ColumnsQuery = Pick<Query, 'profile' | 'metrics' | 'breakdowns'>;

/**
 * Lists the columns of a query's report: the fields of the breakdowns, then the metrics. A metric
 * that is requested only to compute another metric is hidden.
 */
export function listQueryColumns(query: ColumnsQuery): Column[] {
  const { metrics, breakdowns } = query;
  const sent = toSentNames(query);
  const all = listColumns(query.profile, sent);
  const columnOfMetric = (name: string): Column =>
    all.find(({ metric }) => metric === name) ?? { field: name, type: 'money' };

  const hasWeeks = breakdowns.includes('WEEKLY');
  const columnsOfBreakdown = (name: string): Column[] => {
    const matching = all.filter(({ breakdown }) => breakdown === name);
    if (!hasWeeks || name !== 'RANGE') return matching;
    return matching.map((column): Column => ({ ...column, isWeekly: true }));
  };
  const hidden = sent.metrics
    .filter((name) => !metrics.some((shown) => shown === name))
    .map((name): Column => ({ ...columnOfMetric(name), hidden: true }));
  return [
    ...sent.breakdowns.flatMap(columnsOfBreakdown),
    ...metrics.map(columnOfMetric),
    ...hidden,
  ];
}

/**
 * Checks the names in `--columns` before a report is requested. Throws `UsageError` for a name that
 * cannot become a column: a metric or breakdown that is not requested, a rate whose metrics are
 * missing, or an unknown name. Buyer rows have the fields of most breakdowns even if they are not
 * requested.
 */
export function parseColumnNames(names: readonly string[], query: ColumnsQuery): string[] {
  const requested = listQueryColumns(query).map(({ field }) => field);
  const possible = listColumns(query.profile, toSentNames(query)).map(({ field }) => field);
  const known = [...new Set([...requested, ...possible])];
  return [...new Set(names.map((name) => findNamedField(name, requested, known)))];
}

/** Returns the metrics and breakdowns to send for a query. */
function toSentNames({ metrics, breakdowns }: ColumnsQuery) {
  return { metrics: metricsToSend(metrics), breakdowns: breakdownsToSend(breakdowns) };
}
