import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import {
  type AccountName,
  type Answered,
  call,
  type ReportDocument,
  refusalIn,
  reportOf,
  startForTest,
} from './local.ts';

/** What `POST /buyer-reporting` takes and refuses (`decisions.md` 2 and 6). */

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ delayMs: 0 });
});
afterAll(() => server.close());

const day = { since: 1767222000, until: 1767308399 };
const valid = { ...day, metrics: 'displays' };

function create(json: object, as: AccountName = 'buyer'): Promise<Answered> {
  return call(server.url, '/buyer-reporting', { as, json });
}

/** The data that a body asks for, whatever the encoding. */
async function dataFor(sent: { json?: unknown; form?: string; body?: string }): Promise<ReportDocument> {
  const answer = await call(server.url, '/buyer-reporting', { as: 'buyer', ...sent });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.stringMatching(/^\{"data"/)]);
  return JSON.parse(answer.text) as ReportDocument;
}

/** The metric fields of a row, in order. */
function metricsOf({ data }: ReportDocument): string[] {
  return Object.keys(data[0] ?? {}).filter((name) => /displays|clicks|leads|requests|value|revenue/.test(name));
}

describe('the window', () => {
  test.each([
    [1767222000, 1767308399],
    ['1767222000', '1767308399'],
    [' 1767222000 ', '1767308399'],
    [1767222000, 1767222000],
  ])('takes %j to %j', async (since, until) => {
    expect((await create({ metrics: 'displays', since, until })).status).toBe(200);
  });

  test('is inclusive at both ends, to the second', async () => {
    const total = async (since: number, until: number) =>
      Number((await reportOf(server.url, 'buyer', { since, until, metrics: 'displays' })).data[0]?.displays ?? 0);
    const [before, hour, after] = [1767221999, 1767222000, 1767225600];
    expect(await total(hour, hour)).toBeGreaterThan(0);
    expect(await total(hour + 1, after - 1)).toBe(0);
    expect(await total(before, hour)).toBe(await total(hour, hour));
    expect(await total(hour, after)).toBe((await total(hour, hour)) + (await total(after, after)));
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
    const answer = await create({ ...valid, since });
    expect(answer.status).toBe(400);
    expect(refusalIn(answer).error_id).toBe('INVALID_PARAMETER');
    expect(refusalIn(answer).details?.map(({ parameter }) => parameter)).toEqual(['since']);
  });

  test.each([1767222000000, '1767222000000'])('says that %j looks like milliseconds', async (until) => {
    const answer = await create({ ...valid, until });
    expect(answer.status).toBe(400);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'until',
      value: '1767222000000',
      problem: expect.stringMatching(/milliseconds.*1767222000\b/),
    });
  });

  test('refuses a since after until', async () => {
    const answer = await create({ ...valid, since: day.until, until: day.since });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'since',
      problem: expect.stringMatching(/after until/),
    });
  });
});

describe('metrics', () => {
  test.each([
    ['a comma list', { json: { ...day, output: 'direct', metrics: ' clicks, displays ,clicks,, leads' } }],
    ['a JSON array', { json: { ...day, output: 'direct', metrics: ['clicks', 'displays', 'clicks', 'leads'] } }],
    ['a JSON object', { json: { ...day, output: 'direct', metrics: { 9: 'leads', 0: 'clicks', 4: 'displays' } } }],
    ['a form', { form: 'since=1767222000&until=1767308399&output=direct&metrics=clicks%2Cdisplays%2Cleads' }],
    [
      'indexed keys',
      {
        form: 'since=1767222000&until=1767308399&output=direct&metrics[9]=leads&metrics[2]=clicks&metrics[3]=displays',
      },
    ],
    [
      'repeated keys',
      { form: 'since=1767222000&until=1767308399&output=direct&metrics=clicks&metrics=displays&metrics=leads' },
    ],
  ])('as %s: blanks trimmed, repeats dropped, order kept', async (_name, sent) => {
    expect(metricsOf(await dataFor(sent))).toEqual(['clicks', 'displays', 'leads']);
  });

  test.each([{}, { metrics: '' }, { metrics: [] }, { metrics: ' , ' }])('%j is missing', async (given) => {
    const answer = await create({ ...day, ...given });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'MISSING_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'metrics',
      allowed: expect.arrayContaining(['eyesTrackings']),
    });
  });

  test.each([
    ['click', 'clicks'],
    ['Displays', 'displays'],
    ['revenuEuro', 'revenueEuro'],
    ['eyestracking', 'eyesTrackings'],
  ])('%s: did you mean %s?', async (wrong, meant) => {
    const answer = await create({ ...day, metrics: `requests,${wrong}` });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details?.[0]?.problem).toContain(`did you mean ${meant}?`);
  });
});

describe('array parameters', () => {
  const head = 'since=1767222000&until=1767308399&output=direct&metrics=displays';
  const json = { ...valid, output: 'direct' };

  test.each([
    ['a JSON array', { json: { ...json, breakdowns: ['OS', 'CAMPAIGN'] } }],
    ['a JSON object', { json: { ...json, breakdowns: { 10: 'CAMPAIGN', 7: 'OS' } } }],
    ['indexed keys in ascending order', { form: `${head}&breakdowns[10]=CAMPAIGN&breakdowns[7]=OS` }],
    ['percent-encoded brackets', { form: `${head}&breakdowns%5B1%5D=OS&breakdowns%5B2%5D=CAMPAIGN` }],
    ['empty brackets', { form: `${head}&breakdowns[]=OS&breakdowns[]=CAMPAIGN` }],
    ['an index beyond 32 bits', { form: `${head}&breakdowns[4294967295]=CAMPAIGN&breakdowns[3]=OS` }],
    ['empty brackets after indexes', { form: `${head}&breakdowns[]=CAMPAIGN&breakdowns[99]=OS` }],
    ['a repeated index', { form: `${head}&breakdowns[0]=OS&breakdowns[0]=CAMPAIGN` }],
    ['names in any case', { json: { ...json, breakdowns: ['os', 'Campaign', 'OS'] } }],
  ])('as %s', async (_name, sent) => {
    expect((await dataFor(sent)).summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  });

  test.each([
    ['one scalar', { json: { ...json, breakdowns: ['OS'], osId: '2' } }],
    ['a number', { json: { ...json, breakdowns: ['OS'], osId: 2 } }],
    ['a list of numbers', { json: { ...json, breakdowns: ['OS'], osId: [2] } }],
    ['a form scalar', { form: `${head}&breakdowns=OS&osId=2` }],
    ['a repeated value', { form: `${head}&breakdowns[5]=OS&osId[0]=2&osId[1]=2` }],
  ])('as %s', async (_name, sent) => {
    expect((await dataFor(sent)).data.map(({ os }) => os)).toEqual(['Android']);
  });

  test('null and an empty list are no filter', async () => {
    const all = await dataFor({ json });
    expect(await dataFor({ json: { ...json, osId: null, campaignId: [] } })).toEqual(all);
  });

  test('have at most 1,000 values, in either encoding', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
    const asForm = (count: number) => [head, ...ids(count).map((id) => `campaignId[]=${id}`)].join('&');
    expect((await create({ ...valid, campaignId: ids(1_000) })).status).toBe(200);
    await dataFor({ form: asForm(1_000) });
    const tooMany = [
      await create({ ...valid, campaignId: ids(1_001) }),
      await call(server.url, '/buyer-reporting', { as: 'buyer', form: asForm(1_001) }),
      await create({ ...valid, breakdowns: Array.from({ length: 1_001 }, () => 'OS') }),
      await create({ ...valid, metrics: 'displays,'.repeat(1_001) }),
    ];
    expect(tooMany.map(refusalIn)).toEqual(
      ['campaignId', 'campaignId', 'breakdowns', 'metrics'].map((parameter) =>
        expect.objectContaining({
          error_id: 'INVALID_PARAMETER',
          details: [{ parameter, problem: 'has more than 1000 values.', allowed: 'at most 1000 values' }],
        }),
      ),
    );
  });

  test.each([[[['OS']]], [{ a: 'OS' }], [[true]], [[null]], [[{}]], [{ '-1': 'OS' }], [{ '1.5': 'OS' }], [true]])(
    '%j is no list of names',
    async (breakdowns) => {
      const answer = await create({ ...valid, breakdowns });
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
      expect(refusalIn(answer).details?.[0]?.parameter).toBe('breakdowns');
    },
  );

  test('any indexes, in any order, give the values in ascending order of index', async () => {
    const names = ['OS', 'CAMPAIGN', 'CITY', 'CARRIER', 'PLATFORM'];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 1, maxLength: names.length }),
        fc.infiniteStream(fc.nat()),
        async (indexes, order) => {
          const given = indexes.map((index, position) => ({
            index,
            name: names[position] ?? '',
            sort: order.next().value,
          }));
          const shuffled = given.toSorted((a, b) => a.sort - b.sort);
          const form = [head, 'osId=9', ...shuffled.map(({ index, name }) => `breakdowns[${index}]=${name}`)].join('&');
          const expected = given.toSorted((a, b) => a.index - b.index).map(({ name }) => name);
          expect((await dataFor({ form })).summary.breakdowns).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('breakdowns', () => {
  const times = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const pairs = times.flatMap((first) => times.filter((second) => second > first).map((second) => [first, second]));

  test.each(pairs)('%s and %s exclude each other', async (first, second) => {
    for (const as of ['buyer', 'dsp'] as const) {
      const answer = await create({ ...valid, breakdowns: [first, second] }, as);
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'CONFLICTING_BREAKDOWNS']);
      expect(refusalIn(answer).details).toHaveLength(1);
    }
  });

  test('the same time breakdown twice is one', async () => {
    const { summary } = await reportOf(server.url, 'buyer', { ...valid, breakdowns: ['DAILY', 'daily'] });
    expect(summary.breakdowns).toEqual(['DAILY']);
  });

  test('a misspelt one is answered with the nearest', async () => {
    const answer = await create({ ...valid, breakdowns: ['CAMPAING'] });
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      value: 'CAMPAING',
      problem: expect.stringContaining('did you mean CAMPAIGN?'),
    });
  });
});

describe('the profile belongs to the account', () => {
  test.each(['requests', 'clicks', 'downloads', 'leads', 'landings', 'eyesTrackings'])(
    'a DSP has no metric %s',
    async (metric) => {
      const answer = await create({ ...day, metrics: metric }, 'dsp');
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'PROFILE_MISMATCH']);
      expect(refusalIn(answer).details).toEqual([
        expect.objectContaining({
          parameter: 'metrics',
          value: metric,
          allowed: ['displays', 'revenueEuro', 'revenueDollar'],
        }),
      ]);
    },
  );

  test.each([
    'ADNETWORK',
    'CAMPAIGN',
    'ADUNIT',
    'ADVERTISER',
    'PUBLISHERID',
    'OS',
    'COUNTRY',
    'REGION',
    'DEPARTMENT',
    'CITY',
    'POSTALCODE',
    'DEVICETYPE',
    'DEVICEBRAND',
    'DEVICEMODEL',
    'CARRIER',
    'SUBPUBLISHERID',
    'PLATFORM',
    'CREATIVE',
  ])('a DSP has no breakdown %s', async (breakdown) => {
    const answer = await create({ ...valid, breakdowns: [breakdown] }, 'dsp');
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'PROFILE_MISMATCH']);
    const [detail] = refusalIn(answer).details ?? [];
    expect(detail).toMatchObject({ parameter: 'breakdowns', value: breakdown });
    expect(new Set(detail?.allowed)).toEqual(new Set(['DAILY', 'HOURLY', 'MONTHLY', 'RANGE', 'BUNDLEID', 'FORMAT']));
  });

  test.each([
    'advertiserId',
    'adunitId',
    'campaignId',
    'osId',
    'formatId',
    'countryId',
    'regionId',
    'departmentId',
    'cityId',
    'postalcode',
    'adNetworkId',
    'carrier',
    'deviceTypeId',
    'deviceBrandId',
    'deviceModel',
  ])('a DSP has no filter %s', async (filter) => {
    const answer = await create({ ...valid, [filter]: ['1'] }, 'dsp');
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'PROFILE_MISMATCH']);
    expect(refusalIn(answer).details).toEqual([
      {
        parameter: filter,
        problem: expect.any(String),
        allowed: ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'],
      },
    ]);
  });
});

describe('timezone', () => {
  test.each(['Asia/Kolkata', 'America/New_York', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'europe/paris'])(
    'a DSP may take %s',
    async (timezone) => {
      const { summary } = await reportOf(server.url, 'dsp', { ...valid, timezone });
      expect(summary.timezone).toBe(timezone);
    },
  );

  test('a DSP that names none has Europe/Paris', async () => {
    expect((await reportOf(server.url, 'dsp', valid)).summary.timezone).toBe('Europe/Paris');
  });

  test.each(['Europe/Pari', 'Mars/Olympus', '+02:00', '../etc/passwd', 'Europe/Paris ; x'])(
    '%s is refused',
    async (timezone) => {
      const answer = await create({ ...valid, timezone }, 'dsp');
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
      expect(refusalIn(answer).details?.[0]?.parameter).toBe('timezone');
    },
  );

  test('a misspelt one is answered with the nearest', async () => {
    const answer = await create({ ...valid, timezone: 'Europe/Pari' }, 'dsp');
    expect(refusalIn(answer).error).toContain('did you mean Europe/Paris?');
  });

  test.each(['Asia/Tokyo', 'nowhere'])("a buyer's (%s) is accepted and has no effect", async (timezone) => {
    const { summary, data } = await reportOf(server.url, 'buyer', { ...valid, timezone });
    expect(summary.timezone).toBe('europe/paris');
    expect(data).toEqual((await reportOf(server.url, 'buyer', valid)).data);
  });
});

describe('output', () => {
  test('direct answers with the data', async () => {
    const answer = await create({ ...valid, output: 'direct' });
    expect(JSON.parse(answer.text)).toMatchObject({ data: [{ displays: expect.any(Number) }], summary: {} });
  });

  test.each(['', null])('%j is as good as none', async (output) => {
    expect(JSON.parse((await create({ ...valid, output })).text)).toMatchObject({ response: { status: 'progress' } });
  });

  test.each(['csv', 'Direct', 1, ['direct']])('%j is refused', async (output) => {
    const answer = await create({ ...valid, output });
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
    const answer = await create({ ...valid, [wrong]: ['1'] });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'UNKNOWN_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: wrong,
      problem: expect.stringContaining(`did you mean ${meant}?`),
      allowed: expect.arrayContaining([meant]),
    });
  });

  test('that resembles nothing gets no suggestion', async () => {
    expect(refusalIn(await create({ ...valid, zzzzzzzz: 1 })).error).not.toContain('did you mean');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is one like any other', async (name) => {
    const body = `{"since":1767222000,"until":1767308399,"metrics":"displays","${name}":{"since":1}}`;
    const form = `since=1767222000&until=1767308399&metrics=displays&${name}[since]=1&${name}=2`;
    for (const sent of [{ body }, { form }]) {
      const answer = await call(server.url, '/buyer-reporting', { as: 'buyer', ...sent });
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'UNKNOWN_PARAMETER']);
      expect(refusalIn(answer).details?.map(({ parameter }) => parameter)).toEqual([name]);
    }
  });

  test('is passed over by a lenient server', async () => {
    const { url } = await startForTest({ lenient: true });
    const answer = await call(url, '/buyer-reporting', { as: 'buyer', json: { ...valid, advertiserID: ['1'] } });
    expect(answer.status).toBe(200);
  });
});

describe('filters', () => {
  test('advertiserId is for admins only', async () => {
    const answer = await create({ ...valid, advertiserId: ['501'] });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([403, 'ADMIN_ONLY']);
    expect((await create({ ...valid, advertiserId: ['501'] }, 'admin')).status).toBe(200);
  });

  test.each([
    'adunitId',
    'campaignId',
    'osId',
    'formatId',
    'countryId',
    'regionId',
    'departmentId',
    'cityId',
    'postalcode',
    'adNetworkId',
    'deviceTypeId',
    'deviceBrandId',
  ])('%s takes digits only, and every wrong value is named', async (filter) => {
    const answer = await create({ ...valid, [filter]: ['1', 'x', '-2', ''] });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details?.map(({ parameter, value }) => [parameter, value])).toEqual([
      [filter, 'x'],
      [filter, '-2'],
      [filter, ''],
    ]);
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
  expect(error).toMatch(/^until: is missing.*\(and 9 more, see details\)$/);
});
