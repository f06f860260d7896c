import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli, startCli } from '../support/spawn.ts';

/**
 * What the steps of a run must notice although no single report tells it (`cli.md`, Never silently
 * wrong).
 */

const byDay = 'run --period 2026-11-09..2026-11-11 --by DAILY --metrics displays';

describe('download ID', () => {
  test('a report of this machine has the columns, the checks and the --strict of its request', async () => {
    const { run, server } = await serveForTest({ manual: true });
    const line = 'run --period 2026-11-09 --by DAILY --metrics clicks,ctr --strict -o a.csv';
    await run(`${line} --wait-timeout 1s`);
    const [entry] = JSON.parse((await run('report list --json')).stdout);
    server.setReport(entry.id, { status: 'ready' });

    const fetched = await run(`download ${entry.id} --wait -o b.csv`);

    expect(fetched).toMatchObject({ exitCode: 0 });
    expect(fetched.files['b.csv']).toMatch(/^date,clicks,ctr\r\n2026-11-09,/);
  });

  test.each(['--strict', ''])('a finding, run with "%s"', async (strict) => {
    const { env } = await serve(({ path, body }, response) => {
      const isAsked = body.includes('"id"');
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting' && isAsked) return json(response, { status: 'progress' });
      return json(response, { data: [{ date: '2026-11-19', displays: 1 }] });
    });
    const cwd = temporaryFolder();
    await runCli(`${byDay} ${strict} --wait-timeout 1s`, { cwd, env });

    const fetched = await runCli('download r1 --json -o x.csv -q', { cwd, env });

    expect(fetched.stderr).toContain('rows of 1 day outside its window: 2026-11-19.');
    if (strict === '') {
      expect(fetched).toMatchObject({ exitCode: 0 });
      const { warnings, notes } = JSON.parse(fetched.stdout);
      expect(warnings).toHaveLength(1);
      expect(notes).toEqual([expect.stringContaining('no rows for 3 of the 3 days')]);
    } else {
      expect(fetched).toMatchObject({ exitCode: 9, files: {} });
    }
  });

  test('of any other report, what the document tells is compared with its rows', async () => {
    const summary = {
      since: '2026-11-09T00:00:00+0100',
      until: '2026-11-09T23:59:59+0100',
      breakdowns: ['DAILY', 'CAMPAIGN'],
      timezone: 'europe/paris',
    };
    const row = { date: '2026-11-09', campaignId: '1', campaignName: 'A', os: null, displays: 1 };
    const later = { ...row, date: '2026-11-10' };
    const odd = { ...row, campaignId: '2', displays: 'many' };
    const { env } = await serve((_request, response) =>
      json(response, { data: [row, row, later, odd], summary, report_id: 'r2' }),
    );

    const fetched = await runCli('download r1 --json -o x.csv', { env });

    expect(fetched.exitCode).toBe(0);
    expect(JSON.parse(fetched.stdout).warnings).toEqual([
      'The metric displays is no whole number in row 4: it has "many".',
      'The report has rows of 1 day outside its window: 2026-11-10.',
      'One row of the report repeats the breakdown values of an earlier one; the first is row 2.',
    ]);
    expect(await runCli('download r1 --strict -o x.csv', { env })).toMatchObject({
      exitCode: 9,
      files: {},
    });
  });
});

describe('many reports', () => {
  test('one id for three creates is a finding of each report but the first', async () => {
    const { env } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });
      return json(response, { data: [{ date: '2026-11-09', displays: 1 }] });
    });
    const line = `${byDay} --split day --concurrency 1 -o {date}.csv`;

    const result = await runCli(line, { env });

    expect(result.stderr.match(/with the id of another request’s report: r1/g)).toHaveLength(2);
    expect(await runCli(`${line} --strict`, { env })).toMatchObject({ exitCode: 9 });
  });

  test('one id for two creates is a finding also where no ledger can be kept', async () => {
    const { env } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });
      return json(response, { data: [{ date: '2026-11-09', displays: 1 }] });
    });
    const line = `${byDay} --split day --concurrency 1 -o {date}.csv -q`;

    const result = await runCli(line, { env: { ...env, ADREPORT_CONFIG_DIR: '/dev/null/none' } });

    expect(result.stderr.match(/with the id of another request’s report: r1/g)).toHaveLength(2);
  });

  test('each part of a merged output is compared by itself', async () => {
    const { env } = await serve(({ path, body }, response) => {
      const { id, until } = JSON.parse(body);
      if (path === '/buyer-reporting') {
        return json(response, { id: `d${new Date(until * 1_000).getUTCDate()}` });
      }
      if (path === '/status-reporting') return json(response, { status: 'ready' });

      const day = String(id).slice(1).padStart(2, '0');
      const at = (time: string) => `2026-11-${day}T${time}+0100`;
      const until10 = id === 'd10' ? '11:59:59' : '23:59:59';
      const metric = id === 'd11' ? { displays: true } : { displays: 1 };
      const data = [{ date: `2026-11-${day}`, ...metric }];
      return json(response, { data, summary: { since: at('00:00:00'), until: at(until10) } });
    });

    const result = await runCli(`${byDay} --split day -o x.csv --json`, { env });

    expect(JSON.parse(result.stdout).warnings).toEqual([
      expect.stringMatching(/^2026-11-10: The report is of another window/),
      expect.stringMatching(/^2026-11-11: The metric displays is no whole number/),
    ]);
    expect(await runCli(`${byDay} --split day -o x.csv --strict`, { env })).toMatchObject({
      exitCode: 9,
      files: {},
    });
  });

  test.each(['{date}.csv', 'x.csv'])(
    'a bug in one of them is exit 1 at once, while others still wait for their data: %s',
    async (file) => {
      // Of one text the program's own process makes an error that nobody expects.
      const bug = `const { decode } = TextDecoder.prototype;
      TextDecoder.prototype.decode = function (...given) {
        const text = decode.apply(this, given);
        if (text.includes('poison')) throw new TypeError('a bug');
        return text;
      };`;
      const { env, received } = await serve(({ path, body }, response) => {
        const { id, until } = JSON.parse(body);
        const day = new Date(until * 1_000).getUTCDate();
        if (path === '/buyer-reporting') return json(response, { id: `d${day}` });
        if (path === '/status-reporting') return json(response, { status: 'ready' });
        // The data of the other days never comes.
        if (id === 'd10')
          json(response, { data: [{ date: '2026-11-10', campaignName: 'poison' }] });
      });
      const options = `--import data:text/javascript,${encodeURIComponent(bug)}`;

      const result = await spawnCli(`${byDay} --split day -o ${file}`, {
        env: { ...env, NODE_OPTIONS: options },
      });

      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain('a bug');
      expect(result.stderr).not.toMatch(/Trying again|destroyed/);
      expect(readdirSync(result.cwd).filter((name) => /csv|tmp/.test(name))).toEqual([]);
      const downloads = received.filter(({ path }) => path === '/download-reporting');
      expect(downloads.length).toBeLessThanOrEqual(3);
    },
  );

  test('a reader of --json that goes away keeps no file from being written', async () => {
    const { env, cwd } = await serveForTest({ delayMs: 0 });
    const line =
      'run --period 2026-11-01..2026-11-12 --by OS --metrics displays --split day -o {date}.csv --json';
    const { child, ended } = startCli(line, { env, cwd });
    child.stdout?.once('data', () => child.stdout?.destroy());

    const result = await ended;

    expect(result.exitCode).toBe(0);
    expect(result.stderr).not.toMatch(/destroyed|Trying again/);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.csv'))).toHaveLength(12);
  });
});

describe('a CSV whose end is marked by the end of the connection alone', () => {
  /** A service that says nothing of how long its CSV is. */
  async function serveUnmarked(csv: string) {
    const service = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });

      response.removeHeader('transfer-encoding');
      response.writeHead(200, { 'content-type': 'text/csv', connection: 'close' });
      response.flushHeaders();
      response.end(csv);
    });
    return service.env;
  }

  const rows = 'date,displays\n2026-11-09,12\n2026-11-10,34\n2026-11-11,5';

  const byMonth = 'run --period 2026-11 --split month --by DAILY --metrics displays';

  test.each([byDay, byMonth])('cut in its last value is a note: %s', async (line) => {
    const env = await serveUnmarked(rows);

    const result = await runCli(`${line} --json -q -o x.csv`, { env });

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).notes).toContainEqual(
      expect.stringMatching(/(^|: )The report may be cut: its last line has no line end/),
    );
  });

  test('with a line end behind its last row is whole', async () => {
    const env = await serveUnmarked(`${rows}\n`);

    expect(await runCli(`${byDay} --strict -q -o x.csv`, { env })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('cut within a row is no report', async () => {
    const env = await serveUnmarked(rows.slice(0, -2));

    expect(await runCli(`${byDay} -q -o x.csv`, { env })).toMatchObject({ exitCode: 9, files: {} });
  });
});

test('--direct: rows beside an id and an error are the report, and the error is a finding', async () => {
  const { env, received } = await serve((_request, response) => {
    const data = [{ date: '2026-11-09', displays: 1 }];
    json(response, { report_id: 'r1', error: 'shard 2 is late', data });
  });
  const line = 'run --direct --period 2026-11-09 --by DAILY --metrics displays -q -o x.csv';

  const result = await runCli(line, { env });

  expect(result).toMatchObject({ exitCode: 0, files: { 'x.csv': expect.stringContaining(',1') } });
  expect(result.stderr).toContain('error beside its rows: error: "shard 2 is late"');
  expect(received).toHaveLength(1);
  expect(await runCli(`${line} --strict`, { env })).toMatchObject({ exitCode: 9, files: {} });
});

describe('names', () => {
  const campaigns = {
    campaigns: [{ campaignId: '12', campaignName: 'Cafe\u0301', adunits: [] }],
    next: '/campaigns?page=2',
  };

  test('that were looked up in a list that is not whole are a finding; with --strict nothing is asked for', async () => {
    const { env, received } = await serve(({ path }, response) => {
      if (path === '/campaigns') return json(response, campaigns);
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });
      return json(response, { data: [{ date: '2026-11-09', displays: 1 }] });
    });
    const line = 'run --period 2026-11-09 --by DAILY --metrics displays --campaign Café -o x.csv';

    const result = await runCli(`${line} -q --json`, { env });

    expect(result).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(result.stdout).warnings).toEqual([
      expect.stringContaining('The list of campaigns goes on elsewhere'),
    ]);

    const creates = () => received.filter(({ path }) => path === '/buyer-reporting').length;
    const before = creates();
    expectRefusal(await runCli(`${line} --strict`, { env }), 9, 'The list of campaigns goes on');
    expect(creates()).toBe(before);
  });
});

describe('a token that may not list campaigns works', () => {
  const serveForbidden = () =>
    serve(({ path, headers }, response) => {
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });
      if (path === '/download-reporting') return json(response, { data: [{ displays: 1 }] });
      json(response, { error: 'no' }, headers.authorization ? 403 : 401);
    });

  test('whoami', async () => {
    const { env } = await serveForbidden();

    expect(await runCli('whoami', { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('works, but may not list campaigns'),
    });
  });

  test('doctor', async () => {
    const { env } = await serveForbidden();

    const result = await runCli('doctor --json', { env });

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toContainEqual(
      expect.objectContaining({ message: 'works, but may not list campaigns.' }),
    );
  });
});

describe('campaigns --active', () => {
  const day = Date.UTC(2026, 10, 10) / 1_000;
  const campaignOf = (campaignId: string, since: unknown, until: unknown) => ({
    campaignId,
    campaignName: campaignId,
    campaignStartDate: since,
    campaignEndDate: until,
    adunits: [],
  });

  test.each([
    { dates: 'unix time', since: day, until: day + 86_400, isActive: true },
    { dates: 'unix time in a text', since: `${day}`, until: `${day + 86_400}`, isActive: true },
    { dates: 'unix time that is over', since: day - 99_999_999, until: day - 1_000_000 },
    { dates: 'zeros', since: '0000-00-00 00:00:00', until: '0000-00-00 00:00:00', isActive: true },
    { dates: 'nothing', since: null, until: '', isActive: true },
    { dates: 'a number of zero', since: 0, until: 0, isActive: true },
    { dates: 'a day alone', since: '2026-11-10', until: '2026-11-10', isActive: true },
    { dates: 'a day alone that is over', since: '2026-11-01', until: '2026-11-08' },
    { dates: 'a start to come', since: '2026-11-12 00:00:00', until: '0' },
  ])('$dates', async ({ since, until, isActive = false }) => {
    const { env } = await serve((_request, response) =>
      json(response, [campaignOf('12', since, until)]),
    );
    const line = 'campaigns --active 2026-11-10 --format csv --columns campaignId';

    const { stdout } = await runCli(line, { env });

    expect(stdout).toBe(isActive ? 'campaignId\r\n12\r\n' : 'campaignId\r\n');
  });
});

describe('what one report tells of itself', () => {
  async function serveData(document: object) {
    const { env } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') return json(response, { id: 'r1' });
      if (path === '/status-reporting') return json(response, { status: 'ready' });
      json(response, document);
    });
    return env;
  }

  test.each([10_000])('exactly %i rows may be a limit, which --strict lets pass', async (count) => {
    const data = Array.from({ length: count }, (_, row) => ({
      campaignId: `${row}`,
      displays: 1,
    }));
    const line =
      'run --period 2026-11-09 --by CAMPAIGN --metrics displays --columns campaignId,displays';
    const named = data.map((row) => ({ ...row, campaignName: 'A' }));

    const result = await runCli(`${line} --strict --json -o x.csv`, {
      env: await serveData({ data: named }),
    });

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).notes).toEqual([
      expect.stringMatching(/has exactly [\d,]+ rows, which may be a limit/),
    ]);
    const other = await runCli(`${line} --strict --json -o x.csv`, {
      env: await serveData({ data: named.slice(1) }),
    });
    expect(JSON.parse(other.stdout)).toMatchObject({ warnings: [], notes: [] });
  });
});
