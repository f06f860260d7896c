import { describe, expect, test } from 'vitest';
import {
  type AccountName,
  type ReportDocument,
  reportOf,
  startForFile,
  startForTest,
} from './local.ts';
import { seconds } from './reports.ts';

/**
 * Dates, hours and windows of rows, and what selects none. Fields and types are in
 * `test/order.test.ts`, values and order in `reference-report.ts`.
 */

const { server } = await startForFile();

/** One hour: 2026-06-15, 14:00 in Paris. */
const hour = { since: 1781524800, until: 1781528399 };

function buyer(parameters: object): Promise<ReportDocument> {
  return reportOf(server, 'buyer', { ...hour, metrics: 'displays', ...parameters });
}

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
