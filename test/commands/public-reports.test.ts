import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What users of similar tools have met, each as a test of its kind. */

const rows = '{"data":[{"displays":7},{"displays":8}]}';
const line = 'run --period 2026-11-09 --metrics displays --format ndjson --retries 0 -q';

/** A service whose downloads are answered by each of these in turn, the last one for ever. */
async function serveDownloads(...answers: readonly ((response: ServerResponse) => void)[]) {
  let downloads = 0;
  const { env } = await serve(({ path }, response) => {
    if (path === '/buyer-reporting') return json(response, { report_id: 'r1' });
    if (path === '/status-reporting') return json(response, { response: { status: 'ready' } });
    const answer = answers[Math.min(downloads, answers.length - 1)];
    downloads += 1;
    return answer?.(response);
  });
  return { env, downloads: () => downloads };
}

const whole = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(rows);

const sent =
  (body: Buffer | string, headers: Readonly<Record<string, string>> = {}, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

describe('a report that is ready and not there yet', () => {
  test.each([
    { status: 400, body: { error: { is_transient: true, message: 'Try later' } } },
    { status: 422, body: { response: { error: 'soon', retryable: true } } },
    { status: 403, body: { transient: true, error: 'not for now' } },
    { status: 404, body: { error: { isTransient: true } } },
  ])('is waited for after $status with $body', async ({ status, body }) => {
    const notYet = (response: ServerResponse) => json(response, body, status);
    const { env, downloads } = await serveDownloads(notYet, notYet, whole);

    const result = await runCli(line, { env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n{"displays":8}\n' });
    expect(downloads()).toBe(3);
  });

  test('is not waited for if the service says that it is not transient', async () => {
    const body = { error: { is_transient: false, message: 'Broken' } };
    const { env } = await serveDownloads((response) => json(response, body, 400));

    expectRefusal(await runCli(line, { env }), 4, 'The service rejected the download. Broken');
  });
});

describe('packed bodies', () => {
  test.each([
    { name: 'gzip that no header told of', answer: sent(gzipSync(rows)) },
    {
      name: 'gzip in gzip',
      answer: sent(gzipSync(gzipSync(rows)), { 'content-encoding': 'gzip' }),
    },
    {
      name: 'no gzip, although a header says so',
      answer: sent(rows, { 'content-encoding': 'gzip' }),
    },
    {
      name: 'no brotli, although a header says so',
      answer: sent(rows, { 'content-encoding': 'br' }),
    },
    { name: 'brotli', answer: sent(brotliCompressSync(rows), { 'content-encoding': 'br' }) },
  ])('$name is read', async ({ answer }) => {
    const { env } = await serveDownloads(answer);

    expect(await runCli(line, { env })).toMatchObject({
      exitCode: 0,
      stdout: '{"displays":7}\n{"displays":8}\n',
    });
  });

  test.each([
    { name: 'a zip archive', magic: '504b0304' },
    { name: 'packed with zstd', magic: '28b52ffd' },
  ])('$name is named', async ({ name, magic }) => {
    const { env } = await serveDownloads(sent(Buffer.from(`${magic}14000000`, 'hex')));

    expectRefusal(await runCli(line, { env }), 9, `The answer is ${name}`);
  });

  test('gzip that is cut is no report', async () => {
    const packed = gzipSync(rows.repeat(50));
    const { env } = await serveDownloads(sent(packed.subarray(0, packed.length - 20)));

    expect(await runCli(line, { env })).toMatchObject({ exitCode: 9, stdout: '' });
  });
});

test('a record that says ready in the place of a report is quoted: it is not one', async () => {
  const { env } = await serveDownloads((response) =>
    json(response, { response: { status: 'ready' }, url: '' }),
  );

  const result = await runCli(line, { env });

  expectRefusal(result, 9, '{"response":{"status":"ready"},"url":""}');
  expect(result.stderr).not.toContain('not ready');
});

describe('a refusal names the step that was refused', () => {
  test('and keeps the report', async () => {
    const { env } = await serveDownloads((response) => json(response, { error: 'no' }, 400));

    const result = await runCli(line, { env });

    expectRefusal(result, 4, 'The service rejected the download. no.');
    expect(result.stderr).toContain('The report r1 is kept.');
    expect(result.stderr).not.toContain('--encoding form');
  });

  test('a token that has just worked is not called refused', async () => {
    const { env } = await serveDownloads((response) => json(response, { error: 'no' }, 403));

    const result = await runCli(line, { env });

    expectRefusal(result, 3, 'The service refused the download, although it had just accepted');
    expect(result.stderr).toContain('The report r1 is kept.');
  });
});

test('a ledger that cannot be written is one warning, however many reports', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const env = { ADREPORT_CONFIG_DIR: join(folder, 'file') };

  const result = await run(
    'run --period 2026-10-01..2026-10-30 --by CAMPAIGN --split day -o d/{date}.csv -q',
    { env },
  );

  expect(result.exitCode).toBe(0);
  expect(result.stderr.match(/ledger could not be written/g)).toHaveLength(1);
  expect(result.stderr).toContain('ADREPORT_CONFIG_DIR');
});

test.each([{ text: 'null' }, { text: '[]' }, { text: '"x"' }])(
  'a settings file that holds $text is named, with what to do',
  async ({ text }) => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), text);
    chmodSync(join(folder, 'settings.json'), 0o600);

    const result = await runCli('whoami', { env: { ADREPORT_CONFIG_DIR: folder } });

    expectRefusal(result, 2, 'it has no settings');
    expect(result.stderr).toContain(`delete ${join(folder, 'settings.json')}`);
    expect(result.stderr).not.toContain('schema');
  },
);

test('a proxy that wants a user name says how to give it', async () => {
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const env = {
    ADREPORT_BASE_URL: 'https://reports.example.com',
    ADREPORT_TOKEN: 'x'.repeat(40),
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
  };

  expectRefusal(
    await runCli('campaigns --retries 0', { env }),
    5,
    'The proxy wants a user name and a password: HTTPS_PROXY=',
  );
});

test('a redirect to no web address names its scheme', async () => {
  const { env } = await serve(
    (_request, response) => void response.writeHead(302, { location: 'file:///etc/hosts' }).end(),
  );

  expectRefusal(await runCli('campaigns --retries 0', { env }), 4, 'redirects to a file: address');
});

describe('text of the service is bounded', () => {
  const long = 'x'.repeat(600_000);

  test('a state word', async () => {
    const { env } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') json(response, { report_id: 'r1' });
      else json(response, { response: { status: long } });
    });

    const result = await runCli(`${line} --wait-timeout 0s`, { env });

    expect(result.exitCode).toBe(7);
    expect(result.stderr.length).toBeLessThan(5_000);
  });

  test('why a report failed, and in how many lines', async () => {
    const errors = Array.from({ length: 40 }, (_, index) => `${index} ${long.slice(0, 900)}`);
    const { env } = await serve((_request, response) => json(response, { errors }, 400));

    const result = await runCli(line, { env });

    expectRefusal(result, 4, 'and 20 more');
    expect(result.stderr.length).toBeLessThan(15_000);
  });

  test('a report id that is none', async () => {
    const { env } = await serve((_request, response) => json(response, { report_id: long }));

    expectRefusal(await runCli(line, { env }), 9, 'a report id of more than 500 characters');
  });
});

describe('what is refused before anything is ordered', () => {
  test.each([
    { target: 's3://bucket/x.csv', pipe: '-o - | aws s3 cp - s3://bucket/x.csv' },
    { target: 'https://example.com/x.csv', pipe: '-o - | curl -T - https://example.com/x.csv' },
    { target: 'postgres://me@db/x', pipe: '-o - | psql postgres://me@db/x' },
    { target: 'gs://b/{date}.csv', pipe: '-o - | gcloud storage cp - gs://b/{date}.csv' },
    { target: 'hdfs://b/x.csv', pipe: '-o - | a program' },
  ])('the target $target, with the pipe to use', async ({ target, pipe }) => {
    const { run, server } = await serveForTest();

    const result = await run(`run --period 2026-11-09 --by CAMPAIGN -o ${target}`);

    expectRefusal(result, 2, `-o ${target} is an address`);
    expect(result.stderr).toContain(pipe);
    expect(server.requests()).toEqual([]);
    expectRefusal(await run(`campaigns -o ${target}`), 2, 'is an address');
  });

  test('a recording that would go to an address', async () => {
    const { run } = await serveForTest();

    expectRefusal(await run('doctor --service --yes --record s3://b/x'), 2, '--record s3://b/x');
  });

  test.each([
    { columns: 'date,displays', says: '“date”: this column cannot be in the report' },
    { columns: 'campainName', says: 'Did you mean campaignName?' },
    { columns: 'campaignId,clicks', says: '“clicks”: this column cannot be in the report' },
    { columns: 'ctr', says: '“ctr”: this column cannot' },
  ])('--columns $columns', async ({ columns, says }) => {
    const { run, server } = await serveForTest();
    const line = 'run --period 2026-11-09 --by CAMPAIGN --metrics displays';

    expectRefusal(await run(`${line} --columns ${columns}`), 2, says);
    expect(server.requests()).toEqual([]);
  });

  test('an empty report id', async () => {
    for (const command of ['status', 'download']) {
      expectRefusal(await runCli([command, '']), 2, 'The report id is empty.');
    }
  });

  test('an adreport.yaml that is nested too deeply', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'adreport.yaml'), `a: ${'['.repeat(30_000)}`);

    expectRefusal(await runCli('run --all --local', { cwd }), 2, 'it is nested too deeply');
  });
});
