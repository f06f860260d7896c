import { describe, expect, test } from 'vitest';
import { allCountries, findCountry } from '../../src/contract/countries.ts';
import { metrics } from '../../src/contract/vocabulary.ts';
import { partsOf } from '../../src/report/parts.ts';
import type { RequestFlags } from '../../src/report/request.ts';
import { planReport } from '../../src/report/request.ts';

const window = { since: '1417392000', until: '1420070399', nowMs: 0 };

function build(flags: Partial<RequestFlags>) {
  return planReport({ profile: 'buyer', ...window, ...flags }).request;
}

describe('what flags ask for', () => {
  test('nothing: every metric of the profile, in column order, and no breakdown', () => {
    expect(build({})).toEqual({
      since: 1_417_392_000,
      until: 1_420_070_399,
      metrics: metrics.map(({ name }) => name),
      breakdowns: [],
      filters: {},
    });
    expect(build({ profile: 'dsp' })).toMatchObject({
      metrics: ['displays', 'revenueEuro', 'revenueDollar'],
    });
  });

  test.each<[string, Partial<RequestFlags>, object]>([
    [
      'metrics and breakdowns in any case, in the order given, each once',
      { metrics: 'REVENUEEURO, clicks,,clicks ,Displays', by: 'campaign,Daily,CAMPAIGN' },
      { metrics: ['revenueEuro', 'clicks', 'displays'], breakdowns: ['CAMPAIGN', 'DAILY'] },
    ],
    [
      'filters: names in any case, one name twice merged, repeats dropped',
      { filters: ['campaignid=12, 13,12', 'countryId=3017382,', 'CAMPAIGNID=14'] },
      { filters: { campaignId: ['12', '13', '14'], countryId: ['3017382'] } },
    ],
    ['a DSP’s zone is always stated', { profile: 'dsp' }, { timezone: 'Europe/Paris' }],
    [
      'in its usual case',
      { profile: 'dsp', timezone: 'america/new_york' },
      { timezone: 'America/New_York' },
    ],
    ['output=direct', { direct: true }, { output: 'direct' }],
  ])('%s', (_, flags, expected) => {
    expect(build(flags)).toMatchObject(expected);
  });

  test.each([
    ['carrier=Orange F,SFR', ['Orange F', 'SFR']],
    ['carrier="Bouygues, Telecom" , Free', ['Bouygues, Telecom', 'Free']],
    ['carrier="say ""hi""",a"b', ['say "hi"', 'a"b']],
    ['carrier=" kept "', [' kept ']],
    ['carrier=a=b', ['a=b']],
    ['carrier=,é,"",😀,', ['é', '😀']],
  ])('%s', (flag, values) => {
    expect(build({ filters: [flag] }).filters).toEqual({ carrier: values });
  });

  test.each([
    ['ctr,displays', ['ctr', 'displays'], ['clicks', 'displays']],
    ['clicks,ecpmeuro,CTR', ['clicks', 'ecpmEuro', 'ctr'], ['clicks', 'revenueEuro', 'displays']],
    ['ecpmDollar', ['ecpmDollar'], ['revenueDollar', 'displays']],
    [undefined, metrics.map(({ name }) => name), metrics.map(({ name }) => name)],
  ])('metrics %s: what computed ones need is asked for', (metricList, shownMetrics, asked) => {
    const plan = planReport({ profile: 'buyer', ...window, metrics: metricList });
    expect([plan.shownMetrics, plan.request.metrics]).toEqual([shownMetrics, asked]);
  });
});

describe('countries', () => {
  test.each([
    [{ countries: ['FR,Germany', 'côte d’ivoire'] }, ['3017382', '2921044', '2287781']],
    [
      { countries: ['cote d\'ivoire,UK, us ,"Bosnia & Herzegovina"'] },
      ['2287781', '2635167', '6252001', '3277605'],
    ],
    [{ filters: ['countryId=FR,3017382,12'], countries: ['be'] }, ['3017382', '12', '2802361']],
  ])('%j', (flags, ids) => {
    expect(build(flags).filters).toEqual({ countryId: ids });
  });

  test('each has a code, an id and a name of its own, and is found by any of them', () => {
    const all = allCountries();
    expect(all).toHaveLength(250);
    for (const country of all) {
      const { code, id, name } = country;
      for (const word of [code, id, name, name.toUpperCase()])
        expect(findCountry(word)).toEqual(country);
    }
  });
});

describe('one mistake is one sentence', () => {
  test.each<[Partial<RequestFlags>, string, string]>([
    [{ metrics: 'clikcs' }, 'There is no metric clikcs.', 'Did you mean clicks?'],
    [
      { metrics: 'constructor' },
      'There is no metric constructor.',
      'The buyer metrics are requests, displays,',
    ],
    [{ metrics: ' , ' }, '--metrics names no metric.', 'Leave it out for all of them.'],
    [{ metrics: 'spend' }, 'There is no metric spend.', 'Did you mean revenueEuro?'],
    [
      { profile: 'dsp', metrics: 'ctr' },
      'The metric ctr is in buyer reports only.',
      'The dsp metrics',
    ],
    [{ countries: ['Germny'] }, '--country: there is no country Germny.', 'Did you mean Germany?'],
    [{ countries: [','] }, '--country has no values.', 'Write --country FR,Germany.'],
    [
      { filters: ['countryId=Frence'] },
      '--filter countryId: there is no country Frence.',
      'Did you mean France?',
    ],
    [
      { profile: 'dsp', countries: ['FR'] },
      'A dsp report takes no filters.',
      'Leave --country out.',
    ],
    [{ by: 'DAYLY' }, 'There is no breakdown DAYLY.', 'Did you mean DAILY?'],
    [{ by: 'date' }, 'There is no breakdown date.', 'Did you mean DAILY?'],
    [{ by: 'hourly,OS,daily' }, 'HOURLY and DAILY exclude each other.', 'Use at most one of'],
    [
      { profile: 'dsp', filters: ['osId=1', 'x=2'] },
      'A dsp report takes no filters.',
      'Leave --filter out.',
    ],
    [
      { profile: 'dsp', timezone: 'Paris' },
      '--timezone Paris: there is no such',
      'Did you mean Europe/Paris?',
    ],
    [{ timezone: 'Europe/Paris' }, '--timezone is for DSP reports', 'Leave --timezone out.'],
    [{ filters: ['campaingId=1'] }, 'There is no filter campaingId.', 'Did you mean campaignId?'],
    [{ filters: ['wobble=1'] }, 'There is no filter wobble.', 'Filters: advertiserId,'],
    [
      { filters: ['campaignId'] },
      '--filter campaignId has no values.',
      'Write --filter campaignId=1234',
    ],
    [
      { filters: ['carrier="A, B'] },
      'its double quotes do not pair up.',
      'A quote inside quotes is doubled',
    ],
    [
      { filters: ['cityId=Paris,3017382'] },
      '--filter cityId takes ids, which are digits',
      'geoname IDs',
    ],
  ])('%o', (flags, message, hint) => {
    const refusal = {
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    expect(() => build(flags)).toThrow(expect.objectContaining(refusal));
  });
});

test('the window is of the report’s zone', () => {
  const dsp = planReport({
    profile: 'dsp',
    timezone: 'Asia/Tokyo',
    period: '2026-11-01',
    nowMs: 0,
  });
  expect(dsp.request).toMatchObject({
    since: Date.parse('2026-10-31T15:00:00Z') / 1_000,
    timezone: 'Asia/Tokyo',
  });
  const buyer = planReport({ profile: 'buyer', period: '2026-11-01', nowMs: 0 });
  expect(buyer.request.since).toBe(Date.parse('2026-10-31T23:00:00Z') / 1_000);
});

describe('several mistakes', () => {
  test('are said at once', () => {
    const wrong = {
      metrics: 'clikcs,displays',
      by: 'daily,hourly,campain',
      filters: ['osId=x'],
      timezone: 'UTC',
    };
    const plan = () => planReport({ profile: 'buyer', period: '2026-02-30', nowMs: 0, ...wrong });
    expect(plan).toThrowErrorMatchingInlineSnapshot(`
      [UsageError: 6 things are wrong:
        - There is no metric clikcs. Did you mean clicks?
        - There is no breakdown campain. Did you mean CAMPAIGN?
        - DAILY and HOURLY exclude each other. Use at most one of DAILY, HOURLY, MONTHLY, RANGE.
        - --filter osId takes ids, which are digits, and not x. It selects mobile OS IDs.
        - --timezone is for DSP reports: a buyer report is always in Europe/Paris. Leave --timezone out.
        - --period 2026-02-30: the calendar has no 2026-02-30. Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, 2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.]
    `);
  });
});

describe('a service that reads wall time', () => {
  const plan = (period: string, timezone = 'Europe/Paris') =>
    planReport({ profile: 'dsp', timezone, period, nowMs: 0, windowClock: 'wall' });
  const read = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 19);

  test.each([
    ['2014-12', 'Europe/Paris', '2014-12-01T00:00:00', '2014-12-31T23:59:59'],
    // 23 and 25 hours, and 24 hours of wall time.
    ['2026-03-29', 'Europe/Paris', '2026-03-29T00:00:00', '2026-03-29T23:59:59'],
    ['2026-10-25', 'Europe/Paris', '2026-10-25T00:00:00', '2026-10-25T23:59:59'],
    ['2026-04-05', 'Australia/Lord_Howe', '2026-04-05T00:00:00', '2026-04-05T23:59:59'],
  ])(
    '%s in %s: the digits of the wall are sent as if they were UTC',
    (period, timezone, since, until) => {
      const { request, window: own } = plan(period, timezone);
      expect([read(request.since), read(request.until)]).toEqual([since, until]);
      expect(own).toEqual(planReport({ profile: 'dsp', timezone, period, nowMs: 0 }).window);
    },
  );

  test('a part of a split report is sent so too', () => {
    const parts = partsOf(plan('2026-10-24..2026-10-26'), 'day');
    expect(parts.map(({ request }) => [read(request.since), read(request.until)])).toEqual(
      ['24', '25', '26'].map((day) => [`2026-10-${day}T00:00:00`, `2026-10-${day}T23:59:59`]),
    );
  });

  test('a window of the doubled hour that would end before it begins is refused', () => {
    const flags = { since: '2026-10-25T02:50+02:00', until: '2026-10-25T02:10+01:00', nowMs: 0 };
    expect(planReport({ profile: 'buyer', ...flags }).window.until).toBeGreaterThan(0);
    const wall = () => planReport({ profile: 'buyer', ...flags, windowClock: 'wall' });
    expect(wall).toThrow('would end before it begins');
  });
});
