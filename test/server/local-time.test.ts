import { describe, expect, test } from 'vitest';
import { type AccountName, type ReportDocument, reportOf, startForFile, startForTest } from './local.ts';
import { seconds } from './reports.ts';

/** Days, hours and months in the report's zone: clock changes, leap days, year ends, zones of half an hour. */

const { server } = await startForFile();

interface Wanted {
  readonly as: AccountName;
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly timezone?: string;
}

function report({ as, from, to, by, timezone }: Wanted): Promise<ReportDocument> {
  const zone = timezone === undefined ? {} : { timezone };
  return reportOf(server, as, {
    since: seconds(from),
    until: seconds(to),
    metrics: 'displays',
    breakdowns: [by],
    ...zone,
  });
}

async function dates(wanted: Wanted): Promise<unknown[]> {
  return (await report(wanted)).data.map(({ date }) => date);
}

async function hours(wanted: Wanted): Promise<string[]> {
  return (await report(wanted)).data.map(({ hour }) => String(hour));
}

/** Both profiles have Paris time unless told otherwise. */
describe.each(['buyer', 'dsp'] as const)('%s, Paris', (as) => {
  test('the day of 25 hours has its doubled hour as two rows', async () => {
    const from = '2026-10-25T00:00:00+02:00';
    const to = '2026-10-25T23:59:59+01:00';
    const rows = await hours({ as, from, to, by: 'HOURLY' });
    expect(rows).toHaveLength(25);
    expect(rows.slice(1, 5)).toEqual([
      '2026-10-25T01:00:00+0200',
      '2026-10-25T02:00:00+0200',
      '2026-10-25T02:00:00+0100',
      '2026-10-25T03:00:00+0100',
    ]);
    expect(await dates({ as, from, to, by: 'DAILY' })).toEqual(['2026-10-25']);
    const { summary } = await report({ as, from, to, by: 'DAILY' });
    expect(summary).toMatchObject({ since: '2026-10-25T00:00:00+0200', until: '2026-10-25T23:59:59+0100' });
  });

  test('the day of 23 hours has no row for the hour that is skipped', async () => {
    const from = '2026-03-29T00:00:00+01:00';
    const to = '2026-03-29T23:59:59+02:00';
    const rows = await hours({ as, from, to, by: 'HOURLY' });
    expect(rows).toHaveLength(23);
    expect(rows.slice(1, 3)).toEqual(['2026-03-29T01:00:00+0100', '2026-03-29T03:00:00+0200']);
    expect(await dates({ as, from, to, by: 'DAILY' })).toEqual(['2026-03-29']);
  });

  test('months are dated by their first day, whatever day the window begins on', async () => {
    const rows = { as, from: '2023-12-31T23:00:00+01:00', to: '2024-03-01T00:00:00+01:00', by: 'MONTHLY' };
    expect(await dates(rows)).toEqual(['2023-12-01', '2024-01-01', '2024-02-01', '2024-03-01']);
  });
});

describe('a server that reads the ends of a window as wall time', () => {
  const windowOf = async (as: AccountName, timezone: object, since: string, until: string) => {
    const server = await startForTest({ windowClock: 'wall' });
    const digits = { since: seconds(`${since}Z`), until: seconds(`${until}Z`) };
    const { data, summary } = await reportOf(server, as, {
      ...digits,
      ...timezone,
      metrics: 'displays',
      breakdowns: ['HOURLY'],
    });
    return [summary.since, summary.until, data.length];
  };

  test.each([
    ['2014-12-01T00:00:00', '2014-12-01T23:59:59', '+0100', '+0100', 24],
    ['2026-07-01T00:00:00', '2026-07-01T23:59:59', '+0200', '+0200', 24],
    ['2026-03-29T00:00:00', '2026-03-29T23:59:59', '+0100', '+0200', 23],
    ['2026-10-25T00:00:00', '2026-10-25T23:59:59', '+0200', '+0100', 25],
    ['2026-10-25T02:00:00', '2026-10-25T02:59:59', '+0200', '+0100', 2],
  ])('in Paris, from %s to %s', async (since, until, before, after, count) => {
    expect(await windowOf('buyer', {}, since, until)).toEqual([since + before, until + after, count]);
  });

  test('in the zone of a DSP report', async () => {
    const timezone = { timezone: 'Asia/Kolkata' };
    const [since, until] = ['2026-11-01T00:00:00', '2026-11-01T23:59:59'];
    expect(await windowOf('dsp', timezone, since, until)).toEqual([`${since}+0530`, `${until}+0530`, 24]);
  });
});
