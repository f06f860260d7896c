import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { findBreakdown } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  type Figure,
  figureDigits,
  figuresOf,
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

/** The groups of a report in the order that was asked for; `others` are those beyond the top, added up. */
export interface RankedGroups {
  readonly all: Grouping;
  readonly figures: readonly Figure[];
  readonly shown: readonly Group[];
  readonly others: { readonly count: number; readonly sums: Sums } | undefined;
  /** The figure that decides the order, where one was named. */
  readonly sortedBy: Figure | undefined;
}

type Order = (a: Group, b: Group) => number;

/**
 * Puts groups in order and adds up those beyond the top. `sort` names a key or a figure, then perhaps `:asc` or `:desc`; the
 * default is time upwards, else the first figure downwards. Throws `UsageError` for a column that is not there.
 */
export function rankGroups(
  all: Grouping,
  figures: readonly Figure[],
  sort?: string,
  top?: number,
): RankedGroups {
  const { order, sortedBy } = orderOf(all, figures, sort);
  const ordered = [...all].sort(order);
  const rest = ordered.slice(top ?? ordered.length);
  const others =
    rest.length > 0 ? { count: rest.length, sums: addSums(rest, all.metrics) } : undefined;
  return { all, figures, shown: ordered.slice(0, top), others, sortedBy };
}

/** Groups by one figure, the greatest first; those that do not have it come last. */
export function byFigure(figure: Figure, sign = -1): Order {
  return (a, b) => {
    const [first, second] = [figureValue(figure, a.sums), figureValue(figure, b.sums)];
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined);
    return sign * (first - second);
  };
}

function orderOf({ by, metrics }: Grouping, [lead]: readonly Figure[], sort: string | undefined) {
  const time = by.findIndex(({ field }) => isTime(field));
  if (sort === undefined)
    return { order: time >= 0 ? byKey(time, 1, true) : lead ? byFigure(lead) : () => 0 };
  const [, name = '', direction] = /^\s*(.*?)(?::(asc|desc))?\s*$/i.exec(sort) ?? [];
  const isDown = direction?.toLowerCase() !== 'asc';
  const key = by.findIndex(({ field }) => sameName(field, name));
  if (key >= 0) return { order: byKey(key, direction && isDown ? -1 : 1, key === time) };
  const known = figuresOf(metrics);
  const figure = findFigure(name, known);
  if (figure) return { order: byFigure(figure, isDown ? -1 : 1), sortedBy: figure };
  if (name.includes(':')) {
    throw new UsageError(`--sort ${sort}: after the colon stands asc or desc.`, {
      hint: 'For example: --sort ctr:asc',
    });
  }
  throw unknownColumn(
    name,
    [...by, ...known].map(({ field }) => field),
    '--sort: the report',
  );
}

function byKey(index: number, sign: number, asTime: boolean): Order {
  const texts = new Intl.Collator('en', { numeric: true });
  return (a, b) => {
    const [first, second] = [a.key[index] ?? null, b.key[index] ?? null];
    // What has no value comes last, whichever way round.
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * (asTime ? compareTimes(first, second) : texts.compare(first, second));
  };
}

/** The fields that a flag means: columns of the report, in any case, or those of breakdowns. Throws `UsageError`. */
export function resolveKeys(
  names: readonly string[],
  fields: readonly string[],
  flag = '--by',
): KeyColumn[] {
  const keys = names.flatMap((name) => keysNamed(name, fields, flag));
  return keys.filter(({ field }, i) => keys.findIndex((other) => other.field === field) === i);
}

function keysNamed(name: string, fields: readonly string[], flag: string): KeyColumn[] {
  const own =
    fields.find((field) => field === name) ?? fields.find((field) => sameName(field, name));
  const breakdown = findBreakdown(name);
  if (own !== undefined && (!breakdown || own === name)) return [{ field: own }];
  const wanted =
    breakdown?.fields.map((field) => field.name).filter((field) => fields.includes(field)) ?? [];
  const hasHour = wanted.includes('hour');
  if (wanted.length === 0 || (breakdown?.name === 'HOURLY' && !hasHour)) {
    const dimensions = fields.filter((field) => !metricOfField(field));
    throw unknownColumn(breakdown?.name ?? name, dimensions, `${flag}: the report`);
  }
  // An hour says its day.
  return (hasHour ? ['hour'] : wanted).map((field) => ({
    field,
    byMonth: breakdown?.name === 'MONTHLY',
  }));
}

/** The row fields that `--where name=…` may mean: a column in any case, or the columns of a breakdown. */
export function fieldsNamed(name: string, fields: readonly string[]): string[] {
  const own = fields.filter((field) => sameName(field, name));
  return own.length > 0 ? own : resolveKeys([name], fields, '--where').map(({ field }) => field);
}

function sameName(field: string, name: string): boolean {
  return field.toLowerCase() === name.toLowerCase();
}

/** Groups as texts of JSON objects; sums keep every digit. */
export function groupsAsJson({
  all,
  figures,
  shown,
}: Pick<RankedGroups, 'all' | 'figures' | 'shown'>): string[] {
  return shown.map(({ key, sums }) => {
    const keys = all.by.map(({ field }, i) => [field, JSON.stringify(key[i] ?? null)] as const);
    return objectOf([...keys, ...figuresAsJson(figures, sums)]);
  });
}

export function figuresAsJson(figures: readonly Figure[], sums: Sums) {
  return figures.map((figure) => [figure.field, figureDigits(figure, sums) ?? 'null'] as const);
}

export function objectOf(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

export function isName(field: string): boolean {
  return !['id', 'date', 'hour'].includes(fieldTypeOf(field) ?? 'text');
}
