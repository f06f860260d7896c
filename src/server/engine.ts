import { setImmediate } from 'node:timers/promises';
import { columnsOf } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  filters,
  findBreakdown,
  type MetricName,
  type TimeBreakdownName,
} from '../contract/vocabulary.ts';
import { daysBetween, localTime, timeFields } from './calendar.ts';
import {
  type Account,
  advertisersOf,
  type Dimensions,
  dimensionNames,
  type Fact,
  type Fixtures,
  hourSeconds,
  hoursIn,
} from './fixtures/fixtures.ts';

/** A value as both formats write it: buyers' money is a number, a DSP's a text such as `1234,50`. */
export type ReportCell = string | number | null;
/** The cells by their fields, in row order. */
export type ReportRow = Readonly<Record<string, ReportCell>>;
export type Report = ReturnType<typeof computeReport>;

/** The time by the server's clock, in how many days a day's conversions and revenue are complete, and what ends it all. */
interface Context {
  readonly nowMs: number;
  readonly restateDays: number;
  readonly signal?: AbortSignal;
}

/** Facts that share a row: their id or text in each dimension that was asked for, and the sums of the metrics. */
interface Group {
  readonly ids: readonly (string | null)[];
  readonly sums: number[];
}

/**
 * A report of an account over the facts (`decisions.md` 2, 4 and 7). The request must be valid for the account's profile.
 * Facts are grouped in a `Map` that is emptied whenever the hour, day or month ends, so that memory grows with the rows
 * of one of them, never with the window.
 */
export function computeReport(
  { facts, names }: Fixtures,
  account: Account,
  request: ReportRequest,
  context: Context,
) {
  const { profile } = account;
  const { since, until, breakdowns } = request;
  const zone = (profile === 'dsp' && request.timezone) || defaultZone;
  const columns = columnsOf(profile, request);
  const time = breakdowns.find(
    (name): name is TimeBreakdownName => findBreakdown(name)?.time === true,
  );
  const dimensions = dimensionNames
    .filter((name) => breakdowns.includes(name))
    .map((name) => {
      const fields = findBreakdown(name)?.fields ?? [];
      const [{ name: field } = { name }] = fields;
      const show = (id: string | null): ReportRow =>
        id === null ? {} : (names.get(name)?.get(id) ?? { [field]: id });
      return { name, fields, show };
    });
  const sums = columns.flatMap(({ field, metric, type }) =>
    metric ? [{ field, metric, isMoney: type === 'money' }] : [],
  );
  const emptyRow = Object.fromEntries(columns.map(({ field }) => [field, null]));

  function rowOf(moment: ReportRow, { ids, sums: totals }: Group): ReportRow {
    const row: Record<string, ReportCell> = { ...emptyRow, ...moment };
    for (const [index, { show }] of dimensions.entries())
      Object.assign(row, show(ids[index] ?? null));
    for (const [index, { field, isMoney }] of sums.entries()) {
      const total = (totals[index] ?? 0) / (isMoney ? 100 : 1);
      row[field] = isMoney && profile === 'dsp' ? total.toFixed(2).replace('.', ',') : total;
    }
    return row;
  }

  /** Rows are ordered by their fields: ids as numbers, text by code unit, null last; rows that look the same, by their ids. */
  function compareGroups(a: Group, b: Group): number {
    for (const [index, { fields, show }] of dimensions.entries()) {
      const [left = null, right = null] = [a.ids[index], b.ids[index]];
      if (left === right) continue;
      const [one, other] = [show(left), show(right)];
      for (const { name, type } of fields) {
        const order = compareValues(type === 'id', one[name] ?? null, other[name] ?? null);
        if (order !== 0) return order;
      }
      return compareValues(true, left, right);
    }
    return 0;
  }

  /** The rows, computed while they are read, with pauses for other work. */
  async function* rows(): AsyncGenerator<ReportRow> {
    const isWanted = wantedDimensions(account, request);
    const fieldsOf = timeFields(time, zone, since);
    const groups = new Map<string, Group>();
    let moment: ReportRow = {};
    let resumedMs = performance.now();
    for (const hour of hoursIn(facts, since, until)) {
      const next = fieldsOf(hour);
      if (next.date !== moment.date || next.hour !== moment.hour) {
        for (const group of [...groups.values()].sort(compareGroups)) yield rowOf(moment, group);
        groups.clear();
        moment = next;
      }
      const readMetric = knownMetrics(hour, context);
      for (const fact of facts.ofHour(hour, isWanted)) {
        if (!isWanted(fact.dimensions)) continue;
        const ids = dimensions.map(({ name }) => fact.dimensions[name]);
        const key = JSON.stringify(ids);
        const group = groups.get(key) ?? { ids, sums: sums.map(() => 0) };
        for (const [index, { metric }] of sums.entries())
          group.sums[index] = (group.sums[index] ?? 0) + readMetric(fact, metric);
        groups.set(key, group);
      }
      // Other calls get their turn whenever a report has been computed for so long.
      if (performance.now() - resumedMs < 20) continue;
      await setImmediate();
      context.signal?.throwIfAborted();
      resumedMs = performance.now();
    }
    for (const group of [...groups.values()].sort(compareGroups)) yield rowOf(moment, group);
  }

  const summary: ReportSummary = {
    since: localTime(since, zone),
    until: localTime(until, zone),
    breakdowns,
    timezone: profile === 'dsp' ? zone : zone.toLowerCase(),
  };
  return { fields: columns.map(({ field }) => field), summary, rows };
}

/**
 * Whether facts are what a report is about, told by some of their dimensions: the account's advertisers, then its filters.
 * Filters of different names are and-ed, the values of one or-ed; all compare by exact text (`decisions.md` 2).
 */
function wantedDimensions(account: Account, request: ReportRequest) {
  const chosen = [
    { on: 'ADVERTISER' as const, values: advertisersOf(account) },
    ...filters.map(({ name, on }) => ({ on, values: request.filters[name] })),
  ];
  const wanted = chosen.flatMap(({ on, values }) =>
    values ? [{ on, values: new Set<string | null>(values) }] : [],
  );
  return (part: Partial<Dimensions>): boolean =>
    wanted.every(({ on, values }) => part[on] === undefined || values.has(part[on]));
}

/** The metrics that are reported late: conversions, and the revenue that depends on them. */
const restatedMetrics: readonly MetricName[] = [
  'downloads',
  'leads',
  'landings',
  'revenueEuro',
  'revenueDollar',
];

/**
 * How much of a metric of an hour's facts is known: half of a late one on its own day, all of it `restateDays` later. It
 * works on single facts and on Paris days whatever the report's zone, so that every breakdown still adds up.
 */
function knownMetrics(hour: number, { restateDays: days, nowMs }: Context) {
  const age =
    days === 0 ? 0 : Math.max(0, daysBetween(hour * hourSeconds, nowMs / 1_000, defaultZone));
  return ({ metrics }: Fact, name: MetricName): number => {
    if (age >= days || !restatedMetrics.includes(name)) return metrics[name];
    // The displays decide whether a fraction counts. This is as good as chance, and the same in every report.
    return Math.floor(
      (metrics[name] * (days + age) + (metrics.displays % (2 * days))) / (2 * days),
    );
  };
}

/** Digits compare as numbers of any length, and by code unit where those are equal (`7`, `007`). */
function compareValues(areDigits: boolean, a: ReportCell, b: ReportCell): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  const difference = areDigits ? BigInt(a) - BigInt(b) : 0n;
  return difference === 0n ? (a < b ? -1 : 1) : Number(difference);
}
