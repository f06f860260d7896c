import { describe, expect, test } from 'vitest';
import { day, refusalIn, smallReport, startForFile } from './local.ts';

/** What a DSP may not ask for (service specification, POST /buyer-reporting; `decisions.md` 2). */

const { create } = await startForFile();

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
    const answer = await create({ ...smallReport, breakdowns: [breakdown] }, 'dsp');
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
    const answer = await create({ ...smallReport, [filter]: ['1'] }, 'dsp');
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
