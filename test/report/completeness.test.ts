import { describe, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import type { BreakdownName, MetricName } from '../../src/contract/vocabulary.ts';
import { checkCompleteness } from '../../src/report/completeness.ts';
import { resolveWindow, type WindowFlags } from '../../src/report/window-flags.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { chunksOf } from '../rows/report-documents.ts';

const farFuture = Date.UTC(2030, 0, 1);

interface Scene extends Pick<WindowFlags, 'period' | 'since' | 'until'> {
  readonly breakdowns: readonly BreakdownName[];
  readonly rows: readonly object[];
  /** Instead of a document of the rows. */
  readonly body?: string;
  readonly metrics?: readonly MetricName[];
  readonly isFiltered?: boolean;
  readonly zone?: string;
  readonly nowMs?: number;
  readonly pieceBytes?: number;
}

async function problemsOf(scene: Scene): Promise<string[]> {
  const { breakdowns, rows, zone = 'Europe/Paris', nowMs = farFuture, pieceBytes = 100 } = scene;
  const window = resolveWindow({ ...scene, zone, nowMs });
  const { body = JSON.stringify({ data: rows }), metrics = rows.some((row) => 'clicks' in row) ? ['clicks'] : [] } =
    scene;
  const columns = askedColumns('buyer', { breakdowns, metrics });
  const check = checkCompleteness({ window, breakdowns, columns, nowMs, isFiltered: scene.isFiltered ?? false });
  const batches = readRows(chunksOf(Buffer.from(body), 64), { pieceBytes });
  for (;;) {
    const next = await batches.next();
    if (next.done) return check.problems(next.value);
    check.observe(next.value);
  }
}

const days = (...numbers: number[]) => numbers.map((day) => ({ date: `2026-11-${String(day).padStart(2, '0')}` }));

describe('missing periods', () => {
  test('none is missing, in whatever order the rows come', async () => {
    const rows = days(3, 1, 2, 1, 3).map((row, index) => ({ ...row, os: String(index) }));
    expect(await problemsOf({ period: '2026-11-01..2026-11-03', breakdowns: ['DAILY', 'OS'], rows })).toEqual([]);
  });

  test('the days that are missing are named, the first five', async () => {
    const scene = { period: '2026-11-01..2026-11-10', breakdowns: ['DAILY'] } as const;
    expect(await problemsOf({ ...scene, rows: days(1, 2, 3, 4, 6, 7, 8, 10) })).toEqual([
      'The report has no rows for 2 of the 10 days of its window: 2026-11-05, 2026-11-09.',
    ]);
    expect(await problemsOf({ ...scene, rows: days(1) })).toEqual([
      'The report has no rows for 9 of the 10 days of its window: ' +
        '2026-11-02, 2026-11-03, 2026-11-04, 2026-11-05, 2026-11-06 and 4 more.',
    ]);
    expect(await problemsOf({ ...scene, rows: [] })).toEqual(['The report has no rows.']);
    expect(await problemsOf({ ...scene, rows: days(1), isFiltered: true })).toEqual([]);
  });

  test('a day that has not ended may be missing', async () => {
    const scene = { period: '2026-11-01..2026-11-10', breakdowns: ['DAILY'], rows: days(1, 2) } as const;
    expect(await problemsOf({ ...scene, nowMs: Date.UTC(2026, 10, 3, 12) })).toEqual([]);
    expect(await problemsOf({ ...scene, nowMs: Date.UTC(2026, 10, 3, 23) })).toEqual([
      'The report has no rows for 1 of the 3 days of its window: 2026-11-03.',
    ]);
  });

  test('both days of a clock change have all their hours', async () => {
    const hoursFrom = (firstMs: number, count: number, offset: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => {
        const hour = offset(index);
        const wall = new Date(firstMs + index * 3_600_000 + Number(hour.slice(1, 3)) * 3_600_000);
        return { date: wall.toISOString().slice(0, 10), hour: wall.toISOString().slice(0, 19) + hour };
      });
    const autumn = hoursFrom(Date.UTC(2026, 9, 24, 22), 25, (index) => (index < 3 ? '+0200' : '+0100'));
    const scene = { period: '2026-10-25', breakdowns: ['HOURLY'] } as const;
    expect(await problemsOf({ ...scene, rows: autumn })).toEqual([]);
    expect(await problemsOf({ ...scene, rows: autumn.filter((_, index) => index !== 3) })).toEqual([
      'The report has no rows for 1 of the 25 hours of its window: 2026-10-25T02:00:00+0100.',
    ]);
    const spring = hoursFrom(Date.UTC(2026, 2, 28, 23), 23, (index) => (index < 2 ? '+0100' : '+0200'));
    expect(await problemsOf({ ...scene, period: '2026-03-29', rows: spring })).toEqual([]);
  });

  test('the first and the last hour of a window may be parts of one, which may hold nothing', async () => {
    const [since, until] = ['2026-11-01T10:30', '2026-11-01T12:29:59'];
    const rows = ['10', '11', '12'].map((hour) => ({ date: '2026-11-01', hour: `2026-11-01T${hour}:00:00+0100` }));
    expect(await problemsOf({ since, until, breakdowns: ['HOURLY'], rows })).toEqual([]);
    expect(await problemsOf({ since, until, breakdowns: ['HOURLY'], rows: rows.slice(1, 2) })).toEqual([]);
    expect(await problemsOf({ since, until, breakdowns: ['HOURLY'], rows: rows.slice(2) })).toEqual([
      'The report has no rows for 1 of the 1 hour of its window: 2026-11-01T11:00:00+0100.',
    ]);
    const late = { since: '2026-11-01T23:30', until: '2026-11-02', breakdowns: ['DAILY'] } as const;
    expect(await problemsOf({ ...late, rows: [{ date: '2026-11-02' }] })).toEqual([]);
  });

  test('hours to come are not expected, however many', async () => {
    const nowMs = Date.UTC(2026, 10, 1, 1, 30);
    const scene = { since: '2026-11-01', until: '9999-12-31', breakdowns: ['HOURLY'], nowMs } as const;
    expect(await problemsOf({ ...scene, rows: [{ date: '2026-11-01', hour: '2026-11-01T00:00:00+0100' }] })).toEqual([
      'The report has no rows for 1 of the 2 hours of its window: 2026-11-01T01:00:00+0100.',
    ]);
  });

  test('months', async () => {
    const scene = { period: '2026-Q3', breakdowns: ['MONTHLY'] } as const;
    const rows = [{ date: '2026-07-01' }, { date: '2026-09-01' }];
    expect(await problemsOf({ ...scene, rows })).toEqual([
      'The report has no rows for 1 of the 3 months of its window: 2026-08.',
    ]);
  });

  test.each([
    ['no time breakdown', ['OS'] as const, [{ os: 'iOS' }], []],
    ['RANGE', ['RANGE'] as const, [{ date: '2026-11-01' }], []],
    [
      'a RANGE of a later window',
      ['RANGE'] as const,
      [{ date: '2026-11-02' }],
      ['The report has rows of 1 day outside its window: 2026-11-02 instead of 2026-11-01.'],
    ],
    [
      'dates that cannot be read',
      ['DAILY'] as const,
      [{ date: '1/11/2026' }],
      ['The times of the rows could not all be checked: row 1 has "1/11/2026" as its date.'],
    ],
    [
      'one row without a date',
      ['DAILY', 'OS'] as const,
      [{ date: '2026-11-01', os: 'a' }, { os: 'a' }],
      [
        'The times of the rows could not all be checked: row 2 has null as its date.',
        'Row 2 looks like a total: it has no date.',
      ],
    ],
    [
      'days outside the window',
      ['DAILY'] as const,
      days(1, 2, 3, 4, 30),
      ['The report has rows of 2 days outside its window: 2026-11-04, 2026-11-30.'],
    ],
    [
      'a month outside the window',
      ['MONTHLY'] as const,
      [{ date: '2026-11-01' }, { date: '2026-12-01' }],
      ['The report has rows of 1 month outside its window: 2026-12.'],
    ],
    [
      'an hour outside the window',
      ['HOURLY', 'OS'] as const,
      [{ hour: '2026-10-31T23:00:00+0100', date: '2026-10-31', os: 'a' }],
      ['The report has rows of 1 hour outside its window: 2026-10-31T23:00:00+0100.'],
    ],
  ])('%s', async (_name, breakdowns, rows, expected) => {
    const scene = {
      period: '2026-11-01..2026-11-03',
      breakdowns: [...breakdowns],
      isFiltered: breakdowns[0] === 'HOURLY',
    };
    expect(await problemsOf({ ...scene, rows })).toEqual(expected);
  });
});

describe('repeated keys', () => {
  const scene = { period: '2026-11-01', breakdowns: ['CAMPAIGN', 'OS'] } as const;
  const row = (campaignId: string, os: string | null, clicks: number) => ({
    campaignId,
    campaignName: 'A',
    os,
    clicks,
  });

  test('the same key with other numbers is a repetition, the first one named', async () => {
    const rows = [row('1', 'iOS', 1), row('1', null, 2), row('2', 'iOS', 3), row('1', null, 9), row('1', 'iOS', 1)];
    expect(await problemsOf({ ...scene, rows })).toEqual([
      '2 rows of the report repeat the breakdown values of an earlier one; the first is row 4.',
    ]);
  });

  test('without a breakdown there is one row', async () => {
    expect(await problemsOf({ period: '2026-11-01', breakdowns: [], rows: [{ clicks: 1 }] })).toEqual([]);
    expect(await problemsOf({ period: '2026-11-01', breakdowns: [], rows: [{ clicks: 1 }, { clicks: 1 }] })).toEqual([
      'One row of the report repeats the breakdown values of an earlier one; the first is row 2.',
    ]);
  });

  test('two towns may have one name, and rows that lack a field of the key are not compared', async () => {
    const towns = [{ city: 'Saint-Denis' }, { city: 'Saint-Denis' }];
    expect(await problemsOf({ period: '2026-11-01', breakdowns: ['CITY'], rows: towns })).toEqual([]);
    const nameless = [{ campaignId: '1' }, { campaignId: '1' }];
    expect(await problemsOf({ ...scene, rows: nameless })).toEqual([
      'The report lacks the columns campaignName, os, asked for.',
    ]);
  });
});

describe('the window', () => {
  const summary = (since: string, until: string) => ({ since, until, breakdowns: [], timezone: 'europe/paris' });
  const shown = (value: object) =>
    problemsOf({
      period: '2026-11-01',
      breakdowns: [],
      rows: [],
      body: JSON.stringify({ data: [{}], summary: value }),
    });

  test('is that of the summary, in whatever zone it is told', async () => {
    expect(await shown(summary('2026-11-01T00:00:00+0100', '2026-11-01T23:59:59+0100'))).toEqual([]);
    expect(await shown(summary('2026-10-31T23:00:00Z', '2026-11-01T22:59:59+00:00'))).toEqual([]);
  });

  test('that is another is said, and one that is shifted by the zone’s offset with the setting that mends it', async () => {
    expect(await shown(summary('2026-11-01T00:00:00+0100', '2026-11-02T23:59:59+0100'))).toEqual([
      'The report is of another window than asked for: 2026-11-01T00:00:00+0100 to 2026-11-02T23:59:59+0100 instead of ' +
        '2026-11-01T00:00:00+0100 to 2026-11-01T23:59:59+0100.',
    ]);
    const [wall] = await shown(summary('2026-10-31T23:00:00+0100', '2026-11-01T22:59:59+0100'));
    expect(wall).toContain('the service reads timestamps as wall time. Set windowClock: wall in adreport.yaml');
    const [instant] = await shown(summary('2026-11-01T01:00:00+0100', '2026-11-02T00:59:59+0100'));
    expect(instant).toContain('the service reads timestamps as instants. Set windowClock: instant');
  });

  test('that cannot be read is said', async () => {
    for (const value of [{}, summary('yesterday', 'today')]) {
      expect(await shown(value)).toEqual([
        'The window of the report could not be checked: its summary does not tell it.',
      ]);
    }
  });
});

describe('columns', () => {
  const scene = { period: '2026-11-01', breakdowns: ['CAMPAIGN'], metrics: ['clicks', 'revenueDollar'] } as const;

  test('that are missing are named; dollars may stand under their own name', async () => {
    const body = 'campaignId,campaignName,clicks,revenueDollar\r\n1,a,1,2.5\r\n';
    expect(await problemsOf({ ...scene, rows: [], body })).toEqual([]);
    expect(await problemsOf({ ...scene, rows: [], body: body.replace('clicks', 'klicks') })).toEqual([
      'The report lacks the column clicks, asked for.',
    ]);
  });

  test('of which none was asked for are no report', async () => {
    await expect(problemsOf({ ...scene, rows: [], body: '[{"os":"iOS"}]' })).rejects.toMatchObject({
      exitCode: 9,
      code: 'NO_HEADER',
    });
  });
});

describe('totals', () => {
  test('a row without any of the breakdowns that always have a value', async () => {
    const rows = [
      { campaignId: '1', campaignName: 'a', clicks: 1 },
      { campaignId: null, campaignName: 'Total', clicks: 1 },
    ];
    expect(await problemsOf({ period: '2026-11-01', breakdowns: ['CAMPAIGN'], rows })).toEqual([
      'Row 2 looks like a total: it has no campaignId, no campaignName.',
    ]);
  });

  test('a town may be null, unless its row is the sum of the others', async () => {
    const scene = { period: '2026-11-01', breakdowns: ['CITY'] } as const;
    const rows = (clicks: number) => [
      { city: 'a', clicks: 3 },
      { city: null, clicks },
      { city: 'b', clicks: 4 },
    ];
    expect(await problemsOf({ ...scene, rows: rows(5) })).toEqual([]);
    expect(await problemsOf({ ...scene, rows: rows(7) })).toEqual(['Row 2 looks like a total: it has no city.']);
    const withoutLeads = rows(7).map((row) => ({ city: row.city, leads: 0, clicks: row.clicks }));
    expect(await problemsOf({ ...scene, metrics: ['leads', 'clicks'], rows: withoutLeads })).toEqual([
      'Row 2 looks like a total: it has no city.',
    ]);
  });
});
