import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../src/errors.ts';
import { type ClockSetting, type ReportChange, startLocalServer } from '../src/local-server.ts';
import { call, createReport, signIn, smallReport, statusOf, tokens } from './server/local.ts';

/** The local server in a test suite (`adreport help testing`). */
async function start(options: Parameters<typeof startLocalServer>[0]) {
  const service = await startLocalServer(options);
  onTestFinished(() => service.close());
  return service;
}

test('a suite sets faults and the clock, reads the log, and resets the server', async () => {
  const service = await start({ delayMs: 60_000, faults: ['campaigns:404'] });

  expect(service.accounts[0]).toMatchObject({ token: tokens.buyer, profile: 'buyer' });

  service.fault('buyer:503:times=1');

  expect((await call(service, '/buyer-reporting', { as: 'buyer', json: smallReport })).status).toBe(
    503,
  );

  const id = await createReport(service);

  expect(service.requests().map(({ status }) => status)).toEqual([503, 200]);
  expect(await statusOf(service, id)).toBe('progress');

  service.advance('1m');

  expect(await statusOf(service, id)).toBe('ready');

  service.reset();

  expect(service.requests()).toEqual([]);
  expect((await call(service, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(
    404,
  );
  expect((await call(service, '/campaigns', { as: 'buyer' })).status).toBe(404);
});

test('a suite sets the time at the start and later', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z', delayMs: 60_000 });
  service.setClock({ frozen: true });
  const timeOfLatest = () => service.requests().at(-1)?.time;

  const id = await createReport(service);

  expect(timeOfLatest()).toMatch(/^2026-11-01T09:0\d:/);

  service.setClock({ now: '2026-11-01T12:00:00Z', frozen: true });

  expect(await statusOf(service, id)).toBe('ready');
  expect(timeOfLatest()).toBe('2026-11-01T12:00:00.000Z');

  service.reset();
  await createReport(service);

  expect(timeOfLatest()).toMatch(/^2026-11-01T09:0\d:/);
  expect(() => service.setClock({ now: 'noon' })).toThrow('Cannot set the clock to “noon”.');
});

test('options that cannot be combined are refused', async () => {
  await expect(startLocalServer({ delayMs: 0, polls: 2 })).rejects.toThrow(
    'Cannot combine delayMs, polls and manual',
  );
  await expect(startLocalServer({ faults: ['statis:503'] })).rejects.toThrow(
    'unknown endpoint “statis”. Did you mean status?',
  );

  const { port } = await start({});

  await expect(startLocalServer({ port })).rejects.toThrow('the port is already in use');
});

/** Options from code without types, and the error with the expected value. */
const wrongOptions: readonly { readonly options: object; readonly message: string }[] = [
  { options: { port: -1 }, message: 'port cannot be -1: use a whole number, 0 to 65535.' },
  {
    options: { delayMs: Number.NaN },
    message: 'delayMs cannot be NaN: use a whole number of milliseconds, 0 or more.',
  },
  {
    options: { delayMs: '5s' },
    message: 'delayMs cannot be “5s”: use a whole number of milliseconds, 0 or more.',
  },
  {
    options: { delay: '5s' },
    message:
      'Unknown option “delay”. Did you mean delayMs, which takes a whole number of milliseconds',
  },
  { options: { polls: 0 }, message: 'polls cannot be 0: use a whole number, 1 to 999999.' },
  { options: { lenient: 'false' }, message: 'lenient cannot be “false”: use true or false.' },
  { options: { host: '' }, message: 'host cannot be “”: use a string that is not empty.' },
  { options: { manual: null }, message: 'manual cannot be null: use true or false.' },
  {
    options: { tls: { cert: 'x' } },
    message: 'tls cannot be an object: use an object with cert and key',
  },
  { options: { faults: 'status:503' }, message: 'faults cannot be “status:503”: use a list' },
  {
    options: { now: 1_793_487_600 },
    message: 'now cannot be 1793487600: use milliseconds since 1970, or a string such as',
  },
  { options: { now: 'noon' }, message: 'now cannot be “noon”: use milliseconds since 1970' },
  { options: { clock: 5 }, message: 'clock cannot be 5: use a function.' },
];

test.each(wrongOptions)('$options is refused', async ({ options, message }) => {
  await expect(startLocalServer(options)).rejects.toThrow(message);
});

test('settings of a running server are checked too', async () => {
  const service = await start({});
  const id = await createReport(service);

  for (const change of [{ status: 5 }, { status: 'done' }, {}, { status: 'ready', mesage: 'x' }]) {
    expect(() => service.setReport(id, change as ReportChange)).toThrow(UsageError);
  }
  for (const setting of [{ now: 1_793_487_600 }, { frozen: 'yes' }, { froze: true }]) {
    expect(() => service.setClock(setting as ClockSetting)).toThrow(UsageError);
  }
  expect(await statusOf(service, id)).toBe('progress');
});

test.each([
  { fault: { endpoint: 'status' }, message: 'it has no effect. Set kind, change or answer.' },
  { fault: { endpoint: 'status', kind: 'fialed' }, message: 'Did you mean failed?' },
  { fault: { endpoint: 'statis', kind: '503' }, message: 'use auth or buyer or status' },
  {
    fault: { endpoint: 'status', kind: '503', time: 1 },
    message: 'Did you mean times, which takes',
  },
  { fault: 'status:503:for=byer', message: 'unknown account “byer”. Did you mean buyer?' },
])('the message of an invalid fault has the advice: $fault', async ({ fault, message }) => {
  const service = await start({});

  expect(() => service.fault(fault as string)).toThrow(message);
});

test('a duration that cannot be read is answered with the forms', async () => {
  const service = await start({});

  expect(() => service.advance('1 fortnight')).toThrow(
    'Use milliseconds, or a number with a unit: 500ms, 30s, 5m, 2h or 1d.',
  );
});

test('ids and tokens depend on the seed, the start of the clock and the request', async () => {
  async function idsOf(options: Parameters<typeof startLocalServer>[0]) {
    const service = await start({ now: '2026-11-01T09:00:00Z', ...options });
    const ids = [await createReport(service), await createReport(service), await signIn(service)];
    service.reset();
    expect([await createReport(service), await createReport(service)]).toEqual(ids.slice(0, 2));
    return ids;
  }

  const ids = await idsOf({});

  expect(ids).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{40}$/),
  ]);
  expect(new Set(ids).size).toBe(3);
  expect(await idsOf({})).toEqual(ids);
  for (const other of [{ seed: 2 }, { now: '2026-11-01T09:00:01Z' }]) {
    for (const id of await idsOf(other)) expect(ids).not.toContain(id);
  }
});

test('two different requests have different ids', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z' });
  const first = await createReport(service);
  service.reset();

  const other = await createReport(service, 'buyer', { ...smallReport, metrics: 'clicks' });

  expect(other).not.toBe(first);
});

test('reports() lists the reports of the server', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z', manual: true });
  service.setClock({ frozen: true });
  const id = await createReport(service);
  service.setReport(id, { status: 'failed', message: 'Out of ink.' });

  expect(service.reports()).toEqual([
    {
      report_id: id,
      status: 'failed',
      message: 'Out of ink.',
      account: 'buyer',
      created: expect.stringMatching(/^2026-11-01T09:00:0/),
      request: expect.objectContaining({ metrics: ['displays'], breakdowns: ['DAILY'] }),
    },
  ]);
});

describe('reset ends calls in progress', () => {
  test('a delayed create call creates no report', async () => {
    const service = await start({});
    service.fault('buyer:delay:ms=300:times=1');
    const delayed = call(service, '/buyer-reporting', { as: 'buyer', json: smallReport });
    await expect.poll(() => service.requests().length).toBe(1);

    service.reset();

    expect(await delayed).toMatchObject({ status: 0, errorCode: 'ECONNRESET' });
    await createReport(service);
    expect(service.reports()).toHaveLength(1);
    expect(service.requests()).toHaveLength(1);
  });

  test('a create call whose body is incomplete creates no report', async () => {
    const service = await start({});
    const body = JSON.stringify(smallReport);
    const request = httpRequest(`${service.url}/buyer-reporting`, {
      method: 'POST',
      headers: { authorization: tokens.buyer, 'content-length': body.length },
    });
    const ended = once(request, 'error');
    request.write(body.slice(0, 10));
    await expect.poll(() => service.requests().length).toBe(1);

    service.reset();
    request.end(body.slice(10));

    expect(await ended).toMatchObject([{ code: expect.stringMatching(/ECONNRESET|EPIPE/) }]);
    expect(service.reports()).toEqual([]);
  });
});

test.for(['::1', '::'])(
  'a server that listens on %s has a URL with brackets',
  async (host, context) => {
    const server = await startLocalServer({ host }).catch(() => context.skip('No IPv6 here.'));

    expect(server.url).toBe(`http://[::1]:${server.port}`);

    const answer = await fetch(`${server.url}/__admin/health`);

    expect(answer.headers.get('x-adreport-local')).toBe('1');

    await server.close();
    await server.close();
  },
);
