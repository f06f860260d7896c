import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, serve, serveAnswers } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Problems that users of similar tools have reported, each as a test. */

const line = 'run --period 2026-11-09 --metrics displays --format ndjson --retries 0';

describe('text of the service is limited', () => {
  const long = 'x'.repeat(600_000);

  test.each([
    { what: 'a state word', answers: { '/status-reporting': { status: long } }, exitCode: 7 },
    {
      what: 'an ID',
      answers: { '/buyer-reporting': { id: long.slice(0, 501) } },
      exitCode: 9,
      says: 'has an ID of more than 500 characters',
    },
    {
      what: 'the name of another member',
      answers: { '/download-reporting': { data: [{ displays: 1 }], [long]: true } },
      exitCode: 0,
      says: 'The response also contains ',
    },
  ])('$what', async ({ answers, exitCode, says = '' }) => {
    const { env } = await serveAnswers(answers);

    const result = await runCli(`${line} --wait-timeout 0s`, { env });

    expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(says) });
    expect(result.stderr.length).toBeLessThan(5_000);
  });

  test('the reasons of a refusal', async () => {
    const errors = Array.from({ length: 40 }, (_, index) => `${index} ${long.slice(0, 900)}`);
    const { env } = await serve((_request, response) => json(response, { errors }, 400));

    const result = await runCli(line, { env });

    expectRefusal(result, 4, /: 0 x+….*(400)/);
    expect(result.stderr.length).toBeLessThan(1_500);
  });
});

describe('refused before any order', () => {
  test.each([
    { target: 's3://bucket/x.csv', pipe: '-o - | aws s3 cp - s3://bucket/x.csv' },
    { target: 'gs://b/{date}.csv', pipe: "-o - | PROGRAM 'gs://b/{date}.csv'" },
    { target: 'https://b.test/x?a=1&b=2', pipe: "-o - | PROGRAM 'https://b.test/x?a=1&b=2'" },
  ])('the target $target, with the pipe to use', async ({ target, pipe }) => {
    const { run, server } = await serveForTest();

    const result = await run(`run --period 2026-11-09 --by CAMPAIGN -o ${target}`);

    expectRefusal(result, 2, `-o ${target} is a URL`);
    expect(result.stderr).toContain(pipe);
    expect(server.requests()).toEqual([]);
    expectRefusal(await run(`campaigns -o ${target}`), 2, 'is a URL');
  });

  test('a password in a URL is not shown', async () => {
    const result = await runCli('run --local --period 2026-11-09 -o postgres://me:hush@db/x');

    expectRefusal(result, 2, '-o - | PROGRAM postgres://me@db/x');
    expect(result.stderr).not.toContain('hush');
  });

  test('a URL in adreport.yaml, with its line', async () => {
    const cwd = temporaryFolder();
    const report = '  x:\n    period: yesterday\n    output: s3://b/x.csv\n';
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n${report}`);

    const result = await runCli('run x --local', { cwd });

    expectRefusal(result, 2, 'adreport.yaml:4: -o s3://b/x.csv is a URL');
    expect(result.files).not.toHaveProperty('s3:');
  });

  test('a file to look at that is a URL', async () => {
    const result = await runCli('view https://b.test/x.csv');

    expectRefusal(result, 2, 'https://b.test/x.csv is a URL');
    expect(result.stderr).toContain('… | adreport view -');
  });

  test('an empty report id', async () => {
    for (const command of ['status', 'download']) {
      expectRefusal(await runCli([command, '']), 2, 'The report ID is empty.');
    }
  });
});
