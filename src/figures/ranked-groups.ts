import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  everyFigureOf,
  type Figure,
  figureDigits,
  figureValue,
  findFigure,
  unknownColumn,
} from './figures.ts';
import {
  addSums,
  compareTimes,
  type Group,
  type Grouping,
  isTime,
  type KeyColumn,
  type Sums,
} from './grouping.ts';

/** The groups of a report in the order that was asked for, and what is beyond the top. */
export interface RankedGroups {
  readonly all: Grouping;

  readonly figures: readonly Figure[];

  /** The groups to show, the first ones of the order. */
  readonly top: readonly Group[];

  /** Those beyond the top; `undefined` where there are none. */
  readonly others: OtherGroups | undefined;

  /** The figure that decides the order, where one was named. */
  readonly sortedBy: Figure | undefined;
}

/** Groups that are not shown one by one: how many, and what they come to. */
interface OtherGroups {
  readonly count: number;
  readonly sums: Sums;
}

/** How groups are to be put in order. */
export interface Ranking {
  /**
   * A key or a figure, then perhaps `:asc` or `:desc`. Default: time upwards, else the first figure
   * downwards.
   */
  readonly sort?: string;

  /** How many groups are shown. Default: all. */
  readonly count?: number;
}

type Order = (a: Group, b: Group) => number;

interface NamedOrder {
  readonly order: Order;

  /** The figure that was named. */
  readonly sortedBy?: Figure;
}

/**
 * Puts groups in order and adds up those beyond the top. Throws `UsageError` for a column that is
 * not there.
 */
export function rankGroups(
  all: Grouping,
  figures: readonly Figure[],
  { sort, count }: Ranking = {},
): RankedGroups {
  const { order, sortedBy } =
    sort === undefined ? { order: usualOrder(all, figures[0]) } : orderNamed(sort, all);
  const ordered = [...all].sort(order);
  const top = ordered.slice(0, count);
  const rest = ordered.slice(top.length);

  const others =
    rest.length > 0 ? { count: rest.length, sums: addSums(rest, all.metrics) } : undefined;
  return { all, figures, top, others, sortedBy };
}

/**
 * Groups by one figure, the greatest first (or with `sign` 1 the least); those that do not have it
 * come last.
 */
export function byFigure(figure: Figure, sign: 1 | -1 = -1): Order {
  return (a, b) => {
    const first = figureValue(figure, a.sums);
    const second = figureValue(figure, b.sums);
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined);
    return sign * (first - second);
  };
}

function usualOrder({ by }: Grouping, lead: Figure | undefined): Order {
  const time = by.findIndex(({ field }) => isTime(field));
  if (time >= 0) return byTime(time, 1);
  return lead ? byFigure(lead) : () => 0;
}

function orderNamed(sort: string, { by, metrics }: Grouping): NamedOrder {
  const match = /^\s*(.*?)(?::(asc|desc))?\s*$/i.exec(sort);
  const name = match?.[1] ?? '';
  const direction = match?.[2]?.toLowerCase();

  const key = by.findIndex(({ field }) => sameName(field, name));
  if (key >= 0) {
    const sign = direction === 'desc' ? -1 : 1;
    const isFirstTime = key === by.findIndex(({ field }) => isTime(field));
    return { order: isFirstTime ? byTime(key, sign) : byText(key, sign) };
  }

  const figures = everyFigureOf(metrics);
  const figure = findFigure(name, figures);
  if (figure) return { order: byFigure(figure, direction === 'asc' ? 1 : -1), sortedBy: figure };

  if (name.includes(':')) {
    throw new UsageError(`--sort ${sort}: after the colon stands asc or desc.`, {
      hint: 'For example: --sort ctr:asc',
    });
  }
  const fields = [...by, ...figures].map(({ field }) => field);
  throw unknownColumn(name, fields, '--sort: the report');
}

function byTime(index: number, sign: 1 | -1): Order {
  return byKey(index, (a, b) => sign * compareTimes(a, b));
}

function byText(index: number, sign: 1 | -1): Order {
  const texts = new Intl.Collator('en', { numeric: true });
  return byKey(index, (a, b) => sign * texts.compare(a, b));
}

/** Groups by one value of their keys; those without one come last, whichever way round. */
function byKey(index: number, compare: (a: string, b: string) => number): Order {
  return (a, b) => {
    const first = a.key[index] ?? null;
    const second = b.key[index] ?? null;
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return compare(first, second);
  };
}

/**
 * The fields that a flag means: columns of the report, in any case, or those of breakdowns. Throws
 * `UsageError`.
 */
export function resolveKeys(
  names: readonly string[],
  fields: readonly string[],
  flag = '--by',
): KeyColumn[] {
  const keys = new Map<string, KeyColumn>();
  for (const name of names) {
    for (const key of keysNamed(name, fields, flag)) {
      if (!keys.has(key.field)) keys.set(key.field, key);
    }
  }
  return [...keys.values()];
}

/** The breakdowns that add up days. */
const addedUnits: Readonly<Record<string, KeyColumn['unit']>> = {
  WEEKLY: 'week',
  MONTHLY: 'month',
};

function keysNamed(name: string, fields: readonly string[], flag: string): KeyColumn[] {
  const column = fields.includes(name) ? name : fields.find((field) => sameName(field, name));
  const breakdown = findAnyBreakdown(name);
  // A breakdown and a column may have the same name but for its case, as in `OS` and `os`.
  if (column !== undefined && (!breakdown || column === name)) return [{ field: column }];

  const ownFields = breakdown?.fields.map((field) => field.name) ?? [];
  const present = ownFields.filter((field) => fields.includes(field));
  const hasHour = present.includes('hour');
  if (present.length === 0 || (breakdown?.name === 'HOURLY' && !hasHour)) {
    const dimensions = fields.filter((field) => !metricOfField(field));
    throw unknownColumn(breakdown?.name ?? name, dimensions, `${flag}: the report`);
  }

  // An hour says its day.
  const keys = hasHour ? ['hour'] : present;
  const unit = breakdown && addedUnits[breakdown.name];
  return keys.map((field) => ({ field, unit }));
}

/**
 * The row fields that `--filter name=…` may mean: a column in any case, or the columns of a
 * breakdown.
 */
export function fieldsNamed(name: string, fields: readonly string[]): string[] {
  const columns = fields.filter((field) => sameName(field, name));
  if (columns.length > 0) return columns;

  return resolveKeys([name], fields, '--filter').map(({ field }) => field);
}

function sameName(field: string, name: string): boolean {
  return field.toLowerCase() === name.toLowerCase();
}

/** A member of an object that is written as JSON, its value as JSON already. */
interface JsonMember {
  readonly name: string;
  readonly json: string;
}

/** Groups as texts of JSON objects; sums keep every digit. */
export function groupsAsJson({
  all,
  figures,
  top,
}: Pick<RankedGroups, 'all' | 'figures' | 'top'>): string[] {
  return top.map(({ key, sums }) => {
    const keys = all.by.map(({ field }, i) => {
      return { name: field, json: JSON.stringify(key[i] ?? null) };
    });
    return objectOf([...keys, ...figuresAsJson(figures, sums)]);
  });
}

/** The figures of some sums as members of a JSON object, `null` where they do not give one. */
export function figuresAsJson(figures: readonly Figure[], sums: Sums): JsonMember[] {
  return figures.map((figure) => {
    return { name: figure.field, json: figureDigits(figure, sums) ?? 'null' };
  });
}

/** A JSON object of members in their order. */
export function objectOf(members: readonly JsonMember[]): string {
  const texts = members.map(({ name, json }) => `${JSON.stringify(name)}:${json}`);
  return `{${texts.join(',')}}`;
}

/** Whether a field is read by people, and is neither an id nor a time. */
export function isName(field: string): boolean {
  return !['id', 'date', 'hour'].includes(fieldTypeOf(field) ?? 'text');
}
