import { setImmediate } from 'node:timers/promises';
import { type Column, listColumns } from '../contract/columns.ts';
import { defaultZone, type ReportRequest, type ReportSummary } from '../contract/messages.ts';
import {
  type DimensionName,
  filters,
  findBreakdown,
  type MetricName,
  type TimeBreakdownName,
} from '../contract/vocabulary.ts';
import { createDateFinder, createTimeFieldBuilder, formatLocalTime } from './calendar.ts';
import {
  type Account,
  type Dimensions,
  dimensionNames,
  type Fact,
  type Fixtures,
  findAdvertisers,
  listHours,
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

/** A report whose rows are computed as they are read. */
export interface Report {
  /** Names of the columns, in order. */
  readonly fields: readonly string[];
  readonly summary: ReportSummary;
  rows(): AsyncIterable<ReportRow>;
}

/** Sums of the facts that end up in the same row. */
interface Group {
  /** ID in each requested dimension, or the string if the dimension has no IDs. */
  readonly ids: readonly (string | null)[];
  readonly sums: number[];
}

/** Groups of facts, by the IDs of their dimensions. */
type Groups = Map<string | null | undefined, Group>;

interface ReportDimension {
  readonly name: DimensionName;
  buildFields(id: string | null): ReportRow;
}

/** A requested metric, and the row field that holds its sum. */
interface ReportMetric {
  readonly name: MetricName;
  readonly field: string;
  format(sum: number): ReportCell;
}

/** Columns, dimensions and metrics of a report's rows. */
interface Layout {
  readonly columns: readonly Column[];
  readonly dimensions: readonly ReportDimension[];
  readonly metrics: readonly ReportMetric[];

  /** A row of nulls, with the fields in column order. */
  readonly emptyRow: ReportRow;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Time between pauses, during which other calls can run. */
const pauseIntervalMs = 20;

/** Adds up the facts that an account sees (`decisions.md` 2, 4 and 7). */
export function computeReport(input: ReportInput): Report {
  const { account, request } = input;
  const { since, until, breakdowns, timezone } = request;
  const isDsp = account.profile === 'dsp';
  const zone = (isDsp && timezone) || defaultZone;
  const columns = listColumns(account.profile, request);

  return {
    fields: columns.map(({ field }) => field),
    summary: {
      since: formatLocalTime(since, zone),
      until: formatLocalTime(until, zone),
      breakdowns,
      timezone: isDsp ? zone : zone.toLowerCase(),
    },
    rows: () => computeRows(input, zone, createLayout(input, columns)),
  };
}

/**
 * Computes the rows, pausing so that other calls can run. Groups are written and dropped at the end
 * of each hour, day or month. Memory therefore does not grow with the window.
 */
async function* computeRows(
  input: ReportInput,
  zone: string,
  layout: Layout,
): AsyncGenerator<ReportRow> {
  const { fixtures, account, request, signal } = input;
  const { facts } = fixtures;
  const isSelected = createDimensionFilter(account, request);
  const buildTimeFields = createTimeFieldBuilder(findTimeBreakdown(request), zone, request.since);
  const createReader = createReaderFactory(zone, input);
  let groups: Groups = new Map();
  let time: ReportRow = {};
  let resumedMs = performance.now();

  for (const hour of listHours(facts, request.since, request.until)) {
    const timeOfHour = buildTimeFields(hour);
    if (timeOfHour.date !== time.date || timeOfHour.hour !== time.hour) {
      yield* buildRows(groups, time, layout);
      groups = new Map();
      time = timeOfHour;
    }

    const readMetric = createReader(hour);
    for (const fact of facts.inHour(hour, isSelected)) {
      if (!isSelected(fact.dimensions)) continue;

      const { sums } = findGroup(fact, groups, layout);
      for (const [index, { name }] of layout.metrics.entries()) {
        sums[index] = (sums[index] ?? 0) + readMetric(fact, name);
      }
    }

    if (performance.now() - resumedMs < pauseIntervalMs) continue;
    await setImmediate();
    signal?.throwIfAborted();
    resumedMs = performance.now();
  }

  yield* buildRows(groups, time, layout);
}

/** Finds the group of a fact. Adds the group if it is new. */
function findGroup({ dimensions }: Fact, groups: Groups, layout: Layout): Group {
  const ids = layout.dimensions.map(({ name }) => dimensions[name]);
  const key = ids.length > 1 ? JSON.stringify(ids) : ids[0];
  const group = groups.get(key) ?? { ids, sums: [] };
  groups.set(key, group);
  return group;
}

/** Builds the rows of one hour, day or month, ordered by their dimension fields. */
function buildRows(groups: Groups, time: ReportRow, layout: Layout): ReportRow[] {
  const sortColumns = layout.columns.filter(({ breakdown }) => breakdown !== undefined);
  const rows = [...groups.values()].map((group) => buildRow(group, time, layout));

  return rows.sort((a, b) => {
    for (const { field, type } of sortColumns) {
      const order = compareCells(a[field] ?? null, b[field] ?? null, type);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function buildRow({ ids, sums }: Group, time: ReportRow, layout: Layout): ReportRow {
  const row: Record<string, ReportCell> = { ...layout.emptyRow, ...time };
  for (const [index, { buildFields }] of layout.dimensions.entries()) {
    Object.assign(row, buildFields(ids[index] ?? null));
  }
  for (const [index, { field, format }] of layout.metrics.entries()) {
    row[field] = format(sums[index] ?? 0);
  }
  return row;
}

function createLayout(input: ReportInput, columns: readonly Column[]): Layout {
  const isDsp = input.account.profile === 'dsp';
  const formatMoney = (cents: number): ReportCell =>
    isDsp ? (cents / 100).toFixed(2).replace('.', ',') : cents / 100;
  const formatCount = (count: number): ReportCell => count;

  return {
    columns,
    dimensions: listDimensions(input),
    metrics: columns.flatMap(({ field, metric, type }) => {
      const format = type === 'money' ? formatMoney : formatCount;
      return metric ? [{ name: metric, field, format }] : [];
    }),
    emptyRow: Object.fromEntries(columns.map(({ field }) => [field, null])),
  };
}

/** Returns the requested dimensions in column order. */
function listDimensions({ fixtures, request }: ReportInput): ReportDimension[] {
  const names = dimensionNames.filter((name) => request.breakdowns.includes(name));

  return names.map((name) => {
    const fieldsById = fixtures.names.get(name);
    const unknownFields = buildUnknownFields(name);
    // A dimension without IDs has one field, which holds the string.
    const field = findBreakdown(name)?.fields[0]?.name ?? name;

    return {
      name,
      buildFields(id) {
        if (id === null) return unknownFields;
        return fieldsById?.get(id) ?? { [field]: id };
      },
    };
  });
}

/** Returns the fields of an unknown value. There are none if the specification allows null. */
function buildUnknownFields(dimension: DimensionName): ReportRow {
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
 * Returns a function that selects facts by the account's advertisers and the request's filters. A
 * fact must match at least one value of every filter. A fact without the dimension matches. Values
 * are compared as exact strings (`decisions.md` 2).
 */
function createDimensionFilter(
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

/** Reads the value of a fact's metric that is known by now. */
type MetricReader = (fact: Fact, name: MetricName) => number;

/**
 * Returns a function that creates the reader for an hour. A restated metric has half its value on
 * its own day, and its full value `restateDays` after that day ends in the report's zone. The rule
 * applies to each fact, so that every breakdown has the same totals.
 */
function createReaderFactory(
  zone: string,
  { restateDays, nowMs }: ReportInput,
): (hour: number) => MetricReader {
  const readComplete: MetricReader = ({ metrics }, name) => metrics[name];
  if (restateDays === 0) return () => readComplete;

  const findDate = createDateFinder(zone);
  const today = Date.parse(createDateFinder(zone)(nowMs / hourMs));
  const steps = restateDays + 1;

  return (hour) => {
    const age = Math.max(0, (today - Date.parse(findDate(hour))) / dayMs);
    if (age > restateDays) return readComplete;

    return ({ metrics }, name) => {
      if (!restatedMetrics.includes(name)) return metrics[name];

      // The number of displays decides whether to round up or down, which looks random but is the
      // same in every report.
      const dither = metrics.displays % (2 * steps);
      return Math.floor((metrics[name] * (steps + age) + dither) / (2 * steps));
    };
  };
}

/** Compares IDs as numbers of any length, then by code unit (`7`, `007`). Null comes last. */
function compareCells(a: ReportCell, b: ReportCell, type: string): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;

  const difference = type === 'id' ? BigInt(a) - BigInt(b) : 0n;
  if (difference !== 0n) return Number(difference);
  return a < b ? -1 : 1;
}
