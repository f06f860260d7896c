import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AdreportError, createClient } from '../../src/index.ts';
import { type CliResult, runCli, temporaryFolder } from '../support/run-cli.ts';
import {
  acceptedResponses,
  type Body,
  data,
  notedResponses,
  type ReportRequest,
  refusedResponses,
  responsePairs,
} from './responses.ts';

/**
 * `cli.md`, “Checks”: exactly the responses that the table calls wrong have warnings, whichever way
 * a report takes: through `run`, `download`, `--direct`, a part with its own file, parts that are
 * merged, and the library.
 */

const token = 'f'.repeat(40);

/** A service whose reports are ready at once, and whose last one has the body of the test. */
let body: Body = '';
let created = 0;
let status = 'ready';

const server = createServer((request, response) => {
  request.on('end', () => {
    const isCreate = request.url === '/buyer-reporting';
    if (isCreate) created += 1;
    const isDirect = isCreate && text.includes('"output":"direct"');
    const id = isCreate ? `r${created}` : JSON.parse(text).id;
    const sendsData = isDirect || request.url === '/download-reporting';
    if (sendsData) return sendBody(id === `r${created}` ? body : '{"data":[]}');
    const record = { status, message: status, report_id: id };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ response: record }));
  });
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });

  const sendBody = (sent: Body): void => {
    const answer = typeof sent === 'string' ? { status: 200, text: sent } : sent;
    const type = /^[[{]/.test(answer.text) ? 'application/json' : 'text/csv';
    response.writeHead(answer.status, { 'content-type': type }).end(answer.text);
  };
});

let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  created = 0;
  status = 'ready';
});
afterAll(() => void server.close().closeAllConnections());

const defaults = { by: ['DAILY'], metrics: ['displays'], period: '2025-11' };

/** What a run, or the library, says of a report. */
interface Outcome {
  readonly exitCode: number;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** One way of a report; resolves to `undefined` if a request cannot go it. */
type Way = (request: ReportRequest) => Promise<Outcome | undefined>;

function flagsOf(request: ReportRequest): string {
  const { by, metrics, filters = {}, profile, timezone, windowClock } = { ...defaults, ...request };
  const words = [`--metrics ${metrics}`];
  if (by.length > 0) words.push(`--by ${by}`);
  for (const [name, values] of Object.entries(filters)) words.push(`--filter ${name}=${values}`);
  if (profile) words.push(`--profile ${profile}`);
  if (timezone) words.push(`--timezone ${timezone}`);
  if (windowClock) words.push(`--window-clock ${windowClock}`);
  return words.join(' ');
}

function cli(line: string, cwd = temporaryFolder()): Promise<CliResult> {
  const env = { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: token };
  return runCli(line, { env, cwd, now: Date.UTC(2026, 0, 15) });
}

/** Runs a command line that writes a report, and returns what its line of `--json` says. */
async function outcomeOf(line: string, cwd?: string): Promise<Outcome> {
  const { exitCode, stdout, files, stderr } = await cli(`${line} -q --json`, cwd);
  expect(Object.keys(files), stderr).toHaveLength(exitCode === 0 ? 1 : 0);
  if (exitCode !== 0) return { exitCode, warnings: [], notes: [] };

  const { warnings, notes } = JSON.parse(stdout);
  return { exitCode, warnings, notes };
}

/** Returns the day or the month before. */
function unitBefore(period: string): string {
  const time = new Date(`${period.padEnd(10, '-01')}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() - 1);
  return time.toISOString().slice(0, period.length);
}

const unitOf = (period: string): string => (period.length === 7 ? 'month' : 'day');

const ways: Readonly<Record<string, Way>> = {
  run: ({ period = defaults.period, ...request }) =>
    outcomeOf(`run --period ${period} ${flagsOf(request)} -o x.csv`),

  '--direct': ({ period = defaults.period, ...request }) =>
    outcomeOf(`run --period ${period} ${flagsOf(request)} --direct -o x.csv`),

  download: async ({ period = defaults.period, ...request }) => {
    const line = `report create --period ${period} ${flagsOf(request)}`;
    const { stdout: id, cwd } = await cli(line);
    return outcomeOf(`download ${id.trim()} -o x.csv`, cwd);
  },

  'a part': ({ period = defaults.period, ...request }) =>
    outcomeOf(`run --period ${period} ${flagsOf(request)} --split ${unitOf(period)} -o {date}.csv`),

  'a merge': async ({ period = defaults.period, by = defaults.by, ...request }) => {
    const keepsPartsApart = by.some((name) => /DAILY|HOURLY|MONTHLY/.test(name));
    if (!keepsPartsApart) return undefined;

    const before = unitBefore(period);
    const flags = `${flagsOf({ ...request, by })} --split ${unitOf(period)} --concurrency 1`;
    const outcome = await outcomeOf(`run --period ${before}..${period} ${flags} -o x.csv`);
    const own = (messages: readonly string[]): string[] =>
      messages
        .filter((message) => message.startsWith(`${period}`))
        .map((message) => message.replace(/^\S+: /, ''));
    return { ...outcome, warnings: own(outcome.warnings), notes: own(outcome.notes) };
  },

  'the library': async (request) => {
    const { windowClock, profile, timezone, ...own } = request;
    const options = { windowClock, profile, timezone };
    const client = createClient({ baseUrl: url, token, retries: 0, ...options });
    try {
      const report = await client.fetchReport({ ...defaults, ...own });
      for await (const _row of report.rows());
      const textsIn = (messages: readonly { message: string }[]): string[] =>
        messages.map(({ message }) => message);
      return { exitCode: 0, warnings: textsIn(report.warnings), notes: textsIn(report.notes) };
    } catch (error) {
      if (!(error instanceof AdreportError)) throw error;
      return { exitCode: error.exitCode, warnings: [], notes: [] };
    }
  },
};

/** The first pair of each line of the table. */
const firstPairs = responsePairs.filter(({ name }, index) => {
  const line = name.split(':')[0] ?? '';
  return responsePairs.findIndex((pair) => pair.name.startsWith(line)) === index;
});

/** They show the whole table, and what has no warning; the others that each line reaches them. */
const thoroughWays = ['run', 'a merge', 'the library'];

describe.each(Object.entries(ways))('through %s', (name, way) => {
  const isThorough = thoroughWays.includes(name);

  const pairs = isThorough ? responsePairs : firstPairs;

  test.each(pairs)('$name', async ({ request = {}, wrong, says, right }) => {
    body = wrong;
    const outcome = await way(request);
    if (!outcome) return;
    expect(outcome).toMatchObject({ exitCode: 0, warnings: [expect.stringMatching(says)] });
    // One line for a column.
    expect(outcome.notes.join()).not.toContain('has no number');

    if (!isThorough) return;
    body = right;
    expect(await way(request)).toMatchObject({ exitCode: 0, warnings: [] });
  });

  test.each(notedResponses)(
    'a note: $name',
    async ({ request = {}, body: noted, says, without }) => {
      body = noted;
      const outcome = await way(request);
      if (!outcome) return;
      expect(outcome).toMatchObject({ exitCode: 0, warnings: [] });
      expect(outcome.notes).toContainEqual(expect.stringMatching(says));

      if (!isThorough) return;
      body = without;
      expect((await way(request))?.notes).not.toContainEqual(expect.stringMatching(says));
    },
  );

  test.each(refusedResponses)('refused: $name', async ({ request = {}, body: refused }) => {
    body = refused;
    expect((await way(request))?.exitCode ?? 9).toBe(9);
  });

  test.each(acceptedResponses)('accepted: $name', async ({ request = {}, body: accepted }) => {
    body = accepted;
    expect((await way(request))?.warnings ?? []).toEqual([]);
  });
});

describe('a warning is printed with -q; with --strict it is exit 9 without a file', () => {
  test.each(firstPairs)('$name', async ({ request = {}, wrong, says, right }) => {
    const { period = defaults.period, ...report } = request;
    const line = `run --period ${period} ${flagsOf(report)} -q -o x.csv`;

    body = wrong;
    const lax = await cli(line);
    expect(lax).toMatchObject({ exitCode: 0, stdout: '', files: { 'x.csv': expect.any(String) } });
    expect(lax.stderr.replace(/^Warning: (?:x\.csv: )?/, '').trim()).toMatch(says);

    const strict = await cli(`${line} --strict`);
    expect(strict).toMatchObject({ exitCode: 9, stdout: '', files: {} });

    body = right;
    expect(await cli(`${line} --strict`)).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

test.each([
  { name: 'begins within a day', window: '--since 2025-11-01T12:00 --until 2025-11-02' },
  { name: 'is not over', window: '--since 2025-11-02 --until 2025-11-09', now: '2025-11-03' },
])('a period that $name: days without rows are not noted', async ({ window, now }) => {
  body = data('{"date":"2025-11-02","displays":1}');
  const line = `run ${window} --by DAILY --metrics displays -o x.csv --strict`;
  const env = { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: token };

  const result = await runCli(line, { env, now: Date.parse(now ?? '2026-01-15') });

  expect(result.exitCode).toBe(0);
  expect(result.stderr).not.toContain('no rows for');
});

test('a report that this machine requested is downloaded with its columns and --strict', async () => {
  const cwd = temporaryFolder();
  body = data('{"date":"2025-11-01","clicks":1,"displays":2}');
  status = 'progress';
  const flags = '--by DAILY --metrics clicks,ctr --strict';
  await cli(`run --period 2025-11 ${flags} -o a.csv --wait-timeout 0s`, cwd);
  status = 'ready';

  const { files } = await cli('download r1 --wait -o b.csv', cwd);
  expect(files['b.csv']).toMatch(/^date,clicks,ctr\r\n2025-11-01,1,/);

  body = data('{"date":"2025-12-01","clicks":1,"displays":2}');
  expect(await cli('download r1 -o c.csv', cwd)).toMatchObject({ exitCode: 9 });
});

test('a report that another machine requested is checked against itself', async () => {
  created = 1;
  body = data(
    '{"date":"2025-11-01","country":"France","displays":5000,"clicks":2000}',
    '{"date":"2025-11-01","country":"Italy","displays":4000,"clicks":1000}',
    '{"date":"2025-11-01","country":null,"displays":9000,"clicks":3000}',
    '{"date":"2025-11-01","country":"Spain","displays":"many","clicks":0}',
  );

  expect((await outcomeOf('download r1 -o x.csv')).warnings).toEqual([
    'The metric displays is not a whole number in row 4: "many".',
    expect.stringMatching(/^Row 3 is a total/),
  ]);
});
