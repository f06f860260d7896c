import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { serveAnswers } from '../support/http-server.ts';
import { expectRefusal, interruption, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { launcher, start, startCli } from '../support/spawn.ts';

const hostile = '../\u001b[2J\u202eevil\u0007\r\nid';
const hostileAnswers = {
  '/campaigns': [{ campaignId: hostile, campaignName: hostile, adunits: [] }],
  '/buyer-reporting': { id: hostile },
  '/download-reporting': { data: [{ campaignName: hostile, displays: 1 }] },
  '/status-reporting': { response: { status: 'ready', message: hostile } },
};

/** Characters that control a terminal or hide text, except line breaks. */
const acting = /[^\P{Cc}\n]|[\u202a-\u202e]/u;

test.each([
  { what: 'a table of campaigns', line: 'campaigns --format table' },
  { what: 'a report as a table', line: 'run --period 2026-11-09 --format table' },
  { what: 'a wait that fails', line: 'run --period 2026-11-09 -o /dev/full --format csv -v' },
  { what: 'a status', line: `status "${hostile}" --json` },
  { what: 'a command line that is wrong', line: `status x --account "${hostile}"` },
  { what: 'a flag that is wrong', line: `"--${hostile}"` },
])('hostile text is made visible in $what', async ({ line }) => {
  const { env } = await serveAnswers(hostileAnswers);

  for (const tty of [false, true]) {
    const { stdout, stderr } = await runCli(line, { env: { ...env, NO_COLOR: '1' }, tty });

    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    const visible = tty ? stderr.replaceAll(/\u001b(?:\[[?\d;]*[A-Za-z]|[78])|\r/g, '') : stderr;
    expect(stdout).not.toMatch(acting);
    expect(visible).not.toMatch(acting);
  }
});

test('without a terminal there are no escape codes, even if one is claimed', async () => {
  const { run } = await serveForTest({ delayMs: 30_000 });
  const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

  const line = 'run --period last-7d --by DAILY --format table -v';
  const { stdout, stderr } = await run(line, { env });

  expect(stdout).toContain('Date');
  expect(stderr).toContain('status-reporting');
  expect(stdout + stderr).not.toContain('\u001b');
});

test('-v traces method, URL, status, time and size of every call, and each retry', async () => {
  const faults = ['status:503:times=1', 'download:reset:times=1'];
  const { run, server } = await serveForTest({ delayMs: 0, faults });
  const at = (path: string): string => `${server.url}/${path}`;

  const { stderr } = await run('run --period yesterday -v -o x.csv');

  const lines = stderr.replaceAll(/\d+(\.\d+)? (ms|bytes)/g, 'N $2').split('\n');
  expect(lines.filter((line) => /^(POST|Note)/.test(line))).toEqual([
    `POST ${at('buyer-reporting')} → 200, N bytes, N ms`,
    `POST ${at('status-reporting')} → 503, N bytes, N ms`,
    expect.stringMatching(/^Note: .*503.*Retrying in N ms \(5 retries left\)\.$/),
    `POST ${at('status-reporting')} → 200, N bytes, N ms`,
    `POST ${at('download-reporting')} → no response, N ms`,
    expect.stringMatching(
      /^Note: .*the connection was cut.*Retrying in N m?s \(5 retries left\)\.$/,
    ),
    `POST ${at('download-reporting')} → 200, N bytes, N ms`,
  ]);
});

test('six tries of a call are one line with a count', async () => {
  const { run } = await serveForTest({ delayMs: 0, faults: ['status:503:times=5'] });

  const { exitCode, stderr } = await run('run --period yesterday -o x.csv');

  expect(exitCode).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.includes('503'));
  expect(lines).toEqual([expect.stringMatching(/Retrying in .* \(5 retries left\)\.$/)]);
});

test.each([
  { fault: 'auth:401', exitCode: 3 },
  { fault: 'buyer:400', exitCode: 4 },
  { fault: 'buyer:reset', exitCode: 5 },
  { fault: 'status:failed', exitCode: 6 },
  { fault: 'status:stuck', exitCode: 7 },
  { fault: 'download:garbage', exitCode: 9 },
])('$fault: with --json the error is one line, with every member', async ({ fault, exitCode }) => {
  const { run } = await serveForTest({ delayMs: 0, faults: [fault] });
  const env = {
    ADREPORT_TOKEN: undefined,
    ADREPORT_EMAIL: 'buyer@example.com',
    ADREPORT_PASSWORD: 'demo',
  };

  const line = 'run --period yesterday --json -q --wait-timeout 2s --retries 0';
  const result = await run(line, { env });

  expect(result.exitCode).toBe(exitCode);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);

  const { error } = JSON.parse(result.stderr);

  const members = ['code', 'message', 'hint', 'retryable', 'exitCode', 'reportId'];
  expect(Object.keys(error)).toEqual(members);
  expect(error.exitCode).toBe(exitCode);
  expect(error.reportId === null).toBe(exitCode < 6);
});

test.each([
  { what: 'a secret', line: 'login --base-url http://127.0.0.1:9 --token-stdin' },
  { what: 'a report', line: 'view -' },
])('SIGTERM ends the wait for $what on a silent stdin', async ({ line }) => {
  const { signal, send } = interruption(143);
  const stdin = new Readable({ read: () => void setImmediate(send) });

  const result = await runCli(line, { stdin, signal });

  expectRefusal(result, 143, /^adreport: Terminated\.\n$/);
  expect(stdin.destroyed).toBe(true);
});

describe.skipIf(process.platform === 'win32')('in child processes', () => {
  test('SIGTERM during a download: exit 143, the old file, and no temporary file', async () => {
    const { env, cwd } = await serveForTest({ delayMs: 0, faults: ['download:slow:rate=1kb'] });
    writeFileSync(join(cwd, 'x.csv'), 'old');
    const days = '--period 2026-10-01..2026-10-06 --by DAILY,CAMPAIGN,COUNTRY';
    const line = `run ${days} --metrics displays -o x.csv -v`;
    const { child, printed, ended } = startCli(line, { env, cwd });
    await printed(/status-reporting/);
    await expect.poll(() => readdirSync(cwd).join()).toContain('.tmp');
    child.kill('SIGTERM');

    expectRefusal(
      await ended,
      143,
      /The report \w+ is still available\. To resume: adreport run .*-o x\.csv/,
    );
    expect(readdirSync(cwd).sort()).toEqual(['.config', 'x.csv']);
    expect(readFileSync(join(cwd, 'x.csv'), 'utf8')).toBe('old');
  });

  test.each([
    'run --direct --period 2026-11-09 --by HOURLY,CAMPAIGN,COUNTRY -q | head -1',
    'run --direct --period 2026-11-09 --by HOURLY,CAMPAIGN,COUNTRY -v 2>&1 | head -1',
    'campaigns 2>/dev/null | true',
    // As Node.js and Python open it for a child process with ignored output.
    'campaigns 1<>/dev/null',
  ])('a reader that goes away ends it silently: adreport %s', async (line) => {
    const { env } = await serveForTest();
    const command = `'${process.execPath}' '${launcher}' ${line}; echo "\${PIPESTATUS[0]}"`;

    const { stdout, stderr } = await start('bash', ['-c', command], { env }).ended;

    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0');
    expect(stdout + stderr).not.toMatch(/EPIPE|\n\s+at /);
  });
});
