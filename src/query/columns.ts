import { type Column, listColumns } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { quoted } from '../text/printable.ts';
import { breakdownsToSend, metricsToSend } from './body.ts';
import { listComputable } from './metrics.ts';
import { closestHint, readName } from './names.ts';
import type { Query } from './query.ts';

/** The members of a query that determine the columns of its report. */
export type ColumnsQuery = Pick<Query, 'profile' | 'metrics' | 'breakdowns'>;

/**
 * Lists the columns of a query's report: the fields of the breakdowns, then the metrics. A metric
 * that is requested only to compute another one is hidden.
 */
export function listQueryColumns({ profile, metrics, breakdowns }: ColumnsQuery): Column[] {
  const sent = { metrics: metricsToSend(metrics), breakdowns: breakdownsToSend(breakdowns) };
  const all = listColumns(profile, sent);
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

const flag = '--columns';

/**
 * Checks the names in `--columns` before a report is requested. A name that cannot become a column
 * is a mistake: a metric or breakdown that is not requested, a rate whose metrics are missing, or
 * an unknown name. Buyer rows have the fields of most breakdowns, even if these are not requested.
 */
export function readColumnNames(names: readonly string[], query: ColumnsQuery): string[] {
  return [...new Set(names.map((name) => readColumn(name, query)))];
}

/** Hints list at most this many columns. */
const maxListed = 8;

function readColumn(typed: string, query: ColumnsQuery): string {
  const possible = possibleColumns(query);
  if (possible.names.includes(typed)) return typed;

  for (const accepted of [possible.requested, possible.fields]) {
    const name = readName({ flag, name: typed, accepted });
    if (name !== undefined) return name;
  }

  const listed = possible.requested.slice(0, maxListed).join(', ');
  const list = `Choose from ${listed} and others: adreport fields lists all names.`;
  throw new UsageError(`Unknown column ${quoted(typed)} of this report.`, {
    about: { flag },
    hint: closestHint({ name: typed, accepted: possible.fields }, list),
  });
}

interface PossibleColumns {
  /** Columns of requested metrics and breakdowns. */
  readonly requested: readonly string[];

  /** All columns that rows can have, and the columns computed from these. */
  readonly fields: readonly string[];

  /** The same columns, but by the name of the metric where the column is named differently. */
  readonly names: readonly string[];
}

function possibleColumns({ profile, metrics, breakdowns }: ColumnsQuery): PossibleColumns {
  const sent = { metrics: metricsToSend(metrics), breakdowns: breakdownsToSend(breakdowns) };
  const columns = listColumns(profile, sent);
  const isRequested = ({ metric, breakdown }: (typeof columns)[number]) =>
    metric !== undefined || breakdown !== undefined;
  const requested = columns.filter(isRequested).map(({ field }) => field);
  const fields = columns.map(({ field }) => field);
  const computed = listComputable(fields);
  const metricNames = columns.flatMap(({ metric }) => metric ?? []);
  return {
    requested: [...requested, ...computed],
    fields: [...fields, ...computed],
    names: [...new Set([...fields, ...metricNames, ...computed])],
  };
}
