import { setImmediate } from 'node:timers/promises';
import { columnsOf } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  type Breakdown,
  type DimensionName,
  filters,
  findBreakdown,
  type MetricName,
  metrics,
} from '../contract/vocabulary.ts';
import { daysBetween, localTime, timeLabels } from './calendar.ts';
import {
  type Account,
  advertisersOf,
  dimensionNames,
  type Fact,
  type FactSource,
  type Fixtures,
  hourSeconds,
  hoursIn,
  isTimeBreakdown,
  type Member,
  type Wanted,
} from './fixtures/fixtures.ts';

/** A value of a row as both formats write it: buyers' money is a number, a DSP's a text such as `1234,50`. */
export type ReportCell = string | number | null;
export type ReportRow = readonly ReportCell[];

export interface Report {
  readonly fields: readonly string[];
  readonly summary: ReportSummary;
  /** The rows, computed while they are read: some for each hour, day or month, and between them pauses for other work. */
  rows(): AsyncGenerator<Iterable<ReportRow>>;
}

/** The time by the server's clock, in how many days a day's conversions and revenue are complete, and what ends it all. */
interface ReportContext {
  readonly nowMs: number;
  readonly restateDays: number;
  readonly signal?: AbortSignal;
}

/** Facts that share a row: their member in each dimension that was asked for, and the sums of the metrics. */
interface Group {
  readonly members: readonly Member[];
  readonly sums: number[];
}

/** Makes a cell of a row, from its labels of time and its group. */
type ReadCell = (labels: readonly string[], group: Group) => ReportCell;

/** Other calls get their turn whenever a report has been computed for so long. */
const busyMs = 20;

/**
 * A report of an account over the facts (`decisions.md` 2, 4 and 7). The request must be valid for the account's profile.
 * Facts are grouped in a `Map` that is emptied whenever the hour, day or month ends, so that memory grows with the rows
 * of one of them, never with the window.
 */
export function computeReport(
  { facts }: Fixtures,
  account: Account,
  request: ReportRequest,
  context: ReportContext,
): Report {
  const { profile } = account;
  const { since, until, breakdowns } = request;
  const zone = (profile === 'dsp' && request.timezone) || defaultZone;
  const columns = columnsOf(profile, request);
  const time = breakdowns.find(isTimeBreakdown);
  const dimensions = dimensionNames.filter((name) => breakdowns.includes(name));
  const fields = dimensions.map((name) => findBreakdown(name)?.fields ?? []);
  const wanted = wantedMembers(facts, account, request);
  const readCells = columns.map(({ field, breakdown, metric, type }): ReadCell => {
    if (metric !== undefined) {
      const index = request.metrics.indexOf(metric);
      if (type !== 'money') return (_, { sums }) => sums[index] ?? 0;
      if (profile === 'buyer') return (_, { sums }) => (sums[index] ?? 0) / 100;
      return (_, { sums }) => ((sums[index] ?? 0) / 100).toFixed(2).replace('.', ',');
    }
    if (breakdown === undefined) return () => null;
    const place = findBreakdown(breakdown)?.fields.findIndex(({ name }) => name === field) ?? 0;
    if (isTimeBreakdown(breakdown)) return (labels) => labels[place] ?? null;
    const position = dimensions.indexOf(breakdown);
    return (_, { members }) => members[position]?.values[place] ?? null;
  });

  async function* rows(): AsyncGenerator<Iterable<ReportRow>> {
    const read = facts.open(wanted);
    const labelsOf = timeLabels(time, zone, since);
    const groups = new Map<string, Group>();
    let labels: readonly string[] = [];
    let resumedMs = performance.now();
    for (const hour of hoursIn(facts, { since, until })) {
      const next = labelsOf(hour);
      if (next.join() !== labels.join()) {
        yield layOut([...groups.values()], labels);
        groups.clear();
        labels = next;
      }
      const known = knownMetrics(hour, context);
      for (const fact of read(hour)) if (isWanted(fact, wanted)) addFact(groups, fact, known(fact.metrics));
      if (performance.now() - resumedMs < busyMs) continue;
      await setImmediate();
      context.signal?.throwIfAborted();
      resumedMs = performance.now();
    }
    yield layOut([...groups.values()], labels);
  }

  function addFact(groups: Map<string, Group>, fact: Fact, values: Fact['metrics']): void {
    const members = dimensions.map((name) => fact.member(name));
    const key = members.map((member) => member.key).join();
    const group = groups.get(key) ?? { members, sums: request.metrics.map(() => 0) };
    for (const [position, name] of request.metrics.entries()) {
      group.sums[position] = (group.sums[position] ?? 0) + values[name];
    }
    groups.set(key, group);
  }

  /** The rows of groups, made one by one while they are read. */
  function* layOut(groups: readonly Group[], labels: readonly string[]): Generator<ReportRow> {
    const ordered = groups.toSorted((a, b) => compareGroups(fields, a, b));
    for (const group of ordered) yield readCells.map((read) => read(labels, group));
  }

  const summary = {
    since: localTime(since, zone),
    until: localTime(until, zone),
    breakdowns,
    timezone: profile === 'dsp' ? zone : zone.toLowerCase(),
  };
  return { fields: columns.map(({ field }) => field), summary, rows };
}

/**
 * Which members of which dimensions a report is about: the account's advertisers, then its filters. Filters of different
 * names are and-ed, the values of one or-ed; ids compare as strings of digits, text by exact name (`decisions.md` 2).
 */
function wantedMembers({ members }: FactSource, account: Account, request: ReportRequest): Wanted {
  const wanted = new Map<DimensionName, Set<Member>>();
  const narrow = (name: DimensionName, passes: (member: Member) => boolean): void => {
    wanted.set(name, new Set([...(wanted.get(name) ?? members[name])].filter(passes)));
  };
  const advertisers = advertisersOf(account);
  if (advertisers) narrow('ADVERTISER', ({ id }) => id !== null && advertisers.has(id));
  for (const { name, on, compare } of filters) {
    const accepted = request.filters[name] && new Set<string | null | undefined>(request.filters[name]);
    if (accepted) narrow(on, ({ id, values }) => accepted.has(compare === 'id' ? id : values[0]));
  }
  return wanted;
}

function isWanted(fact: Fact, wanted: Wanted): boolean {
  for (const [name, members] of wanted) if (!members.has(fact.member(name))) return false;
  return true;
}

/** The metrics that are reported late: conversions, and the revenue that depends on them. */
const restatedMetrics: readonly MetricName[] = ['downloads', 'leads', 'landings', 'revenueEuro', 'revenueDollar'];

/**
 * How much of the facts of an hour is known: half of their conversions and revenue on their own day, all of them
 * `restateDays` later. It works on single facts and on Paris days whatever the report's zone, so that every breakdown
 * still adds up.
 */
function knownMetrics(hour: number, { restateDays: days, nowMs }: ReportContext) {
  const age = days === 0 ? 0 : Math.max(0, daysBetween(hour * hourSeconds, nowMs / 1_000, defaultZone));
  return (values: Fact['metrics']): Fact['metrics'] => {
    if (age >= days) return values;
    // The displays decide whether a fraction counts. This is as good as chance, and the same in every report.
    const dither = values.displays % (2 * days);
    const known = metrics.map(({ name }) => {
      const isLate = restatedMetrics.includes(name);
      return [name, isLate ? Math.floor((values[name] * (days + age) + dither) / (2 * days)) : values[name]];
    });
    return Object.fromEntries(known) as Fact['metrics'];
  };
}

/** Rows are ordered by their fields: ids as numbers, text by code unit, null last; rows that look the same, by their ids. */
function compareGroups(fields: readonly Breakdown['fields'][], a: Group, b: Group): number {
  for (const [position, left] of a.members.entries()) {
    const right = b.members[position];
    if (left === right || !right) continue;
    for (const [index, { type }] of (fields[position] ?? []).entries()) {
      const order = compareValues(type === 'id', left.values[index] ?? null, right.values[index] ?? null);
      if (order !== 0) return order;
    }
    return compareValues(true, left.id, right.id);
  }
  return 0;
}

/** Digits compare as numbers of any length, and by code unit where those are equal (`7`, `007`). */
function compareValues(areDigits: boolean, a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  const difference = areDigits ? BigInt(a) - BigInt(b) : 0n;
  return difference === 0n ? (a < b ? -1 : 1) : Number(difference);
}
