import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/contract/messages.ts';
import type { FaultAnswer } from '../../src/local-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Problems that users of similar tools have reported, each as a test. */

const rows = '{"data":[{"displays":7},{"displays":8}]}';
const line = 'run --period 2026-11-09 --metrics displays --format ndjson --retries 0 -q';

type Answers = { readonly [Name in EndpointName]?: readonly FaultAnswer[] };

/** A service that answers with each of these in turn, and with the last one for ever. */
async function serveAnswers(own: Answers) {
  const { server, env, calls } = await serveForTest({ delayMs: 0 });
  const usual: Answers = {
    buyer: [json({ report_id: 'r1' })],
    status: [json({ status: 'ready' })],
  };

  for (const [endpoint, answers] of Object.entries({ ...usual, ...own })) {
    for (const [index, answer] of answers.entries()) {
      const times = index < answers.length - 1 ? { times: 1 } : {};
      server.fault({ endpoint: endpoint as EndpointName, answer, ...times });
    }
  }
  return { env, server, downloads: () => calls('download') };
}

const serveDownloads = (...download: readonly FaultAnswer[]) => serveAnswers({ download });

const json = (body: unknown, status = 200): FaultAnswer => ({ status, body });

const sent = (
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): FaultAnswer => ({ status, headers: { 'content-type': 'application/json', ...headers }, body });

describe('text of the service is limited', () => {
  const long = 'x'.repeat(600_000);

  test('a state word', async () => {
    const { env } = await serveAnswers({ status: [json({ response: { status: long } })] });

    const result = await runCli(`${line} --wait-timeout 0s`, { env });

    expect(result.exitCode).toBe(7);
    expect(result.stderr.length).toBeLessThan(5_000);
  });

  test('the reason of a failed report, and its number of lines', async () => {
    const errors = Array.from({ length: 40 }, (_, index) => `${index} ${long.slice(0, 900)}`);
    const { env } = await serveAnswers({ buyer: [json({ errors }, 400)] });

    const result = await runCli(line, { env });

    expectRefusal(result, 4, 'and 39 more');
    expect(result.stderr.length).toBeLessThan(1_500);
  });

  test.each([
    { name: 'of 501 characters', answer: { response: { id: long.slice(0, 501) } } },
    { name: 'of digits', answer: { id: '9'.repeat(501) } },
  ])('a report id $name', async ({ answer }) => {
    const { env } = await serveAnswers({ buyer: [sent(JSON.stringify(answer))] });

    expectRefusal(await runCli(line, { env }), 9, 'has an ID of more than 500 characters');
  });

  test('names of other members', async () => {
    const word = long.slice(0, 50_000);
    const { env } = await serveDownloads(json({ data: [{ displays: 1 }], [word]: true }));

    const result = await runCli(line.replace(' -q', ''), { env });

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('The response also contains ');
    expect(result.stderr.length).toBeLessThan(2_000);
  });

  test.each([
    { header: 'retry-after', value: 'y'.repeat(9_000), status: 429 },
    { header: 'location', value: `${'y'.repeat(9_000)}:/a`, status: 302 },
  ])('a header $header', async ({ header, value, status }) => {
    const { env } = await serveDownloads(sent(rows, { [header]: value }, status));

    const result = await runCli(line, { env });

    expect(result.exitCode).not.toBe(0);
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
