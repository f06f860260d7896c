import { readdirSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clearFaults, setStatus } from '../server/local.ts';
import { json, serve } from '../support/http-server.ts';
import { literalAnswers, serveOdd } from '../support/odd-service.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli, startCli } from '../support/spawn.ts';

/**
 * What the steps of a run must notice although no single report tells it (`cli.md`, Never silently
 * wrong). The CSV without an end has a service of its own: the local server gives every answer an
 * end.
 */

const byDay = 'run --period 2026-11-09..2026-11-11 --by DAILY --metrics displays';

describe('download ID', () => {
  test('a report of this machine has the columns, the checks and the --strict of its request', async () => {
    const { run, server } = await serveForTest({ manual: true });
    const line = 'run --period 2026-11-09 --by DAILY --metrics clicks,ctr --strict -o a.csv';
    await run(`${line} --wait-timeout 1s`);
    const [entry] = JSON.parse((await run('report list --json')).stdout);
    await setStatus(server, entry.id, 'ready');

    const fetched = await run(`download ${entry.id} --wait -o b.csv`);

    expect(fetched).toMatchObject({ exitCode: 0 });
    expect(fetched.files['b.csv']).toMatch(/^date,clicks,ctr\r\n2026-11-09,/);
  });

  test.each(['--strict', ''])('a warning, run with "%s"', async (strict) => {
    const data = [{ date: '2026-11-19', displays: 1 }];
    const { run, server } = await serveOdd({
      server: { manual: true },
      faults: [{ endpoint: 'download', answer: { body: { data } } }],
    });
    await run(`${byDay} ${strict} --wait-timeout 1s`);
    const [report] = server.reports();
    await setStatus(server, report?.report_id ?? '', 'ready');

    const fetched = await run(`download ${report?.report_id} --json -o x.csv -q`);

    expect(fetched.stderr).toContain('rows for 1 day outside its period: 2026-11-19.');
    if (strict === '') {
      expect(fetched).toMatchObject({ exitCode: 0 });
      const { warnings, notes } = JSON.parse(fetched.stdout);
      expect(warnings).toHaveLength(1);
      expect(notes).toEqual([expect.stringContaining('no rows for 3 of the 3 days')]);
    } else {
      expect(fetched).toMatchObject({ exitCode: 9, files: {} });
    }
  });

  test('any other report is checked against its own document', async () => {
    const summary = {
      since: '2026-11-09T00:00:00+0100',
      until: '2026-11-09T23:59:59+0100',
      breakdowns: ['DAILY', 'CAMPAIGN'],
      timezone: 'europe/paris',
    };
    const row = { date: '2026-11-09', campaignId: '1', campaignName: 'A', os: null, displays: 1 };
    const later = { ...row, date: '2026-11-10' };
    const odd = { ...row, campaignId: '2', displays: 'many' };
    const body = { data: [row, row, later, odd], summary, report_id: 'r2' };
    const { run } = await serveOdd({ faults: literalAnswers({ download: body }) });

    const fetched = await run('download r1 --json -o x.csv');

    expect(fetched.exitCode).toBe(0);
    expect(JSON.parse(fetched.stdout).warnings).toEqual([
      'The metric displays is not a whole number in row 4: "many".',
      'The report has rows for 1 day outside its period: 2026-11-10.',
      'Row 2 repeats the breakdown values of an earlier row.',
    ]);
    expect(await run('download r1 --strict -o x.csv')).toMatchObject({ exitCode: 9, files: {} });
  });
});

describe('many reports', () => {
  test('each part of a merged output is checked alone', async () => {
    const { run } = await serveOdd({
      server: { delayMs: 0 },
      faults: [
        {
          endpoint: 'download',
          change: ({ data, summary }: { data: object[]; summary: { since: string } }) => {
            const { since } = summary;
            if (since.startsWith('2026-11-10')) {
              return { data, summary: { ...summary, until: '2026-11-10T11:59:59+0100' } };
            }
            const isOdd = since.startsWith('2026-11-11');
            return { summary, data: data.map((row) => (isOdd ? { ...row, displays: true } : row)) };
          },
        },
      ],
    });

    const result = await run(`${byDay} --split day -o x.csv --json`);

    expect(JSON.parse(result.stdout).warnings).toEqual([
      expect.stringMatching(/^2026-11-10: The report covers a different period than requested/),
      expect.stringMatching(/^2026-11-11: The metric displays is not a whole number/),
    ]);
    const strict = await run(`${byDay} --split day -o x.csv --strict`);
    expect(strict).toMatchObject({ exitCode: 9, files: {} });
  });

  describe('a bug in one of them is exit 1 immediately, while others are still waiting', () => {
    /** A service whose second day has a text that causes the bug, and whose others never come. */
    async function servePoison() {
      const service = await serveForTest({ delayMs: 0 });
      service.server.fault({
        endpoint: 'download',
        change: ({ data, summary }) => {
          if (String(summary.since).startsWith('2026-11-10')) {
            return { data: [{ ...data[0], campaignName: 'poison' }], summary };
          }
          return new Promise(() => {});
        },
      });
      return service;
    }

    function expectBug(result: object & { readonly stderr: string }, cwd: string): void {
      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain('a bug');
      expect(result.stderr).not.toMatch(/Retrying|destroyed/);
      expect(readdirSync(cwd).filter((name) => /csv|tmp/.test(name))).toEqual([]);
    }

    test('a file for each', async () => {
      const { run, cwd, calls } = await servePoison();
      const { decode } = TextDecoder.prototype;
      TextDecoder.prototype.decode = function (...given) {
        const text = decode.apply(this, given);
        if (text.includes('poison')) throw new TypeError('a bug');
        return text;
      };
      onTestFinished(() => {
        TextDecoder.prototype.decode = decode;
      });

      expectBug(await run(`${byDay} --split day -o {date}.csv`), cwd);
      expect(calls('download')).toBeLessThanOrEqual(3);
    });

    test('a file for all; the process ends', async () => {
      const { env, calls } = await servePoison();
      const bug = `const { decode } = TextDecoder.prototype;
      TextDecoder.prototype.decode = function (...given) {
        const text = decode.apply(this, given);
        if (text.includes('poison')) throw new TypeError('a bug');
        return text;
      };`;
      const options = `--import data:text/javascript,${encodeURIComponent(bug)}`;

      const result = await spawnCli(`${byDay} --split day -o x.csv`, {
        env: { ...env, NODE_OPTIONS: options },
      });

      expectBug(result, result.cwd);
      expect(calls('download')).toBeLessThanOrEqual(3);
    });
  });

  test('files are written even if the reader of --json goes away', async () => {
    const { env, cwd } = await serveForTest({ delayMs: 0 });
    const line =
      'run --period 2026-11-01..2026-11-06 --by OS --metrics displays --split day -o {date}.csv --json';
    const { child, ended } = startCli(line, { env, cwd });
    child.stdout?.once('data', () => child.stdout?.destroy());

    const result = await ended;

    expect(result.exitCode).toBe(0);
    expect(result.stderr).not.toMatch(/destroyed|Retrying/);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.csv'))).toHaveLength(6);
  });
});

describe('a CSV that ends with the connection', () => {
  /** A service that does not state the length of its CSV. */
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

  test.each([byDay, byMonth])('is noted if it is cut in its last value: %s', async (line) => {
    const env = await serveUnmarked(rows);

    const result = await runCli(`${line} --json -q -o x.csv`, { env });

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).notes).toContainEqual(
      expect.stringMatching(/(^|: )The report may be incomplete: its last line has no line break/),
    );
  });

  test('is complete if a line break follows its last row', async () => {
    const env = await serveUnmarked(`${rows}\n`);

    expect(await runCli(`${byDay} --strict -q -o x.csv`, { env })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('is not a report if it is cut within a row', async () => {
    const env = await serveUnmarked(rows.slice(0, -2));

    expect(await runCli(`${byDay} -q -o x.csv`, { env })).toMatchObject({ exitCode: 9, files: {} });
  });
});

test('--direct: rows next to an id and an error are the report, and the error is a warning', async () => {
  const change = (document: object) => ({ report_id: 'r1', error: 'shard 2 is late', ...document });
  const { run, calls } = await serveOdd({ faults: [{ endpoint: 'buyer', change }] });
  const line = 'run --direct --period 2026-11-09 --by DAILY --metrics displays -q -o x.csv';

  const result = await run(line);

  expect(result).toMatchObject({ exitCode: 0, files: { 'x.csv': expect.any(String) } });
  expect(result.stderr).toContain('came with an error (error: "shard 2 is late")');
  expect([calls('buyer'), calls('download')]).toEqual([1, 0]);
  expect(await run(`${line} --strict`)).toMatchObject({ exitCode: 9, files: {} });
});

describe('names', () => {
  const campaigns = {
    campaigns: [{ campaignId: '12', campaignName: 'Cafe\u0301', adunits: [] }],
    next: '/campaigns?page=2',
  };

  test('looked up in an incomplete list are a warning; with --strict nothing is ordered', async () => {
    const data = [{ date: '2026-11-09', displays: 1 }];
    const { run, calls } = await serveOdd({
      faults: literalAnswers({ campaigns, download: { data } }),
    });
    const line = 'run --period 2026-11-09 --by DAILY --metrics displays --campaign Café -o x.csv';

    const result = await run(`${line} -q --json`);

    expect(result).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(result.stdout).warnings).toEqual([
      expect.stringContaining('The campaign list is incomplete: the response'),
    ]);

    const before = calls('buyer');
    expectRefusal(await run(`${line} --strict`), 9, 'The campaign list is incomplete');
    expect(calls('buyer')).toBe(before);
  });
});

describe('campaigns --active', () => {
  const campaignOf = (campaignId: string, since: unknown, until: unknown) => ({
    campaignId,
    campaignName: campaignId,
    campaignStartDate: since,
    campaignEndDate: until,
    adunits: [],
  });

  test.each([
    { dates: 'zeros', since: '0000-00-00 00:00:00', until: '0000-00-00 00:00:00', isActive: true },
    { dates: 'nothing', since: null, until: '', isActive: true },
    { dates: 'a day alone', since: '2026-11-10', until: '2026-11-10', isActive: true },
    { dates: 'a day alone that is over', since: '2026-11-01', until: '2026-11-08' },
    { dates: 'a start to come', since: '2026-11-12 00:00:00', until: '0' },
  ])('$dates', async ({ since, until, isActive = false }) => {
    const { run } = await serveOdd({
      faults: literalAnswers({ campaigns: [campaignOf('12', since, until)] }),
    });

    const { stdout } = await run('campaigns --active 2026-11-10 --format csv --columns campaignId');

    expect(stdout).toBe(isActive ? 'campaignId\r\n12\r\n' : 'campaignId\r\n');
  });
});

test('exactly 10,000 rows may be a limit, which --strict accepts', async () => {
  const data = Array.from({ length: 10_000 }, (_, row) => ({
    campaignId: `${row}`,
    campaignName: 'A',
    displays: 1,
  }));
  const flags = '--by CAMPAIGN --metrics displays --columns campaignId,displays';
  const line = `run --period 2026-11-09 ${flags} --strict --json --fresh -o x.csv`;
  const { run, server } = await serveOdd({ faults: literalAnswers({ download: { data } }) });

  const { exitCode, stdout } = await run(line);

  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).notes).toEqual([
    expect.stringMatching(/has exactly [\d,]+ rows, which may be a limit/),
  ]);
  await clearFaults(server);
  for (const fault of literalAnswers({ download: { data: data.slice(1) } })) server.fault(fault);
  expect(JSON.parse((await run(line)).stdout)).toMatchObject({ warnings: [], notes: [] });
});
