import { metricOfField } from '../../contract/columns.ts';
import type { derivedMetrics } from '../../contract/derived.ts';
import type { MetricName } from '../../contract/vocabulary.ts';

/** What a table gives up first where there is no room stands last: what is spent and earned is read before all else. */
const metricOrder: readonly string[] = [
  'displays',
  'revenueEuro',
  'clicks',
  'ctr',
  'downloads',
  'ecpmEuro',
  'leads',
  'landings',
  'revenueDollar',
  'requests',
  'ecpmDollar',
  'eyesTrackings',
] satisfies (MetricName | (typeof derivedMetrics)[number]['field'])[];

/** Names tell more than the third metric. */
const nameRank = 3.5;

/** What belongs to a name, and tells no row from another. */
const attributes = ['adUnitLimitType', 'adUnitLimitValue', 'billingEntity'];

const afterMetrics = metricOrder.length + 1;

/** A column as far as its worth depends on it. */
export interface JudgedColumn {
  /** The row field, or the field of a derived metric. */
  readonly field: string;
  readonly type: string | undefined;
  readonly numeric: boolean;
  /** How many different values it has. */
  readonly distinct: number;
}

/**
 * How gladly each column of a report's table is given up: 0 never, then the higher the sooner. What tells the rows
 * apart stays; an id goes before its name, unless two have one name, and what is the same in every row goes first.
 */
export function rankColumns(columns: readonly JudgedColumn[]): number[] {
  const hasHours = columns.some(({ type }) => type === 'hour');
  const isName = ({ field, type, numeric, distinct }: JudgedColumn) =>
    !numeric && distinct > 1 && !attributes.includes(field) && type !== 'id' && type !== 'date' && type !== 'hour';
  const first = columns.find(isName) ?? columns.find(({ type, distinct }) => type === 'id' && distinct > 1);
  return columns.map((column, i) => {
    if (column === first || column.type === 'hour') return 0;
    if (column.type === 'date') return hasHours ? afterMetrics : 0;
    if (column.distinct <= 1 && columns.some(({ distinct }) => distinct > 1)) return afterMetrics + 2;
    if (attributes.includes(column.field)) return afterMetrics + 1;
    const name = columns[i + 1];
    const isTold = name?.type !== 'text' || name.distinct >= column.distinct;
    if (column.type === 'id') return isTold ? afterMetrics + 1 : nameRank;
    return column.numeric ? rankOfMetric(column.field, columns) : nameRank;
  });
}

function rankOfMetric(field: string, columns: readonly JudgedColumn[]): number {
  const name = metricOfField(field)?.name ?? field;
  // Dollars are read where there are no euros.
  const hasEuros = columns.some((column) => column.field === 'revenueEuro');
  const sought = name === 'revenueDollar' && !hasEuros ? 'revenueEuro' : name;
  const rank = metricOrder.indexOf(sought);
  return rank < 0 ? afterMetrics : rank + 1;
}
