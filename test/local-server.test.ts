import { expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../src/local-server.ts';
import {
  admin,
  call,
  createReport,
  portOf,
  setStatus,
  signIn,
  smallReport,
  statusOf,
  tokens,
} from './server/local.ts';

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

test('a suite sets the time at the start, and durations as the flags have them', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z', delay: '1m', tokenTtl: '2m' });
  const id = await createReport(service);
  const token = await signIn(service);
  const signedCall = async () => (await call(service, '/campaigns', { token })).status;

  expect(service.requests()[0]?.time).toMatch(/^2026-11-01T09:0\d:/);
  expect([await statusOf(service, id), await signedCall()]).toEqual(['progress', 200]);

  service.advance(60_000);

  expect(await statusOf(service, id)).toBe('ready');

  service.advance('61s');

  expect(await signedCall()).toBe(401);
});

test('a port that is in use is refused', async () => {
  const server = await start({});
  const port = portOf(server);

  await expect(startLocalServer({ port })).rejects.toThrow('the port is already in use');
});

/** Options from code without types, and the error with the expected value. */
test.each<{ options: object; message: string }>([
  { options: { port: -1 }, message: 'port cannot be -1: use a whole number, 0 to 65535.' },
  {
    options: { delayMs: '5s' },
    message: 'delayMs cannot be “5s”: use a whole number of milliseconds, 0 or more.',
  },
  { options: { delay: '5 parsecs' }, message: 'delay cannot be “5 parsecs”: use a number with' },
  { options: { delayy: '5s' }, message: 'Did you mean delay, which takes a number with a unit' },
  { options: { manual: null }, message: 'manual cannot be null: use true or false.' },
  { options: { faults: 'status:503' }, message: 'faults cannot be “status:503”: use a list' },
  {
    options: { faults: ['statis:503'] },
    message: 'unknown endpoint “statis”. Did you mean status?',
  },
  {
    options: { now: 1_793_487_600 },
    message: 'now cannot be 1793487600: use milliseconds since 1970, or a string such as',
  },
  { options: { clock: Date.now }, message: 'Unknown option “clock”.' },
  { options: { delayMs: 0, polls: 2 }, message: 'delayMs cannot be used with polls: remove one' },
])('$options is refused', async ({ options, message }) => {
  await expect(startLocalServer(options)).rejects.toThrow(message);
});

test('a duration that cannot be read is answered with the forms', async () => {
  const service = await start({});

  expect(() => service.advance('1 fortnight')).toThrow(
    'Use milliseconds, or a number with a unit: 500ms, 30s, 5m, 2h or 1d.',
  );
});

test('reports() lists the reports of the server', async () => {
  const service = await start({ now: '2026-11-01T09:00:00Z', manual: true });
  await admin(service, '/clock', { json: { frozen: true } });
  const id = await createReport(service);
  await setStatus(service, id, 'failed');

  expect(service.reports()).toEqual([
    {
      report_id: id,
      status: 'failed',
      message: 'The report could not be generated.',
      account: 'buyer',
      created: expect.stringMatching(/^2026-11-01T09:00:0/),
      request: expect.objectContaining({ metrics: ['displays'], breakdowns: ['DAILY'] }),
    },
  ]);
});

test.for(['::1', '::'])(
  'a server that listens on %s has a URL with brackets',
  async (host, context) => {
    const server = await startLocalServer({ host }).catch(() => context.skip('No IPv6 here.'));

    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);

    const answer = await fetch(`${server.url}/__admin/health`);

    expect(answer.headers.get('x-adreport-local')).toBe('1');

    await server.close();
    await server.close();
  },
);
