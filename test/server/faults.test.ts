import { describe, expect, test } from 'vitest';
import { endpointNames } from '../../src/contract/messages.ts';
import { parseFault } from '../../src/server/faults/parse-fault.ts';
import type { LocalServer } from '../../src/server/start.ts';
import {
  type AccountName,
  call,
  createReport,
  downloadOf,
  expectRefusal,
  jsonOf,
  signIn,
  smallReport,
  startForTest,
  statusOf,
} from './local.ts';

async function statuses(
  server: LocalServer,
  count: number,
  as: AccountName = 'buyer',
): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push((await call(server, '/campaigns', { as })).status);
  return all;
}

describe('when a fault strikes', () => {
  test('times=N: only the first N calls of its endpoint, then the next fault', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:times=2', 'campaigns:429:times=1'],
    });

    await createReport(server);

    expect(await statuses(server, 4)).toEqual([503, 503, 429, 200]);
  });

  test('* means every endpoint that the kind works with', async () => {
    const server = await startForTest({ faults: ['*:unauthorized', '*:failed'] });

    const token = await signIn(server);

    expect((await call(server, '/campaigns', { token })).status).toBe(401);

    const struck = server.requests().map(({ endpoint, faults }) => [endpoint, faults]);

    expect(struck).toEqual(Object.entries({ auth: [], campaigns: ['unauthorized'] }));
  });

  test('for=ACCOUNT: only that account, by name or e-mail, at sign-in too', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:for=dsp', 'auth:503:for=admin@example.com'],
    });

    expect([await statuses(server, 1, 'dsp'), await statuses(server, 1, 'buyer')]).toEqual([
      [503],
      [200],
    ]);

    const statusFor = async (email: string) =>
      (await call(server, '/auth-reporting', { json: { email, password: 'demo' } })).status;

    expect(await statusFor('admin@example.com')).toBe(503);
    expect(await statusFor('dsp@example.com')).toBe(200);
  });

  test('p: the same calls for the same seed and after a reset, others for another seed', async () => {
    const pattern = async (seed: number) => {
      const server = await startForTest({ seed, faults: ['campaigns:503:p=0.5'] });
      const first = await statuses(server, 24);
      server.reset();
      expect(await statuses(server, 24)).toEqual(first);
      return first.join();
    };

    const [one, same, other] = [await pattern(7), await pattern(7), await pattern(8)];

    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(new Set(one.split(','))).toEqual(new Set(['200', '503']));
  });

  test('the log names the fault that struck a call, and the list has counts', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:times=1', 'campaigns:delay:ms=1'],
    });

    await statuses(server, 2);

    expect(server.requests().map(({ faults, status }) => [faults, status])).toEqual([
      [['status'], 503],
      [['delay'], 200],
    ]);
    expect(jsonOf(await call(server, '/__admin/faults'))).toEqual({
      faults: [
        { id: '1', fault: 'campaigns:503:times=1', calls: 2, struck: 1 },
        { id: '2', fault: 'campaigns:delay:ms=1', calls: 2, struck: 1 },
      ],
    });
  });
});

describe('kinds that answer instead of the service', () => {
  test('an HTTP status, in the service’s own envelope', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:times=1', 'campaigns:429:retry-after=2'],
    });
    const first = await call(server, '/campaigns', { as: 'buyer' });

    const second = await call(server, '/campaigns', { as: 'buyer' });

    expect(jsonOf(first)).toEqual({
      response: { error_id: 'INTERNAL', error: expect.stringContaining('503') },
    });
    expect(first.headers['retry-after']).toBeUndefined();
    expect(jsonOf(second)).toEqual({
      response: { error_id: 'RATE_LIMITED', error: expect.stringContaining('429') },
    });
    expect(second.headers['retry-after']).toBe('2');
    expect([first.headers['x-adreport-local'], second.headers['x-adreport-local']]).toEqual([
      '1',
      '1',
    ]);
  });

  test('reset: the connection is cut before the answer, and the log has status 0', async () => {
    const server = await startForTest({ faults: ['buyer:reset:times=1'] });

    const cut = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });

    expect(cut).toMatchObject({ status: 0, errorCode: 'ECONNRESET' });
    expect(server.requests()).toMatchObject([{ endpoint: 'buyer', status: 0, faults: ['reset'] }]);
    expect(
      (await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport })).status,
    ).toBe(200);
  });

  test('garbage: 200 labelled as JSON, but neither JSON nor UTF-8', async () => {
    const server = await startForTest({ faults: ['status:garbage'] });

    const answer = await call(server, '/status-reporting', { as: 'buyer', json: { id: 'x' } });

    expect(answer).toMatchObject({ status: 200, isWhole: true });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(() => jsonOf(answer)).toThrow(SyntaxError);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(answer.body)).toThrow(TypeError);
  });

  test('unauthorized: the token is revoked for every call, and signing in gives a new one', async () => {
    const server = await startForTest({ faults: ['status:unauthorized:times=1'] });

    const token = await signIn(server);

    expect((await call(server, '/campaigns', { token })).status).toBe(200);
    expectRefusal(
      await call(server, '/status-reporting', { token, json: { id: 'x' } }),
      401,
      'INVALID_TOKEN',
    );
    expect((await call(server, '/campaigns', { token })).status).toBe(401);
    expect((await call(server, '/campaigns', { token: await signIn(server) })).status).toBe(200);
  });
});

describe('kinds that damage the answer of the service', () => {
  const report = { ...smallReport, breakdowns: ['HOURLY', 'CAMPAIGN', 'CITY'], output: 'direct' };
  const download = (server: LocalServer, leaveAfterBytes = Number.POSITIVE_INFINITY) =>
    call(server, '/buyer-reporting', { as: 'buyer', json: report, leaveAfterBytes });

  test('truncate: exactly the first bytes of a streamed answer', async () => {
    const server = await startForTest();

    const { body: whole, isWhole } = await download(server);

    expect([isWhole, whole.length > 70_000]).toEqual([true, true]);

    for (const bytes of [0, 1, 1_000, 65_536, 70_001, whole.length, whole.length + 5]) {
      server.fault(`buyer:truncate:bytes=${bytes}:times=1`);
      const cut = await download(server);
      expect(cut, `${bytes}`).toMatchObject({ status: 200, isWhole: false });
      expect(cut.body.equals(whole.subarray(0, bytes)), `${bytes}`).toBe(true);
    }
  });

  test('truncate: fewer bytes than the announced length', async () => {
    const server = await startForTest();
    const whole = await call(server, '/campaigns', { as: 'buyer' });
    server.fault('campaigns:truncate:bytes=100:times=1');

    const cut = await call(server, '/campaigns', { as: 'buyer' });

    expect(cut.headers['content-length']).toBe(String(whole.body.length));
    expect([cut.isWhole, cut.body.equals(whole.body.subarray(0, 100))]).toEqual([false, true]);
  });

  test('slow: the first bytes arrive early, and a client can disconnect', async () => {
    const server = await startForTest({ faults: ['buyer:slow:rate=20b'] });

    const left = await download(server, 1);

    expect(left.isWhole).toBe(false);
    expect(left.body.length).toBeLessThan(100);

    await expect.poll(() => server.requests().length).toBe(1);
  });

  test('delay: a call that is not delayed overtakes the delayed one', async () => {
    const server = await startForTest({ faults: ['campaigns:delay:ms=150:times=1'] });
    const ended: string[] = [];
    const delayed = call(server, '/campaigns', { as: 'buyer' }).then(({ status }) =>
      ended.push(`delayed ${status}`),
    );
    const struck = async () => jsonOf(await call(server, '/__admin/faults'));
    await expect.poll(struck).toMatchObject({ faults: [{ struck: 1 }] });
    const others = statuses(server, 1).then(([status]) => ended.push(`other ${status}`));

    await Promise.all([delayed, others]);

    expect(ended).toEqual(['other 200', 'delayed 200']);
  });
});

describe('kinds that set the final status of a report', () => {
  test.each([
    { kind: 'failed', status: 409 },
    { kind: 'expired', status: 410 },
  ])(
    '$kind: the final status of the report; times counts reports, not calls',
    async ({ kind, status }) => {
      const server = await startForTest({ delayMs: 2_000, faults: [`status:${kind}:times=1`] });

      const [first, second] = [await createReport(server), await createReport(server)];

      expect([await statusOf(server, first), await statusOf(server, second)]).toEqual([
        'progress',
        'progress',
      ]);

      server.advance('2s');
      for (let n = 0; n < 2; n += 1) {
        expect([await statusOf(server, first), await statusOf(server, second)]).toEqual([
          kind,
          'ready',
        ]);
      }

      const refused = await downloadOf(server, first);

      expect([refused.status, refused.headers['retry-after']]).toEqual([status, undefined]);
      expect((await downloadOf(server, second)).status).toBe(200);
    },
  );

  test('stuck: in progress until the status is set by hand', async () => {
    const server = await startForTest({ faults: ['status:stuck:after=1:times=1'] });

    const [first, second] = [await createReport(server), await createReport(server)];

    expect([await statusOf(server, first), await statusOf(server, second)]).toEqual([
      'ready',
      'progress',
    ]);

    server.advance('23h');

    expect(await statusOf(server, second)).toBe('progress');
    expect((await downloadOf(server, second)).status).toBe(409);

    server.setReport(second, { status: 'ready' });

    expect(await statusOf(server, second)).toBe('ready');
  });

  test('not-downloadable: ready, then 409 with Retry-After', async () => {
    const server = await startForTest({ faults: ['download:not-downloadable:times=2'] });

    const id = await createReport(server);

    expect(await statusOf(server, id)).toBe('ready');

    for (const status of [409, 409, 200]) {
      const answer = await downloadOf(server, id);
      expect([answer.status, answer.headers['retry-after']]).toEqual([
        status,
        status === 409 ? '1' : undefined,
      ]);
    }
  });

  test.each(['failed', 'expired', 'stuck'])(
    '%s also applies to a download without a status call',
    async (kind) => {
      const server = await startForTest({ faults: [`status:${kind}:times=1`] });

      const [struck, other] = [await createReport(server), await createReport(server)];

      expect((await downloadOf(server, struck)).status).toBe(kind === 'expired' ? 410 : 409);
      expect((await downloadOf(server, other)).status).toBe(200);
      expect(await statusOf(server, struck)).toBe(kind === 'stuck' ? 'progress' : kind);
    },
  );
});

test.each([
  { text: 'status:503:times=3', expected: { endpoints: ['status'], type: 'status', times: 3 } },
  {
    text: ' buyer:reset:after=2:p=0.25 ',
    expected: { text: 'buyer:reset:after=2:p=0.25', after: 2, p: 0.25 },
  },
  {
    text: 'campaigns:garbage:for=dsp@example.com',
    expected: { type: 'garbage', account: 'dsp@example.com' },
  },
  {
    text: '*:stuck',
    expected: { type: 'stuck', endpoints: ['buyer', 'status'], times: Infinity, after: 0, p: 1 },
  },
])('$text', ({ text, expected }) => {
  expect(parseFault(text)).toMatchObject(expected);
});

test.each([
  {
    text: '',
    problem: 'unknown endpoint “”',
    advice: `Choose from ${endpointNames.join(', ')}, *.`,
  },
  { text: 'statis:503', problem: 'unknown endpoint “statis”', advice: 'Did you mean status?' },
  { text: 'status', problem: 'unknown kind “”', advice: 'Choose from an HTTP status, reset' },
  // Every JavaScript object has these.
  {
    text: 'status:503:constructor=1',
    problem: 'unknown key “constructor” for 503',
    advice: 'Choose from for, times, after, p, retry-after.',
  },
  {
    text: 'status:toString',
    problem: 'unknown kind “toString”',
    advice: 'Choose from an HTTP status, reset',
  },
  {
    text: 'status:100',
    problem: 'unknown kind “100”',
    advice: 'Choose from an HTTP status, reset',
  },
  {
    text: 'status:truncat:bytes=1',
    problem: 'unknown kind “truncat”',
    advice: 'Did you mean truncate?',
  },
  {
    text: 'status:503:tines=3',
    problem: 'unknown key “tines” for 503',
    advice: 'Did you mean times?',
  },
  {
    text: 'status:503:times',
    problem: '“times” is not key=value',
    advice: 'ENDPOINT:KIND[:key=value…]',
  },
  {
    text: 'status:503:times=-1',
    problem: 'times=-1 is not a valid whole number',
    advice: 'ENDPOINT:KIND',
  },
  {
    text: 'status:503:p=2',
    problem: 'p=2 is not a valid probability from 0 to 1',
    advice: 'ENDPOINT:KIND',
  },
  {
    text: 'status:429:retry-after=x',
    problem: 'retry-after=x is not a valid whole number',
    advice: 'ENDPOINT:KIND',
  },
  { text: 'download:truncate', problem: 'bytes= is missing', advice: 'bytes=10kb' },
  {
    text: 'download:slow:rate=fast',
    problem: 'rate=fast is not a valid size such as 1000 or 10kb',
    advice: 'ENDPOINT:KIND',
  },
  { text: 'auth:delay', problem: 'ms= is missing', advice: 'auth:delay:ms=500' },
  {
    text: 'auth:delay:ms=100d',
    problem: 'ms=100d is not a valid number of milliseconds',
    advice: 'ENDPOINT:KIND',
  },
  { text: 'auth:failed', problem: 'failed does not work with auth', advice: 'Use status:failed.' },
  { text: 'status:503:times=1:times=2', problem: 'times= is repeated', advice: 'ENDPOINT:KIND' },
  { text: 'status:answer', problem: 'file= is missing', advice: 'status:answer:file=answer.json' },
  {
    text: 'status:answer:status=99:file=x',
    problem: 'status=99 is not a valid HTTP status',
    advice: 'KIND',
  },
  {
    text: 'status:answer:type=csv:file=x',
    problem: 'type=csv is not a valid media type',
    advice: 'KIND',
  },
  { text: 'status:change', problem: 'change needs a function', advice: 'fault()' },
])('$text is refused with advice in the message', ({ text, problem, advice }) => {
  const parse = () => parseFault(text);

  expect(parse).toThrow(expect.objectContaining({ code: 'BAD_FAULT', exitCode: 2 }));
  expect(parse).toThrow(problem);
  expect(parse).toThrow(advice);
});
