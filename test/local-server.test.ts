import { expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../src/local-server.ts';
import { call, createReport, smallReport, statusOf, tokens } from './server/local.ts';

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

test.each([
  { options: { port: -1 }, message: 'port cannot be -1.', hint: 'Give a whole number, 0 or more.' },
  {
    options: { delayMs: Number.NaN },
    message: 'delayMs cannot be NaN.',
    hint: 'Give a whole number, 0 or more.',
  },
  { options: { polls: 0 }, message: 'polls cannot be 0.', hint: 'Give a whole number, 1 or more.' },
  {
    options: { scale: 1.5 },
    message: 'scale cannot be 1.5.',
    hint: 'Give a whole number, 1 or more.',
  },
  {
    options: { restateDays: -2 },
    message: 'restateDays cannot be -2.',
    hint: 'Give a whole number, 0 or more.',
  },
])('$options is refused', async ({ options, message, hint }) => {
  await expect(startLocalServer(options)).rejects.toMatchObject({ message, hint });
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
