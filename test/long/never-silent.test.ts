import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestedColumns } from '../../src/contract/columns.ts';
import { numberTextOf, parseTimestamp } from '../../src/contract/values.ts';
import type { BreakdownName, Profile } from '../../src/contract/vocabulary.ts';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import type { FaultObject } from '../../src/local-server.ts';
import { type LocalServer, startServer } from '../../src/server/start.ts';
import { clearFaults } from '../server/local.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/**
 * Random requests to the local server: a correct report has no warning, and a changed one has one.
 * `contract/checked-answers.ts` has each change in one document.
 */

const nowMs = Date.UTC(2027, 5, 15, 12);
const clocks = ['instant', 'wall'] as const;
type Clock = (typeof clocks)[number];

const servers = new Map<Clock, LocalServer>();
beforeAll(async () => {
  for (const windowClock of clocks) {
    const server = await startServer({ delayMs: 0, windowClock, clock: () => nowMs });
    servers.set(windowClock, server);
  }
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'] as const;

/** Whole days, some of them with a clock change in Paris or Lord Howe. */
const wholeDays = [
  '--period 2026-10-24..2026-10-26',
  '--period 2027-03-28..2027-03-29',
  '--period 2026-11-01',
  '--period 2027-04-03..2027-04-05',
];

/** Windows that may end now, within an hour and a day. */
const sinceLately = [
  '--period last-7d',
  '--period last-24h',
  '--period today',
  '--since 2026-10-25T00:30:00Z --until 2026-10-25T03:29:59Z',
];

const requests = fc.constantFrom<Profile>('buyer', 'dsp').chain((profile) => {
  const { breakdowns, metrics } = vocabularyOf(profile);
  const names = breakdowns.map(({ name }) => name);
  const others = names.filter((name) => !times.some((time) => time === name));
  const zonesOfHalfHours = ['Asia/Kathmandu', 'Australia/Lord_Howe'];
  const zones = ['Europe/Paris', 'UTC', 'America/New_York', ...zonesOfHalfHours];
  return fc.record({
    output: fc.constantFrom<Output>('whole', 'merged', 'per part'),
    profile: fc.constant(profile),
    time: fc.option(fc.constantFrom(...times)),
    dimensions: fc.subarray(others, { maxLength: 2 }),
    metrics: fc.shuffledSubarray([...metrics.map(({ name }) => name)], { minLength: 1 }),
    window: fc.constantFrom(...wholeDays),
    zone: fc.constantFrom(...(profile === 'dsp' ? zones : ['Europe/Paris'])),
    encoding: fc.constantFrom('json', 'form'),
    isDirect: fc.boolean(),
    pick: fc.nat(20),
  });
});

/** One report, or one per day, merged or with a file each. */
type Output = 'whole' | 'merged' | 'per part';
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never;
type Row = Readonly<Record<string, unknown>>;

/** A report, or a status record without rows. */
interface Document {
  readonly data?: readonly Row[];
}

const breakdownsOf = ({ time, dimensions }: Request): BreakdownName[] => [
  ...dimensions,
  ...(time ? [time] : []),
];

/** The fields of the metrics of a request. */
const metricFieldsOf = (request: Request): readonly string[] =>
  requestedColumns(request.profile, { metrics: request.metrics, breakdowns: breakdownsOf(request) })
    .filter(({ metric }) => metric !== undefined)
    .map(({ field }) => field);

/** The output of a report, by its time breakdown and window. */
function outputOf({ output, time, window }: Request): Output {
  if (output === 'merged') return time === 'DAILY' || time === 'HOURLY' ? 'merged' : 'whole';
  // A window that begins within a day has no whole parts.
  return window.startsWith('--period') && !window.includes('24h') ? output : 'whole';
}

/** A change that makes a report wrong. */
interface Damage {
  /** Changes a request so that its report can have the damage. */
  readonly adapt?: (request: Request) => Request;

  /** Changes the rows; `at` is the selected row. */
  readonly rows?: (rows: readonly Row[], request: Request, at: number) => readonly Row[];

  /** Members next to the rows. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Changes a request to a buyer's with these dimensions and a time. */
const byBuyer =
  (dimensions: BreakdownName[], time?: (typeof times)[number]) =>
  (request: Request): Request => ({
    ...request,
    profile: 'buyer',
    zone: 'Europe/Paris',
    metrics: ['displays', 'revenueEuro'],
    dimensions,
    time: time ?? request.time,
  });

const byTime =
  (time: (typeof times)[number]) =>
  (request: Request): Request => ({ ...request, time });

/** Puts another value into the first metric of the selected row. */
const oddMetric = (value: unknown): Damage => ({
  rows: (rows, request, at) => {
    const [field = ''] = metricFieldsOf(request);
    return rows.map((row, index) => (index === at ? { ...row, [field]: value } : row));
  },
});

/** The same instant with the offset −05:00. */
function inOtherZone(hour: unknown): string {
  const instantMs = parseTimestamp(String(hour))?.instantMs ?? 0;
  return `${new Date(instantMs - 5 * 3_600_000).toISOString().slice(0, 19)}-0500`;
}

/** A row named “total” with the sums of all metrics. */
function totalOf(rows: readonly Row[], request: Request): Row {
  const total: Record<string, unknown> = { ...rows[0], campaignId: null, campaignName: 'Total' };
  for (const field of metricFieldsOf(request)) {
    const sum = rows.reduce((before, row) => before + Number(numberTextOf(row[field])), 0);
    total[field] = Number(sum.toFixed(2));
  }
  return total;
}

const damages: Readonly<Record<string, Damage>> = {
  'hours of another zone': {
    adapt: byTime('HOURLY'),
    rows: (rows) => rows.map((row) => ({ ...row, hour: inOtherZone(row.hour) })),
  },
  'a breakdown without a column': {
    adapt: byBuyer(['OS']),
    rows: (rows) => rows.map(({ os: _, ...row }) => row),
  },
  'a text for a number': oddMetric('unknown'),
  'a number with a blank': oddMetric('1 101'),
  'a list for a number': oddMetric([7]),
  'a day of another year': {
    adapt: byTime('DAILY'),
    rows: (rows, _, at) =>
      rows.map((row, index) => (index === at ? { ...row, date: '2031-01-01' } : row)),
  },
  'a date that is not the day of its hour': {
    adapt: byTime('HOURLY'),
    rows: (rows, _, at) =>
      rows.map((row, index) => (index === at ? { ...row, date: '2026-09-09' } : row)),
  },
  'a row twice': {
    adapt: byBuyer(['CAMPAIGN'], 'DAILY'),
    rows: (rows, _, at) => [...rows, rows[at] ?? {}],
  },
  'a total among the rows': {
    adapt: (request) => ({
      ...byBuyer(['CAMPAIGN'])(request),
      time: null,
      output: 'whole',
    }),
    rows: (rows, request) => [...rows, totalOf(rows, request)],
  },
  'an error': { members: { errors: [{ message: 'shard 3 is late' }] } },
  'a partial report': { members: { partial: true } },
  'a next page': { members: { next: '/download-reporting?page=2' } },
};

/** Changes that may be correct, and are at most a note. */
const noted: Readonly<Record<string, Damage>> = {
  'a missing day': {
    adapt: byTime('DAILY'),
    rows: (rows, _, at) => rows.filter(({ date }) => date !== rows[at]?.date),
  },
  ...Object.fromEntries(
    [undefined, null, '', '-', 'N/A'].map((value) => [`a metric: ${value}`, oddMetric(value)]),
  ),
  'another count': { members: { row_count: 99_999 } },
  'what nobody knows': { members: { count: -1, sampled: true, cursor: 'abc' } },
};

/** Runs a request with a damaged report; returns the number of rows of the smallest report. */
async function run(request: Request, clock: Clock, damage: Damage, flags = '') {
  const server = servers.get(clock);
  const { profile, metrics, window, zone, encoding, isDirect, pick } = request;
  let rowCount = Number.POSITIVE_INFINITY;

  const change = (document: Document): object => {
    const { data } = document;
    if (!data) return document;
    rowCount = Math.min(rowCount, data.length);
    const rows = data.length === 0 ? data : damage.rows?.(data, request, pick % data.length);
    return { ...document, ...damage.members, data: rows ?? data };
  };
  if (server) await clearFaults(server);
  for (const endpoint of ['buyer', 'download'] as const) {
    const fault: FaultObject<Document> = { endpoint, change };
    server?.fault(fault);
  }

  const output = outputOf(request);
  const by = breakdownsOf(request).join();
  const line = [
    `run ${window} --metrics ${metrics} --encoding ${encoding} --window-clock ${clock} -q --json`,
    output === 'per part' ? '--split day -o {date}.csv' : '-o x.csv',
    ...(by ? [`--by ${by}`] : []),
    ...(isDirect ? ['--direct'] : []),
    ...(output === 'merged' ? ['--split day'] : []),
    ...(profile === 'dsp' ? [`--timezone ${zone}`] : []),
    flags,
  ];
  const isOurs = (account: { profile: Profile; admin: boolean }) =>
    account.profile === profile && !account.admin;
  const token = server?.accounts.find(isOurs)?.token;
  const env = { ADREPORT_BASE_URL: server?.url, ADREPORT_TOKEN: token, ADREPORT_PROFILE: profile };
  const result = await runCli(line.join(' ').trim(), { env, now: nowMs });
  return { result, rowCount };
}

/** The warnings of all files. */
const warningsIn = ({ stdout }: CliResult): string[] =>
  stdout
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { file, warnings } = JSON.parse(line);
      return warnings.map((warning: string) => `${file}: ${warning}`);
    });

const adapted = ({ adapt = (request) => request }: Damage) => requests.map(adapt);
const numRuns = 10;

test.each(clocks)('a correct report has no warnings, with the %s clock', async (clock) => {
  const anyWindow = fc.constantFrom(...wholeDays, ...sinceLately);
  const asked = anyWindow.chain((window) => requests.map((one) => ({ ...one, window })));

  await fc.assert(
    fc.asyncProperty(asked, async (request) => {
      const { result } = await run(request, clock, {}, '--strict');
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(warningsIn(result)).toEqual([]);
    }),
    { numRuns: 8 * numRuns },
  );
});

describe('a warning: with --strict exit 9 without a file, otherwise a warning', () => {
  test.each(Object.entries(damages))('%s', async (_name, damage) => {
    await fc.assert(
      fc.asyncProperty(adapted(damage), async (request) => {
        const { result: strict, rowCount } = await run(request, 'instant', damage, '--strict');
        fc.pre(rowCount >= 2);
        expect(strict).toMatchObject({ exitCode: 9, files: {} });

        const { result } = await run(request, 'instant', damage);
        if (result.exitCode === 9) return expect(result.files).toEqual({});
        const warnings = warningsIn(result);
        expect(warnings).not.toEqual([]);
        const lines = warnings.map((warning) => `Warning: ${warning}`);
        expect(result.stderr.trim().split('\n').sort()).toEqual(lines.sort());
      }),
      { numRuns },
    );
  });
});

describe('a note: accepted by --strict, and not a warning', () => {
  test.each(Object.entries(noted))('%s', async (_name, damage) => {
    await fc.assert(
      fc.asyncProperty(adapted(damage), async (request) => {
        const { result, rowCount } = await run(request, 'instant', damage, '--strict');
        fc.pre(rowCount >= 3);
        expect(result).toMatchObject({ exitCode: 0, stderr: '' });
        expect(warningsIn(result)).toEqual([]);
      }),
      { numRuns },
    );
  });
});
