import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { json, serve, serveAnswers } from '../support/http-server.ts';
import { expectRefusal, interruption, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { runToEnd } from '../support/spawn.ts';

/** The quotes of a POSIX shell. */
const onLinux = { platform: 'linux' } as const;

const byDay = 'run --period 2026-11-09..2026-11-15 --by DAILY --metrics displays';

describe('Retry-After', () => {
  /** Lists campaigns of a service that asks to retry later, and returns the pauses. */
  async function pausesAfter(retryAfter: string, retries: string) {
    let isFirst = true;
    const { env } = await serve((_request, response) => {
      if (!isFirst) return json(response, []);
      isFirst = false;
      return json(response, { error: 'busy' }, 429, { 'retry-after': retryAfter });
    });
    const pauses: number[] = [];
    const onSleep = (pauseMs: number) => void pauses.push(pauseMs);
    return { ...(await runCli(`campaigns --retries ${retries}`, { env, onSleep })), pauses };
  }

  test.each([
    { retryAfter: '90', pauses: [90_000] },
    { retryAfter: 'Fri, 20 Nov 2026 12:02:00 GMT', pauses: [120_000] },
    { retryAfter: '0', pauses: [375] },
    { retryAfter: 'Fri, 20 Nov 2026 11:00:00 GMT', pauses: [375] },
    // The program does not wait for hours.
    { retryAfter: '10800', pauses: [], retries: '5', exitCode: 5, says: 'asks you to wait 3 h' },
    { retryAfter: '1', pauses: [], retries: '0', exitCode: 5, says: '' },
  ])(
    '$retryAfter: pauses of $pauses ms, with $retries retries',
    async ({ retryAfter, pauses, retries = '5', exitCode = 0, says = '' }) => {
      const result = await pausesAfter(retryAfter, retries);
      expect(result).toMatchObject({ exitCode, pauses, stderr: expect.stringContaining(says) });
    },
  );
});

test('refused calls and cut bodies of one download share --retries', async () => {
  const faults = ['download:503:times=1', 'download:truncate:bytes=20:times=1'];
  const { run, calls } = await serveForTest({ faults: [...faults, 'download:503:times=1'] });

  const result = await run(`${byDay} --retries 2 --format csv -o it.csv`);

  expectRefusal(result, 5, 'The service had an internal error');
  expect(calls('download')).toBe(3);
});

describe('the end of the wait', () => {
  test.each(['503', '429:retry-after=3600'])(
    'a status call that keeps failing (%s) does not outlive --wait-timeout: exit 7, resumable',
    async (fault) => {
      const { run } = await serveForTest({ faults: [`status:${fault}:after=1`] });
      let sleptMs = 0;

      const result = await run(`${byDay} --wait-timeout 5s --retries 1000`, {
        onSleep: (pauseMs) => {
          sleptMs += pauseMs;
        },
      });

      expectRefusal(
        result,
        7,
        /is still in progress after 5\.0 s\. The service .*\n(?:.*\n)*.*To resume: adreport run /,
      );
      expect(sleptMs).toBe(5_000);
    },
  );

  test('before that, the retries end it: exit 5, the report is kept, and the next run picks it up', async () => {
    const { run, server, calls } = await serveForTest({ faults: ['status:503:times=3'] });
    const at = `--base-url ${server.url}`;
    const failed = await run(`${byDay} --retries 2 -o it.csv --excel ${at}`);
    expectRefusal(failed, 5, /The report \w+ is still available/);
    expect(failed.files).toEqual({});
    const [, again = ''] = /To resume: adreport (.*)\n/.exec(failed.stderr) ?? [];
    expect(await run(again)).toMatchObject({
      exitCode: 0,
      files: { 'it.csv': expect.any(String) },
    });
    expect(calls('buyer')).toBe(1);
  });

  test('the command that continues keeps --strict and the flags that shape the file', async () => {
    const { run } = await serveForTest({ manual: true });
    const flags = '--strict --columns date,displays --normalize --filter campaignId=1,2';

    const { stderr } = await run(`${byDay} --wait-timeout 1s -o a.csv ${flags}`, onLinux);

    const kept = ['--columns date,displays', '-o a.csv', '--normalize', '--strict'];
    const lines = stderr.split('\n');
    const here = lines.find((line) => line.includes('adreport run')) ?? '';
    expect(here).toContain('--filter campaignId=1,2');
    expect(kept.filter((words) => !here.includes(words))).toEqual([]);
  });

  test('--local has no resume command', async () => {
    const local = await runCli('run --local --period yesterday --wait-timeout 0');

    expect(local.exitCode).toBe(7);
    expect(local.stderr).not.toContain('is still available');
  });
});

test('a create that is interrupted may have made a report, and the run says so', async () => {
  const { signal, send } = interruption(143);
  const { env, received } = await serve(send);

  const result = await runCli(byDay, { env, signal });

  expectRefusal(result, 143, 'A report may have been created');
  expect(received).toHaveLength(1);
});

test('a gap and a repeated row are warnings; with --strict exit 9, the old file, and a new report next time', async () => {
  const data = [9, 10, 12, 13, 14, 10].map((day) => ({
    date: `2026-11-${day < 10 ? '09' : day}`,
    displays: day,
  }));
  const { env, received } = await serveAnswers({ '/download-reporting': { data } });
  const cwd = temporaryFolder();
  const run = (flags: string) => runCli(`${byDay} -o week.csv${flags}`, { cwd, env });
  const warned = await run('');
  const gap = 'no rows for 2 of the 7 days: 2026-11-11, 2026-11-15.';

  expect(warned).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(gap) });
  expect(warned.stderr).toContain('Row 6 repeats the breakdown values');
  expect(warned.files['week.csv']).toContain('2026-11-14');

  writeFileSync(join(cwd, 'week.csv'), 'old');

  const strict = await run(' --strict --json');

  expect(strict).toMatchObject({ exitCode: 9, files: { 'week.csv': 'old' } });

  const lastLine = strict.stderr.trimEnd().split('\n').at(-1) ?? '';

  expect(JSON.parse(lastLine).error).toMatchObject({
    code: 'INCOMPLETE_REPORT',
    exitCode: 9,
    reportId: 'r1',
  });

  await run(' --strict');

  expect(received.filter(({ path }) => path === '/buyer-reporting')).toHaveLength(3);
});

describe('an output that cannot be written is exit 8', () => {
  test('a full disk', async (context) => {
    if (!existsSync('/dev/full')) return context.skip('there is no /dev/full here');
    const { run } = await serveForTest({ delayMs: 0 });

    const result = await run(`${byDay} -o /dev/full --format csv`);

    expectRefusal(
      result,
      8,
      /Cannot write \/dev\/full: the disk is full\.[\s\S]*is still available/,
    );
  });

  test('a disk that fills up: the old file stays, and no temporary file remains', async (context) => {
    const cwd = temporaryFolder();
    const { status } = runToEnd('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', cwd]);
    if (status !== 0) return context.skip('tmpfs cannot be mounted');
    onTestFinished(() => void runToEnd('umount', [cwd], '/'));
    writeFileSync(join(cwd, 'x.csv'), 'old');
    const { run } = await serveForTest({ delayMs: 0 });
    const line = 'run --period 2026-10-01 --by HOURLY,CAMPAIGN,COUNTRY -o x.csv --strict';

    const result = await run(line, { cwd, env: { ADREPORT_CONFIG_DIR: temporaryFolder() } });

    expectRefusal(result, 8, 'x.csv: the disk is full.');
    expect(result.files).toEqual({ 'x.csv': 'old' });
  });
});

describe('stdout is complete or empty', () => {
  const rows = Array.from({ length: 30_000 }, (_, index) => ({
    date: '2026-11-09',
    displays: index,
  }));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const line = 'run --period 2026-11-09 --by DAILY --metrics displays --format ndjson --fresh';

  /** A service whose first download breaks off in the middle. */
  async function startBreakingService(report: object) {
    let downloads = 0;
    return serve(({ path }, response) => {
      if (path !== '/download-reporting') {
        return json(response, { response: { status: 'ready', report_id: 'r1' } });
      }
      downloads += 1;
      if (downloads > 1) return json(response, report);

      const text = JSON.stringify({ data: rows });
      const head = { 'content-length': String(text.length) };
      response.writeHead(200, head).write(text.slice(0, 600_000), () => response.destroy());
    });
  }

  test('after a download that broke off it has the second one, once', async () => {
    const { env } = await startBreakingService({ data: rows });

    const { exitCode, stdout } = await runCli(line, { env });

    expect(exitCode).toBe(0);
    expect(stdout === lines).toBe(true);
  });

  test.each([
    { flags: '', report: { page: 'Too many rows' } },
    { flags: '--strict', report: { data: rows, hasMore: true } },
  ])('a refused report leaves it empty: run $flags', async ({ flags, report }) => {
    const { env } = await startBreakingService(report);

    const { exitCode, stdout } = await runCli(`${line} ${flags}`, { env });

    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
  });
});
