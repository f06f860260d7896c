import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { FaultRequest, LocalServer } from '../../src/local-server.ts';
import { mix } from '../../src/server/world/random.ts';
import { serveForTest } from './service.ts';

/** Random services that fail to make reports, and what a run makes of them. */

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Start of a run: every window is over. */
const startMs = Date.UTC(2026, 10, 20, 12);

const firstDayMs = Date.UTC(2026, 7, 1);

/** What happens to the reports of a service. Members that end in `By` are probabilities. */
interface FailingService {
  /** Reports of more days end as failed. */
  readonly failsAbove: number | null;

  /** Reports of more days are refused with 413. */
  readonly tooLargeAbove: number | null;
  readonly failsBy: number;
  readonly expiresBy: number;

  /** Reports that are gone when they are downloaded. */
  readonly goneBy: number;
  readonly stuckBy: number;
  readonly delayMs: number;

  /** Bodies come slowly. */
  readonly isSlow: boolean;
  readonly seed: number;
}

interface Request {
  /** Days after `firstDayMs`. */
  readonly firstDay: number;
  readonly days: number;
  readonly by: string;

  /** Left out if the rows could not be merged. */
  readonly split: '' | '--split day' | '--split week' | 'file per day';
  readonly retries: number;
  readonly format: string;

  /** Without a file; only of a report that is not split. */
  readonly toStdout: boolean;

  /** `--compare`; only of a report that is not split. */
  readonly compares: boolean;
  readonly runs: number;
}

const someDays = fc.constantFrom(null, null, null, 1, 3, 6, 7, 20);
const probability = fc.constantFrom(0, 0, 0, 0.1, 0.2, 0.6);

const services: fc.Arbitrary<FailingService> = fc.record({
  failsAbove: someDays,
  tooLargeAbove: someDays,
  failsBy: probability,
  expiresBy: probability,
  goneBy: probability,
  stuckBy: fc.constantFrom(0, 0, 0, 0.2),
  // Two reports of 25 minutes take longer than `--wait-timeout`.
  delayMs: fc.constantFrom(0, 0, 2_000, 25 * minuteMs),
  isSlow: fc.boolean(),
  seed: fc.nat(),
});

const anyRequests: fc.Arbitrary<Request> = fc.record({
  firstDay: fc.nat({ max: 40 }),
  days: fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 45 })),
  by: fc.constantFrom('DAILY', 'DAILY,OS', 'HOURLY', 'MONTHLY', 'RANGE', 'OS'),
  split: fc.constantFrom('', '', '--split day', '--split week', 'file per day'),
  retries: fc.constantFrom(0, 2),
  format: fc.constantFrom('csv', 'ndjson', 'json'),
  toStdout: fc.boolean(),
  compares: fc.constantFrom(false, false, false, true),
  runs: fc.constantFrom(1, 1, 2),
});

/** Makes the days of `--split week` whole weeks: 2026-08-03 is a Monday. */
const requests = anyRequests.map((request): Request => {
  const { split, firstDay, days } = request;
  if (split !== '--split week') return request;
  return { ...request, firstDay: 2 + 7 * Math.floor(firstDay / 7), days: 7 * Math.ceil(days / 7) };
});

export const failingServices = fc.tuple(services, requests);

export const healthyService: FailingService = {
  failsAbove: null,
  tooLargeAbove: null,
  failsBy: 0,
  expiresBy: 0,
  goneBy: 0,
  stuckBy: 0,
  delayMs: 0,
  isSlow: false,
  seed: 1,
};

/** October 2026, which has days of five weeks. */
export const october: Request = {
  firstDay: 61,
  days: 31,
  by: 'DAILY,OS',
  split: '',
  retries: 2,
  format: 'csv',
  toStdout: false,
  compares: false,
  runs: 1,
};

type Days = readonly number[];

/** Groups the days since 1970 of a window by unit. */
function splitPlan({ firstDay, days }: Request, unit: 'day' | 'week' | 'month'): Days[] {
  const parts = new Map<string | number, number[]>();
  const first = firstDayMs / dayMs + firstDay;

  for (let day = first; day < first + days; day += 1) {
    const month = new Date(day * dayMs).toISOString().slice(0, 7);
    const key = { day, month, week: Math.floor((day + 3) / 7) }[unit];
    parts.set(key, [...(parts.get(key) ?? []), day]);
  }
  return [...parts.values()];
}

const isoDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

const splitOf = ({ split, by }: Request): string =>
  split === 'file per day' || /DAILY|HOURLY|RANGE/.test(by) ? split : '';

const isCompared = (request: Request): boolean => request.compares && splitOf(request) === '';

/** Names each file, or returns `-` for stdout. */
function outputOf(request: Request): string {
  const { toStdout, format } = request;
  const split = splitOf(request);
  if (split === 'file per day') return `{date}.${format}`;
  return toStdout && split === '' ? '-' : `it.${format}`;
}

function lineOf(request: Request): string {
  const { by, format, retries } = request;
  const days = splitPlan(request, 'day').flat();
  const split = splitOf(request);
  const flags = [
    `--period ${isoDay(days[0] ?? 0)}..${isoDay(days.at(-1) ?? 0)} --by ${by}`,
    split === 'file per day' ? '--split day' : split,
    isCompared(request) ? '--compare previous --format table' : `--format ${format}`,
    `--retries ${retries} -o ${outputOf(request)}`,
  ];
  return `run --metrics displays,revenueEuro -q ${flags.join(' ')}`;
}

/** Cuts a failing report into parts (`cli.md`, Waiting); returns none if that is not possible. */
function planParts(request: Request): Days[] {
  const { by, days, retries } = request;
  if (retries === 0 || splitOf(request) !== '') return [];

  let parts: Days[] = [];
  if (by === 'MONTHLY') parts = splitPlan(request, 'month');
  else if (/DAILY|HOURLY/.test(by)) parts = splitPlan(request, days > 14 ? 'week' : 'day');
  return parts.length > 1 ? parts : [];
}

/** Lists the reports that a run requests before any of them fails. */
function firstPartsOf(request: Request): Days[] {
  const split = splitOf(request);
  if (split === '') return [splitPlan(request, 'day').flat()];
  return splitPlan(request, split === '--split week' ? 'week' : 'day');
}

/**
 * Allows one request of each report and of each part, and with retries one more of each of them.
 * The report to compare with may have one more part.
 */
function maxReports(request: Request): number {
  const own = planParts(request).length;
  const earlier = isCompared(request) ? 2 + own : 0;
  const reports = firstPartsOf(request).length + own + earlier;
  return request.retries === 0 ? reports : 2 * reports;
}

interface Outcome {
  readonly orders: number;
  readonly exitCode: number;
}

/** Predicts the outcome of one report if the service fails by window length alone. */
function outcomeOf(
  { failsAbove, tooLargeAbove }: FailingService,
  { retries }: Request,
  days: Days,
): Outcome {
  if (tooLargeAbove !== null && days.length > tooLargeAbove) return { orders: 1, exitCode: 4 };
  if (failsAbove !== null && days.length > failsAbove) {
    return { orders: retries === 0 ? 1 : 2, exitCode: 6 };
  }
  return { orders: 1, exitCode: 0 };
}

/** Checks whether the outcome follows from the length of the windows alone. */
function isPredictable(service: FailingService, request: Request): boolean {
  if (isCompared(request)) return false;
  const { failsBy, expiresBy, goneBy, stuckBy, delayMs } = service;
  return failsBy + expiresBy + goneBy + stuckBy === 0 && delayMs < minuteMs;
}

/** Predicts the outcome of the first run. */
function predictedOutcome(service: FailingService, request: Request): Outcome {
  const sum = (parts: readonly Days[]): Outcome => {
    const outcomes = parts.map((part) => outcomeOf(service, request, part));
    const failed = outcomes.find(({ exitCode }) => exitCode !== 0);
    const orders = outcomes.reduce((before, outcome) => before + outcome.orders, 0);
    return { orders, exitCode: failed?.exitCode ?? 0 };
  };

  const whole = sum(firstPartsOf(request));
  const parts = planParts(request);
  if (whole.exitCode === 0 || parts.length === 0) return whole;

  const inParts = sum(parts);
  return { orders: whole.orders + inParts.orders, exitCode: inParts.exitCode };
}

/** Counts the days of a requested window. */
function requestedDays({ body }: FaultRequest): number {
  return Math.round((Number(body.until) - Number(body.since)) / (dayMs / 1_000));
}

function addFaults(server: LocalServer, service: FailingService): void {
  const random = seededRandom(service.seed);
  const happens = (probability: number) => () => random() < probability;
  const isLonger = (days: number | null) => (order: FaultRequest) =>
    days !== null && requestedDays(order) > days;

  server.fault({ endpoint: 'buyer', kind: '413', when: isLonger(service.tooLargeAbove) });
  server.fault({ endpoint: 'buyer', kind: 'failed', when: isLonger(service.failsAbove) });
  server.fault({ endpoint: 'buyer', kind: 'failed', when: happens(service.failsBy) });
  server.fault({ endpoint: 'buyer', kind: 'expired', when: happens(service.expiresBy) });
  server.fault({ endpoint: 'buyer', kind: 'stuck', when: happens(service.stuckBy) });
  server.fault({ endpoint: 'download', kind: '410', when: happens(service.goneBy) });
  if (service.isSlow) server.fault('download:slow:rate=50mb');
}

/** Lists the exit codes with which a run against a service may end. */
function possibleExitCodes(service: FailingService): number[] {
  const { failsAbove, tooLargeAbove, failsBy, expiresBy, goneBy, stuckBy, delayMs } = service;
  const fails = failsAbove !== null || failsBy + expiresBy + goneBy > 0;
  const isLong = stuckBy > 0 || delayMs > minuteMs;
  return [0, ...(fails ? [6] : []), ...(tooLargeAbove === null ? [] : [4]), ...(isLong ? [7] : [])];
}

/**
 * Runs a request against a failing service: each file is the one of a service that does not fail,
 * or the one from before, and no report is requested more often than allowed.
 */
export async function expectWholeOrNothing([service, request]: readonly [
  FailingService,
  Request,
]): Promise<Outcome[]> {
  const ordered: string[] = [];
  const { server, cwd, run } = await serveForTest({
    delayMs: service.delayMs,
    onRequest: ({ endpoint, rawBody = '' }) => void (endpoint === 'buyer' && ordered.push(rawBody)),
  });
  let nowMs = startMs;
  const runLine = async () => {
    ordered.length = 0;
    return run(lineOf(request), {
      cwd,
      now: nowMs,
      onSleep: (durationMs) => {
        nowMs += durationMs;
      },
    });
  };

  const whole = await runLine();
  expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
  const names = Object.keys(whole.files);

  addFaults(server, service);
  const runs: Outcome[] = [];
  for (let count = 0; count < request.runs; count += 1) {
    for (const name of names) writeFileSync(join(cwd, name), 'the old file');

    const { exitCode, stdout, files, stderr } = await runLine();

    const orders = ordered.length;
    runs.push({ exitCode, orders });
    expect(possibleExitCodes(service), stderr).toContain(exitCode);
    expect(orders).toBeLessThanOrEqual(maxReports(request));
    expect(mostRepeated(ordered)).toBeLessThanOrEqual(request.retries === 0 ? 1 : 2);
    if (count === 0 && isPredictable(service, request)) {
      expect({ orders, exitCode }).toEqual(predictedOutcome(service, request));
    }

    expect(stdout).toBe(exitCode === 0 ? whole.stdout : '');
    expect(Object.keys(files)).toEqual(names);
    const written = names.filter((name) => files[name] !== 'the old file');
    for (const name of written) expect(files[name], name).toBe(whole.files[name]);
    if (exitCode === 0) expect(written).toEqual(names);
    else if (outputOf(request).startsWith('it')) expect(written).toEqual([]);
  }

  await server.close();
  return runs;
}

/** Counts the most frequent string in a list. */
function mostRepeated(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Returns numbers from 0 to 1 (exclusive), the same for the same seed. */
function seededRandom(seed: number): () => number {
  let count = 0;
  return () => (mix(seed, ++count) >>> 0) / 2 ** 32;
}
