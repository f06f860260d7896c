import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import { momentOf, numberTextOf } from '../../src/contract/values.ts';
import type { BreakdownName, Profile } from '../../src/contract/vocabulary.ts';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { type LocalServer, startLocalServer } from '../../src/local-server.ts';
import { json, serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/**
 * A report that is what was asked for is never complained of, and one that is damaged always is:
 * through `run`, whose service is the local server behind one that forwards every call and may
 * damage the report.
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

/**
 * `CASES=20 npx vitest run test/judge/never-silent.test.ts` tries twenty times as many; the long
 * tests have more, too.
 */
const factor = Number(process.env.CASES ?? 1);

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
    isFrench: fc.boolean().map((is) => is && profile === 'buyer'),
    pick: fc.nat(20),
  });
});

/**
 * Whether a report is fetched as one, or in parts of a day, which become one output or a file each.
 */
type Output = 'whole' | 'merged' | 'per part';
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

/** How a report comes that need not keep its days apart. */
function outputOf({ output, time, window }: Request): Output {
  if (output === 'merged') return time === 'DAILY' || time === 'HOURLY' ? 'merged' : 'whole';
  // A window that begins within a day has no whole parts.
  return window.startsWith('--period') && !window.includes('24h') ? output : 'whole';
}

const hasParts = (request: Request): boolean =>
  outputOf(request) !== 'whole' && request.window.includes('..');

/** A row with the sum of every metric, and nothing else. */
function totalOf(rows: readonly Row[], request: Request): Row {
  const total: Record<string, unknown> = Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((name) => [name, null]),
  );
  for (const { field, metric } of columnsOf(request)) {
    const sum = rows.reduce((before, row) => before + Number(numberTextOf(row[field])), 0);
    const isText = field.startsWith('revenue') && request.profile === 'dsp';
    if (metric !== undefined)
      total[field] = isText ? sum.toFixed(2).replace('.', ',') : Number(sum.toFixed(2));
  }
  return total;
}

/** The same instant by a clock that is five hours behind that of UTC. */
function inOtherZone(hour: string): string {
  const instantMs = momentOf(hour)?.instantMs ?? 0;
  return `${new Date(instantMs - 5 * 3_600_000).toISOString().slice(0, 19)}-0500`;
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

/** The request as one of a buyer with such dimensions. */
function withDimensions(request: Request, dimensions: BreakdownName[]): Request {
  return { ...request, profile: 'buyer', zone: 'Europe/Paris', dimensions };
}

function besideRows(members: NonNullable<Damage['members']>): Damage {
  return { fits: ({ isDirect }, body) => body === 'JSON' && !isDirect, members };
}

interface Damage {
  /** Whether a report of the request has it, and can show it. */
  readonly fits?: (request: Request, body: Body) => boolean;
  readonly rows?: (rows: readonly Row[], request: Request) => readonly Row[];
  readonly text?: (text: string) => string;

  /** Whether nothing but the end of the connection marks the end of the answer. */
  readonly isUnmarked?: boolean;

  /** Members beside the rows, of a JSON document. */
  readonly members?: (rowCount: number, request: Request) => object;

  /** The status and the headers of the answer. */
  readonly answer?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };

  /** Makes of any request one that has it. */
  readonly adapt?: (request: Request) => Request;

  /** What the service is sent in the place of an order. */
  readonly order?: (sent: string) => string;

  /** Whether the answer to every order is that to the first. */
  readonly isOneId?: boolean;

  /** What the service answers to an order and to the question for the status, in their place. */
  readonly created?: (answer: object) => object;
  readonly status?: (answer: object) => object;

  /** The service is asked for a window that is so much later. */
  readonly shiftHours?: (request: Request) => number;
}

const wholeMetricOf = (request: Request): string | undefined =>
  columnsOf(request).find(({ metric, type }) => metric && type === 'integer')?.field;

/** The breakdowns whose values tell a row from every other one. */
const tellingBreakdowns: readonly BreakdownName[] = [
  'CAMPAIGN',
  'ADUNIT',
  'CREATIVE',
  'COUNTRY',
  'ADNETWORK',
  'PLATFORM',
  'DEVICETYPE',
];

/** A damage for each line of the table of `cli.md`, Never silently wrong. */
const damages: Readonly<Record<string, Damage>> = {
  'window: another one': {
    fits: (_, body) => body === 'JSON',
    shiftHours: ({ time, pick }) =>
      (pick + 1) * { DAILY: 24, HOURLY: 1, RANGE: 24, MONTHLY: 40 * 24 }[time ?? 'HOURLY'],
  },
  'zone: of the summary': {
    ...besideRows((_, { zone }) => ({
      summary: { timezone: zone === 'UTC' ? 'Asia/Tokyo' : 'UTC' },
    })),
    fits: ({ profile }, body) => body === 'JSON' && profile === 'dsp',
    adapt: (request) => ({ ...request, isDirect: false }),
  },
  'zone: of the hours': {
    adapt: (request) => ({ ...request, time: 'HOURLY' }),
    rows: (rows) => rows.map((row) => ({ ...row, hour: inOtherZone(String(row.hour)) })),
  },
  'columns: a dropped breakdown': {
    adapt: (request) => withDimensions(request, ['OS']),
    rows: (rows) => rows.map(({ os: _, ...row }) => row),
  },
  'columns: a metric renamed in CSV': {
    fits: ({ metrics }, body) => body === 'CSV' && metrics.length > 1,
    rows: (rows, request) => {
      const field = metricOf(request);
      return rows.map(({ [field]: value, ...row }) => ({ ...row, [`${field}X`]: value }));
    },
  },
  ...Object.fromEntries(
    ['1 101', '1\u00a0101', "1'101", '1,101', 'unknown'].map((value) => [
      `values: a metric that is ${JSON.stringify(value)}`,
      oddMetric(value),
    ]),
  ),
  'values: a metric that is a list': { ...oddMetric([7]), fits: (_, body) => body === 'JSON' },
  'values: a metric that is true': { ...oddMetric(true), fits: (_, body) => body === 'JSON' },
  'values: a fraction of a whole metric': {
    fits: (request) => wholeMetricOf(request) !== undefined,
    rows: (rows, request) => withValue(rows, request, wholeMetricOf(request) ?? '', 1.101),
  },
  'rows: a day of another year': {
    fits: ({ time }) => time === 'DAILY' || time === 'MONTHLY',
    rows: (rows, request) => withValue(rows, request, 'date', '2031-01-01'),
  },
  'rows: a date that is not the day of its hour': {
    adapt: (request) => ({ ...request, time: 'HOURLY' }),
    rows: (rows, request) => withValue(rows, request, 'date', '2026-09-09'),
  },
  'rows: one twice': {
    adapt: (request) =>
      withDimensions(request, [
        tellingBreakdowns[request.pick % tellingBreakdowns.length] ?? 'CAMPAIGN',
      ]),
    rows: (rows, request) => {
      const key = columnsOf(request).filter(({ breakdown }) => breakdown !== undefined);
      const told = rows.filter((row) => key.every(({ field }) => row[field]));
      const again = told[request.pick % told.length];
      return again ? [...rows, again] : [];
    },
  },
  'rows: the header again': {
    fits: (_, body) => body === 'CSV',
    rows: (rows) => [
      ...rows,
      Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, name])),
    ],
  },
  'a total among the rows': {
    adapt: (request) => ({
      ...withDimensions(request, ['CAMPAIGN']),
      metrics: ['displays', 'revenueEuro'],
      output: 'whole',
      isFrench: false,
    }),
    rows: (rows, request) => [...rows, { ...totalOf(rows, request), campaignName: 'Total' }],
  },
  'filters: one that is ignored': {
    adapt: (request) => ({ ...withDimensions(request, ['COUNTRY']), isFrench: true }),
    order: (sent) =>
      sent.replace(/,"countryId":\[[^\]]*\]/, '').replace(/&countryId(%5B|\[)\d+(%5D|\])=\d+/g, ''),
  },
  'filters: a row without a value': {
    adapt: (request) => ({ ...withDimensions(request, ['COUNTRY']), isFrench: true }),
    rows: (rows, request) => withValue(rows, request, 'country', null),
  },
  'beside: an error': besideRows(() => ({ errors: [{ message: 'shard 3 is late' }] })),
  'beside: a partial report': besideRows(() => ({ partial: true })),
  'beside: a truncated report': besideRows(() => ({ meta: { truncated: true } })),
  'beside: a next page': besideRows(() => ({ next: '/download-reporting?page=2' })),
  'beside: more rows': besideRows(() => ({ hasMore: true })),
  'beside: another status': besideRows(() => ({ status: 'progress' })),
  'beside: another count': besideRows((rowCount) => ({ row_count: rowCount + 1 })),
  'beside: another total': besideRows((_, request) => ({ totals: { [metricOf(request)]: -1 } })),
  'beside: 206': { answer: { status: 206 } },
  'beside: a link to the next page': { answer: { headers: { link: '</x?page=2>; rel="next"' } } },
  'beside: one id for every order': {
    adapt: (request) => ({ ...request, output: 'per part', isDirect: false }),
    fits: hasParts,
    isOneId: true,
  },
  'no report: a header cut off': {
    fits: (_, body) => body === 'CSV',
    text: (text) => text.slice(text.indexOf('\n') + 1),
  },
};

/** What may be right, and is noted at most. */
const noted: Readonly<Record<string, Damage>> = {
  'a removed day': {
    fits: ({ time }) => time === 'DAILY' || time === 'HOURLY',
    rows: (rows, { pick }) => rows.filter(({ date }) => date !== rows[pick % rows.length]?.date),
  },
  ...Object.fromEntries(
    [undefined, null, '', '-', 'N/A', 'NaN'].map((value) => [
      `a metric that is ${JSON.stringify(value)}`,
      {
        rows: (rows: readonly Row[], request: Request) =>
          request.metrics.length > 1 || rows.length > 1
            ? withValue(rows, request, metricOf(request), value)
            : rows,
      },
    ]),
  ),
  'a carrier without a value': {
    adapt: (request) => withDimensions(request, ['CARRIER']),
    rows: (rows, request) => withValue(rows, request, 'carrier', null),
  },
  'what nobody knows': besideRows(() => ({ count: -1, sampled: true, cursor: 'abc' })),
  'a warning in the answers on the way': {
    fits: ({ isDirect }) => !isDirect,
    created: (answer) => ({ ...answer, warnings: ['API v1 is deprecated'] }),
    status: (answer) => ({ ...answer, warning: 'Two shards are late.' }),
  },
  'a clock that is a day ahead': {
    adapt: (request) => ({ ...request, window: '--period yesterday' }),
    answer: { headers: { date: new Date(nowMs + 86_400_000).toUTCString() } },
  },
  'an end that may be cut': {
    fits: (_, body) => body === 'CSV',
    isUnmarked: true,
    text: (text) => text.trimEnd(),
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
  // Nothing of the report fits the damage.
  if (data.length === 0) return { rowCount: 0, text };
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
  let firstCreated: object | undefined;
  const { url } = await serve(async ({ method, path, headers, body: sent }, response) => {
    const isReport =
      path === '/download-reporting' || (path === '/buyer-reporting' && request?.isDirect);
    const shift = ((request && damage.shiftHours?.(request)) ?? 0) * 3_600;
    const later = (_: string, name: string, digits: string) => `${name}${Number(digits) + shift}`;
    const { authorization = '', 'content-type': type = '' } = headers;
    const accept = isReport && body === 'CSV' ? 'text/csv' : 'application/json';
    const isOrder = path === '/buyer-reporting';
    const ordered = isOrder ? (damage.order?.(sent) ?? sent) : sent;
    const answer = await fetch(servers.get(clock)?.url + path, {
      method,
      headers: { authorization, accept, 'content-type': type },
      body: isOrder ? ordered.replace(/((?:since|until)"?[:=])(\d+)/g, later) : sent,
    });
    const text = await answer.text();
    const created = damage.isOneId
      ? (one: object) => {
          firstCreated ??= one;
          return firstCreated;
        }
      : damage.created;
    const change = { '/buyer-reporting': created, '/status-reporting': damage.status }[path];
    if (!isReport && change && answer.ok) return json(response, change(JSON.parse(text)));

    const given =
      isReport && request && answer.ok
        ? damaged(text, body, request, damage)
        : { text, rowCount: 0 };
    rowCount = given.rowCount;
    const { status = answer.status, headers: added = {} } =
      (isReport && answer.ok && damage.answer) || {};
    const isUnmarked = isReport && damage.isUnmarked;
    if (isUnmarked) response.removeHeader('transfer-encoding');
    response.writeHead(status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(isUnmarked && { connection: 'close' }),
      ...added,
    });
    if (isUnmarked) response.flushHeaders();
    response.end(given.text);
  });
  const run = async (
    asked: Request,
    change: Damage,
    ...flags: readonly string[]
  ): Promise<CliResult> => {
    request = asked;
    damage = change;
    firstCreated = undefined;
    const { profile, metrics, window, zone, encoding, isDirect, isFrench } = asked;
    const by = breakdownsOf(asked).join();
    const line = [
      `run ${window} --metrics ${metrics} --encoding ${encoding} --window-clock ${clock} -q --json`,
      outputOf(asked) === 'per part' ? '--split day -o {date}.csv' : '-o x.csv',
      ...(by ? [`--by ${by}`] : []),
      ...(isDirect ? ['--direct'] : []),
      ...(outputOf(asked) === 'merged' ? ['--split day'] : []),
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
function fitting(all: Readonly<Record<string, Damage>>, body: Body): string[] {
  const isOfCsv = /in CSV|header|an end that/;
  const isOfJson = /a list|that is true|of the summary|another one/;
  return Object.keys(all).filter((name) => {
    const isBeside = all[name]?.members !== undefined;
    return body === 'CSV' ? !isBeside && !isOfJson.test(name) : !isOfCsv.test(name);
  });
}

/** Of all files. */
const warningsIn = ({ stdout }: CliResult): string[] =>
  stdout
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { file, warnings } = JSON.parse(line);
      return warnings.map((warning: string) => `${file}: ${warning}`);
    });

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
        { numRuns: 8 * factor },
      );
      expect(seen).toBeGreaterThan(0);
    },
  );

  test.each(fitting(damages, body))(
    '%s: --strict is exit 9 without a file, and else it is said',
    async (name) => {
      const damage = damages[name] ?? {};
      const { adapt = (request: Request) => request } = damage;
      const fits = requests.map(adapt).filter((request) => damage.fits?.(request, body) ?? true);
      const { run, rowCount } = await throughDamage('instant', body);

      await fc.assert(
        fc.asyncProperty(fits, async (request) => {
          const strict = await run(request, damage, '--strict');
          fc.pre(rowCount() >= 2);
          expect(strict).toMatchObject({ exitCode: 9, files: {} });
          const result = await run(request, damage);
          if (result.exitCode === 0 && !name.startsWith('no report')) {
            const said = warningsIn(result);
            expect(said).not.toEqual([]);
            const lines = said.map((warning) => `Warning: ${warning}`);
            expect(result.stderr.trim().split('\n').sort()).toEqual(lines.sort());
          } else expect(result).toMatchObject({ exitCode: 9, files: {} });
        }),
        { numRuns: factor },
      );
    },
  );

  test.each(fitting(noted, body))(
    '%s: --strict lets it pass, and it is no warning',
    async (name) => {
      const damage = noted[name] ?? {};
      const { adapt = (request: Request) => request } = damage;
      const fits = requests.map(adapt).filter((request) => damage.fits?.(request, body) ?? true);
      const { run, rowCount } = await throughDamage('instant', body);

      await fc.assert(
        fc.asyncProperty(fits, async (request) => {
          const result = await run(request, damage, '--strict');
          fc.pre(rowCount() >= 3);
          expect(result).toMatchObject({ exitCode: 0, stderr: '' });
          expect(warningsIn(result)).toEqual([]);
        }),
        { numRuns: factor },
      );
    },
  );
});
