import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../src/local-server.ts';
import { json, serve } from './support/http-server.ts';
import { openTerminal } from './support/pty.ts';
import {
  type CliOptions,
  type CommandLine,
  interruption,
  runCli,
  temporaryFolder,
} from './support/run-cli.ts';
import { launcher } from './support/spawn.ts';

/**
 * What was ordered, clause by clause, and `spec/reporting-service.md`, sentence by sentence. The
 * client runs against literal responses, and the local server answers literal requests, both over
 * HTTP; every name here is the specification's. To understand the project, begin here.
 *
 * > Commander subcommands (login, report create, status, download, campaigns, run) share an HTTP
 * > core that stores the token in a conf file, displays polling progress bars and writes results to
 * > JSON or CSV files, and an embedded local-server subcommand serves the full API from fixture
 * > data; used by terminal commands, cron jobs, shell pipelines.
 */

const token = 'c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff';

/** The window of the specification's example: December 2014 in UTC. */
const since = 1_417_392_000;
const until = 1_420_070_399;
const december = `--since ${since} --until ${until}`;

const buyerRow = {
  displays: 1204,
  clicks: 31,
  downloads: 2,
  leads: 1,
  landings: 7,
  eyesTrackings: 300,
  revenueEuro: 12.5,
  valueDollar: 14.02,
  country: 'France',
  city: null,
  postalcode: null,
  subpublisherId: null,
  os: null,
  adminLevel1: null,
  adminLevel2: null,
  deviceBrand: null,
  deviceModel: null,
  deviceType: 'phone',
  carrier: 'Orange F',
  billingEntity: 'Café SAS',
  platform: 'android',
  advertiser: 'Café',
  adName: 'Bannière',
  bundleId: 'com.example.app',
  campaignName: 'Noël, "2014"',
  creativeId: '9',
  adUnitLimitType: '0',
  adUnitLimitValue: '0',
  campaignId: '40001',
  adId: '7',
  Adnetwork: 'Aurora',
};

const buyerReport = {
  data: [buyerRow],
  summary: {
    since: '2014-12-01T01:00:00+0100',
    until: '2015-01-01T00:59:59+0100',
    breakdowns: ['SUBPUBLISHERID', 'PLATFORM', 'CREATIVE'],
    timezone: 'europe/paris',
  },
};

const dspReport = {
  data: [
    { date: '2014-12-01', displays: 7, revenueEuro: '1234,50', revenueDollar: '1381,02' },
    { date: '2014-12-02', displays: 5, revenueEuro: '0,25', revenueDollar: '0,30' },
  ],
  summary: {
    since: '2014-11-30T19:00:00-0500',
    until: '2014-12-31T18:59:59-0500',
    breakdowns: ['DAILY'],
    timezone: 'America/New_York',
  },
};

const campaigns = [
  {
    advertiserId: '5',
    advertiserName: 'Café',
    campaignId: '40001',
    campaignName: 'Noël',
    campaignStartDate: '2014-12-01 00:00:00',
    campaignEndDate: '2014-12-31 23:59:59',
    adunits: [{ adunitName: 'Bannière', adunitId: '7' }],
  },
];

/** Starts a literal service, whose reports are ready at the third status call. */
async function startService({ report = buyerReport as object, statuses = 2 } = {}) {
  let calls = 0;
  const service = await serve(({ path, headers }, response) => {
    if (path !== '/auth-reporting' && headers.authorization !== token) {
      json(response, { response: { error_id: 'INVALID_TOKEN', error: 'Unknown token.' } }, 401);
    } else if (path === '/auth-reporting') {
      json(response, { response: { status: 'OK', token } });
    } else if (path === '/campaigns') {
      json(response, campaigns);
    } else if (path === '/download-reporting') {
      json(response, report);
    } else {
      if (path === '/status-reporting') calls += 1;
      const status = calls > statuses ? 'ready' : 'progress';
      json(response, { response: { status, message: status, report_id: 'r-1' } });
    }
  });

  const cwd = temporaryFolder();
  const env = { ADREPORT_BASE_URL: service.url.href, ADREPORT_TOKEN: token };
  const run = (line: CommandLine, options: CliOptions = {}) =>
    runCli(line, { cwd, ...options, env: { ...env, ...options.env } });
  return { run, cwd, url: service.url.href, received: service.received };
}

describe('the order: packages and files', () => {
  const root = resolve(import.meta.dirname, '..');

  const sourcesIn = (folder: string): string => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts'));
    return sources.map((file) => readFileSync(join(root, folder, file), 'utf8')).join('\n');
  };

  test.each([
    { name: 'commander', use: 'declares the commands', folder: 'src' },
    { name: 'inquirer', use: 'asks questions', folder: 'src/ui' },
    { name: 'undici', use: 'makes the calls', folder: 'src/api' },
    { name: 'cli-progress', use: 'draws the bars', folder: 'src/ui' },
    { name: 'chalk', use: 'colours the terminal', folder: 'src/ui' },
    { name: 'csv-stringify', use: 'writes CSV', folder: 'src/formats' },
    { name: 'luxon', use: 'knows calendars and zones', folder: 'src/query' },
    { name: 'conf', use: 'stores the token', folder: 'src/account' },
    { name: 'vitest', use: 'runs the tests', folder: 'test' },
  ])('$name $use', ({ name, folder }) => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    expect({ ...dependencies, ...devDependencies }).toHaveProperty([name]);
    expect(sourcesIn(folder)).toMatch(new RegExp(`(?:from |import\\()'${name}[/']`));
  });

  test('the top level has what was ordered, and what tools and conventions need', () => {
    const ordered = ['package.json', 'tsconfig.json', 'bin', 'src', 'test', 'README.md'];
    const conventions = ['LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md'];
    const tools = [
      'package-lock.json',
      'tsconfig.types.json',
      'biome.json',
      'vitest.config.ts',
      'dist',
      'node_modules',
      'coverage',
    ];

    const names = topLevelNames(root).filter((name) => !name.startsWith('.'));

    expect(names).toEqual(expect.arrayContaining(ordered));
    expect([...ordered, ...conventions, ...tools]).toEqual(expect.arrayContaining(names));
  });
});

/** Lists what the repository has: reports that a user wrote into a clone do not count. */
function topLevelNames(root: string): string[] {
  const { status, stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  // A copy without its history has nothing but the project.
  if (status !== 0) return readdirSync(root);
  const paths = stdout.trim().split('\n');
  return [...new Set(paths.map((path) => path.split('/')[0] ?? ''))];
}

/** Runs a command line of the installed program in a pseudo-terminal. */
async function runInTerminal(line: string, env: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder();
  const args = [launcher, ...line.split(' ')];
  const terminal = openTerminal(process.execPath, args, { env, cwd });
  const exitCode = await terminal.exitCode;
  return { exitCode, output: terminal.output };
}

/** Reads the percentages of the bars of reports, in the order in which they were drawn. */
function percentagesIn(output: string): readonly number[] {
  return [...output.matchAll(/Report \w+ {2}[━─]+ {2}(\d+)%/g)].map(([, share]) => Number(share));
}

describe('the order: commands share an HTTP core', () => {
  test('login stores the token in a conf file, and the other commands send it', async () => {
    const { cwd, url, received } = await startService();

    const flags = `--base-url ${url} --email me@example.com --password-stdin --profile buyer`;
    const login = await runCli(`login ${flags}`, { cwd, stdin: 'secret\n' });
    expect(login).toMatchObject({ exitCode: 0, stdout: '' });

    const file = join(cwd, '.config', 'settings.json');
    const settings = readFileSync(file, 'utf8');
    expect(settings).toContain(token);
    expect(settings).not.toContain('secret');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);

    expect(await runCli('campaigns', { cwd })).toMatchObject({ exitCode: 0 });
    expect(received.at(-1)).toMatchObject({
      path: '/campaigns',
      headers: { authorization: token },
    });
  });

  test('report create, status and download are the three steps', async () => {
    const { run, received } = await startService();

    const created = await run(`report create ${december} --metrics displays`);
    expect(created).toMatchObject({ exitCode: 0, stdout: 'r-1\n' });

    expect((await run('report status r-1')).stdout).toBe('progress\n');
    expect((await run('report status r-1 --wait')).stdout).toBe('ready\n');

    const downloaded = await run('report download r-1 --format json');
    expect(JSON.parse(downloaded.stdout)).toEqual(buyerReport);
    expect(received.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      `POST /buyer-reporting {"since":${since},"until":${until},"metrics":"displays"}`,
      'POST /status-reporting {"id":"r-1"}',
      'POST /status-reporting {"id":"r-1"}',
      'POST /status-reporting {"id":"r-1"}',
      'POST /download-reporting {"id":"r-1"}',
    ]);
  });

  test.each(['status', 'download'])(
    'report %s is the same command without report',
    async (name) => {
      const { run } = await startService({ statuses: 0 });

      const short = await run(`${name} r-1`);
      expect(short).toMatchObject({ exitCode: 0 });
      expect((await run(`report ${name} r-1`)).stdout).toBe(short.stdout);

      const usage = new RegExp(`Usage: adreport (?:report )?${name}`);
      const help = async (line: string) => (await run(`${line} --help`)).stdout.replace(usage, '');
      expect(await help(`report ${name}`)).toBe(await help(name));

      const { stdout: words } = await run(['complete', '--', 'report', '']);
      expect(words).toContain(name);
    },
  );

  test('campaigns lists campaigns and their ad units', async () => {
    const { run, received } = await startService();

    const { stdout } = await run('campaigns --ad-units --format csv');

    expect(stdout).toMatch(/40001.*Noël.*Bannière/);
    expect(received).toMatchObject([{ method: 'GET', path: '/campaigns', body: '' }]);
  });

  test('run is the three steps at once, and downloads only when the status is ready', async () => {
    const { run, received } = await startService();

    expect(await run(`run ${december} --metrics displays`)).toMatchObject({ exitCode: 0 });

    expect(received.map(({ path }) => path)).toEqual([
      '/buyer-reporting',
      '/status-reporting',
      '/status-reporting',
      '/status-reporting',
      '/download-reporting',
    ]);
  });

  test('a progress bar moves while the report is polled', { timeout: 20_000 }, async () => {
    const server = await startLocalServer({ delayMs: 900 });
    onTestFinished(() => server.close());
    const folder = temporaryFolder();
    const run = async (): Promise<string> => {
      const { output, exitCode } = await runInTerminal('run --period yesterday -o report.csv', {
        ADREPORT_CONFIG_DIR: folder,
        ADREPORT_BASE_URL: server.url,
        ADREPORT_TOKEN: server.accounts[0]?.token ?? '',
      });
      expect(exitCode).toBe(0);
      return output;
    };

    // The first report is waited for against a minute, the second against the time of the first.
    const first = percentagesIn(await run());
    const second = percentagesIn(await run());

    expect(new Set(second).size).toBeGreaterThan(2);
    expect(second).toEqual(second.toSorted((a, b) => a - b));
    expect(Math.max(...second)).toBeGreaterThan(Math.max(...first));
    expect(Math.max(...second)).toBeLessThanOrEqual(95);
  });

  test('results are written to JSON and CSV files', async () => {
    const { run } = await startService();
    const report = `run ${december} --metrics displays,revenueDollar --by CAMPAIGN`;

    expect(await run(`${report} -o a.json`)).toMatchObject({ exitCode: 0, stdout: '' });
    const { files } = await run(`${report} -o a.csv`);

    expect(JSON.parse(files['a.json'] ?? '')).toEqual(buyerReport);
    const [header = '', row = ''] = (files['a.csv'] ?? '').split('\r\n');
    expect(header).toMatch(/^campaignId,campaignName,displays,valueDollar,/);
    expect(row).toMatch(/^40001,"Noël, ""2014""",1204,14.02,/);
  });
});

describe('the order: used by', () => {
  test('terminal commands: a table for people', async () => {
    const { run } = await startService({ report: dspReport });

    const flags = `--profile dsp --timezone America/New_York ${december} --by DAILY`;
    const { exitCode, stdout } = await run(`run ${flags}`, { tty: true });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/2014-12-01.*1,234\.50/);
  });

  test('cron jobs: silent on success, an exit code and a reason on failure', async () => {
    const { run, cwd } = await startService();
    const line = `run ${december} --metrics displays -q -o report.csv`;

    const { exitCode, stdout, stderr } = await run(line);
    expect([exitCode, stdout, stderr]).toEqual([0, '', '']);

    const before = readFileSync(join(cwd, 'report.csv'), 'utf8');
    const refused = await run(`${line} --fresh`, { env: { ADREPORT_TOKEN: 'd'.repeat(40) } });
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
    expect(refused.stderr).toContain('Unknown token.');
    expect(refused.files['report.csv']).toBe(before);
  });

  test('shell pipelines: stdout is the report alone', async () => {
    const { run } = await startService({ report: dspReport });

    const flags = `--profile dsp --timezone America/New_York ${december} --by DAILY`;
    const { stdout } = await run(`run ${flags}`);

    expect(stdout).toBe(
      'date,displays,revenueEuro,revenueDollar\r\n' +
        '2014-12-01,7,"1234,50","1381,02"\r\n2014-12-02,5,"0,25","0,30"\r\n',
    );
  });
});

const buyerMetrics =
  'requests displays clicks downloads leads landings revenueEuro revenueDollar eyesTrackings'.split(
    ' ',
  );

const dspMetrics = ['displays', 'revenueEuro', 'revenueDollar'];

const timeBreakdowns = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];

/** The fields of a buyer's row by breakdown. */
const buyerFields: Readonly<Record<string, readonly string[]>> = {
  DAILY: ['date'],
  HOURLY: ['date', 'hour'],
  MONTHLY: ['date'],
  RANGE: ['date'],
  ADNETWORK: ['Adnetwork'],
  CAMPAIGN: ['campaignId', 'campaignName'],
  ADUNIT: ['adId', 'adName', 'adUnitLimitType', 'adUnitLimitValue'],
  ADVERTISER: ['advertiser', 'billingEntity'],
  PUBLISHERID: ['publisherId'],
  FORMAT: ['format'],
  OS: ['os'],
  COUNTRY: ['country'],
  REGION: ['adminLevel1'],
  DEPARTMENT: ['adminLevel2'],
  CITY: ['city'],
  POSTALCODE: ['postalcode'],
  DEVICETYPE: ['deviceType'],
  DEVICEBRAND: ['deviceBrand'],
  DEVICEMODEL: ['deviceModel'],
  CARRIER: ['carrier'],
  BUNDLEID: ['bundleId'],
  SUBPUBLISHERID: ['subpublisherId'],
  PLATFORM: ['platform'],
  CREATIVE: ['creativeId'],
};

const dspBreakdowns = [...timeBreakdowns, 'BUNDLEID', 'FORMAT'];

const idFilters =
  'adunitId campaignId osId formatId countryId regionId departmentId cityId postalcode adNetworkId deviceTypeId deviceBrandId'.split(
    ' ',
  );

const nameFilters = ['carrier', 'deviceModel'];

describe('the client and the specification', () => {
  /** Requests a report and returns the body that the service received. */
  async function bodyOf(flags: string, line = 'report create'): Promise<string> {
    const { run, received } = await startService();
    expect(await run(`${line} ${december} ${flags}`)).toMatchObject({ exitCode: 0 });
    return received[0]?.body ?? '';
  }

  test('every call has the token without a scheme word, and Accept: application/json', async () => {
    const { run, received } = await startService();

    await run(`run ${december}`);
    await run('campaigns');

    expect(received).toHaveLength(6);
    for (const { headers } of received) {
      expect(headers.authorization).toBe(token);
      expect(headers.accept).toContain('application/json');
    }
  });

  test('a body is JSON, labelled as such', async () => {
    const { run, received } = await startService();

    await run(`report create ${december} --metrics displays,clicks --by CAMPAIGN,OS`);

    expect(received[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      since,
      until,
      metrics: 'displays,clicks',
      breakdowns: ['CAMPAIGN', 'OS'],
    });
  });

  test('a body is a form with the keys of the examples if that is asked for', async () => {
    const { run, received } = await startService();

    const flags = '--metrics displays,clicks --by CAMPAIGN,OS --filter osId=1,2';
    await run(`report create ${december} ${flags} --encoding form`);

    expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(decodeURIComponent(received[0]?.body ?? '')).toBe(
      `since=${since}&until=${until}&metrics=displays,clicks` +
        '&breakdowns[0]=CAMPAIGN&breakdowns[1]=OS&osId[0]=1&osId[1]=2',
    );
  });

  test('a buyer may request every metric, breakdown and filter', async () => {
    const metrics = buyerMetrics.join(',');
    expect(JSON.parse(await bodyOf(`--metrics ${metrics}`))).toMatchObject({ metrics });

    for (const time of timeBreakdowns) {
      const others = Object.keys(buyerFields).filter((name) => !timeBreakdowns.includes(name));
      const breakdowns = [time, ...others];
      const body = JSON.parse(await bodyOf(`--by ${breakdowns.join(',')}`));
      expect(body.breakdowns).toEqual(breakdowns);
    }

    const filters = ['advertiserId', ...idFilters, ...nameFilters];
    const flags = filters.map((name) => `--filter ${name}=1,2`).join(' ');
    const body = JSON.parse(await bodyOf(flags));
    for (const name of filters) expect(body[name], name).toEqual(['1', '2']);
  });

  test('a DSP has its own metrics and breakdowns, and a time zone', async () => {
    const zone = '--profile dsp --timezone America/New_York';
    expect(JSON.parse(await bodyOf(`${zone} --by MONTHLY,BUNDLEID,FORMAT`))).toEqual({
      since,
      until,
      metrics: dspMetrics.join(','),
      breakdowns: ['MONTHLY', 'BUNDLEID', 'FORMAT'],
      timezone: 'America/New_York',
    });

    const { run, received } = await startService();
    for (const flags of ['--metrics clicks', '--by CAMPAIGN', '--filter osId=1']) {
      expect(await run(`run --profile dsp ${december} ${flags}`)).toMatchObject({ exitCode: 2 });
    }
    expect(await run(`run ${december} --timezone UTC`)).toMatchObject({ exitCode: 2 });
    expect(received).toEqual([]);
  });

  test.each(['DAILY,HOURLY', 'MONTHLY,RANGE'])(
    'two time breakdowns are refused: %s',
    async (by) => {
      const { run, received } = await startService();
      expect(await run(`run ${december} --by ${by}`)).toMatchObject({ exitCode: 2, stdout: '' });
      expect(received).toEqual([]);
    },
  );

  test('a buyer’s window is in the zone Europe/Paris', async () => {
    const { run, received } = await startService();

    await run('report create --period 2014-12');

    const body = JSON.parse(received[0]?.body ?? '');
    expect(body).toMatchObject({ since: 1_417_388_400, until: 1_420_066_799 });
    expect(body).not.toHaveProperty('timezone');
  });

  test('the summary is the requested window in local time; another one is a warning', async () => {
    const { run } = await startService();
    expect((await run(`run ${december} --metrics displays -q`)).stderr).toBe('');

    const summary = { ...buyerReport.summary, until: '2014-12-31T00:59:59+0100' };
    const other = await startService({ report: { ...buyerReport, summary } });
    expect((await other.run(`run ${december} -q`)).stderr).toContain('Warning: ');
  });

  test('a row keeps its fields and values; null is empty in CSV', async () => {
    const { run } = await startService();

    const report = `run ${december} --by CITY,CARRIER`;

    expect(JSON.parse((await run(`${report} --format ndjson`)).stdout)).toEqual(buyerRow);
    expect((await run(`${report} --format csv`)).stdout).toMatch(/^city,carrier,.*\r\n,Orange F,/);
  });

  test('a DSP report that comes as CSV is the same report', async () => {
    const csv = 'date,displays,revenueEuro,revenueDollar\r\n2014-12-01,7,"1234,50","1381,02"\r\n';
    const { url, received } = await serve(({ path }, response) => {
      if (path !== '/download-reporting') {
        return json(response, { response: { status: 'ready', message: '', report_id: 'r-1' } });
      }
      response.writeHead(200, { 'content-type': 'text/csv' }).end(csv);
    });
    const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: token };

    const line = `run --profile dsp ${december} --by DAILY`;
    expect(await runCli(`${line} -q`, { env })).toMatchObject({ exitCode: 0, stdout: csv });
    expect(received).toHaveLength(3);
  });

  test('2xx is success, and 4xx is failure', async () => {
    for (const { status, body, exitCode } of [
      { status: 200, body: { report_id: 'r-1' }, exitCode: 0 },
      { status: 201, body: { report_id: 'r-1' }, exitCode: 0 },
      { status: 400, body: { error: 'Not this.' }, exitCode: 4 },
      { status: 401, body: { error: 'Not you.' }, exitCode: 3 },
      { status: 404, body: { error: 'Not here.' }, exitCode: 4 },
    ]) {
      const { env } = await serve((_request, response) =>
        json(response, { response: body }, status),
      );
      const result = await runCli(`report create ${december}`, { env });
      expect(result, String(status)).toMatchObject({ exitCode });
      expect(result.stderr).toContain(body.error ?? '');
    }
  });
});

/** Two hours of a campaign. */
const fixtures = {
  'accounts.json': JSON.stringify([
    {
      name: 'me',
      email: 'me@example.com',
      password: 'secret',
      profile: 'buyer',
      token,
      advertiserIds: ['5'],
    },
  ]),
  'campaigns.json': JSON.stringify(campaigns),
  'catalog.json': JSON.stringify({ countryId: [{ id: '3017382', name: 'France' }] }),
  'facts.csv': `hour,adunitId,countryId,displays,clicks,revenueEuro
2014-12-24T15:00:00Z,7,3017382,100,3,1.50
2014-12-24T16:00:00Z,7,3017382,20,1,0.05
`,
};

test('the order: an embedded local-server subcommand serves the API from fixture data', async () => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(fixtures)) writeFileSync(join(folder, name), text);
  const { signal, send } = interruption(143);
  let report: Promise<{ exitCode: number; stdout: string }> | undefined;

  const server = await runCli(['local-server', '--port', '0', '--fixtures', folder, '--json'], {
    signal,
    onOutput: (text) => {
      if (report || !text.includes('"listening"')) return;
      const env = { ADREPORT_BASE_URL: JSON.parse(text).url, ADREPORT_TOKEN: token };
      const line = `run ${december} --by DAILY,COUNTRY --metrics displays,revenueEuro --columns date,country,displays,revenueEuro`;
      report = runCli(line, { env, onSleep: () => new Promise((done) => setTimeout(done, 20)) });
      void report.finally(send);
    },
  });

  expect(server.exitCode).toBe(0);
  expect(await report).toMatchObject({
    exitCode: 0,
    stdout: 'date,country,displays,revenueEuro\r\n2014-12-24,France,120,1.55\r\n',
  });
});

describe('the local server and the specification', () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await startLocalServer({ now: '2026-11-20T12:00:00Z', polls: 2 });
  });
  afterAll(() => server.close());

  /** The first hour of 2026 in Paris. */
  const hour = { since: 1_767_222_000, until: 1_767_225_599 };

  type Account = 'buyer' | 'admin' | 'dsp';

  const tokenOf = (account: Account): string =>
    server.accounts.find(({ email }) => email === `${account}@example.com`)?.token ?? '';

  interface Sent {
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: object;
    readonly form?: string;
  }

  /** Makes a call with exactly these headers: without a default `Accept`. */
  async function send(path: string, { headers = {}, json: document, form }: Sent = {}) {
    const body = document === undefined ? form : JSON.stringify(document);
    const type = document === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    const request = httpRequest(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece;
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  const as = (account: Account, more: object = {}) => ({
    authorization: tokenOf(account),
    accept: 'application/json',
    ...more,
  });

  const recordIn = ({ text }: { readonly text: string }) => JSON.parse(text).response;

  async function createReport(account: Account, parameters: object): Promise<string> {
    const json = { ...hour, metrics: 'displays', ...parameters };
    const created = await send('/buyer-reporting', { headers: as(account), json });
    expect(created, created.text).toMatchObject({ status: 200 });
    return recordIn(created).report_id;
  }

  async function waitFor(account: Account, id: string): Promise<void> {
    let status = '';
    while (status !== 'ready') {
      const answer = await send('/status-reporting', { headers: as(account), json: { id } });
      status = recordIn(answer).status;
      expect(['progress', 'ready']).toContain(status);
    }
  }

  async function reportFor(account: Account, parameters: object) {
    const id = await createReport(account, parameters);
    await waitFor(account, id);
    const answer = await send('/download-reporting', { headers: as(account), json: { id } });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text);
  }

  test('auth-reporting gives the token that every other call needs, without a scheme word', async () => {
    const auth = { email: 'buyer@example.com', password: 'demo' };
    const answer = await send('/auth-reporting', { json: { auth } });
    const { token: given } = recordIn(answer);
    expect(given).toMatch(/^[0-9a-f]{40}$/);

    const campaignsWith = (authorization: string) =>
      send('/campaigns', { headers: { authorization } });
    expect(await campaignsWith(given)).toMatchObject({ status: 200 });
    for (const wrong of [`Bearer ${given}`, 'd'.repeat(40)]) {
      expect(await campaignsWith(wrong), wrong).toMatchObject({ status: 401 });
    }
    expect(await send('/campaigns')).toMatchObject({ status: 401 });
    for (const path of ['/buyer-reporting', '/status-reporting', '/download-reporting']) {
      expect((await send(path, { json: {} })).status, path).toBe(401);
    }
  });

  test('a report is created, in progress, ready, and only then downloaded', async () => {
    const headers = as('buyer');
    const created = await send('/buyer-reporting', {
      headers,
      json: { ...hour, metrics: 'displays' },
    });
    const { report_id: id } = recordIn(created);
    const progress = { status: 'progress', message: 'progress', report_id: id };
    expect(created.status).toBe(200);
    expect(recordIn(created)).toEqual(progress);

    const status = async () => send('/status-reporting', { headers, json: { id } });
    const download = async () => send('/download-reporting', { headers, json: { id } });
    expect((await download()).status).toBe(409);
    expect(JSON.parse((await status()).text)).toEqual({ response: progress });
    expect((await download()).status).toBe(409);
    expect(recordIn(await status())).toMatchObject({ status: 'ready', report_id: id });

    const answer = await download();
    expect(answer.status).toBe(200);
    expect(Object.keys(JSON.parse(answer.text))).toEqual(['data', 'summary']);
  });

  test('2xx is success and 4xx is failure, each a JSON object', async () => {
    const headers = as('buyer');
    const wrong = { ...hour, metrics: 'wombats' };
    const answers = [
      await send('/buyer-reporting', { headers, json: { ...hour, metrics: 'displays' } }),
      await send('/buyer-reporting', { headers, json: wrong }),
      await send('/status-reporting', { headers, json: { id: 'unknown' } }),
      await send('/nothing', { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404]);
    for (const { text } of answers) {
      expect(JSON.parse(text)).toMatchObject({ response: expect.any(Object) });
    }
  });

  test.each(['since', 'until', 'metrics'])('%s is required', async (name) => {
    const json = { ...hour, metrics: 'displays', [name]: undefined };
    const answer = await send('/buyer-reporting', { headers: as('buyer'), json });
    expect(answer.status).toBe(400);
    expect(recordIn(answer).error).toContain(name);
  });

  test('JSON and forms are the same request; indexes need not be contiguous', async () => {
    const dataFor = async (sent: Sent) => {
      const { report_id: id } = recordIn(
        await send('/buyer-reporting', { headers: as('buyer'), ...sent }),
      );
      await waitFor('buyer', id);
      const form = `id=${id}`;
      return JSON.parse((await send('/download-reporting', { headers: as('buyer'), form })).text);
    };
    const parameters = `since=${hour.since}&until=${hour.until}&metrics=displays,clicks`;

    const report = await dataFor({
      json: { ...hour, metrics: 'displays,clicks', breakdowns: ['OS', 'CAMPAIGN'], osId: ['1'] },
    });

    expect(report.summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
    const form = `${parameters}&breakdowns[7]=OS&breakdowns[10]=CAMPAIGN&osId[3]=1`;
    expect(await dataFor({ form })).toEqual(report);
    const keys = { 'breakdowns[7]': 'OS', 'breakdowns[10]': 'CAMPAIGN', 'osId[3]': '1' };
    const json = { ...hour, metrics: 'displays,clicks', ...keys };
    expect(await dataFor({ json })).toEqual(report);
  });

  test('a buyer has every metric, each a number; dollars are valueDollar in rows', async () => {
    const { data } = await reportFor('buyer', { metrics: buyerMetrics.join(',') });

    const [row] = data;
    for (const name of buyerMetrics) {
      expect(row[name === 'revenueDollar' ? 'valueDollar' : name], name).toEqual(
        expect.any(Number),
      );
    }
    expect(row).not.toHaveProperty('revenueDollar');
  });

  test.each(Object.entries(buyerFields))(
    'a buyer by %s has one row per value of %j; other dimensions are null',
    async (breakdown, fields) => {
      const { data, summary } = await reportFor('buyer', { breakdowns: [breakdown] });

      expect(summary.breakdowns).toEqual([breakdown]);
      const keys = new Set(data.map((row: Row) => JSON.stringify(fields.map((name) => row[name]))));
      expect(data.length).toBeGreaterThan(0);
      expect(keys.size).toBe(data.length);

      const onlyWhenRequested = ['date', 'hour', 'publisherId', 'format'];
      for (const name of Object.values(buyerFields).flat()) {
        if (fields.includes(name)) continue;
        const expected = onlyWhenRequested.includes(name) ? undefined : null;
        for (const row of data) expect(row[name], name).toBe(expected);
      }
    },
  );

  test('the fields of a buyer’s row have the types of the specification', async () => {
    const breakdowns = Object.keys(buyerFields).filter((name) => !timeBreakdowns.includes(name));
    const { data } = await reportFor('buyer', { breakdowns });

    for (const row of data.slice(0, 100)) {
      for (const name of ['creativeId', 'adUnitLimitType', 'campaignId', 'adId']) {
        expect(row[name], name).toMatch(/^\d+$/);
      }
      for (const name of ['carrier', 'platform', 'advertiser', 'adName', 'campaignName']) {
        expect(row[name], name).toEqual(expect.any(String));
      }
      expect(['phone', 'tablet', null]).toContain(row.deviceType);
    }
  });

  test.each([...idFilters, ...nameFilters])(
    'a buyer may filter by %s, with one value or several',
    async (name) => {
      const displaysFor = async (parameters: object): Promise<number> => {
        const { data } = await reportFor('buyer', parameters);
        return data[0]?.displays ?? 0;
      };
      const one = await displaysFor({ [name]: ['1'] });

      expect(one).toBeLessThan(await displaysFor({}));
      expect(await displaysFor({ [name]: '1' })).toBe(one);
      expect(await displaysFor({ [name]: ['1', '2'] })).toBeGreaterThanOrEqual(one);
    },
  );

  test('the filter advertiserId is for admins only', async () => {
    const json = { ...hour, metrics: 'displays', advertiserId: ['501'] };
    expect((await send('/buyer-reporting', { headers: as('buyer'), json })).status).toBe(403);
    expect((await send('/buyer-reporting', { headers: as('admin'), json })).status).toBe(200);
  });

  test.each(['buyer', 'dsp'] as const)(
    'at most one time breakdown is used per request: %s',
    async (account) => {
      for (const breakdowns of [
        ['DAILY', 'HOURLY'],
        ['MONTHLY', 'RANGE'],
      ]) {
        const json = { ...hour, metrics: 'displays', breakdowns };
        expect((await send('/buyer-reporting', { headers: as(account), json })).status).toBe(400);
      }
    },
  );

  test('a buyer’s window is in Paris, and its summary always says europe/paris', async () => {
    const json = { since, until, timezone: 'Asia/Tokyo' };
    expect((await reportFor('buyer', json)).summary).toEqual({
      since: '2014-12-01T01:00:00+0100',
      until: '2015-01-01T00:59:59+0100',
      breakdowns: [],
      timezone: 'europe/paris',
    });
  });

  test('a DSP’s window is local time with offset in the zone that it asks for', async () => {
    const json = { since, until, timezone: 'America/New_York' };
    expect((await reportFor('dsp', json)).summary).toMatchObject({
      since: '2014-11-30T19:00:00-0500',
      until: '2014-12-31T18:59:59-0500',
      timezone: 'America/New_York',
    });
  });

  test('a DSP has its metrics and breakdowns, and no others', async () => {
    for (const breakdown of dspBreakdowns) {
      const { data } = await reportFor('dsp', { breakdowns: [breakdown] });
      expect(data.length, breakdown).toBeGreaterThan(0);
    }
    for (const wrong of [{ metrics: 'clicks' }, { breakdowns: ['CAMPAIGN'] }, { osId: ['1'] }]) {
      const json = { ...hour, metrics: 'displays', ...wrong };
      expect((await send('/buyer-reporting', { headers: as('dsp'), json })).status).toBe(400);
    }
  });

  test('a DSP’s row has only what was selected; its revenue has a decimal comma', async () => {
    const parameters = { metrics: dspMetrics.join(','), breakdowns: ['DAILY'] };
    const { data } = await reportFor('dsp', parameters);

    for (const row of data) {
      expect(row).toEqual({
        date: '2026-01-01',
        displays: expect.any(Number),
        revenueEuro: expect.stringMatching(/^\d+,\d\d$/),
        revenueDollar: expect.stringMatching(/^\d+,\d\d$/),
      });
    }
  });

  test('a DSP’s report is JSON with Accept: application/json, and CSV without Accept', async () => {
    const id = await createReport('dsp', { metrics: dspMetrics.join(','), breakdowns: ['DAILY'] });
    await waitFor('dsp', id);

    const authorization = tokenOf('dsp');
    const csv = await send('/download-reporting', { headers: { authorization }, json: { id } });
    const document = await send('/download-reporting', { headers: as('dsp'), json: { id } });

    expect(document.headers['content-type']).toMatch(/^application\/json/);
    expect(csv.headers['content-type']).toMatch(/^text\/csv/);
    expect(csv.text).toMatch(
      /^date,displays,revenueEuro,revenueDollar\r\n2026-01-01,\d+,"\d+,\d\d","\d+,\d\d"\r\n$/,
    );
  });

  test('GET /campaigns returns all campaigns, each with its ad units', async () => {
    const answer = await send('/campaigns', { headers: as('buyer') });
    const list = JSON.parse(answer.text);

    expect(list.length).toBeGreaterThan(0);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    for (const campaign of list) {
      expect(campaign).toEqual({
        advertiserId: expect.stringMatching(/^\d+$/),
        advertiserName: expect.any(String),
        campaignId: expect.stringMatching(/^\d+$/),
        campaignName: expect.any(String),
        campaignStartDate: time,
        campaignEndDate: time,
        adunits: expect.any(Array),
      });
      for (const unit of campaign.adunits) {
        expect(unit).toEqual({
          adunitName: expect.any(String),
          adunitId: expect.stringMatching(/^\d+$/),
        });
      }
    }
  });
});

type Row = Readonly<Record<string, string | number | null>>;
