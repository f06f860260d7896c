import { describe, expect, test } from 'vitest';
import { findCountry, listCountries } from '../../src/contract/countries.ts';
import { metrics } from '../../src/contract/vocabulary.ts';
import type { PlanOptions, RequestFlags } from '../../src/query/request.ts';
import { planReport } from '../../src/query/request.ts';
import { splitPlan } from '../../src/query/window-parts.ts';

const window = { since: '1417392000', until: '1420070399', nowMs: 0 };

function build(flags: Partial<RequestFlags & PlanOptions>) {
  return planReport({ profile: 'buyer', ...window, ...flags }).request;
}

describe('request flags', () => {
  test('by default: every metric of the profile in column order, no breakdowns', () => {
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

  test.each<{ name: string; flags: Partial<RequestFlags & PlanOptions>; expected: object }>([
    {
      name: 'metrics and breakdowns in any case, in the order given, each once',
      flags: { metrics: 'REVENUEEURO, clicks,,clicks ,Displays', by: 'campaign,Daily,CAMPAIGN' },
      expected: {
        metrics: ['revenueEuro', 'clicks', 'displays'],
        breakdowns: ['CAMPAIGN', 'DAILY'],
      },
    },
    {
      name: 'filters: names in any case, one name twice merged, repeats dropped',
      flags: { filters: ['campaignid=12, 13,12', 'countryId=3017382,', 'CAMPAIGNID=14'] },
      expected: { filters: { campaignId: ['12', '13', '14'], countryId: ['3017382'] } },
    },
    {
      name: 'a DSP’s zone is always stated',
      flags: { profile: 'dsp' },
      expected: { timezone: 'Europe/Paris' },
    },
    {
      name: 'in its usual case',
      flags: { profile: 'dsp', timezone: 'america/new_york' },
      expected: { timezone: 'America/New_York' },
    },
    { name: 'output=direct', flags: { direct: true }, expected: { output: 'direct' } },
  ])('$name', ({ flags, expected }) => {
    expect(build(flags)).toMatchObject(expected);
  });

  test.each([
    { flag: 'carrier=Orange F,SFR', values: ['Orange F', 'SFR'] },
    { flag: 'carrier="Bouygues, Telecom" , Free', values: ['Bouygues, Telecom', 'Free'] },
    { flag: 'carrier="say ""hi""",a"b', values: ['say "hi"', 'a"b'] },
    { flag: 'carrier=" kept "', values: [' kept '] },
    { flag: 'carrier=a=b', values: ['a=b'] },
    { flag: 'carrier=,é,"",😀,', values: ['é', '😀'] },
  ])('$flag', ({ flag, values }) => {
    expect(build({ filters: [flag] }).filters).toEqual({ carrier: values });
  });

  test.each([
    {
      metricList: 'ctr,displays',
      shownMetrics: ['ctr', 'displays'],
      asked: ['clicks', 'displays'],
    },
    {
      metricList: 'clicks,ecpmeuro,CTR',
      shownMetrics: ['clicks', 'ecpmEuro', 'ctr'],
      asked: ['clicks', 'revenueEuro', 'displays'],
    },
    {
      metricList: 'CPLEuro,cpdeuro',
      shownMetrics: ['cplEuro', 'cpdEuro'],
      asked: ['revenueEuro', 'leads', 'downloads'],
    },
    { shownMetrics: metrics.map(({ name }) => name), asked: metrics.map(({ name }) => name) },
  ])(
    'metrics $metricList: computed ones request the metrics they need',
    ({ metricList, shownMetrics, asked }) => {
      const plan = planReport({ profile: 'buyer', ...window, metrics: metricList });
      expect([plan.shownMetrics, plan.request.metrics]).toEqual([shownMetrics, asked]);
    },
  );
});

describe('countries', () => {
  test.each([
    {
      flags: { countries: ['FR,Germany', 'côte d’ivoire'] },
      ids: ['3017382', '2921044', '2287781'],
    },
    {
      flags: { countries: ['cote d\'ivoire,UK, us ,"Bosnia & Herzegovina"'] },
      ids: ['2287781', '2635167', '6252001', '3277605'],
    },
    {
      flags: { filters: ['countryId=FR,3017382,12'], countries: ['be'] },
      ids: ['3017382', '12', '2802361'],
    },
  ])('$flags', ({ flags, ids }) => {
    expect(build(flags).filters).toEqual({ countryId: ids });
  });

  test('each has a unique code, id and name, and is found by any of them', () => {
    const all = listCountries();

    expect(all).toHaveLength(250);
    for (const country of all) {
      const { code, id, name } = country;
      const withoutAccents = name.normalize('NFD').replaceAll(/\p{M}/gu, '');
      for (const word of [code, id, name, name.toUpperCase(), withoutAccents])
        expect(findCountry(word)).toEqual(country);
    }
  });
});

describe('a single mistake', () => {
  test.each<{ flags: Partial<RequestFlags>; message: string; hint: string }>([
    {
      flags: { metrics: 'clikcs' },
      message: 'Unknown metric “clikcs”.',
      hint: 'Did you mean clicks?',
    },
    {
      flags: { metrics: 'constructor' },
      message: 'Unknown metric “constructor”.',
      hint: 'Choose from requests, displays,',
    },
    {
      flags: { metrics: ' , ' },
      message: '--metrics is empty.',
      hint: 'Remove it to request all metrics.',
    },
    {
      flags: { profile: 'dsp', metrics: 'ctr' },
      message: 'The metric ctr is in buyer reports only.',
      hint: 'Choose from',
    },
    {
      flags: { countries: ['Germny'] },
      message: 'Unknown country “Germny” in --country.',
      hint: 'Did you mean Germany?',
    },
    {
      flags: { countries: [','] },
      message: '--country has no values.',
      hint: 'Write --country FR,Germany.',
    },
    {
      flags: { filters: ['countryId=Frence'] },
      message: 'Unknown country “Frence” in --filter.',
      hint: 'Did you mean France?',
    },
    {
      flags: { profile: 'dsp', countries: ['FR'] },
      message: 'DSP reports do not support filters.',
      hint: 'Remove --country.',
    },
    {
      flags: { by: 'DAYLY' },
      message: 'Unknown breakdown “DAYLY”.',
      hint: 'Did you mean DAILY?',
    },
    {
      flags: { by: 'hourly,OS,daily' },
      message: 'HOURLY and DAILY cannot be combined.',
      hint: 'Use at most one of',
    },
    {
      flags: { profile: 'dsp', filters: ['osId=1', 'x=2'] },
      message: 'DSP reports do not support filters.',
      hint: 'Remove --filter.',
    },
    {
      flags: { timezone: 'Europe/Paris' },
      message: '--timezone works with DSP reports only',
      hint: 'Remove --timezone.',
    },
    {
      flags: { filters: ['campaingId=1'] },
      message: 'Unknown filter “campaingId”.',
      hint: 'Did you mean campaignId?',
    },
    {
      flags: { filters: ['campaignId'] },
      message: '--filter campaignId has no values.',
      hint: 'Write --filter campaignId=1234',
    },
    {
      flags: { filters: ['carrier="A, B'] },
      message: 'a double quote is missing.',
      hint: 'Inside quotes, write a quote twice',
    },
    {
      flags: { filters: ['cityId=Paris,3017382'] },
      message: '--filter cityId needs numeric IDs',
      hint: 'geoname IDs',
    },
  ])('$flags', ({ flags, message, hint }) => {
    const refusal = {
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    expect(() => build(flags)).toThrow(expect.objectContaining(refusal));
  });
});

test('the window is in the report’s zone', () => {
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
  test('are reported together', () => {
    const wrong = {
      metrics: 'clikcs,displays',
      by: 'daily,hourly,campain',
      filters: ['osId=x'],
      timezone: 'UTC',
    };
    const plan = () => planReport({ profile: 'buyer', period: '2026-02-30', nowMs: 0, ...wrong });

    expect(plan).toThrowErrorMatchingInlineSnapshot(`
      [UsageError: 6 mistakes:
        - Unknown metric “clikcs”. Did you mean clicks?
        - Unknown breakdown “campain”. Did you mean CAMPAIGN?
        - DAILY and HOURLY cannot be combined. Use at most one of DAILY, HOURLY, MONTHLY, RANGE, WEEKLY.
        - --filter osId needs numeric IDs, not “x”. It selects mobile OS IDs.
        - --timezone works with DSP reports only: buyer reports are always in Europe/Paris. Remove --timezone.
        - Unknown period “2026-02-30”. There is no such date. Use today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, 2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.]
    `);
  });
});

describe('a service that reads wall time', () => {
  const plan = (period: string, timezone = 'Europe/Paris') =>
    planReport({ profile: 'dsp', timezone, period, nowMs: 0, windowClock: 'wall' });
  const read = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 19);

  test.each([
    // 23 and 25 hours, and 24 hours of wall time.
    {
      period: '2026-03-29',
      timezone: 'Europe/Paris',
      since: '2026-03-29T00:00:00',
      until: '2026-03-29T23:59:59',
    },
    {
      period: '2026-10-25',
      timezone: 'Europe/Paris',
      since: '2026-10-25T00:00:00',
      until: '2026-10-25T23:59:59',
    },
  ])(
    '$period in $timezone: wall time is sent as if it were UTC',
    ({ period, timezone, since, until }) => {
      const { request, window: own } = plan(period, timezone);

      expect([read(request.since), read(request.until)]).toEqual([since, until]);
      expect(own).toEqual(planReport({ profile: 'dsp', timezone, period, nowMs: 0 }).window);
    },
  );

  test('parts of a split report are sent as wall time too', () => {
    const parts = splitPlan(plan('2026-10-24..2026-10-26'), 'day');
    expect(parts.map(({ request }) => [read(request.since), read(request.until)])).toEqual(
      ['24', '25', '26'].map((day) => [`2026-10-${day}T00:00:00`, `2026-10-${day}T23:59:59`]),
    );
  });

  test('a window in the repeated hour that would end before it begins is refused', () => {
    const flags = { since: '2026-10-25T02:50+02:00', until: '2026-10-25T02:10+01:00', nowMs: 0 };

    expect(planReport({ profile: 'buyer', ...flags }).window.until).toBeGreaterThan(0);

    const wall = () => planReport({ profile: 'buyer', ...flags, windowClock: 'wall' });

    expect(wall).toThrow('would end before it begins');
  });
});
