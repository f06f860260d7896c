import { describe, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { type BreakdownName, breakdowns, type MetricName } from '../../src/contract/vocabulary.ts';
import { ReportCheck } from '../../src/report/completeness.ts';
import { resolveWindow, type WindowFlags } from '../../src/report/window-flags.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { chunksOf } from '../rows/report-documents.ts';

interface Scene extends Pick<WindowFlags, 'period' | 'since' | 'until'> {
  readonly breakdowns?: readonly BreakdownName[];
  readonly rows?: readonly object[];
  /** Instead of a document of the rows. */
  readonly body?: string;
  readonly metrics?: readonly MetricName[];
  readonly isFiltered?: boolean;
  readonly filters?: ReportRequest['filters'];
  /** When the report is judged; long after its window by default. */
  readonly now?: string;
}

/** What is wrong with a report of 1 November 2026, unless another window is asked for. */
async function problemsOf(scene: Scene): Promise<string[]> {
  const { breakdowns = [], rows = [], now = '2030-01-01T00:00:00Z', isFiltered = false } = scene;
  const {
    body = JSON.stringify({ data: rows }),
    metrics = rows.some((row) => 'clicks' in row) ? ['clicks'] : [],
  } = scene;
  const nowMs = Date.parse(now);
  const flags = scene.period || scene.since ? scene : { period: '2026-11-01' };
  const window = resolveWindow({ ...flags, zone: 'Europe/Paris', nowMs });
  const columns = askedColumns('buyer', { breakdowns, metrics });
  const filters = scene.filters ?? (isFiltered ? { osId: ['1'] } : {});
  const expectation = { window, breakdowns, columns, nowMs, filters };
  const check = new ReportCheck({ expectation });
  const batches = readRows(chunksOf(Buffer.from(body), 64), { pieceBytes: 100 });
  for (;;) {
    const next = await batches.next();
    if (next.done) return check.findings(next.value);
    check.observe(next.value);
  }
}

/** Rows of days, `01` or `11-01`, of November 2026 where no month is told. */
const days = (...texts: string[]) =>
  texts.map((day) => ({ date: `2026-${day.length > 2 ? day : `11-${day}`}` }));
/** Rows of hours of 1 November 2026. */
const hours = (...texts: string[]) =>
  texts.map((hour) => ({ date: '2026-11-01', hour: `2026-11-01T${hour}:00:00+0100` }));

describe('times', () => {
  const ten = { period: '2026-11-01..2026-11-10', breakdowns: ['DAILY'] } as const;
  const three = { period: '2026-11-01..2026-11-03', breakdowns: ['DAILY'] } as const;
  const partHours = {
    since: '2026-11-01T10:30',
    until: '2026-11-01T12:29:59',
    breakdowns: ['HOURLY'],
  } as const;
  const doubled = {
    ...partHours,
    since: '2026-10-25T02:00+02:00',
    until: '2026-10-25T02:59:59+01:00',
  };
  const firstOfDoubled = [{ date: '2026-10-25', hour: '2026-10-25T02:00:00+0200' }];
  const toCome = {
    ...partHours,
    since: '2026-11-01',
    until: '9999-12-31',
    now: '2026-11-01T01:30:00Z',
  };
  const quarter = { period: '2026-Q3', breakdowns: ['MONTHLY'] } as const;
  const missing = (count: string, which: string) =>
    `The report has no rows for ${count} of its window: ${which}.`;
  const outside = (count: string, which: string) =>
    `The report has rows of ${count} outside its window: ${which}.`;
  const unreadable =
    'The times of the rows could not all be checked: the date of row 1 cannot be read: "1/11/2026".';
  const fiveAndMore = '2026-11-02, 2026-11-04, 2026-11-05, 2026-11-06, 2026-11-07 and 3 more';

  test.each<{ name: string; scene: Scene; expected: string }>([
    {
      name: 'all are there, in whatever order',
      scene: { ...three, rows: days('03', '01', '02') },
      expected: '',
    },
    {
      name: 'one is missing',
      scene: { ...three, rows: days('01', '03') },
      expected: missing('1 of the 3 days', '2026-11-02'),
    },
    {
      name: 'of many the first five are named',
      scene: { ...ten, rows: days('01', '03') },
      expected: missing('8 of the 10 days', fiveAndMore),
    },
    { name: 'there are no rows', scene: ten, expected: 'The report has no rows.' },
    {
      name: 'a filter may leave nothing of a day',
      scene: { ...ten, rows: days('01'), isFiltered: true },
      expected: '',
    },
    {
      name: 'one that has not ended may be missing',
      scene: { ...ten, rows: days('01', '02'), now: '2026-11-03T12:00:00Z' },
      expected: '',
    },
    {
      name: 'one that has just ended may not',
      scene: { ...ten, rows: days('01', '02'), now: '2026-11-03T23:00:00Z' },
      expected: missing('1 of the 3 days', '2026-11-03'),
    },
    {
      name: 'the hours at both ends of the window may be parts',
      scene: { ...partHours, rows: hours('10', '11', '12') },
      expected: '',
    },
    { name: 'and may hold nothing', scene: { ...partHours, rows: hours('11') }, expected: '' },
    {
      name: 'which a whole hour may not',
      scene: { ...partHours, rows: hours('12') },
      expected: missing('1 of the 1 hour', '2026-11-01T11:00:00+0100'),
    },
    {
      name: 'the second of a doubled hour is missing',
      scene: { ...doubled, rows: firstOfDoubled },
      expected: missing('1 of the 2 hours', '2026-10-25T02:00:00+0100'),
    },
    {
      name: 'hours to come are not expected, however many',
      scene: { ...toCome, rows: hours('00') },
      expected: missing('1 of the 2 hours', '2026-11-01T01:00:00+0100'),
    },
    {
      name: 'a month is missing',
      scene: { ...quarter, rows: days('07-01', '09-01') },
      expected: missing('1 of the 3 months', '2026-08'),
    },
    {
      name: 'no time breakdown',
      scene: { ...three, breakdowns: ['OS'], rows: [{ os: 'iOS' }] },
      expected: '',
    },
    { name: 'a RANGE', scene: { ...three, breakdowns: ['RANGE'], rows: days('01') }, expected: '' },
    {
      name: 'a RANGE of a later window',
      scene: { ...three, breakdowns: ['RANGE'], rows: days('02') },
      expected: outside('1 day', '2026-11-02 instead of 2026-11-01'),
    },
    {
      name: 'dates that cannot be read',
      scene: { ...three, rows: [{ date: '1/11/2026' }] },
      expected: unreadable,
    },
    {
      name: 'days outside the window',
      scene: { ...three, rows: days('01', '02', '03', '04', '30') },
      expected: outside('2 days', '2026-11-04, 2026-11-30'),
    },
    {
      name: 'a month outside the window',
      scene: { ...quarter, rows: days('07-01', '08-01', '09-01', '12-01') },
      expected: outside('1 month', '2026-12'),
    },
  ])('$name', async ({ scene, expected }) => {
    expect((await problemsOf(scene)).join('\n')).toBe(expected);
  });
});

describe('repeated keys', () => {
  const breakdowns = ['CAMPAIGN', 'OS'] as const;

  test('the same key with other numbers is a repetition, the first one named', async () => {
    const row = (campaignId: string, os: string | null, clicks: number) => ({
      campaignId,
      campaignName: 'A',
      os,
      clicks,
    });
    const rows = [
      row('1', 'iOS', 1),
      row('1', null, 2),
      row('2', 'iOS', 3),
      row('1', null, 9),
      row('1', 'iOS', 1),
    ];
    // The same letters, otherwise divided.
    rows.push(
      { ...row('3', 'bc', 1), campaignName: 'a' },
      { ...row('3', 'c', 1), campaignName: 'ab' },
    );

    expect(await problemsOf({ breakdowns, rows })).toEqual([
      '2 rows of the report repeat the breakdown values of an earlier one; the first is row 4.',
    ]);
  });

  test('without a breakdown there is one row', async () => {
    expect(await problemsOf({ rows: [{ clicks: 1 }] })).toEqual([]);
    expect(await problemsOf({ rows: [{ clicks: 1 }, { clicks: 1 }] })).toEqual([
      'One row of the report repeats the breakdown values of an earlier one; the first is row 2.',
    ]);
  });

  test('two towns may have one name, and rows that lack a field of the key are not compared', async () => {
    const towns = [{ city: 'Saint-Denis' }, { city: 'Saint-Denis' }];

    expect(await problemsOf({ breakdowns: ['CITY'], rows: towns })).toEqual([]);

    const nameless = [{ campaignId: '1' }, { campaignId: '1' }];

    expect(await problemsOf({ breakdowns, rows: nameless })).toEqual([
      'The report lacks the columns campaignName, os, asked for.',
    ]);
  });
});

describe('the window', () => {
  const shown = (since: string, until: string) =>
    problemsOf({
      body: `{"data":[{}],"summary":${JSON.stringify({ since, until, breakdowns: [], timezone: 'x' })}}`,
    });
  const instead = 'instead of 2026-11-01T00:00:00+0100 to 2026-11-01T23:59:59+0100.';

  test.each([
    { since: '2026-11-01T00:00:00+0100', until: '2026-11-01T23:59:59+0100' },
    { since: '2026-10-31T23:00:00Z', until: '2026-11-01T22:59:59+00:00' },
    { since: '2026-11-01T00:00:00+0100', until: '2026-11-02T23:59:59+0100', says: instead },
    // Shifted by the zone's offset.
    {
      since: '2026-10-31T23:00:00+0100',
      until: '2026-11-01T22:59:59+0100',
      says: 'as wall time. Set windowClock: wall in adreport.yaml',
    },
    {
      since: '2026-11-01T01:00:00+0100',
      until: '2026-11-02T00:59:59+0100',
      says: 'as instants. Set windowClock: instant',
    },
    { since: 'yesterday', until: '', says: 'could not be checked: its summary has "yesterday"' },
    // Other ways to write the same instants.
    { since: '2026-11-01 00:00:00', until: '2026-11-02 00:00:00' },
    { since: '2026-11-01', until: '2026-11-01' },
    { since: '2026-10-31T23:00:00.000000Z', until: '2026-11-01T23:59:59.999+01:00' },
    { since: '1793487600', until: '1793573999' },
    { since: '', until: '' },
  ])('from $since to $until', async ({ since, until, says }) => {
    expect(await shown(since, until)).toEqual(says ? [expect.stringContaining(says)] : []);
  });
});

describe('columns', () => {
  const scene = { breakdowns: ['CAMPAIGN'], metrics: ['clicks', 'revenueDollar'] } as const;

  test('that are missing are named; dollars may stand under their own name', async () => {
    const body = 'campaignId,campaignName,clicks,revenueDollar\r\n1,a,1,2.5\r\n';

    expect(await problemsOf({ ...scene, body })).toEqual([]);
    expect(await problemsOf({ ...scene, body: body.replace('clicks', 'klicks') })).toEqual([
      'The report lacks the column clicks, asked for.',
    ]);
  });

  test('of which none was asked for are no report', async () => {
    const asked = problemsOf({ ...scene, body: '[{"os":"iOS"}]' });
    await expect(asked).rejects.toMatchObject({ exitCode: 9, code: 'NO_HEADER' });
  });
});

describe('totals', () => {
  test('a row without any of the breakdowns that always have a value', async () => {
    const rows = [
      { campaignId: '1', campaignName: 'a', clicks: 1 },
      { campaignId: null, campaignName: 'Total', clicks: 1 },
    ];
    expect(await problemsOf({ breakdowns: ['CAMPAIGN'], rows })).toEqual([
      'Row 2 looks like a total: it has no campaignId.',
    ]);
  });

  const dimensions = breakdowns.filter(({ time }) => !time);

  test.each(dimensions)('a row without a value by $name', async ({ name, fields, nullable }) => {
    const row = (value: string | null) => {
      const values = fields.map((field): [string, string | null] => [field.name, value]);
      return { ...Object.fromEntries(values), clicks: value === null ? 5 : Number(value) };
    };
    const problems = async (rows: readonly object[]) =>
      problemsOf({ breakdowns: [name], rows, metrics: ['clicks'] });

    const isFinding = [expect.stringMatching(/^Row 3 looks like a total: it has no /)];
    expect(await problems([row('1'), row('2'), row(null)])).toEqual(nullable ? [] : isFinding);
    expect(await problems([row('1'), row('4'), row(null)])).toEqual(isFinding);

    const total = { ...row('9'), [fields[0]?.name ?? '']: 'Grand total' };
    expect(await problems([row('1'), row('2'), total])).toEqual(isFinding);
  });

  test('a report of one row that lacks its campaign', async () => {
    const rows = [{ campaignId: null, campaignName: null, clicks: 3 }];
    expect(await problemsOf({ breakdowns: ['CAMPAIGN'], rows })).toEqual([
      'Row 1 looks like a total: it has no campaignId.',
    ]);
  });

  test('a row that holds the sum of all others, whatever it is called', async () => {
    const rows = (clicks: number) => [
      { country: 'France', clicks: 40_000 },
      { country: 'Spain', clicks: 2_345 },
      { country: 'World', clicks },
    ];
    expect(await problemsOf({ breakdowns: ['COUNTRY'], rows: rows(42_344) })).toEqual([]);
    expect(await problemsOf({ breakdowns: ['COUNTRY'], rows: rows(42_345) })).toEqual([
      'Row 3 looks like a total: it holds the sum of all others.',
    ]);
  });

  test.each(['-1', 'N/A', 'null', 'abc', 1.5])('a campaign whose id is %s', async (campaignId) => {
    const rows = [
      { campaignId: '1', campaignName: 'a', clicks: 5 },
      { campaignId, campaignName: 'b', clicks: 1 },
    ];
    expect(await problemsOf({ breakdowns: ['CAMPAIGN'], rows })).toEqual([
      expect.stringMatching(/^The campaignId of row 2 is no id: /),
    ]);
  });

  test('days in a report by month', async () => {
    const rows = [{ date: '2026-10-01' }, { date: '2026-10-02' }];
    const scene = { period: '2026-10', breakdowns: ['MONTHLY'] } as const;
    expect(await problemsOf({ ...scene, rows })).toEqual([
      'The report has rows of 2 dates in 1 month.',
    ]);
  });

  test('one subtotal of a ROLLUP among places that have none', async () => {
    const row = (country: string, city: string | null, clicks: number) => ({
      country,
      city,
      clicks,
    });
    const details = [row('France', 'Paris', 61_000), row('France', 'Lyon', 4_321)];
    const others = [row('Spain', 'Vigo', 700), row('Spain', null, 3_000), row('Italy', null, 9)];
    const scene = { breakdowns: ['COUNTRY', 'CITY'] } as const;

    expect(await problemsOf({ ...scene, rows: [...details, ...others] })).toEqual([]);
    const subtotal = row('France', null, 65_321);
    expect(await problemsOf({ ...scene, rows: [...others, ...details, subtotal] })).toEqual([
      'Row 6 looks like a total: it has no city.',
    ]);
  });

  test('a row without a date, which cannot be checked either', async () => {
    const rows = [{ date: '2026-11-01', os: 'a' }, { os: 'a' }];
    expect(await problemsOf({ breakdowns: ['DAILY', 'OS'], rows })).toEqual([
      'The times of the rows could not all be checked: the date of row 2 cannot be read: null.',
      'Row 2 looks like a total: it has no date.',
    ]);
  });

  test('a town may be null, unless its row is the sum of the others', async () => {
    const rows = (clicks: number) => [
      { city: 'a', leads: 0, clicks: 3 },
      { city: null, leads: 0, clicks },
      { city: 'b', leads: 0, clicks: 4 },
    ];
    const scene = { breakdowns: ['CITY'], metrics: ['leads', 'clicks'] } as const;

    expect(await problemsOf({ ...scene, rows: rows(5) })).toEqual([]);
    expect(await problemsOf({ ...scene, rows: rows(7) })).toEqual([
      'Row 2 looks like a total: it has no city.',
    ]);
  });
});

describe('filters', () => {
  const scene = { metrics: ['clicks'] } as const;
  const campaigns = [
    { campaignId: 1, campaignName: 'a', clicks: 1 },
    { campaignId: '2', campaignName: 'b', clicks: 1 },
  ];

  test('a row of an id that the filter does not name', async () => {
    const asked = { ...scene, breakdowns: ['CAMPAIGN'], rows: campaigns } as const;

    expect(await problemsOf({ ...asked, filters: { campaignId: ['1', '2'] } })).toEqual([]);
    expect(await problemsOf({ ...asked, filters: { campaignId: ['1'] } })).toEqual([
      'The report has rows that the filter campaignId should have left out: campaignId 2; the first is row 2.',
    ]);
  });

  test('a name that the filter does not name, in whatever normal form', async () => {
    const rows = [{ carrier: 'Te\u0301le\u0301com', clicks: 1 }];
    const asked = { ...scene, breakdowns: ['CARRIER'], rows } as const;

    expect(await problemsOf({ ...asked, filters: { carrier: ['Télécom'] } })).toEqual([]);
    expect(await problemsOf({ ...asked, filters: { carrier: ['Other'] } })).toHaveLength(1);
  });

  test('more values than ids', async () => {
    const rows = [
      { country: 'France', clicks: 1 },
      { country: 'Spain', clicks: 2 },
    ];
    const asked = { ...scene, breakdowns: ['COUNTRY'], rows } as const;

    expect(await problemsOf({ ...asked, filters: { countryId: ['1', '2'] } })).toEqual([]);
    expect(await problemsOf({ ...asked, filters: { countryId: ['1'] } })).toEqual([
      'The filter countryId seems to be ignored: country has 2 values, and the filter names 1 id.',
    ]);
  });
});

describe('rows that are another written otherwise', () => {
  test('ids as numbers, blanks at the end, hours by another clock', async () => {
    const rows = [
      { campaignId: '1', campaignName: 'a', clicks: 1 },
      { campaignId: 1, campaignName: 'a ', clicks: 1 },
    ];
    expect(await problemsOf({ breakdowns: ['CAMPAIGN'], rows })).toEqual([
      'One row of the report repeats the breakdown values of an earlier one; the first is row 2.',
    ]);

    const since = '2026-11-01T10:00';
    const window = { since, until: '2026-11-01T10:59:59', breakdowns: ['HOURLY'] } as const;
    const hourRows = [
      { date: '2026-11-01', hour: '2026-11-01T10:00:00+0100', clicks: 1 },
      { date: '2026-11-01', hour: '2026-11-01T09:00:00Z', clicks: 1 },
    ];
    expect(await problemsOf({ ...window, rows: hourRows })).toEqual([
      'The hours of the report are of another zone than Europe/Paris: row 2 has 2026-11-01T09:00:00Z.',
      'One row of the report repeats the breakdown values of an earlier one; the first is row 2.',
    ]);
  });

  test('a ROLLUP, which doubles every sum', async () => {
    const rows = [
      { country: 'France', os: 'iOS', clicks: 30 },
      { country: 'France', os: 'Android', clicks: 12 },
      { country: 'France', os: null, clicks: 42 },
      { country: 'Spain', os: 'iOS', clicks: 5 },
      { country: 'Spain', os: null, clicks: 5 },
      { country: null, os: null, clicks: 47 },
    ];
    expect(await problemsOf({ breakdowns: ['COUNTRY', 'OS'], rows })).toEqual([
      '2 rows look like totals, the first is row 3: they have no os.',
      'Row 6 looks like a total: it has no country, no os.',
    ]);
  });

  test('a subtotal of days, and a campaign that was ignored', async () => {
    const rows = [
      { date: '2026-11-01', campaignId: null, campaignName: null, clicks: 3 },
      { date: '2026-11-01', campaignId: '1', campaignName: 'a', clicks: 3 },
    ];
    expect(await problemsOf({ breakdowns: ['DAILY', 'CAMPAIGN'], rows })).toEqual([
      'Row 1 looks like a total: it has no campaignId.',
    ]);
  });
});
