import { describe, expect, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import {
  call,
  day,
  expectRefusal,
  jsonOf,
  refusalIn,
  reportOf,
  smallReport,
  startForFile,
  startForTest,
} from './local.ts';

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

  test.each([1767222000.5, 'yesterday', '2026-01-01', '-5', [1767222000], { value: 1 }, true, 253402300800])(
    'refuses %j, in one fault that names the parameter',
    async (since) => {
      const answer = await create({ ...smallReport, since });
      expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'since' });
    },
  );

  test.each([1767222000000, '1767222000000'])('says that %j looks like milliseconds', async (until) => {
    const problem = expect.stringMatching(/milliseconds.*1767222000\b/);
    const answer = await create({ ...smallReport, until });
    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'until', value: '1767222000000', problem });
  });

  test('refuses a since after until', async () => {
    const answer = await create({ ...smallReport, since: day.until, until: day.since });
    const problem = expect.stringMatching(/after until/);
    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'since', problem });
  });
});

describe('breakdowns', () => {
  const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const pairs = times.flatMap((first) => times.filter((second) => second > first).map((second) => [first, second]));

  test.each(pairs)('%s and %s exclude each other', async (...two) => {
    for (const as of ['buyer', 'dsp'] as const) {
      const answer = await create({ ...smallReport, breakdowns: two }, as);
      expectRefusal(answer, 400, 'CONFLICTING_BREAKDOWNS', { parameter: 'breakdowns' });
    }
  });

  test('the same time breakdown twice is one', async () => {
    const { summary } = await reportOf(server, 'buyer', { ...smallReport, breakdowns: ['DAILY', 'daily'] });
    expect(summary.breakdowns).toEqual(['DAILY']);
  });

  test('are no comma list, and the refusal says how to send them', async () => {
    const { error } = refusalIn(await create({ ...smallReport, breakdowns: 'DAILY,OS' }));
    expect(error).toContain('send each breakdown by itself');
  });
});

test.each([
  ['INVALID_PARAMETER', { breakdowns: ['CAMPAING'] }, 'CAMPAIGN'],
  ['INVALID_PARAMETER', { metrics: 'requests,click' }, 'clicks'],
  ['INVALID_PARAMETER', { metrics: 'Displays' }, 'displays'],
  ['UNKNOWN_PARAMETER', { advertiserID: ['1'] }, 'advertiserId'],
  ['UNKNOWN_PARAMETER', { breakdown: ['1'] }, 'breakdowns'],
  ['UNKNOWN_PARAMETER', { deviceModels: ['1'] }, 'deviceModel'],
  ['UNKNOWN_PARAMETER', { time_zone: ['1'] }, 'timezone'],
])('%s %j is answered with the nearest: did you mean %s?', async (errorId, wrong, meant) => {
  const [parameter] = Object.keys(wrong);
  const problem = expect.stringContaining(`did you mean ${meant}?`);
  expectRefusal(await create({ ...smallReport, ...wrong }), 400, errorId, { parameter, problem });
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
      expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'timezone' });
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
    expect(jsonOf(await create({ ...smallReport, output }))).toMatchObject({ response: { status: 'progress' } });
  });

  test.each(['csv', 'Direct', 1, ['direct']])('%j is refused', async (output) => {
    const answer = await create({ ...smallReport, output });
    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'output', allowed: ['direct'] });
  });
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'the parameter %s is unknown like any other',
  async (name) => {
    const body = `{"since":1767222000,"until":1767308399,"metrics":"displays","${name}":{"since":1}}`;
    const form = `since=1767222000&until=1767308399&metrics=displays&${name}[since]=1&${name}=2`;
    // qs leaves out what would change a prototype.
    for (const sent of name === '__proto__' ? [{ body }] : [{ body }, { form }]) {
      const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
      expectRefusal(answer, 400, 'UNKNOWN_PARAMETER', { parameter: name });
    }
  },
);

test('an unknown parameter is passed over by a lenient server', async () => {
  const json = { ...smallReport, advertiserID: ['1'] };
  const lenient = await startForTest({ lenient: true });
  expect((await call(lenient, '/buyer-reporting', { as: 'buyer', json })).status).toBe(200);
});

test('advertiserId is for admins only', async () => {
  expectRefusal(await create({ ...smallReport, advertiserId: ['501'] }), 403, 'ADMIN_ONLY');
  expect((await create({ ...smallReport, advertiserId: ['501'] }, 'admin')).status).toBe(200);
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
  const parameters = 'since until metrics metrics breakdowns breakdowns advertiserId campaignId output colour'.split(
    ' ',
  );
  expectRefusal(answer, 400, 'MISSING_PARAMETER', ...parameters.map((parameter) => ({ parameter })));
  expect(refusalIn(answer).error).toMatch(/^until: is missing.*\. 9 more faults are in details\.$/);
});

test.each([
  ['osId', [2 ** 53 + 2]],
  ['cityId', 1e25],
  ['campaignId', { 7: 2 ** 53 + 2 }],
])('%s: an ID too large to be exact as a number should be a string', async (parameter, id) => {
  const answer = await create({ ...smallReport, [parameter]: id });
  const problem = expect.stringContaining('as a string');
  expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter, problem });
});

describe('what a DSP may not ask for', () => {
  const allowed = {
    metrics: ['displays', 'revenueEuro', 'revenueDollar'],
    breakdowns: ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE', 'FORMAT', 'BUNDLEID'],
    others: ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'],
  };
  const refused = [
    ...metrics.map(({ name }) => ['metrics', name, allowed.metrics] as const),
    ...breakdowns.map(({ name }) => ['breakdowns', name, allowed.breakdowns] as const),
  ].filter(([, name, own]) => !own.includes(name));

  test('the lists are those of the specification', () => expect(refused).toHaveLength(6 + 18));

  test.each(refused)('%s: a DSP has no %s', async (parameter, value, own) => {
    const answer = await create({ ...smallReport, [parameter]: [value] }, 'dsp');
    expectRefusal(answer, 400, 'PROFILE_MISMATCH', { parameter, value, allowed: own });
  });

  test.each(filters.map(({ name }) => name))('a DSP has no filter %s', async (parameter) => {
    const answer = await create({ ...smallReport, [parameter]: ['1'] }, 'dsp');
    expectRefusal(answer, 400, 'PROFILE_MISMATCH', { parameter, allowed: allowed.others });
  });
});
