import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import { numberTextOf } from '../../src/contract/values.ts';
import type { BreakdownName, Profile } from '../../src/contract/vocabulary.ts';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { type LocalServer, startLocalServer } from '../../src/local-server.ts';
import { serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/**
 * A report that is what was asked for is never complained of, and one that is damaged always is: through `run`, whose
 * service is the local server behind one that forwards every call and may damage the report.
 */

const nowMs = Date.UTC(2027, 5, 15, 12);
const clocks = ['instant', 'wall'] as const;
const servers = new Map<string, LocalServer>();
beforeAll(async () => {
  for (const windowClock of clocks) {
    servers.set(
      windowClock,
      await startLocalServer({ delayMs: 0, windowClock, clock: () => nowMs }),
    );
  }
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'] as const;
/** Rows name these without their ids, and two of them may have one name. */
const nameless: readonly BreakdownName[] = ['REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'];
/** Whole days, some of them with a clock change in Paris or Lord Howe. */
const windows = [
  '2026-10-24..2026-10-26',
  '2027-03-28..2027-03-29',
  '2026-11-01',
  '2027-04-03..2027-04-05',
];
const wholeDays = windows.map((period) => `--period ${period}`);
/** Such as may end now, in an hour and a day that are not over. */
const sinceLately = [
  '--period last-7d',
  '--period last-24h',
  '--period today',
  '--since 2026-10-25T00:30:00Z --until 2026-10-25T03:29:59Z',
];
/** `CASES=20 npx vitest run test/report/never-silent.test.ts` tries twenty times as many. */
const factor = Number(process.env.CASES ?? 1);

const requests = fc.constantFrom<Profile>('buyer', 'dsp').chain((profile) => {
  const { breakdowns, metrics } = vocabularyOf(profile);
  const names = breakdowns.map(({ name }) => name);
  const others = names.filter((name) => !times.some((time) => time === name));
  const zonesOfHalfHours = ['Asia/Kathmandu', 'Australia/Lord_Howe'];
  const zones = ['Europe/Paris', 'UTC', 'America/New_York', ...zonesOfHalfHours];
  return fc.record({
    isMerged: fc.boolean(),
    profile: fc.constant(profile),
    time: fc.option(fc.constantFrom(...times)),
    dimensions: fc.subarray(others, { maxLength: 2 }),
    metrics: fc.shuffledSubarray([...metrics.map(({ name }) => name)], { minLength: 1 }),
    window: fc.constantFrom(...wholeDays),
    zone: fc.constantFrom(...(profile === 'dsp' ? zones : ['Europe/Paris'])),
    encoding: fc.constantFrom('json', 'form'),
    isDirect: fc.boolean(),
    isFrench: fc.boolean().map((is) => is && profile === 'buyer'),
    pick: fc.nat(20),
  });
});
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never;
type Body = 'JSON' | 'CSV';
type Clock = (typeof clocks)[number];
type Row = Readonly<Record<string, unknown>>;

const breakdownsOf = ({ time, dimensions }: Request): BreakdownName[] => [
  ...dimensions,
  ...(time ? [time] : []),
];

const columnsOf = (request: Request) =>
  askedColumns(request.profile, { metrics: request.metrics, breakdowns: breakdownsOf(request) });

/** Whether a report is fetched in parts of a day, which become one output. */
const isMergeable = ({ isMerged, time }: Request): boolean =>
  isMerged && (time === 'DAILY' || time === 'HOURLY');

/** The field that a damage concerns. */
function fieldOf(request: Request): string {
  const columns = columnsOf(request);
  return columns[request.pick % columns.length]?.field ?? '';
}

/** A row with the sum of every metric, and nothing else. */
function totalOf(rows: readonly Row[], request: Request): Row {
  const total: Record<string, unknown> = Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((name) => [name, null]),
  );
  for (const { field, metric } of columnsOf(request)) {
    const sum = rows.reduce((before, row) => before + Number(numberTextOf(row[field])), 0);
    const isText = field.startsWith('revenue') && request.profile === 'dsp';
    if (metric !== undefined) total[field] = isText ? sum.toFixed(2).replace('.', ',') : sum;
  }
  return total;
}

const metricOf = (request: Request): string =>
  columnsOf(request).find(({ metric }) => metric !== undefined)?.field ?? '';

/** The rows with another value in one of them. */
function withValue(rows: readonly Row[], { pick }: Request, field: string, value: unknown): Row[] {
  return rows.map((row, at) => (at === pick % rows.length ? { ...row, [field]: value } : row));
}

function oddMetric(value: unknown): Damage {
  return { rows: (rows, request) => withValue(rows, request, metricOf(request), value) };
}

function besideRows(members: NonNullable<Damage['members']>): Damage {
  return { fits: ({ isDirect }, body) => body === 'JSON' && !isDirect, members };
}

interface Damage {
  /** Whether a report of the request has it, and can show it. */
  readonly fits?: (request: Request, body: Body) => boolean;
  readonly rows?: (rows: readonly Row[], request: Request) => readonly Row[];
  readonly text?: (text: string) => string;
  /** Members beside the rows, of a JSON document. */
  readonly members?: (rowCount: number, request: Request) => object;
  /** The status and the headers of the answer. */
  readonly answer?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The service is asked for a window that is so much later. */
  readonly shiftHours?: (request: Request) => number;
}

const damages: Readonly<Record<string, Damage>> = {
  'a dropped column': {
    rows: (rows, request) => rows.map(({ [fieldOf(request)]: _, ...row }) => row),
  },
  'a renamed column': {
    rows: (rows, request) => {
      const field = fieldOf(request);
      return rows.map(({ [field]: value, ...row }) => ({ ...row, [`${field}X`]: value }));
    },
  },
  // A CSV body tells its window by the times of its rows alone.
  'a shifted window': {
    fits: ({ time }, body) => body === 'JSON' || time !== null,
    shiftHours: ({ time, pick }) =>
      (pick + 1) * { DAILY: 24, HOURLY: 1, RANGE: 24, MONTHLY: 40 * 24 }[time ?? 'HOURLY'],
  },
  // A filter may leave nothing of a day.
  'a removed day': {
    fits: ({ time, isFrench }) => time !== null && !isFrench,
    rows: (rows, { pick }) => rows.filter(({ date }) => date !== rows[pick % rows.length]?.date),
  },
  'a doubled row': {
    fits: ({ dimensions }) => !dimensions.some((name) => nameless.includes(name)),
    rows: (rows, { pick }) =>
      rows.flatMap((row, at) => (at === pick % rows.length ? [row, row] : [row])),
  },
  'an added total': {
    fits: (request) => breakdownsOf(request).length > 0,
    rows: (rows, request) => [...rows, totalOf(rows, request)],
  },
  ...Object.fromEntries(
    [undefined, null, '', '-', 'N/A', 'NaN', '1 101', '1\u00a0101', "1'101", '1,101'].map(
      (value) => [`a metric that is ${JSON.stringify(value)}`, oddMetric(value)],
    ),
  ),
  'a metric that is a list': { ...oddMetric([7]), fits: (_, body) => body === 'JSON' },
  'a metric that is true': { ...oddMetric(true), fits: (_, body) => body === 'JSON' },
  'a fraction of a whole metric': {
    fits: (request) => columnsOf(request).some(({ metric, type }) => metric && type === 'integer'),
    rows: (rows, request) => {
      const column = columnsOf(request).find(({ metric, type }) => metric && type === 'integer');
      return withValue(rows, request, column?.field ?? '', 1.101);
    },
  },
  'a time that is no time': {
    fits: ({ time }) => time !== null,
    rows: (rows, request) =>
      withValue(rows, request, request.time === 'HOURLY' ? 'hour' : 'date', '1/11/2026'),
  },
  'a campaign without its id': {
    fits: ({ dimensions }) => dimensions.includes('CAMPAIGN'),
    rows: (rows, request) => withValue(rows, request, 'campaignId', null),
  },
  'a day that is called a total': {
    fits: ({ time }) => time !== null,
    rows: (rows, request) => withValue(rows, request, 'date', 'Totals (2)'),
  },
  'a header again': {
    fits: (_, body) => body === 'CSV',
    rows: (rows) => [
      ...rows,
      Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, name])),
    ],
  },
  'an error': besideRows(() => ({ error: 'timeout' })),
  errors: besideRows(() => ({ errors: [{ message: 'shard 3 is late' }] })),
  'a partial report': besideRows(() => ({ partial: true })),
  'a truncated report': besideRows(() => ({ meta: { truncated: true } })),
  'a next page': besideRows(() => ({ next: '/download-reporting?page=2' })),
  'more rows': besideRows(() => ({ hasMore: true })),
  'another status': besideRows(() => ({ status: 'progress' })),
  'another report': besideRows(() => ({ report_id: 'another' })),
  'another count': besideRows((rowCount) => ({ count: rowCount + 1 })),
  'another total': besideRows((_, request) => ({ totals: { [metricOf(request)]: -1 } })),
  'a part of the body': { answer: { status: 206 } },
  'a link to the next page': { answer: { headers: { link: '</x?page=2>; rel="next"' } } },
  'a header cut off': {
    fits: (_, body) => body === 'CSV',
    text: (text) => text.slice(text.indexOf('\n') + 1),
  },
};

/** Puts a damage into the text of a report; tells how many rows it had. */
function damaged(text: string, body: Body, request: Request, damage: Damage) {
  const { rows: change, text: cut, members } = damage;
  const report = body === 'JSON' ? JSON.parse(text) : { data: parse(text, { columns: true }) };
  const rows: readonly Row[] = report.data;
  const rowCount = rows.length;
  if (cut) return { rowCount, text: cut(text) };
  if (members) {
    return { rowCount, text: JSON.stringify({ ...report, ...members(rowCount, request) }) };
  }
  if (!change) return { rowCount, text };
  const data = change(rows, request);
  const columns = Object.keys(data[0] ?? rows[0] ?? {});
  return {
    rowCount,
    text:
      body === 'JSON'
        ? JSON.stringify({ ...report, data })
        : stringify([...data], { header: true, columns }),
  };
}

/** Runs a request against the local server behind one that damages its report. */
async function throughDamage(clock: Clock, body: Body) {
  let request: Request | undefined;
  let damage: Damage = {};
  let rowCount = 0;
  const { url } = await serve(async ({ method, path, headers, body: sent }, response) => {
    const isReport =
      path === '/download-reporting' || (path === '/buyer-reporting' && request?.isDirect);
    const shift = ((request && damage.shiftHours?.(request)) ?? 0) * 3_600;
    const later = (_: string, name: string, digits: string) => `${name}${Number(digits) + shift}`;
    const { authorization = '', 'content-type': type = '' } = headers;
    const accept = isReport && body === 'CSV' ? 'text/csv' : 'application/json';
    const answer = await fetch(servers.get(clock)?.url + path, {
      method,
      headers: { authorization, accept, 'content-type': type },
      body:
        path === '/buyer-reporting' ? sent.replace(/((?:since|until)"?[:=])(\d+)/g, later) : sent,
    });
    const text = await answer.text();
    const given =
      isReport && request && answer.ok
        ? damaged(text, body, request, damage)
        : { text, rowCount: 0 };
    rowCount = given.rowCount;
    const { status = answer.status, headers: added = {} } =
      (isReport && answer.ok && damage.answer) || {};
    response
      .writeHead(status, { 'content-type': answer.headers.get('content-type') ?? '', ...added })
      .end(given.text);
  });
  const run = async (
    asked: Request,
    change: Damage,
    ...flags: readonly string[]
  ): Promise<CliResult> => {
    [request, damage] = [asked, change];
    const { profile, metrics, window, zone, encoding, isDirect, isFrench } = asked;
    const by = breakdownsOf(asked).join();
    const line = [
      `run ${window} --metrics ${metrics} --encoding ${encoding} --window-clock ${clock} -q --json -o x.csv`,
      ...(by ? [`--by ${by}`] : []),
      ...(isDirect ? ['--direct'] : []),
      ...(isMergeable(asked) ? ['--split day'] : []),
      ...(isFrench ? ['--country FR'] : []),
      ...(profile === 'dsp' ? [`--timezone ${zone}`] : []),
      ...flags,
    ];
    const token = servers
      .get(clock)
      ?.accounts.find((account) => account.profile === profile && !account.admin)?.token;
    const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: token, ADREPORT_PROFILE: profile };
    return runCli(line.join(' '), { env, now: nowMs });
  };
  return { run, rowCount: () => rowCount };
}

/** What a body of that kind can have at all. */
function namesOfDamages(body: Body): string[] {
  return Object.keys(damages).filter((name) => {
    const isOfCsv = ['a header cut off', 'a header again'].includes(name);
    const isOfJson = damages[name]?.members || ['a list', 'true'].some((end) => name.endsWith(end));
    return body === 'CSV' ? !isOfJson : !isOfCsv;
  });
}

const warningsIn = ({ stdout }: CliResult): string[] => JSON.parse(stdout).warnings;

describe.each(['JSON', 'CSV'] as const)('%s', (body) => {
  test.each(clocks)(
    'nothing is said of a report that is what was asked for, by the %s clock',
    async (clock) => {
      const { run, rowCount } = await throughDamage(clock, body);
      const anyWindow = fc.constantFrom(...wholeDays, ...sinceLately);
      const asked = anyWindow.chain((window) => requests.map((one) => ({ ...one, window })));
      let seen = 0;

      await fc.assert(
        fc.asyncProperty(asked, async (request) => {
          const result = await run(request, {}, '--strict');
          if (rowCount() === 0) return;
          seen += 1;
          expect(result).toMatchObject({ exitCode: 0, stderr: '' });
          expect(warningsIn(result)).toEqual([]);
        }),
        { numRuns: 12 * factor },
      );
      expect(seen).toBeGreaterThan(0);
    },
  );

  test.each(namesOfDamages(body))(
    '%s: --strict is exit 9 without a file, and else it is said',
    async (name) => {
      const damage = damages[name] ?? {};
      const fits = requests.filter((request) => damage.fits?.(request, body) ?? true);
      const { run, rowCount } = await throughDamage('instant', body);

      await fc.assert(
        fc.asyncProperty(fits, async (request) => {
          const strict = await run(request, damage, '--strict');
          fc.pre(rowCount() >= 2);
          expect(strict).toMatchObject({ exitCode: 9, files: {} });
          const result = await run(request, damage);
          if (result.exitCode === 0 && name !== 'a header cut off') {
            const said = warningsIn(result);
            expect(said).not.toEqual([]);
            expect(result.stderr).toBe(said.map((warning) => `Warning: ${warning}\n`).join(''));
          } else expect(result).toMatchObject({ exitCode: 9, files: {} });
        }),
        { numRuns: 3 * factor },
      );
    },
  );
});
