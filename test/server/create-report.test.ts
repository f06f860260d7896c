import { describe, expect, test } from 'vitest';
import { call, day, refusalIn, reportOf, smallReport, startForFile, startForTest } from './local.ts';

/** What `POST /buyer-reporting` takes and refuses (`decisions.md` 2 and 6). */

const { server, create } = await startForFile();

describe('the window', () => {
  test.each([
    [1767222000, 1767308399],
    ['1767222000', '1767308399'],
    [' 1767222000 ', '1767308399'],
    [1767222000, 1767222000],
  ])('takes %j to %j', async (since, until) => {
    expect((await create({ metrics: 'displays', since, until })).status).toBe(200);
  });

  test.each([
    ['a fraction', 1767222000.5],
    ['text', 'yesterday'],
    ['a date', '2026-01-01'],
    ['a sign', '-5'],
    ['a list', [1767222000]],
    ['an object', { value: 1 }],
    ['true', true],
    ['a time beyond the year 9999', 253402300800],
  ])('refuses %s, in one fault that names the parameter', async (_name, since) => {
    const answer = await create({ ...smallReport, since });
    expect(answer.status).toBe(400);
    expect(refusalIn(answer).error_id).toBe('INVALID_PARAMETER');
    expect(refusalIn(answer).details?.map(({ parameter }) => parameter)).toEqual(['since']);
  });

  test.each([1767222000000, '1767222000000'])('says that %j looks like milliseconds', async (until) => {
    const answer = await create({ ...smallReport, until });
    expect(answer.status).toBe(400);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'until',
      value: '1767222000000',
      problem: expect.stringMatching(/milliseconds.*1767222000\b/),
    });
  });

  test('refuses a since after until', async () => {
    const answer = await create({ ...smallReport, since: day.until, until: day.since });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'since',
      problem: expect.stringMatching(/after until/),
    });
  });
});

describe('breakdowns', () => {
  const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const pairs = times.flatMap((first) => times.filter((second) => second > first).map((second) => [first, second]));

  test.each(pairs)('%s and %s exclude each other', async (first, second) => {
    for (const as of ['buyer', 'dsp'] as const) {
      const answer = await create({ ...smallReport, breakdowns: [first, second] }, as);
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'CONFLICTING_BREAKDOWNS']);
      expect(refusalIn(answer).details).toHaveLength(1);
    }
  });

  test('the same time breakdown twice is one', async () => {
    const { summary } = await reportOf(server, 'buyer', { ...smallReport, breakdowns: ['DAILY', 'daily'] });
    expect(summary.breakdowns).toEqual(['DAILY']);
  });

  test('a misspelt one is answered with the nearest', async () => {
    const answer = await create({ ...smallReport, breakdowns: ['CAMPAING'] });
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      value: 'CAMPAING',
      problem: expect.stringContaining('did you mean CAMPAIGN?'),
    });
  });
});

describe('timezone', () => {
  test.each(['Asia/Kolkata', 'America/New_York', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'europe/paris'])(
    'a DSP may take %s',
    async (timezone) => {
      const { summary } = await reportOf(server, 'dsp', { ...smallReport, timezone });
      expect(summary.timezone).toBe(timezone);
    },
  );

  test('a DSP that names none has Europe/Paris', async () => {
    expect((await reportOf(server, 'dsp', smallReport)).summary.timezone).toBe('Europe/Paris');
  });

  test.each(['Europe/Pari', 'Mars/Olympus', '+02:00', '../etc/passwd', 'Europe/Paris ; x'])(
    '%s is refused',
    async (timezone) => {
      const answer = await create({ ...smallReport, timezone }, 'dsp');
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
      expect(refusalIn(answer).details?.[0]?.parameter).toBe('timezone');
    },
  );

  test('a misspelt one is answered with the nearest', async () => {
    const answer = await create({ ...smallReport, timezone: 'Europe/Pari' }, 'dsp');
    expect(refusalIn(answer).error).toContain('did you mean Europe/Paris?');
  });

  test.each(['Asia/Tokyo', 'nowhere'])("a buyer's (%s) is accepted and has no effect", async (timezone) => {
    const { summary, data } = await reportOf(server, 'buyer', { ...smallReport, timezone });
    expect(summary.timezone).toBe('europe/paris');
    expect(data).toEqual((await reportOf(server, 'buyer', smallReport)).data);
  });
});

describe('output', () => {
  test.each(['', null])('%j is as good as none', async (output) => {
    expect(JSON.parse((await create({ ...smallReport, output })).text)).toMatchObject({
      response: { status: 'progress' },
    });
  });

  test.each(['csv', 'Direct', 1, ['direct']])('%j is refused', async (output) => {
    const answer = await create({ ...smallReport, output });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details).toEqual([expect.objectContaining({ parameter: 'output', allowed: ['direct'] })]);
  });
});

describe('an unknown parameter', () => {
  test.each([
    ['advertiserID', 'advertiserId'],
    ['campagnId', 'campaignId'],
    ['breakdown', 'breakdowns'],
    ['deviceModels', 'deviceModel'],
    ['time_zone', 'timezone'],
  ])('%s: did you mean %s?', async (wrong, meant) => {
    const answer = await create({ ...smallReport, [wrong]: ['1'] });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'UNKNOWN_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: wrong,
      problem: expect.stringContaining(`did you mean ${meant}?`),
      allowed: expect.arrayContaining([meant]),
    });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is one like any other', async (name) => {
    const body = `{"since":1767222000,"until":1767308399,"metrics":"displays","${name}":{"since":1}}`;
    const form = `since=1767222000&until=1767308399&metrics=displays&${name}[since]=1&${name}=2`;
    // qs leaves out what would change a prototype.
    for (const sent of name === '__proto__' ? [{ body }] : [{ body }, { form }]) {
      const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'UNKNOWN_PARAMETER']);
      expect(refusalIn(answer).details?.map(({ parameter }) => parameter)).toEqual([name]);
    }
  });

  test('is passed over by a lenient server', async () => {
    const server = await startForTest({ lenient: true });
    const answer = await call(server, '/buyer-reporting', {
      as: 'buyer',
      json: { ...smallReport, advertiserID: ['1'] },
    });
    expect(answer.status).toBe(200);
  });
});

describe('filters', () => {
  test('advertiserId is for admins only', async () => {
    const answer = await create({ ...smallReport, advertiserId: ['501'] });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([403, 'ADMIN_ONLY']);
    expect((await create({ ...smallReport, advertiserId: ['501'] }, 'admin')).status).toBe(200);
  });
});

test('all the faults of a request are told at once', async () => {
  const answer = await create({
    since: 1767222000000,
    metrics: ['clicks', 'click', 'wombats'],
    breakdowns: ['DAILY', 'HOURLY', 'DAYLY'],
    advertiserId: ['1'],
    campaignId: ['abc'],
    output: 'file',
    colour: 'red',
  });
  const { error_id, error, details = [] } = refusalIn(answer);
  expect([answer.status, error_id]).toEqual([400, 'MISSING_PARAMETER']);
  expect(details.map(({ parameter }) => parameter)).toEqual([
    'since',
    'until',
    'metrics',
    'metrics',
    'breakdowns',
    'breakdowns',
    'advertiserId',
    'campaignId',
    'output',
    'colour',
  ]);
  expect(error).toMatch(/^until: is missing.*\. 9 more faults are in details\.$/);
});

test('breakdowns are no comma list, and the refusal says how to send them', async () => {
  const [detail] = refusalIn(await create({ ...smallReport, breakdowns: 'DAILY,OS' })).details ?? [];
  expect(detail?.problem).toContain('send each breakdown by itself');
});

test.each([
  ['osId', [2 ** 53 + 2]],
  ['cityId', 1e25],
  ['campaignId', { 7: 2 ** 53 + 2 }],
])('%s: an ID too large to be exact as a number should be a string', async (name, id) => {
  const [detail] = refusalIn(await create({ ...smallReport, [name]: id })).details ?? [];
  expect(detail).toMatchObject({ parameter: name, problem: expect.stringContaining('as a string') });
  const answer = await call(server, '/status-reporting', { as: 'buyer', json: { id: 2 ** 53 } });
  expect(refusalIn(answer).error).toContain('as a string');
});
