import { setImmediate } from 'node:timers/promises';
import { type Column, columnsOf } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  type DimensionName,
  type Filter,
  filters,
  findBreakdown,
  type MetricName,
  metrics,
  type Profile,
  type RowField,
} from '../contract/vocabulary.ts';
import { daysBetween, localTime, timeLabels } from './calendar.ts';
import {
  dimensionNames,
  type Fact,
  type FactSource,
  hourSeconds,
  isTimeBreakdown,
  type Member,
  type Wanted,
} from './fixtures/facts.ts';
import { type Account, advertisersOf, type Fixtures } from './fixtures/fixtures.ts';

/** A value of a row as both formats write it: buyers' money is a number, a DSP's a text such as `1234,50`. */
export type ReportCell = string | number | null;

export interface Report {
  readonly columns: readonly Column[];
  readonly summary: ReportSummary;
  /** The rows, computed while they are read: some for each hour, day or month, and between them pauses for other work. */
  rows(): AsyncGenerator<Iterable<readonly ReportCell[]>>;
}

/** When a report is computed, and for how long. */
export interface ReportContext {
  /** The server's clock. */
  readonly nowMs: number;
  /** How many days the conversions and the revenue of a day take to be complete; 0: complete at once. */
  readonly restateDays: number;
  /** Ends the computation: `rows` throws its reason. */
  readonly signal?: AbortSignal;
}

/** Facts that share a row: their member in each dimension that was asked for, and their sums. */
interface Group {
  readonly members: readonly Member[];
  readonly sums: number[];
}

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
  const zone = (profile === 'dsp' && request.timezone) || defaultZone;
  const columns = columnsOf(profile, request);
  const dimensions = dimensionNames.filter((name) => request.breakdowns.includes(name));
  const fields = dimensions.map((name) => findBreakdown(name)?.fields ?? []);
  const layOutRow = createRowLayout(columns, dimensions, request.metrics, profile);
  const wanted = wantedMembers(facts, account, request);
  const known = createRestatement(context);

  async function* rows(): AsyncGenerator<Iterable<readonly ReportCell[]>> {
    const read = facts.open(wanted);
    const labelsOf = timeLabels(request.breakdowns.find(isTimeBreakdown), zone, request.since);
    const firstHour = Math.max(Math.ceil(request.since / hourSeconds), facts.firstHour);
    const lastHour = Math.min(Math.floor(request.until / hourSeconds), facts.lastHour);
    const groups = new Map<string, Group>();
    let labels: readonly string[] = [];
    let resumedMs = performance.now();
    const takeRows = () => {
      const ordered = [...groups.values()].sort((a, b) => compareGroups(fields, a, b));
      groups.clear();
      return layOutRows(ordered, labels);
    };
    for (let hour = firstHour; hour <= lastHour; hour++) {
      const next = labelsOf(hour);
      if (next.join() !== labels.join()) {
        if (groups.size > 0) yield takeRows();
        labels = next;
      }
      for (const fact of read(hour)) {
        if (isWanted(fact, wanted)) addFact(groups, dimensions, request.metrics, known(fact, hour));
      }
      if (performance.now() - resumedMs < busyMs) continue;
      await setImmediate();
      context.signal?.throwIfAborted();
      resumedMs = performance.now();
    }
    if (groups.size > 0) yield takeRows();
  }

  function* layOutRows(ordered: readonly Group[], labels: readonly string[]): Generator<readonly ReportCell[]> {
    for (const group of ordered) yield layOutRow(labels, group);
  }

  const summary = {
    since: localTime(request.since, zone),
    until: localTime(request.until, zone),
    breakdowns: request.breakdowns,
    timezone: profile === 'dsp' ? zone : zone.toLowerCase(),
  };
  return { columns, summary, rows };
}

/** Other calls get their turn whenever a report has been computed for so long. */
const busyMs = 20;

function addFact(
  groups: Map<string, Group>,
  dimensions: readonly DimensionName[],
  names: readonly MetricName[],
  fact: Fact,
): void {
  const members = dimensions.map((name) => fact.member(name));
  const key = members.map((member) => member.key).join();
  const group = groups.get(key) ?? { members, sums: names.map(() => 0) };
  for (const [position, name] of names.entries()) {
    group.sums[position] = (group.sums[position] ?? 0) + fact.metrics[name];
  }
  groups.set(key, group);
}

/** How a row's cells are made, column by column. */
function createRowLayout(
  columns: readonly Column[],
  dimensions: readonly DimensionName[],
  names: readonly MetricName[],
  profile: Profile,
) {
  const cells = columns.map(({ field, breakdown, metric, type }) => {
    if (metric !== undefined) {
      const position = names.indexOf(metric);
      return (_: readonly string[], { sums }: Group): ReportCell =>
        cellOf(sums[position] ?? 0, type === 'money', profile);
    }
    if (breakdown === undefined) return () => null;
    const place = findBreakdown(breakdown)?.fields.findIndex(({ name }) => name === field) ?? 0;
    if (isTimeBreakdown(breakdown)) return (labels: readonly string[]): ReportCell => labels[place] ?? null;
    const position = dimensions.indexOf(breakdown);
    return (_: readonly string[], { members }: Group): ReportCell => members[position]?.values[place] ?? null;
  });
  return (labels: readonly string[], group: Group): readonly ReportCell[] => cells.map((cell) => cell(labels, group));
}

function cellOf(sum: number, isMoney: boolean, profile: Profile): ReportCell {
  if (!isMoney) return sum;
  return profile === 'dsp' ? (sum / 100).toFixed(2).replace('.', ',') : sum / 100;
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
  for (const { name, on, compare } of filters as readonly Filter[]) {
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
 * How much of a fact is known: half of its conversions and revenue on its own day, all of them `restateDays` later. It works
 * on single facts and on Paris days whatever the report's zone, so that every breakdown still adds up.
 */
function createRestatement({ restateDays: days, nowMs }: ReportContext): (fact: Fact, hour: number) => Fact {
  const now = Math.floor(nowMs / 1_000);
  const firstOpenHour = Math.floor(now / hourSeconds) - 24 * (days + 2);
  let lastHour: number | undefined;
  let age = 0;
  return (fact, hour) => {
    if (days === 0 || hour < firstOpenHour) return fact;
    if (hour !== lastHour) age = Math.max(0, daysBetween(hour * hourSeconds, now, defaultZone));
    lastHour = hour;
    if (age >= days) return fact;
    // The displays decide whether a fraction counts. This is as good as chance, and the same in every report.
    const dither = fact.metrics.displays % (2 * days);
    const known = metrics.map(({ name }): [MetricName, number] => {
      const value = fact.metrics[name];
      return [name, restatedMetrics.includes(name) ? Math.floor((value * (days + age) + dither) / (2 * days)) : value];
    });
    return { member: fact.member, metrics: Object.fromEntries(known) as Record<MetricName, number> };
  };
}

/** Rows are ordered by their fields: ids as numbers, text by code unit, null last; rows that look the same, by their ids. */
function compareGroups(fields: readonly (readonly RowField[])[], a: Group, b: Group): number {
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
