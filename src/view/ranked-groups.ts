import { metricOfField } from '../contract/columns.ts';
import { deriveMetrics } from '../contract/derived.ts';
import { UsageError } from '../errors.ts';
import { moneyText } from '../output/table/cell-texts.ts';
import type { Sums } from './aggregate.ts';
import { addSums, compareTimes, sumOfMetric } from './figures.ts';
import { type FigureColumn, findFigure, isTime, type KeyColumn, unknownColumn } from './view-columns.ts';

/** Rows that were added up, as they are shown. */
export interface RankedGroup {
  /** The values of the keys, in their order; of a month its first day. */
  readonly key: readonly (string | null)[];
  readonly sums: Sums;
}

/** The groups of a report in the order that was asked for. */
export interface RankedGroups {
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly FigureColumn[];
  readonly shown: readonly RankedGroup[];
  /** Those beyond `--top`, added up. */
  readonly others: { readonly count: number; readonly sums: Sums } | undefined;
  readonly total: Sums;
  /** The figure that decides the order, by its field; `undefined` where none was named. */
  readonly sortField: string | undefined;
}

/** In what order groups are shown, and how many of them. */
interface Ranking {
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly FigureColumn[];
  /** Every figure that the report gives: what can be sorted by. */
  readonly known: readonly FigureColumn[];
  /** `column`, `column:asc` or `column:desc`. Default: time upwards where there is any, else the first figure downwards. */
  readonly sort: string | undefined;
  /** How many groups to show. Default: all. */
  readonly top: number | undefined;
}

/**
 * Puts groups in order and adds up those beyond the top.
 * @throws UsageError for an order by a column that is not there, or by none
 */
export function rankGroups(groups: Iterable<RankedGroup>, ranking: Ranking): RankedGroups {
  const { keys, figures, top = Number.POSITIVE_INFINITY } = ranking;
  const all = byMonth([...groups], keys);
  const ordered = [...all].sort(comparison(ranking));
  const rest = ordered.slice(top);
  return {
    keys,
    figures,
    shown: ordered.slice(0, top),
    others: rest.length > 0 ? { count: rest.length, sums: addSums(rest.map(({ sums }) => sums)) } : undefined,
    total: addSums(all.map(({ sums }) => sums)),
    sortField: ranking.sort === undefined ? undefined : findFigure(nameOfSort(ranking.sort).name, ranking.known)?.field,
  };
}

/** The groups of days as those of months, which are named by their first day. */
function byMonth(groups: readonly RankedGroup[], keys: readonly KeyColumn[]): readonly RankedGroup[] {
  if (!keys.some((key) => key.byMonth)) return groups;
  const months = new Map<string, RankedGroup[]>();
  for (const { key, sums } of groups) {
    const month = key.map((text, i) => (keys[i]?.byMonth && text !== null ? `${text.slice(0, 7)}-01` : text));
    const id = JSON.stringify(month);
    months.set(id, [...(months.get(id) ?? []), { key: month, sums }]);
  }
  return [...months.values()].map((parts) => ({
    key: parts[0]?.key ?? [],
    sums: addSums(parts.map(({ sums }) => sums)),
  }));
}

function comparison({ keys, known, figures, sort }: Ranking): (a: RankedGroup, b: RankedGroup) => number {
  const time = keys.findIndex(({ field }) => isTime(field));
  if (sort === undefined) return time >= 0 ? byKey(time, 1, true) : byFigure(figures[0], -1);
  const { name, direction } = nameOfSort(sort);
  if (name.includes(':')) {
    throw new UsageError(`--sort ${sort}: after the colon stands asc or desc.`, {
      hint: 'For example: --sort ctr:asc',
    });
  }
  const key = keys.findIndex(({ field }) => field.toLowerCase() === name.toLowerCase());
  if (key >= 0) return byKey(key, direction === 'desc' ? -1 : 1, key === time);
  const figure = findFigure(name, known);
  if (!figure) {
    const fields = [...keys, ...known].map(({ field }) => field);
    throw unknownColumn(name, fields, '--sort');
  }
  return byFigure(figure, direction === 'asc' ? 1 : -1);
}

function nameOfSort(sort: string): { name: string; direction: string | undefined } {
  const [, name = '', direction] = /^(.*?)(?::(asc|desc))?$/i.exec(sort.trim()) ?? [];
  return { name, direction: direction?.toLowerCase() };
}

function byKey(index: number, sign: number, asTime: boolean): (a: RankedGroup, b: RankedGroup) => number {
  const texts = new Intl.Collator('en', { numeric: true });
  return (a, b) => {
    const [first, second] = [a.key[index] ?? null, b.key[index] ?? null];
    // What has no value comes last, whichever way round.
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * (asTime ? compareTimes(first, second) : texts.compare(first, second));
  };
}

function byFigure(figure: FigureColumn | undefined, sign: number): (a: RankedGroup, b: RankedGroup) => number {
  if (!figure) return () => 0;
  const values = new Map<RankedGroup, number | undefined>();
  const figureOf = (group: RankedGroup): number | undefined => {
    if (!values.has(group)) values.set(group, valueOfFigure(figure, group.sums));
    return values.get(group);
  };
  return (a, b) => {
    const [first, second] = [figureOf(a), figureOf(b)];
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
    return sign * (first - second);
  };
}

/** A figure of some sums as the number nearest to it; `undefined` where they do not give it. */
export function valueOfFigure(figure: FigureColumn, sums: Sums): number | undefined {
  if (figure.kind === 'sum') return sums.get(figure.field)?.toNumber();
  return deriveMetrics(sumOfMetric(sums)).find(({ metric }) => metric.field === figure.field)?.value;
}

/** A figure of some sums in full: every digit of a sum, six decimals of what is derived; `null` where there is none. */
export function digitsOfFigure(figure: FigureColumn, sums: Sums): string | null {
  if (figure.kind === 'derived') {
    const value = valueOfFigure(figure, sums);
    return value === undefined ? null : String(Number(value.toFixed(6)));
  }
  const digits = sums.get(figure.field)?.toString();
  if (digits === undefined) return null;
  return metricOfField(figure.field)?.type === 'money' ? moneyText(digits) : digits;
}
