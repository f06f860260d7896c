import { setImmediate } from 'node:timers/promises';
import { type Column, listColumns } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  type DimensionName,
  filters,
  findBreakdown,
  type MetricName,
  type Profile,
  type TimeBreakdownName,
} from '../contract/vocabulary.ts';
import { localDates, localTime, timeFields } from './calendar.ts';
import {
  type Account,
  type Dimensions,
  dimensionNames,
  type Fact,
  type Fixtures,
  findAdvertisers,
  hoursIn,
} from './fixtures/fixtures.ts';

/** A value of a row, in JSON and CSV. Money is a number for buyers, `"1234,50"` for DSPs. */
export type ReportCell = string | number | null;

/** Cells by field name, in column order. */
export type ReportRow = Readonly<Record<string, ReportCell>>;

export interface ReportInput {
  readonly fixtures: Fixtures;
  readonly account: Account;

  /** Request that is valid for the account's profile. */
  readonly request: ReportRequest;

  readonly nowMs: number;

  /** Number of days until a past day's conversions and revenue are complete. */
  readonly restateDays: number;

  /** Stops the computation. */
  readonly signal?: AbortSignal;
}

/** Sums of the facts that share a row. */
interface Group {
  /** Id or text in each requested dimension. */
  readonly ids: readonly (string | null)[];
  readonly sums: number[];
}

/** Groups by the ids of their dimensions, level by level. */
type Groups = Map<string | null | undefined, Group>;

interface ReportDimension {
  readonly name: DimensionName;
  buildFields(id: string | null): ReportRow;
}

/** A requested metric, and the row field for its sum. */
interface ReportMetric {
  readonly name: MetricName;
  readonly field: string;
  readonly isMoney: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Time between two pauses, so that other calls can run. */
const yieldEveryMs = 20;

/**
 * Adds up the facts that an account sees (`decisions.md` 2, 4 and 7). Rows are computed while they
 * are read. Groups are written and dropped at the end of each hour, day or month, so that memory
 * does not grow with the window.
 */
export class Report {
  readonly fields: readonly string[];
  readonly summary: ReportSummary;
  readonly #input: ReportInput;
  readonly #profile: Profile;
  readonly #zone: string;
  readonly #dimensions: readonly ReportDimension[];
  readonly #metrics: readonly ReportMetric[];
  readonly #sortColumns: readonly Column[];

  /** A row of nulls, with the fields in column order. */
  readonly #emptyRow: ReportRow;

  constructor(input: ReportInput) {
    const { account, request } = input;
    const { since, until, breakdowns } = request;
    const columns = listColumns(account.profile, request);
    const isDsp = account.profile === 'dsp';

    this.#input = input;
    this.#profile = account.profile;
    this.#zone = (isDsp && request.timezone) || defaultZone;
    this.#dimensions = listDimensions(input);
    this.#metrics = columns.flatMap(({ field, metric, type }) =>
      metric ? [{ name: metric, field, isMoney: type === 'money' }] : [],
    );
    this.#sortColumns = columns.filter(({ breakdown }) => breakdown !== undefined);
    this.#emptyRow = Object.fromEntries(columns.map(({ field }) => [field, null]));
    this.fields = columns.map(({ field }) => field);
    this.summary = {
      since: localTime(since, this.#zone),
      until: localTime(until, this.#zone),
      breakdowns,
      timezone: isDsp ? this.#zone : this.#zone.toLowerCase(),
    };
  }

  /** Computes the rows, with pauses for other calls. */
  async *rows(): AsyncGenerator<ReportRow> {
    const { fixtures, account, request, signal } = this.#input;
    const { facts } = fixtures;
    const isSelected = dimensionSelector(account, request);
    const buildTimeFields = timeFields(findTimeBreakdown(request), this.#zone, request.since);
    const createReader = metricReaders(this.#zone, this.#input);
    let groups: Groups = new Map();
    let time: ReportRow = {};
    let resumedMs = performance.now();

    for (const hour of hoursIn(facts, request.since, request.until)) {
      const timeOfHour = buildTimeFields(hour);
      if (timeOfHour.date !== time.date || timeOfHour.hour !== time.hour) {
        yield* this.#buildRows(groups, time);
        groups = new Map();
        time = timeOfHour;
      }

      const readMetric = createReader(hour);
      for (const fact of facts.ofHour(hour, isSelected)) {
        if (isSelected(fact.dimensions)) this.#add(fact, groups, readMetric);
      }

      if (performance.now() - resumedMs < yieldEveryMs) continue;
      await setImmediate();
      signal?.throwIfAborted();
      resumedMs = performance.now();
    }

    yield* this.#buildRows(groups, time);
  }

  #add(fact: Fact, groups: Groups, readMetric: MetricReader): void {
    const ids = this.#dimensions.map(({ name }) => fact.dimensions[name]);
    const key = ids.length > 1 ? JSON.stringify(ids) : ids[0];

    let group = groups.get(key);
    if (!group) {
      group = { ids, sums: this.#metrics.map(() => 0) };
      groups.set(key, group);
    }

    const { sums } = group;
    let index = 0;
    for (const { name } of this.#metrics) {
      sums[index] = (sums[index] ?? 0) + readMetric(fact, name);
      index += 1;
    }
  }

  /** Builds the rows of one hour, day or month in order. */
  #buildRows(groups: Groups, time: ReportRow): ReportRow[] {
    const rows = [...groups.values()].map((group) => this.#buildRow(group, time));
    return rows.sort((a, b) => this.#compare(a, b));
  }

  #buildRow(group: Group, time: ReportRow): ReportRow {
    const row: Record<string, ReportCell> = { ...this.#emptyRow, ...time };

    for (const [index, dimension] of this.#dimensions.entries()) {
      Object.assign(row, dimension.buildFields(group.ids[index] ?? null));
    }

    for (const [index, { field, isMoney }] of this.#metrics.entries()) {
      const sum = group.sums[index] ?? 0;
      row[field] = isMoney ? this.#formatMoney(sum) : sum;
    }

    return row;
  }

  #formatMoney(cents: number): ReportCell {
    const amount = cents / 100;
    return this.#profile === 'dsp' ? amount.toFixed(2).replace('.', ',') : amount;
  }

  /** Orders rows by their dimension fields. */
  #compare(a: ReportRow, b: ReportRow): number {
    for (const { field, type } of this.#sortColumns) {
      const order = compareCells(a[field] ?? null, b[field] ?? null, type);
      if (order !== 0) return order;
    }
    return 0;
  }
}

/** Returns the requested dimensions in column order. */
function listDimensions({ fixtures, request }: ReportInput): ReportDimension[] {
  const names = dimensionNames.filter((name) => request.breakdowns.includes(name));

  return names.map((name) => {
    const fieldsById = fixtures.names.get(name);
    const fieldsWithoutId = fillUnknownFields(name);
    // A dimension without ids has one field, for its text.
    const field = findBreakdown(name)?.fields[0]?.name ?? name;

    return {
      name,
      buildFields(id) {
        if (id === null) return fieldsWithoutId;
        return fieldsById?.get(id) ?? { [field]: id };
      },
    };
  });
}

/** Returns the fields of an unknown value; none if the specification allows null. */
function fillUnknownFields(dimension: DimensionName): ReportRow {
  const { fields = [], nullable } = findBreakdown(dimension) ?? {};
  if (nullable) return {};

  const row: Record<string, ReportCell> = {};
  for (const { name, type } of fields) row[name] = type === 'id' ? '0' : 'unknown';
  return row;
}

function findTimeBreakdown({ breakdowns }: ReportRequest): TimeBreakdownName | undefined {
  const isTime = (name: string): name is TimeBreakdownName => findBreakdown(name)?.time === true;
  return breakdowns.find(isTime);
}

/**
 * Returns a function that selects facts by the account's advertisers and the request's filters. It
 * accepts a part of the dimensions. Filters are and-ed, their values or-ed, and compared as exact
 * text (`decisions.md` 2).
 */
function dimensionSelector(
  account: Account,
  request: ReportRequest,
): (dimensions: Partial<Dimensions>) => boolean {
  const selected: {
    readonly dimension: DimensionName;
    readonly values: ReadonlySet<string | null>;
  }[] = [];
  const advertisers = findAdvertisers(account);
  if (advertisers) selected.push({ dimension: 'ADVERTISER', values: advertisers });

  for (const { name, on } of filters) {
    const values = request.filters[name];
    if (values) selected.push({ dimension: on, values: new Set(values) });
  }

  return (dimensions) =>
    selected.every(({ dimension, values }) => {
      const value = dimensions[dimension];
      return value === undefined || values.has(value);
    });
}

/** Metrics that are reported late: conversions, and the revenue that depends on them. */
const restatedMetrics: readonly MetricName[] = [
  'downloads',
  'leads',
  'landings',
  'revenueEuro',
  'revenueDollar',
];

/** Reads a metric of a fact, as far as it is known now. */
type MetricReader = (fact: Fact, name: MetricName) => number;

/**
 * Reads the metrics of an hour's facts. A restated metric has half its value on its own day, and
 * the full value once `restateDays` have passed after the end of that day in the report's zone. The
 * rule is applied to each fact, so that every breakdown has the same totals.
 */
function metricReaders(
  zone: string,
  { restateDays, nowMs }: ReportInput,
): (hour: number) => MetricReader {
  const readComplete: MetricReader = ({ metrics }, name) => metrics[name];
  if (restateDays === 0) return () => readComplete;

  const findDate = localDates(zone);
  const today = Date.parse(localDates(zone)(nowMs / hourMs));
  const steps = restateDays + 1;

  return (hour) => {
    const age = Math.max(0, (today - Date.parse(findDate(hour))) / dayMs);
    if (age > restateDays) return readComplete;

    return ({ metrics }, name) => {
      if (!restatedMetrics.includes(name)) return metrics[name];

      // Rounds up or down by the displays, which is as good as random and the same in every report.
      const dither = metrics.displays % (2 * steps);
      return Math.floor((metrics[name] * (steps + age) + dither) / (2 * steps));
    };
  };
}

/** Compares ids as numbers of any length, then by code unit (`7`, `007`); null is last. */
function compareCells(a: ReportCell, b: ReportCell, type: string): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;

  const difference = type === 'id' ? BigInt(a) - BigInt(b) : 0n;
  if (difference !== 0n) return Number(difference);
  return a < b ? -1 : 1;
}
