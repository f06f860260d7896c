import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { AdreportError, createClient, type ReportProgress, type Row } from '../../src/index.ts';
import { type LocalServerOptions, startLocalServer } from '../../src/local-server.ts';
import { json, serve, serveAnswers } from '../support/http-server.ts';

/** A local server whose reports are ready at once, and a client of one of its accounts. */
async function connectTo(options: LocalServerOptions = { delayMs: 0 }) {
  const server = await startLocalServer(options);
  onTestFinished(() => server.close());
  const client = createClient({ baseUrl: server.url, token: server.accounts[0]?.token });
  return { server, client };
}

const week = { period: '2026-11-02..2026-11-08' } as const;

async function rowsIn<AnyRow>(report: { rows(): AsyncIterable<AnyRow> }): Promise<AnyRow[]> {
  const rows: AnyRow[] = [];
  for await (const row of report.rows()) rows.push(row);
  return rows;
}

test('a report is read row by row', async () => {
  const { client } = await connectTo();

  const report = await client.fetchReport({
    ...week,
    by: ['DAILY', 'CAMPAIGN'],
    metrics: ['displays', 'revenueDollar'],
    filters: { country: ['FR', 'Germany'] },
  });
  const rows = await rowsIn(report);

  expect(rows.length).toBeGreaterThan(7);
  expect(rows[0]).toMatchObject({
    date: '2026-11-02',
    campaignId: expect.stringMatching(/^\d+$/),
    displays: expect.any(Number),
    valueDollar: expect.any(Number),
  });
  expect(report).toMatchObject({ id: expect.any(String), warnings: [], notes: [] });
});

test('rows have the types of the names that were asked for', () => {
  type BuyerRow = Row<'buyer', 'DAILY' | 'CITY', 'clicks' | 'revenueDollar'>;
  expectTypeOf<BuyerRow>().toEqualTypeOf<{
    readonly date: string;
    readonly city: string | null;
    readonly clicks: number | null;
    readonly valueDollar: number | null;
  }>();
  expectTypeOf<Row<'dsp', 'FORMAT', 'revenueEuro'>>().toEqualTypeOf<{
    readonly format: string;
    readonly revenueEuro: string | null;
  }>();
  expectTypeOf<Row<'buyer', string, 'clicks'>['x']>().toEqualTypeOf<string | number | null>();

  const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'any' });
  const neverCalled = async () => {
    // @ts-expect-error: there is no such breakdown
    await client.fetchReport({ period: 'yesterday', by: ['DAYLY'] });
    // @ts-expect-error: there is no such metric
    await client.fetchReport({ period: 'yesterday', metrics: ['display'] });
    // @ts-expect-error: there is no such filter
    await client.fetchReport({ period: 'yesterday', filters: { countries: ['FR'] } });
    // @ts-expect-error: a window is needed
    await client.fetchReport({ by: ['DAILY'] });

    const report = await client.fetchReport({ period: 'yesterday', by: ['DAILY'] });
    for await (const row of report.rows()) {
      expectTypeOf(row.date).toEqualTypeOf<string>();
      expectTypeOf(row.leads).toEqualTypeOf<number | null>();
      // @ts-expect-error: it was not asked for
      expectTypeOf(row.campaignId);
    }

    const names: string[] = ['DAILY'];
    const any = await client.fetchReport({ period: 'yesterday', by: names });
    for await (const row of any.rows()) {
      expectTypeOf(row.whatever).toEqualTypeOf<string | number | null | undefined>();
    }
  };
  expect(neverCalled).toBeTypeOf('function');
});

test('the steps one by one', async () => {
  const { client } = await connectTo({ polls: 2 });
  const request = { ...week, by: ['DAILY'], metrics: ['clicks'] } as const;

  const { id } = await client.createReport(request);
  expect(await client.reportStatus(id)).toMatchObject({ id, status: 'progress', isReady: false });
  expect(await client.reportStatus(id)).toMatchObject({ status: 'ready', isReady: true });

  expect(await rowsIn(await client.openReport(id, request))).toHaveLength(7);
  const text = await (await client.openReport(id)).text();
  expect(JSON.parse(text).data).toHaveLength(7);
  const bytes = await (await client.openReport(id)).bytes();
  expect(Buffer.from(bytes).toString()).toBe(text);
});

test('a report with other columns or days than requested has warnings; strict throws them', async () => {
  const { client } = await connectTo();
  const { id } = await client.createReport({ ...week, by: ['DAILY'], metrics: ['clicks'] });
  const other = { period: '2026-11-09', by: ['DAILY'], metrics: ['clicks'] } as const;

  const report = await client.openReport(id, other);
  await rowsIn(report);
  expect(report.warnings.map(({ kind }) => kind)).toContain('window');

  const strict = await client.openReport(id, other, { strict: true });
  await expect(rowsIn(strict)).rejects.toMatchObject({ exitCode: 9, reportId: id });
});

test('progress, campaigns, and sign-in with e-mail and password', async () => {
  const { server } = await connectTo();
  const { email = '', password = '' } = server.accounts[0] ?? {};
  const client = createClient({ baseUrl: server.url, email, password });
  const steps: ReportProgress[] = [];
  const onProgress = (progress: ReportProgress) => void steps.push(progress);

  await rowsIn(await client.fetchReport({ ...week, by: ['DAILY'] }, { onProgress }));

  expect([...new Set(steps.map(({ step }) => step))]).toEqual(['request', 'wait', 'download']);
  expect(steps.at(-1)).toMatchObject({ rows: 7, receivedBytes: expect.any(Number) });
  expect((await client.campaigns())[0]).toMatchObject({ adunits: expect.any(Array) });
  expect(server.requests().filter(({ endpoint }) => endpoint === 'auth')).toHaveLength(1);
});

test('rows have the requested columns, whatever else the service sends as null', async () => {
  const { url } = await serveAnswers({
    '/download-reporting': {
      data: [{ date: '2026-11-09', city: null, os: 'iOS', clicks: 7, note: null }],
    },
  });
  const client = createClient({ baseUrl: url, token: 't' });
  const day = { period: '2026-11-09', by: ['DAILY'], metrics: ['clicks'] } as const;
  const rows = await rowsIn(await client.fetchReport(day));
  // As in the files of the command line, a value that was not asked for stays.
  expect(rows).toEqual([{ date: '2026-11-09', os: 'iOS', clicks: 7, note: null }]);
});

test("a DSP's revenue is the service's text", async () => {
  const server = await startLocalServer({ delayMs: 0 });
  onTestFinished(() => server.close());
  const token = server.accounts.find(({ profile }) => profile === 'dsp')?.token;
  const client = createClient({ baseUrl: server.url, token, profile: 'dsp', timezone: 'UTC' });

  const report = await client.fetchReport({ ...week, by: ['FORMAT'], metrics: ['revenueEuro'] });

  for await (const row of report.rows()) expect(row.revenueEuro).toMatch(/^\d+,\d\d$/);
});

describe('what goes wrong', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    date: '2026-11-09',
    clicks: index,
  }));
  const body = JSON.stringify({ data: rows });
  const day = { period: '2026-11-09', by: ['DAILY'], metrics: ['clicks'] } as const;

  /** A service whose first download is cut after some bytes, or stalls. */
  async function serveCut(afterBytes: number, { stalls = false } = {}) {
    let downloads = 0;
    const { url } = await serve(({ path }, response) => {
      if (path !== '/download-reporting') return json(response, { id: 'r1', status: 'ready' });
      downloads += 1;
      if (downloads > 1) return json(response, { data: rows });
      response
        .writeHead(200, { 'content-length': String(body.length) })
        .write(body.slice(0, afterBytes), () => {
          if (!stalls) setTimeout(() => response.destroy(), 20);
        });
    });
    const client = createClient({ baseUrl: url, token: 't', timeoutMs: 1_000 });
    return { client, downloads: () => downloads };
  }

  test.each([{ stalls: false }, { stalls: true }])(
    'a download that is cut before its first row is repeated ($stalls)',
    async (how) => {
      const { client, downloads } = await serveCut(12, how);
      expect(await rowsIn(await client.fetchReport(day))).toHaveLength(20_000);
      expect(downloads()).toBe(2);
    },
  );

  test('later the error can be retried, and the report opened again', async () => {
    const { client } = await serveCut(600_000);
    const report = await client.fetchReport(day);
    await expect(rowsIn(report)).rejects.toMatchObject({
      name: 'IncompleteDataError',
      retryable: true,
      reportId: 'r1',
    });
    expect(await rowsIn(await client.openReport('r1', day))).toHaveLength(20_000);
  });

  test('a report that fails is requested once more', async () => {
    const { client, server } = await connectTo();
    server.fault('status:failed:times=1');
    expect(await rowsIn(await client.fetchReport({ ...week, by: ['DAILY'] }))).toHaveLength(7);
    server.fault('status:failed');
    await expect(client.fetchReport({ ...week, by: ['DAILY'] })).rejects.toMatchObject({
      exitCode: 6,
      reportId: expect.any(String),
      retryable: false,
    });
  });

  test('the wait has an end', async () => {
    const { client, server } = await connectTo();
    server.fault('status:stuck');
    const call = client.fetchReport({ ...week }, { waitTimeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ exitCode: 7, retryable: true });
  });

  test("an abort rejects with the signal's reason, at each step", async () => {
    const { client, server } = await connectTo();
    server.fault('status:stuck');
    const reason = new Error('no longer needed');
    await expect(client.fetchReport(week, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );

    const controller = new AbortController();
    const onProgress = ({ step }: ReportProgress) => {
      if (step === 'wait') controller.abort(reason);
    };
    const { signal } = controller;
    await expect(client.fetchReport(week, { signal, onProgress })).rejects.toBe(reason);
  });

  test('it can be read once, and breaking out of the loop closes the connection', async () => {
    let isClosed = false;
    const { url } = await serve(({ path }, response) => {
      if (path !== '/download-reporting') return json(response, { id: 'r1', status: 'ready' });
      response.on('close', () => {
        isClosed = !response.writableFinished;
      });
      response.writeHead(200).write(body);
    });
    const client = createClient({ baseUrl: url, token: 't' });
    const report = await client.fetchReport(day);

    for await (const row of report.rows()) {
      expect(row).toEqual({ date: '2026-11-09', clicks: 0 });
      break;
    }

    await expect.poll(() => isClosed).toBe(true);
    await expect(rowsIn(report)).rejects.toMatchObject({ exitCode: 2, reportId: 'r1' });
  });

  const ready = { id: 'r1', status: 'ready' };
  const notFound = { response: { error_id: 'UNKNOWN_REPORT', message: 'No such report.' } };
  const mismatch = { response: { error_id: 'PROFILE_MISMATCH', message: 'Not for buyers.' } };
  test.each([
    { what: 'a refused request', create: [400, mismatch], exitCode: 4, code: 'PROFILE_MISMATCH' },
    {
      what: 'a report that is not known yet',
      download: [404, notFound],
      exitCode: 7,
      code: 'STILL_IN_PROGRESS',
      retryable: true,
    },
    { what: 'a broken service', create: [501, {}], exitCode: 5, code: 'CREATE_UNCERTAIN' },
    { what: 'a busy service', create: [429, {}], exitCode: 5, code: 'HTTP_429', retryable: true },
    { what: 'an expired report', status: [410, {}], exitCode: 6, code: 'HTTP_410' },
    { what: 'a request without an ID', create: [200, {}], exitCode: 9, code: 'CREATE_UNCERTAIN' },
    {
      what: 'data that is no report',
      download: [200, [1]],
      exitCode: 9,
      code: 'INCOMPLETE_DATA',
      retryable: true,
    },
  ] as const)('$what is exit $exitCode, $code', async (row) => {
    const {
      create = [200, ready],
      status = [200, ready],
      download = [200, { data: [] }],
    } = row as {
      readonly [Call in 'create' | 'status' | 'download']?: readonly [number, unknown];
    };
    const { url } = await serve(({ path }, response) => {
      const answers = new Map([
        ['/buyer-reporting', create],
        ['/status-reporting', status],
      ]);
      const [httpStatus, answer] = answers.get(path) ?? download;
      json(response, answer, httpStatus);
    });
    const client = createClient({ baseUrl: url, token: 't', retries: 0 });

    const error = await client
      .fetchReport(day, { waitTimeoutMs: 0 })
      .then(rowsIn)
      .catch((reason: unknown) => reason);

    const { exitCode, code } = row;
    const retryable = 'retryable' in row;
    expect(error).toBeInstanceOf(AdreportError);
    expect(error).toMatchObject({ exitCode, code, retryable, message: expect.any(String) });
    if (!('create' in row)) expect(error).toMatchObject({ reportId: 'r1' });
  });

  test('a service that answers with the data: fetchReport reads it, createReport has no ID', async () => {
    const { url } = await serve((_request, response) => json(response, { data: rows.slice(0, 3) }));
    const client = createClient({ baseUrl: url, token: 't' });

    const report = await client.fetchReport(day);
    expect(await rowsIn(report)).toHaveLength(3);
    expect(report.id).toBe(undefined);
    await expect(client.createReport(day)).rejects.toMatchObject({
      exitCode: 4,
      code: 'NO_REPORT_ID',
      hint: 'Use fetchReport.',
    });
  });

  test('a refused token is exit 3, and is not in the message', async () => {
    const { server } = await connectTo();
    const token = 'f00d'.repeat(10);
    const client = createClient({ baseUrl: server.url, token });
    const error: AdreportError = await client.campaigns().catch((reason) => reason);
    expect(error).toMatchObject({ exitCode: 3, code: 'INVALID_TOKEN', hint: expect.any(String) });
    expect(`${error.message}${error.hint}`).not.toContain(token);
  });

  const url = 'http://127.0.0.1:1';
  test.each([
    { options: {}, message: 'needs baseUrl' },
    { options: { baseUrl: url }, message: 'needs token, or email and password' },
    { options: { baseUrl: url, email: 'a@x.test' }, message: 'needs password' },
    { options: { baseUrl: 'http://example.com', token: 't' }, message: 'must start with https' },
    {
      options: { baseUrl: url, token: 't', timeout: 5 },
      hint: 'Did you mean timeoutMs, which takes',
    },
    { options: { baseUrl: url, token: 't', timeoutMs: '5s' }, message: 'timeoutMs cannot be “5s”' },
    { options: { baseUrl: url, token: 't', profile: 'seller' }, message: 'use buyer or dsp' },
    {
      options: { baseUrl: url, token: 't', timezone: 'UTC' },
      message: 'cannot be used with buyer reports',
    },
    {
      options: { baseUrl: url, token: 't', proxy: 'socks://x' },
      message: 'proxy cannot be this value',
    },
    { options: { baseUrl: url, token: 'Bearer t' }, message: 'token cannot be this value' },
    { options: { baseUrl: url, token: ' \n' }, message: 'use a token alone' },
    { options: { baseUrl: 'localhost:1', token: 't' }, hint: 'Did you mean http://localhost:1?' },
  ])('createClient($options) is exit 2', ({ options, message = '', hint = '' }) => {
    const create = () => createClient(options as never);
    expect(create).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining(message),
        ...(hint && { hint: expect.stringContaining(hint) }),
      }),
    );
  });

  test.each([
    { report: { period: 'yesterday', by: ['WEEKLY'] }, message: 'WEEKLY' },
    {
      report: { period: 'yesterday', metrics: ['ctr'] },
      message: 'The client cannot request ctr, which is computed from clicks and displays.',
    },
    { report: { period: 'yesterday', filters: { campaign: ['Summer'] } }, message: 'campaign' },
    {
      report: { period: 'yesterday', filters: { campaignId: ['Summer'] } },
      message: 'needs numeric IDs, not “Summer”. Find IDs with client.campaigns().',
    },
    { report: { period: 'yesterday', breakdowns: ['DAILY'] }, message: 'breakdowns' },
    { report: { period: 'yesterday', by: 'DAILY' }, message: 'by cannot be “DAILY”' },
    { report: { period: 'soon' }, message: 'soon' },
    { report: { period: null }, message: 'period cannot be null' },
    { report: { period: 'yesterday', until: 'now' }, message: 'until' },
    { report: { period: 'yesterday', by: ['DAYLY'] }, message: 'DAYLY' },
    { report: { period: 'yesterday', filters: null }, message: 'filters cannot be null' },
    { report: null, message: 'Expected an object with period' },
    { report: {}, message: 'No period' },
  ])('fetchReport($report) is exit 2', async ({ report, message }) => {
    const client = createClient({ baseUrl: url, token: 't' });
    const error = await client.fetchReport(report as never).catch((reason) => reason);
    expect(error).toBeInstanceOf(AdreportError);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(`${error.message} ${error.hint}`).toContain(message);
    expect(`${error.message} ${error.hint}`).not.toMatch(/--|adreport |ADREPORT_(?!TOKEN)/);
  });

  test.each([{ strict: 'no' }, { waitTimeoutMs: '5s' }, { onProgress: 7 }, { signal: {} }])(
    'fetchReport with %j is exit 2',
    async (options) => {
      const client = createClient({ baseUrl: url, token: 't' });
      const call = client.fetchReport({ period: 'yesterday' }, options as never);
      await expect(call).rejects.toMatchObject({ exitCode: 2 });
    },
  );

  test('a call without an ID is exit 2', async () => {
    const client = createClient({ baseUrl: url, token: 't' });
    for (const call of [client.openReport('' as never), client.reportStatus(undefined as never)]) {
      await expect(call).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('ID of the report is missing'),
      });
    }
  });
});
