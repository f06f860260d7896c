import { setImmediate } from 'node:timers/promises';
import { columnsOf } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  type DimensionName,
  filters,
  findBreakdown,
  type MetricName,
  type Profile,
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

/**
 * A value as both formats write it: buyers' money is a number, a DSP's a text such as `1234,50`.
 */
export type ReportCell = string | number | null;

/** The cells by their fields, in row order. */
export type ReportRow = Readonly<Record<string, ReportCell>>;

/** What a report is made from. */
export interface ReportInput {
  readonly fixtures: Fixtures;
  readonly account: Account;

  /** Valid for the account's profile. */
  readonly request: ReportRequest;

  /** The time by the server's clock. */
  readonly nowMs: number;

  /**
   * How many days after a day is over, in the report's zone, its conversions and revenue are
   * complete.
   */
  readonly restateDays: number;

  /** Ends the computation. */
  readonly signal?: AbortSignal;
}

/**
 * Facts that share a row: their id or text in each dimension that was asked for, and the sums of
 * the metrics.
 */
interface Group {
  readonly ids: readonly (string | null)[];
  readonly sums: number[];
}

/** A dimension that was asked for: its row fields, and what they hold for an id. */
interface ReportDimension {
  readonly name: DimensionName;
  readonly fields: readonly DimensionField[];
  fieldsOf(id: string | null): ReportRow;
}

interface DimensionField {
  readonly name: string;
  readonly type: string;
}

/** A metric that was asked for, and the row field that holds its sum. */
interface ReportMetric {
  readonly name: MetricName;
  readonly field: string;
  readonly isMoney: boolean;
}

/** Other calls get their turn whenever a report has been computed for so long. */
const turnMs = 20;

/**
 * A report of an account over the facts (`decisions.md` 2, 4 and 7), whose rows are computed while
 * they are read. Facts are grouped in a `Map` that is emptied whenever the hour, day or month ends,
 * so that memory grows with the rows of one of them, never with the window.
 */
export class Report {
  readonly fields: readonly string[];
  readonly summary: ReportSummary;
  readonly #input: ReportInput;
  readonly #profile: Profile;
  readonly #zone: string;
  readonly #dimensions: readonly ReportDimension[];
  readonly #metrics: readonly ReportMetric[];

  /** A row in which nothing is known yet; it sets the order of the fields. */
  readonly #emptyRow: ReportRow;

  constructor(input: ReportInput) {
    const { account, request } = input;
    const { since, until, breakdowns } = request;
    const columns = columnsOf(account.profile, request);
    const isDsp = account.profile === 'dsp';

    this.#input = input;
    this.#profile = account.profile;
    this.#zone = (isDsp && request.timezone) || defaultZone;
    this.#dimensions = dimensionsOf(input);
    this.#metrics = columns.flatMap(({ field, metric, type }) =>
      metric ? [{ name: metric, field, isMoney: type === 'money' }] : [],
    );
    this.#emptyRow = Object.fromEntries(columns.map(({ field }) => [field, null]));
    this.fields = columns.map(({ field }) => field);
    this.summary = {
      since: localTime(since, this.#zone),
      until: localTime(until, this.#zone),
      breakdowns,
      timezone: isDsp ? this.#zone : this.#zone.toLowerCase(),
    };
  }

  /** The rows, computed while they are read, with pauses for other work. */
  async *rows(): AsyncGenerator<ReportRow> {
    const { fixtures, account, request, signal } = this.#input;
    const { facts } = fixtures;
    const isWanted = wantedDimensions(account, request);
    const timeOf = timeFields(timeBreakdownOf(request), this.#zone, request.since);
    let groups = new Map<string, Group>();
    let time: ReportRow = {};
    let resumedMs = performance.now();

    for (const hour of hoursIn(facts, request.since, request.until)) {
      const timeOfHour = timeOf(hour);
      if (timeOfHour.date !== time.date || timeOfHour.hour !== time.hour) {
        yield* this.#rowsOf(groups, time);
        groups = new Map();
        time = timeOfHour;
      }

      const readMetric = knownMetrics(hour, this.#zone, this.#input);
      for (const fact of facts.ofHour(hour, isWanted)) {
        if (isWanted(fact.dimensions)) this.#add(fact, groups, readMetric);
      }

      if (performance.now() - resumedMs < turnMs) continue;
      await setImmediate();
      signal?.throwIfAborted();
      resumedMs = performance.now();
    }

    yield* this.#rowsOf(groups, time);
  }

  /** Adds a fact to the group that it belongs to. */
  #add(fact: Fact, groups: Map<string, Group>, readMetric: MetricReader): void {
    const ids = this.#dimensions.map(({ name }) => fact.dimensions[name]);
    const key = JSON.stringify(ids);

    let group = groups.get(key);
    if (!group) {
      group = { ids, sums: this.#metrics.map(() => 0) };
      groups.set(key, group);
    }

    for (const [index, { name }] of this.#metrics.entries()) {
      group.sums[index] = (group.sums[index] ?? 0) + readMetric(fact, name);
    }
  }

  /** The rows of the groups of one time, in order. */
  *#rowsOf(groups: ReadonlyMap<string, Group>, time: ReportRow): Generator<ReportRow> {
    const ordered = [...groups.values()].sort((a, b) => this.#compare(a, b));
    for (const group of ordered) yield this.#rowOf(group, time);
  }

  #rowOf(group: Group, time: ReportRow): ReportRow {
    const row: Record<string, ReportCell> = { ...this.#emptyRow, ...time };

    for (const [index, dimension] of this.#dimensions.entries()) {
      Object.assign(row, dimension.fieldsOf(group.ids[index] ?? null));
    }

    for (const [index, { field, isMoney }] of this.#metrics.entries()) {
      const sum = group.sums[index] ?? 0;
      row[field] = isMoney ? this.#moneyOf(sum) : sum;
    }

    return row;
  }

  #moneyOf(cents: number): ReportCell {
    const amount = cents / 100;
    return this.#profile === 'dsp' ? amount.toFixed(2).replace('.', ',') : amount;
  }

  /**
   * Rows are ordered by their fields: ids as numbers, text by code unit, null last; rows that look
   * the same, by their ids.
   */
  #compare(a: Group, b: Group): number {
    for (const [index, { fields, fieldsOf }] of this.#dimensions.entries()) {
      const left = a.ids[index] ?? null;
      const right = b.ids[index] ?? null;
      if (left === right) continue;

      const leftFields = fieldsOf(left);
      const rightFields = fieldsOf(right);
      for (const { name, type } of fields) {
        const order = compareCells(leftFields[name] ?? null, rightFields[name] ?? null, type);
        if (order !== 0) return order;
      }
      return compareCells(left, right, 'id');
    }

    return 0;
  }
}

/** The dimensions that were asked for, in row order. */
function dimensionsOf({ fixtures, request }: ReportInput): ReportDimension[] {
  const names = dimensionNames.filter((name) => request.breakdowns.includes(name));

  return names.map((name) => {
    const fields = findBreakdown(name)?.fields ?? [];
    const fieldsById = fixtures.names.get(name);
    const fieldsWithoutId = fieldsOfUnknown(name);
    // A dimension without ids has one field, which holds its text.
    const field = fields[0]?.name ?? name;

    return {
      name,
      fields,
      fieldsOf(id) {
        if (id === null) return fieldsWithoutId;
        return fieldsById?.get(id) ?? { [field]: id };
      },
    };
  });
}

/**
 * What a row has of a dimension that its facts do not name: nothing, where the specification allows
 * null.
 */
function fieldsOfUnknown(dimension: DimensionName): ReportRow {
  const { fields = [], nullable } = findBreakdown(dimension) ?? {};
  if (nullable) return {};

  const row: Record<string, ReportCell> = {};
  for (const { name, type } of fields) row[name] = type === 'id' ? '0' : 'unknown';
  return row;
}

function timeBreakdownOf({ breakdowns }: ReportRequest): TimeBreakdownName | undefined {
  const isTime = (name: string): name is TimeBreakdownName => findBreakdown(name)?.time === true;
  return breakdowns.find(isTime);
}

/** The values of a dimension that are reported. */
interface WantedValues {
  readonly dimension: DimensionName;
  readonly values: ReadonlySet<string | null>;
}

/**
 * Whether facts are what a report is about, told by some of their dimensions: the account's
 * advertisers, then its filters. Filters of different names are and-ed, the values of one or-ed;
 * all compare by exact text (`decisions.md` 2).
 */
function wantedDimensions(
  account: Account,
  request: ReportRequest,
): (dimensions: Partial<Dimensions>) => boolean {
  const wanted: WantedValues[] = [];
  const advertisers = advertisersOf(account);
  if (advertisers) wanted.push({ dimension: 'ADVERTISER', values: advertisers });

  for (const { name, on } of filters) {
    const values = request.filters[name];
    if (values) wanted.push({ dimension: on, values: new Set(values) });
  }

  return (dimensions) =>
    wanted.every(({ dimension, values }) => {
      const value = dimensions[dimension];
      return value === undefined || values.has(value);
    });
}

/** The metrics that are reported late: conversions, and the revenue that depends on them. */
const restatedMetrics: readonly MetricName[] = [
  'downloads',
  'leads',
  'landings',
  'revenueEuro',
  'revenueDollar',
];

/** How much of a metric of a fact is known now. */
type MetricReader = (fact: Fact, name: MetricName) => number;

/**
 * How much of a metric of an hour's facts is known: half of a late one on its own day, and all of
 * it once as many days have passed after that day is over in the report's zone. It works on single
 * facts, so that every breakdown still adds up.
 */
function knownMetrics(hour: number, zone: string, input: ReportInput): MetricReader {
  const { restateDays, nowMs } = input;
  if (restateDays === 0) return ({ metrics }, name) => metrics[name];

  const ageDays = daysBetween(hour * hourSeconds, nowMs / 1_000, zone);
  const age = Math.max(0, ageDays);
  if (age > restateDays) return ({ metrics }, name) => metrics[name];

  const steps = restateDays + 1;
  return ({ metrics }, name) => {
    if (!restatedMetrics.includes(name)) return metrics[name];

    // The displays decide whether a fraction counts. This is as good as chance, and the same in
    // every report.
    const dither = metrics.displays % (2 * steps);
    return Math.floor((metrics[name] * (steps + age) + dither) / (2 * steps));
  };
}

/**
 * Ids compare as numbers of any length, and by code unit where those are equal (`7`, `007`); null
 * is last.
 */
function compareCells(a: ReportCell, b: ReportCell, type: string): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;

  const difference = type === 'id' ? BigInt(a) - BigInt(b) : 0n;
  if (difference !== 0n) return Number(difference);
  return a < b ? -1 : 1;
}
