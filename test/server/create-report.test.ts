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

test.each([
  [1767222000, 1767308399],
  ['1767222000', '1767308399'],
  [' 1767222000 ', '1767308399'],
  [1767222000, 1767222000],
])('the window from %j to %j is taken', async (since, until) => {
  expect((await create({ metrics: 'displays', since, until })).status).toBe(200);
});

describe('is refused, in one fault that names the parameter', () => {
  const says = (text: string | RegExp) => ({ problem: expect.stringMatching(text) });

  test.each<[object, string, object?]>([
    ...[1767222000.5, 'yesterday', '2026-01-01', '-5', [1767222000], { value: 1 }, true, 253402300800].map(
      (since): [object, string] => [{ since }, 'INVALID_PARAMETER'],
    ),
    [{ until: 1767222000000 }, 'INVALID_PARAMETER', says(/milliseconds.*1767222000\b/)],
    [{ until: '1767222000000' }, 'INVALID_PARAMETER', says(/milliseconds.*1767222000\b/)],
    [{ since: day.until + 1 }, 'INVALID_PARAMETER', says('after until')],
    ...['csv', 'Direct', 1, ['direct']].map((output): [object, string, object] => [
      { output },
      'INVALID_PARAMETER',
      { allowed: ['direct'] },
    ]),
    [{ breakdowns: 'DAILY,OS' }, 'INVALID_PARAMETER', says('send each breakdown by itself')],
    [{ osId: [2 ** 53 + 2] }, 'INVALID_PARAMETER', says('as a string')],
    [{ cityId: 1e25 }, 'INVALID_PARAMETER', says('as a string')],
    [{ campaignId: { 7: 2 ** 53 + 2 } }, 'INVALID_PARAMETER', says('as a string')],
    // The nearest name is offered.
    [{ breakdowns: ['CAMPAING'] }, 'INVALID_PARAMETER', says('did you mean CAMPAIGN\\?')],
    [{ metrics: 'requests,click' }, 'INVALID_PARAMETER', says('did you mean clicks\\?')],
    [{ metrics: 'Displays' }, 'INVALID_PARAMETER', says('did you mean displays\\?')],
    [{ advertiserID: ['1'] }, 'UNKNOWN_PARAMETER', says('did you mean advertiserId\\?')],
    [{ breakdown: ['1'] }, 'UNKNOWN_PARAMETER', says('did you mean breakdowns\\?')],
    [{ deviceModels: ['1'] }, 'UNKNOWN_PARAMETER', says('did you mean deviceModel\\?')],
    [{ time_zone: ['1'] }, 'UNKNOWN_PARAMETER', says('did you mean timezone\\?')],
  ])('%j', async (wrong, errorId, detail = {}) => {
    const [parameter] = Object.keys(wrong);
    expectRefusal(await create({ ...smallReport, ...wrong }), 400, errorId, { parameter, ...detail });
  });

  const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const pairs = times.flatMap((first) => times.filter((second) => second > first).map((second) => [first, second]));

  test.each(pairs)('%s with %s', async (...two) => {
    for (const as of ['buyer', 'dsp'] as const) {
      const answer = await create({ ...smallReport, breakdowns: two }, as);
      expectRefusal(answer, 400, 'CONFLICTING_BREAKDOWNS', { parameter: 'breakdowns' });
    }
  });
});

test('the same time breakdown twice is one', async () => {
  const { summary } = await reportOf(server, 'buyer', { ...smallReport, breakdowns: ['DAILY', 'daily'] });
  expect(summary.breakdowns).toEqual(['DAILY']);
});

test.each(['', null])('%j is as good as no output', async (output) => {
  expect(jsonOf(await create({ ...smallReport, output }))).toMatchObject({ response: { status: 'progress' } });
});

describe('timezone', () => {
  test('a DSP may take any zone that the platform knows; Europe/Paris where it names none', async () => {
    for (const timezone of ['Asia/Kolkata', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'europe/paris']) {
      const { summary } = await reportOf(server, 'dsp', { ...smallReport, timezone });
      expect(summary.timezone).toBe(timezone);
    }
    expect((await reportOf(server, 'dsp', smallReport)).summary.timezone).toBe('Europe/Paris');
  });

  test.each([
    ['Europe/Pari', 'did you mean Europe/Paris?'],
    ['Mars/Olympus', ''],
    ['+02:00', ''],
    ['../etc/passwd', ''],
    ['Europe/Paris ; x', ''],
  ])('%s is refused', async (timezone, says) => {
    const problem = expect.stringContaining(says);
    const answer = await create({ ...smallReport, timezone }, 'dsp');
    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'timezone', problem });
  });

  test.each(['Asia/Tokyo', 'nowhere'])("a buyer's (%s) is accepted and has no effect", async (timezone) => {
    const { summary, data } = await reportOf(server, 'buyer', { ...smallReport, timezone });
    expect(summary.timezone).toBe('europe/paris');
    expect(data).toEqual((await reportOf(server, 'buyer', smallReport)).data);
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
