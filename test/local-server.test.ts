import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../src/errors.ts';
import { type ClockSetting, type ReportChange, startLocalServer } from '../src/local-server.ts';
import { call, createReport, signIn, smallReport, statusOf, tokens } from './server/local.ts';

/** The local server as a test suite of a program under test has it (`adreport help testing`). */
async function start(options: Parameters<typeof startLocalServer>[0]) {
  const service = await startLocalServer(options);
  onTestFinished(() => service.close());
  return service;
}

test('a suite steers it by faults and the clock, sees what was asked, and sets it back', async () => {
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

test('a suite says what time it is, from the start and later', async () => {
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
  expect(() => service.setClock({ now: 'noon' })).toThrow('The clock cannot be set to “noon”.');
});

test('options that exclude each other are refused', async () => {
  await expect(startLocalServer({ delayMs: 0, polls: 2 })).rejects.toThrow('exclude each other');
  await expect(startLocalServer({ faults: ['nowhere:503'] })).rejects.toThrow('no endpoint');

  const { port } = await start({});

  await expect(startLocalServer({ port })).rejects.toThrow('another program listens there');
});

/** What code without types may hand in, and the error that names the option and what it takes. */
const wrongOptions: readonly { readonly options: object; readonly message: string }[] = [
  { options: { port: -1 }, message: 'port cannot be -1: give a whole number, 0 to 65535.' },
  {
    options: { delayMs: Number.NaN },
    message: 'delayMs cannot be NaN: give a whole number of milliseconds, 0 or more.',
  },
  {
    options: { delayMs: '5s' },
    message: 'delayMs cannot be “5s”: give a whole number of milliseconds, 0 or more.',
  },
  { options: { tokenTtlMs: '1h' }, message: 'tokenTtlMs cannot be “1h”: give a whole number' },
  { options: { delay: 5 }, message: 'The option “delay” is not known: did you mean delayMs?' },
  { options: { seed: 'x' }, message: 'seed cannot be “x”: give a whole number, 0 to 999999.' },
  { options: { polls: 0 }, message: 'polls cannot be 0: give a whole number, 1 to 999999.' },
  { options: { scale: 1.5 }, message: 'scale cannot be 1.5: give a whole number, 1 to 999999.' },
  { options: { restateDays: -2 }, message: 'restateDays cannot be -2: give a whole number' },
  { options: { lenient: 'false' }, message: 'lenient cannot be “false”: give true or false.' },
  { options: { host: '' }, message: 'host cannot be “”: give a text that is not empty.' },
  { options: { manual: null }, message: 'manual cannot be null: give true or false.' },
  { options: { windowClock: 'Wall' }, message: 'windowClock cannot be “Wall”: give instant or' },
  { options: { tls: { cert: 'x' } }, message: 'tls cannot be an object: give cert and key' },
  { options: { faults: 'status:503' }, message: 'faults cannot be “status:503”: give a list' },
  {
    options: { now: 1_793_487_600 },
    message: 'now cannot be 1793487600: give milliseconds since 1970, or a text such as',
  },
  { options: { now: 'noon' }, message: 'now cannot be “noon”: give milliseconds since 1970' },
  { options: { clock: 5 }, message: 'clock cannot be 5: give a function.' },
];

test.each(wrongOptions)('$options is refused', async ({ options, message }) => {
  await expect(startLocalServer(options)).rejects.toThrow(message);
});

test('what is set on a running server is checked alike', async () => {
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

test('ids and tokens follow from the seed, the start of the clock and what was asked', async () => {
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

test('two requests never share an id', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z' });
  const first = await createReport(service);
  service.reset();

  const other = await createReport(service, 'buyer', { ...smallReport, metrics: 'clicks' });

  expect(other).not.toBe(first);
});

test('reports are listed as the service keeps them', async () => {
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

describe('reset ends what is still being answered', () => {
  test('a create that waits makes no report', async () => {
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

  test('a create whose body is still on its way makes no report', async () => {
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
  'a server that listens on %s is reached by an address in brackets',
  async (host, context) => {
    const server = await startLocalServer({ host }).catch(() => context.skip('No IPv6 here.'));

    expect(server.url).toBe(`http://[::1]:${server.port}`);

    const answer = await fetch(`${server.url}/__admin/health`);

    expect(answer.headers.get('x-adreport-local')).toBe('1');

    await server.close();
    await server.close();
  },
);
