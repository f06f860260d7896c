import { describe, expect, test } from 'vitest';
import { breakdowns } from '../../src/contract/vocabulary.ts';
import {
  type AccountName,
  type ReportDocument,
  reportOf,
  startForFile,
  startForTest,
} from './local.ts';
import { seconds } from './reports.ts';

/**
 * The types of row fields (service specification, Report data; `decisions.md` 4). The fields of
 * each breakdown, their values and their order are in `reference-report.ts`.
 */

const { server } = await startForFile();

/** One hour: 2026-06-15, 14:00 in Paris. */
const hour = { since: 1781524800, until: 1781528399 };

function buyer(parameters: object): Promise<ReportDocument> {
  return reportOf(server, 'buyer', { ...hour, metrics: 'displays', ...parameters });
}

const counts = [
  'requests',
  'displays',
  'clicks',
  'downloads',
  'leads',
  'landings',
  'eyesTrackings',
];

test.each([
  ...counts.map((name) => ['buyer', name, name, /^\d+$/] as const),
  ['buyer', 'revenueEuro', 'revenueEuro', /^\d+(\.\d\d?)?$/],
  ['buyer', 'revenueDollar', 'valueDollar', /^\d+(\.\d\d?)?$/],
  ['dsp', 'displays', 'displays', /^\d+$/],
  ['dsp', 'revenueEuro', 'revenueEuro', /^\d+,\d\d$/],
  ['dsp', 'revenueDollar', 'revenueDollar', /^\d+,\d\d$/],
] as const)(
  'a %s that requests only %s gets only %s, like %s',
  async (as, metric, field, pattern) => {
    const { data } = await reportOf(server, as, {
      since: hour.since,
      until: hour.until + 86_400,
      metrics: metric,
    });
    const [row = {}] = data;

    expect(data).toHaveLength(1);
    // A buyer's row has every dimension field, as null.
    expect(Object.keys(row)).toHaveLength(as === 'buyer' ? 23 + 1 : 1);
    expect(Object.entries(row).filter(([, value]) => value !== null)).toEqual([
      [field, row[field]],
    ]);
    expect(String(row[field])).toMatch(pattern);
    expect(row[field]).not.toBe(0);
    expect(typeof row[field]).toBe(as === 'dsp' && metric !== 'displays' ? 'string' : 'number');
  },
);

test('dimension fields of a buyer: ids are digits, others are words, some may be null', async () => {
  const all = breakdowns
    .map(({ name }) => name)
    .filter((name) => !['DAILY', 'MONTHLY', 'RANGE'].includes(name));

  const { data } = await buyer({ breakdowns: all });

  expect(data.length).toBeGreaterThan(10);
  for (const row of data) {
    expect(row).toMatchObject({
      date: '2026-06-15',
      hour: '2026-06-15T14:00:00+0200',
      displays: expect.any(Number),
    });
    expect(row.format).toMatch(/^(interstitial|banner|native ad|video|rewarded video)$/);
    const named = [row.carrier, row.billingEntity, row.platform, row.advertiser, row.adName];
    for (const name of [...named, row.bundleId, row.campaignName, row.Adnetwork])
      expect(name).toBeTypeOf('string');
    expect(`${row.os} ${row.deviceType}`).toMatch(/^(iOS|Android|null) (phone|tablet|null)$/);
    for (const [field, value] of Object.entries(row)) {
      if (/Id$|^adUnitLimit/.test(field) && !/^(bundle|subpublisher)/.test(field))
        expect(value).toMatch(/^\d+$/);
      else if (field !== 'displays' && value !== null) expect(value).toBeTypeOf('string');
    }
  }
});

test('the order of the breakdowns in the request only changes the summary', async () => {
  const one = await buyer({ breakdowns: ['OS', 'CAMPAIGN'] });

  const other = await buyer({ breakdowns: ['CAMPAIGN', 'OS'] });

  expect(other.data).toEqual(one.data);
  expect(one.summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  expect(other.summary.breakdowns).toEqual(['CAMPAIGN', 'OS']);
});

test.each([
  { name: 'an id with a leading zero', filter: { campaignId: ['040001'] } },
  { name: 'a name in another case', filter: { carrier: ['sfr'] } },
  { name: "another account's campaign", filter: { campaignId: ['40050'] } },
])('$name selects nothing, without an error', async ({ filter }) => {
  expect((await buyer({ ...filter, breakdowns: ['CAMPAIGN'] })).data).toEqual([]);
});

/** The dates or hours of the rows, by `DAILY`, `HOURLY` or `MONTHLY`. */
async function timesOf(as: AccountName, by: string, from: string, to: string): Promise<unknown[]> {
  const window = { since: seconds(from), until: seconds(to) };
  const { data } = await reportOf(server, as, { ...window, metrics: 'displays', breakdowns: [by] });
  return data.map(({ date, hour }) => hour ?? date);
}

/** Both profiles use Paris time by default. */
test.each(['buyer', 'dsp'] as const)(
  'days of 25 and 23 hours, and months with their first day (%s)',
  async (as) => {
    const autumn = ['2026-10-25T00:00:00+02:00', '2026-10-25T23:59:59+01:00'] as const;

    const long = await timesOf(as, 'HOURLY', ...autumn);

    expect(long).toHaveLength(25);
    expect(long.slice(2, 4)).toEqual(['2026-10-25T02:00:00+0200', '2026-10-25T02:00:00+0100']);
    expect(await timesOf(as, 'DAILY', ...autumn)).toEqual(['2026-10-25']);

    const spring = ['2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59+02:00'] as const;

    const short = await timesOf(as, 'HOURLY', ...spring);

    expect(short).toHaveLength(23);
    expect(short.slice(1, 3)).toEqual(['2026-03-29T01:00:00+0100', '2026-03-29T03:00:00+0200']);
    expect(await timesOf(as, 'DAILY', ...spring)).toEqual(['2026-03-29']);

    const months = await timesOf(
      as,
      'MONTHLY',
      '2023-12-31T23:00:00+01:00',
      '2024-03-01T00:00:00+01:00',
    );

    expect(months).toEqual(['2023-12-01', '2024-01-01', '2024-02-01', '2024-03-01']);
  },
);

describe('a server that reads windows as wall time', () => {
  const windowOf = async (as: AccountName, more: object, since: string, until: string) => {
    const wall = await startForTest({ windowClock: 'wall' });
    const digits = { since: seconds(`${since}Z`), until: seconds(`${until}Z`) };
    const asked = { ...digits, ...more, metrics: 'displays', breakdowns: ['HOURLY'] };
    const { data, summary } = await reportOf(wall, as, asked);
    return [summary.since, summary.until, data.length];
  };

  test.each([
    {
      since: '2026-07-01T00:00:00',
      until: '2026-07-01T23:59:59',
      before: '+0200',
      after: '+0200',
      count: 24,
    },
    {
      since: '2026-03-29T00:00:00',
      until: '2026-03-29T23:59:59',
      before: '+0100',
      after: '+0200',
      count: 23,
    },
    {
      since: '2026-10-25T00:00:00',
      until: '2026-10-25T23:59:59',
      before: '+0200',
      after: '+0100',
      count: 25,
    },
    {
      since: '2026-10-25T02:00:00',
      until: '2026-10-25T02:59:59',
      before: '+0200',
      after: '+0100',
      count: 2,
    },
  ])('in Paris, from $since to $until', async ({ since, until, before, after, count }) => {
    expect(await windowOf('buyer', {}, since, until)).toEqual([
      since + before,
      until + after,
      count,
    ]);
  });

  test('in the zone of a DSP report', async () => {
    const timezone = { timezone: 'Asia/Kolkata' };
    const [since, until] = ['2026-11-01T00:00:00', '2026-11-01T23:59:59'];

    expect(await windowOf('dsp', timezone, since, until)).toEqual([
      `${since}+0530`,
      `${until}+0530`,
      24,
    ]);
  });
});
