import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { type Profile, vocabularyOf } from '../../src/contract/vocabulary.ts';
import { widthOf } from '../../src/text/cell-width.ts';
import { hiddenCharacters, printable } from '../../src/text/printable.ts';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf } from '../formats/encode.ts';
import { stringText } from '../rows/report-documents.ts';
import { anyCharacter } from '../support/any-character.ts';
import { runCli } from '../support/run-cli.ts';
import { barsOf, cardsOf, pageOf, rowsOf, slotsOf, tagsOf } from './html-page.ts';

const summary = {
  since: '2026-10-01T00:00:00+0200',
  until: '2026-10-31T23:59:59+0100',
  breakdowns: ['DAILY', 'CAMPAIGN'],
  timezone: 'europe/paris',
};

function reportOf(rows: readonly object[], changes: object = {}): string {
  return JSON.stringify({ data: rows, summary: { ...summary, ...changes } });
}

const summer = { campaignId: '7', campaignName: 'Été', city: null };
const winter = { campaignId: '8', campaignName: 'Hiver', city: null };
const rows = [
  { date: '2026-10-01', ...summer, displays: 1000, clicks: 10, revenueEuro: 12.5 },
  { date: '2026-10-01', ...winter, displays: 3000, clicks: 0, revenueEuro: 7.5 },
  { date: '2026-10-03', ...summer, displays: 2000, clicks: 20, revenueEuro: 5 },
];

/** Fragments of names that try to be markup, script, or terminal commands. */
const markup = ['<', '>', '&', '&lt;', '<!--', '-->', ']]>', '</title>', '</style>', '</script>'];
const scripts = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '" onmouseover="alert(1)',
  'javascript:alert(1)',
];
const quotes = ['"', "'", '`', '\\'];
const lineEnds = ['\u2028', '\u2029', '\r\n'];
const controls = ['\u001b[31m', '\u009b2J', '\u202e', '\u0000', '\ud800'];
const templates = ['${1}', '{{x}}', '$&', '$1', '=1+1'];
const nastyParts = [...markup, ...scripts, ...quotes, ...lineEnds, ...controls, ...templates];

const nastyName = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc
    .array(fc.constantFrom(...nastyParts), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('')),
);

describe('a page', () => {
  it('shows title, window, zone and totals', async () => {
    const { html, notes } = await pageOf(reportOf(rows));

    expect(html).toContain('<title>Daily report by campaign, 1–31 October 2026</title>');
    expect(/<header>[\s\S]*<\/header>/.exec(html)?.[0]).toBe(
      '<header>\n<h1>Daily report by campaign</h1>\n<p><span>1–31 October 2026</span> <span>Europe/Paris</span></p>\n</header>',
    );
    expect(cardsOf(html)).toEqual({
      Displays: '6,000',
      Clicks: '30',
      'Revenue (€)': '€25.00',
      CTR: '0.50%',
      'eCPM (€)': '€4.17',
    });
    expect(notes).toEqual([]);
  });

  it('draws each metric over time, including days without rows, and ranks each breakdown', async () => {
    const { html } = await pageOf(reportOf(rows));

    const captions = [...html.matchAll(/<figcaption><b>(.*?)<\/b> (.*?)</g)];
    expect(captions.map(([, label, step]) => `${label} ${step}`)).toEqual([
      'Revenue (€) per day by campaign',
      'Revenue (€) per day',
      'Displays per day',
      'Clicks per day',
      'CTR per day',
      'eCPM (€) per day',
    ]);

    const thursday = 'Thu 1 Oct 2026';
    const friday = 'Fri 2 Oct 2026';
    const saturday = 'Sat 3 Oct 2026';
    const slotsByDay = (first: string, second: string, third: string): string[] => {
      return [`${thursday}\n${first}`, `${friday}\n${second}`, `${saturday}\n${third}`];
    };
    expect(slotsOf(html)).toEqual([
      slotsByDay('€12.50\n€7.50', '–\n–', '€5.00\n–'),
      slotsByDay('€20.00', '–', '€5.00'),
      slotsByDay('4,000', '–', '2,000'),
      slotsByDay('10', '–', '20'),
      slotsByDay('0.25%', '–', '1.00%'),
      slotsByDay('€5.00', '–', '€2.50'),
    ]);
    expect(html).toContain(
      'aria-label="Displays per day, Thu 1 Oct 2026 to Sat 3 Oct 2026: from 2,000 to 4,000"',
    );
    expect(html).toContain('<h2>Top campaigns</h2>');
    expect(barsOf(html)).toEqual(['Été 7 €17.50 70.0%', 'Hiver 8 €7.50 30.0%']);
  });

  it('adds up the values after the first ten bars', async () => {
    const many = Array.from({ length: 15 }, (_, i) => ({
      country: `C${i}`,
      revenueEuro: (i + 1) / 100,
    }));

    const bars = barsOf((await pageOf(reportOf(many))).html);

    expect(bars).toHaveLength(11);
    expect(bars[0]).toBe('C14 €0.15 12.5%');
    expect(bars.at(-1)).toBe('5 others €0.15 12.5%');
    expect(barsOf((await pageOf(reportOf(many.slice(0, 11)))).html)).toHaveLength(11);
  });

  it('shows decimal commas of a DSP report as numbers, null as a dash, and a missing format as unknown', async () => {
    const { html, data } = await pageOf(
      reportOf([
        { format: 'banner', displays: 4000, revenueEuro: '1234,50' },
        { format: null, displays: null, revenueEuro: '0,05' },
      ]),
    );

    expect(html).toContain(
      '<tr><td class="t first">banner<td class="n">4,000<td class="n">1,234.50<td class="n">308.63\n',
    );
    expect(html).toContain(
      '<tr><td class="t first none">(unknown)<td class="n none">–<td class="n">0.05<td class="n none">–<',
    );
    expect(cardsOf(html)['Revenue (€)']).toBe('€1,234.55');
    expect(rowsOf(data)).toEqual([
      { format: 'banner', displays: 4000, revenueEuro: 1234.5 },
      { format: null, displays: null, revenueEuro: 0.05 },
    ]);
  });

  it('without rows is one sentence without figures', async () => {
    const { html } = await pageOf(reportOf([]));

    expect(html).toContain('<p class="empty">Nothing ran in this period');
    expect(html).not.toMatch(/<dt>|<figure|<table|<h2>/);
    expect((await pageOf('{"data":[]}')).html).toContain('<h1>Advertising report</h1>');
  });

  it('with all metrics shows the main figures first; the others can be expanded', async () => {
    const figures = {
      requests: 9,
      displays: 1000,
      clicks: 10,
      downloads: 3,
      leads: 0,
      landings: 7,
    };
    const money = { revenueEuro: 5, revenueDollar: 6, eyesTrackings: 400 };
    const named = { ...figures, ...money };
    const { metrics } = vocabularyOf('buyer');
    const rest = metrics.filter(({ name }) => !(name in named)).map(({ name }) => [name, 0]);
    const row = { ...summer, ...named, ...Object.fromEntries(rest) };
    const { html, data } = await pageOf(reportOf([row]));

    const [inSight = '', ...behind] = html.split('<div class="more"');
    expect(Object.keys(cardsOf(inSight))).toEqual([
      'Revenue (€)',
      'Displays',
      'Clicks',
      'CTR',
      'eCPM (€)',
      'Downloads',
      'Landings',
    ]);
    expect(Object.keys(cardsOf(behind.join('<div')))).toEqual(
      expect.arrayContaining(['Requests', 'Leads', 'Revenue ($)', 'Eye trackings', 'eCPM ($)']),
    );
    expect(rowsOf(data)[0]).toMatchObject(named);
  });

  it('contains only the selected columns, even one that is empty', async () => {
    const { html, data } = await pageOf(reportOf(rows), {
      selectedColumns: ['clicks', 'campaignName'],
    });

    expect(data.columns.map(({ name }) => name)).toEqual(['clicks', 'campaignName']);
    expect(html).not.toContain('<figure');
    expect(cardsOf(html)).toEqual({ Clicks: '30' });

    const columns = [{ field: 'city', type: 'text' }] as const;

    const absent = await pageOf(reportOf(rows), { columns, selectedColumns: ['city', 'clicks'] });

    expect(rowsOf(absent.data).map(({ city }) => city)).toEqual([null, null, null]);
    expect(absent.html).not.toContain('Top values');
  });
});

describe('the table of a page', () => {
  /** The heading and the cells of the first column of the table. */
  async function firstColumn(by: string, cells: readonly object[]) {
    const summary = {
      breakdowns: [by],
      since: '2026-10-25T00:00:00+0200',
      until: '',
      timezone: '',
    };
    const data = cells.map((cell) => ({ ...cell, displays: 1 }));
    const { html } = await pageOf(JSON.stringify({ data, summary }));
    const [, title] = /<section class="rows short"><div class="head"><h2>(.*?)</.exec(html) ?? [];
    const [, head] = /<th [^>]*>(.*?)</.exec(html) ?? [];
    const texts = [...html.matchAll(/<tr[^>]*><td class="k first">(.*?)</g)].map(
      (match) => match[1],
    );
    return { title, head, texts };
  }

  it('shows days, months and hours in readable form', async () => {
    const days = [{ date: '2026-10-25' }, { date: '2026-10-26' }];
    expect(await firstColumn('DAILY', days)).toEqual({
      title: 'All days',
      head: 'Date',
      texts: ['Sun 25 Oct', 'Mon 26 Oct', 'Total'],
    });

    const newYear = [{ date: '2026-12-31' }, { date: '2027-01-01' }];
    expect((await firstColumn('DAILY', newYear)).texts).toEqual([
      'Thu 31 Dec 2026',
      'Fri 1 Jan 2027',
      'Total',
    ]);

    const months = [{ date: '2026-01-01' }, { date: '2026-02-01' }];
    expect(await firstColumn('MONTHLY', months)).toEqual({
      title: 'All months',
      head: 'Month',
      texts: ['January 2026', 'February 2026', 'Total'],
    });

    const hours = ['01:00:00+0200', '02:00:00+0200', '02:00:00+0100'].map((hour) => {
      return { date: '2026-10-25', hour: `2026-10-25T${hour}` };
    });
    expect(await firstColumn('HOURLY', hours)).toEqual({
      title: 'All hours',
      head: 'Hour',
      texts: [
        'Sun 25 Oct, 01:00',
        'Sun 25 Oct, 02:00 (+0200)',
        'Sun 25 Oct, 02:00 (+0100)',
        'Total',
      ],
    });
  });

  it('has no display text for an invalid time', async () => {
    const days = [{ date: '2026-10-25' }, { date: 'total' }, { date: '2026-13-45' }];
    expect((await firstColumn('DAILY', days)).texts).toEqual([
      'Sun 25 Oct',
      'total',
      '2026-13-45',
      'Total',
    ]);
  });

  const campaigns = [
    { ...summer, displays: 1000, clicks: 10, revenueEuro: 4 },
    { ...winter, displays: 3000, clicks: 60, revenueEuro: 9 },
  ];

  it('has CTR and eCPM per row and in total; without time the largest rows come first', async () => {
    const { html, data } = await pageOf(reportOf(campaigns));
    const cells = [...html.matchAll(/<tr(?: class="total")?>(<td.*)/g)].map((match) =>
      match[1]?.replaceAll(/<[^>]*>/g, '|'),
    );
    expect(cells).toEqual(
      [
        '|8|Hiver|3,000|60|9.00|2.00%|3.00',
        '|7|Été|1,000|10|4.00|1.00%|4.00',
        '||Total|4,000|70|13.00|1.75%|3.25',
      ].map((line) => expect.stringContaining(line)),
    );
    expect(html).toContain('<th scope="col" class="n" aria-sort="descending" title="revenueEuro">');
    expect(html).toContain('<h2>All campaigns</h2>');
    expect(rowsOf(data)[0]).not.toHaveProperty('ctr');
  });

  it('keeps time order, and adds nothing to selected columns', async () => {
    const { html } = await pageOf(reportOf(rows));
    const [, tableOfDays] = html.split('<h2>All days and campaigns</h2>');
    expect(tableOfDays?.split('</table>')[0]).not.toContain('aria-sort="descending"');
    const { data } = await pageOf(reportOf(campaigns), {
      selectedColumns: ['campaignName', 'ctr'],
    });
    expect(data.columns.map(({ name }) => name)).toEqual([
      'campaignName',
      'ctr',
      'clicks',
      'displays',
    ]);
  });
});

describe('cards', () => {
  const metricNames = [
    'displays',
    'clicks',
    'revenueEuro',
    'requests',
    'downloads',
    'leads',
    'landings',
  ];

  it.each([1, 2, 3, 5, 7])('of %i metrics are one grid with even rows', async (count) => {
    const row = Object.fromEntries(metricNames.slice(0, count).map((name, i) => [name, 10 + i]));
    const { html } = await pageOf(reportOf([row]));
    const [, perRow, cards = ''] = /<dl class="cards in(\d)">([\s\S]*?)<\/dl>/.exec(html) ?? [];
    const inSight = cards.replaceAll(/<div class="more".*/g, '').match(/<dt>/g)?.length ?? 0;
    const rowCount = inSight === 5 ? 1 : Math.ceil(inSight / 4);
    expect(Number(perRow)).toBe(Math.ceil(inSight / rowCount));
  });
});

describe('a page that compares', () => {
  const before = new ReportSums();
  const columns = [
    { field: 'date', numeric: false },
    { field: 'campaignId', numeric: false },
    { field: 'campaignName', numeric: false },
  ];
  const earlier = [
    { date: '2026-09-01', ...summer, displays: 500, clicks: 10, revenueEuro: 10 },
    { date: '2026-09-03', ...summer, displays: 4000, clicks: 20, revenueEuro: 10 },
  ];
  beforeAll(async () => {
    for await (const batch of batchesOf(earlier)) before.observe(batch, columns);
  });
  const comparison = {
    sums: before,
    now: '1–31 October 2026',
    before: '1–30 September 2026',
    windows: {
      now: '2026-10-01T00:00:00+0200',
      before: '2026-09-01T00:00:00+0200',
      until: '2026-10-31T23:59:59+0100',
      zone: 'Europe/Paris',
    },
    notes: [],
  };

  it('draws the earlier period as a lighter line, with the day of each value', async () => {
    const { html } = await pageOf(reportOf(rows), { comparison });
    expect(html.match(/<path class="before" d="M[^"]+"/g)).toHaveLength(5);
    expect(slotsOf(html)[1]).toEqual([
      'Thu 1 Oct 2026\n€20.00\nTue 1 Sep 2026: €10.00',
      'Fri 2 Oct 2026\n–\nWed 2 Sep 2026: –',
      'Sat 3 Oct 2026\n€5.00\nThu 3 Sep 2026: €10.00',
    ]);
  });

  it('colors and marks changes in the cards and the ranking', async () => {
    const { html } = await pageOf(reportOf(rows), { comparison });
    expect(html).toContain(
      '<dd class="change"><b class="up">▲ 25.0%</b> <span>€20.00 before</span></dd>',
    );
    expect(barsOf(html)).toEqual(['Été 7 €17.50 70.0% ▼ 12.5%', 'Hiver 8 €7.50 30.0% new']);
  });

  it('shows the change of each figure in every row; that of a price has no color', async () => {
    const sums = new ReportSums({ keepsRows: true });
    const earlierRows = [{ ...summer, displays: 4500, clicks: 30, revenueEuro: 20 }];
    for await (const batch of batchesOf(earlierRows)) sums.observe(batch, columns.slice(1));
    const { html } = await pageOf(
      reportOf([
        { ...summer, displays: 1000, revenueEuro: 30 },
        { ...winter, displays: 10, revenueEuro: 1 },
      ]),
      { comparison: { ...comparison, sums } },
    );
    expect(html).toContain('<td class="n change"><b class="up">▲ 50.0%</b>');
    expect(html).toContain('<td class="n change"><b class="same">new</b>');
    const [, summerRow = ''] = html.split('<td class="t first">Été');
    expect(summerRow.split('<tr')[0]?.match(/change( neutral)?"><b class="\w+">[^<]*/g)).toEqual([
      'change"><b class="down">▼ 77.8%',
      'change"><b class="up">▲ 50.0%',
      'change neutral"><b class="up">▲ 575.0%',
    ]);
  });
});

describe('the rows of days that are compared', () => {
  /** The first cell of each row, and the change of its only figure. */
  async function changesOfDays(days: readonly object[], earlierDays: readonly object[]) {
    const before = new ReportSums({ keepsRows: true });
    const columns = ['date', 'campaignId'].map((field) => ({ field, numeric: false }));
    for await (const batch of batchesOf(earlierDays)) before.observe(batch, columns);
    const windows = {
      now: '2026-10-01T00:00:00+0200',
      before: '2026-09-01T00:00:00+0200',
      until: '2026-10-31T23:59:59+0100',
      zone: 'Europe/Paris',
    };
    const comparison = { sums: before, now: 'now', before: 'before', windows, notes: [] };

    const { html } = await pageOf(reportOf(days), { comparison });
    return [...html.matchAll(/<tr(?: class="total")?>(<td.*)/g)].map(([, line = '']) => {
      const cells = line.split(/<td[^>]*>/).map((cell) => cell.replaceAll(/<[^>]*>/g, ''));
      return `${cells[1]} ${cells.at(-1)}`;
    });
  }

  it('compares days at the same distance from the beginning; a day without a counterpart is not new', async () => {
    const changes = await changesOfDays(
      [
        { date: '2026-10-01', displays: 15 },
        { date: '2026-10-02', displays: 5 },
        { date: '2026-10-31', displays: 7 },
      ],
      [
        { date: '2026-09-01', displays: 10 },
        { date: '2026-09-02', displays: 0 },
      ],
    );

    expect(changes).toEqual(['Thu 1 Oct ▲ 50.0%', 'Fri 2 Oct –', 'Sat 31 Oct –', 'Total ▲ 170.0%']);
  });

  it('compares each campaign of a day with itself at the same distance', async () => {
    const day = (date: string, campaignId: string, displays: number) => ({
      date,
      campaignId,
      displays,
    });
    const changes = await changesOfDays(
      [day('2026-10-01', '7', 15), day('2026-10-01', '8', 5), day('2026-10-02', '7', 9)],
      [day('2026-09-01', '7', 10), day('2026-09-01', '8', 10), day('2026-09-02', '7', 3)],
    );

    expect(changes).toEqual([
      // The table of campaigns.
      '7 ▲ 84.6%',
      '8 ▼ 50.0%',
      'Total ▲ 26.1%',
      'Thu 1 Oct ▲ 50.0%',
      'Thu 1 Oct ▼ 50.0%',
      'Fri 2 Oct ▲ 200.0%',
      'Total ▲ 26.1%',
    ]);
  });
});

describe('a page is passive', () => {
  it('except for its own script and style, whose hashes are in its policy; it has no external references', async () => {
    const { html } = await pageOf(reportOf(rows));
    const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

    const policy = /<meta http-equiv="content-security-policy" content="(.*?)">/.exec(html)?.[1];

    expect(policy).toBe(
      `default-src 'none'; script-src ${hashOf(/<script>([\s\S]*?)<\/script>/.exec(html)?.[1])}; ` +
        `style-src ${hashOf(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1])}; img-src data:; base-uri 'none'; form-action 'none'`,
    );

    const elsewhere = html
      .replace("createElementNS('http://www.w3.org/2000/svg'", '')
      .match(/https?:|src=|url\(|@import|\bon\w+=|style=|href="(?!data:,")/g);

    expect(elsewhere).toBeNull();
  });

  it('for any names and fields: the tags stay the same, and no control characters remain', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(nastyName, {
          minLength: 1,
          maxLength: 6,
          selector: (name) => Buffer.from(name).toString(),
        }),
        nastyName,
        async (names, zone) => {
          const report = (nameOf: (i: number) => string, timezone: string) =>
            reportOf(
              names.map((_, i) => ({
                date: nameOf(i),
                campaignName: nameOf(i),
                [`x${nameOf(0)}`]: nameOf(i),
                displays: i,
                clicks: `no number ${nameOf(i)}`,
              })),
              { timezone, since: timezone },
            );
          const nasty = (await pageOf(report((i) => names[i] ?? '', zone))).html;
          const plainName = (i: number): string => {
            return String(i).padEnd(widthOf(printable(names[i] ?? '')), 'x');
          };
          const plain = (await pageOf(report(plainName, 'zone'))).html;
          expect(tagsOf(nasty)).toEqual(tagsOf(plain));
          expect(nasty.replaceAll('\n', '')).not.toMatch(new RegExp(hiddenCharacters.source));
        },
      ),
      { numRuns: 12 },
    );
  });
});

const textOf = (row: object): string => JSON.stringify(row);

test('a page embeds numbers exactly, and names as displayed', async () => {
  const numbers: [json: string, cell: string | number | null][] = [
    ['12', 12],
    ['-0.5', -0.5],
    ['1e5', 100_000],
    ['"1234,50"', 1234.5],
    ['"-0,05"', -0.05],
    ['"n/a"', 'n/a'],
    ['""', ''],
    ['null', null],
    ['12345678901234567890', '12345678901234567890'],
    ['0.1000000000000000055', '0.1000000000000000055'],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(stringText), { minLength: 2, maxLength: 12 }),
      async (names) => {
        const rowAt = (i: number) => numbers[i % numbers.length] ?? ['null', null];
        const texts = names.map(
          (name, i) => `{"campaignName":${name},"revenueEuro":${rowAt(i)[0]}}`,
        );
        const { data } = await pageOf(`{"data":[${texts.join()}]}`, {
          selectedColumns: ['campaignName', 'revenueEuro'],
        });
        // Without time the rows are ordered by revenue.
        const expected = names.map((name, i) => ({
          campaignName: name && printable(JSON.parse(name)),
          revenueEuro: rowAt(i)[1],
        }));
        expect(rowsOf(data).map(textOf).sort()).toEqual(expected.map(textOf).sort());
      },
    ),
    { numRuns: 20 },
  );
});

describe('more rows than a page can hold', () => {
  it('are not listed, with a note in the page and to the user; the first breakdown is', async () => {
    const count = 51_000;
    const body = largeReport(
      count,
      (i) => `Campaign ${i % 9}`,
      (i) => `app${i % 3_001}`,
    );
    const { html, data, notes } = await pageOf(body);
    const sentence =
      'The report has 51,000 rows. A page lists at most 50,000, so they are not in it; its charts and totals include them.';

    expect(html).toContain(`<p class="note">${sentence}</p>`);
    expect(notes).toEqual([`${sentence} --format csv has them.`]);

    const expected = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const key = `Campaign ${i % 9}`;
      expected.set(key, (expected.get(key) ?? 0) + centsOf(i));
    }
    const found = rowsOf(data).map((row) => [
      `${row.campaignName}`,
      Math.round(100 * Number(row.revenueEuro)),
    ]);

    expect(new Map(found as [string, number][])).toEqual(expected);

    const cents = [...expected.values()].reduce((a, b) => a + b, 0);

    expect(cardsOf(html)['Revenue (€)']?.replaceAll(/[€,]/g, '')).toBe((cents / 100).toFixed(2));
    expect(barsOf(html).at(-1)).toMatch(/^2,991 others /);
  });
});

describe('run -o report.html', () => {
  /**
   * Number of figures of a profile that are shown by default: its metrics and the usual derived
   * ones.
   */
  function figureCountOf(profile: Profile): number {
    const { metrics, derived } = vocabularyOf(profile);
    const usual = derived.filter((metric) => !('onlyWhenNamed' in metric));
    return metrics.length + usual.length;
  }

  it.each([
    {
      flags: '--by DAILY,CAMPAIGN',
      title: 'Daily report by campaign',
      // One more chart has a line per campaign.
      charts: figureCountOf('buyer') + 1,
    },
    { flags: '--by COUNTRY', title: 'Report by country', charts: 0 },
    {
      flags: '--by DAILY,FORMAT --profile dsp',
      title: 'Daily report by format',
      charts: figureCountOf('dsp') + 1,
    },
    { flags: '--by DAILY --filter campaignId=1', title: 'Daily report', charts: 0 },
  ])('$flags', async ({ flags, title, charts }) => {
    const line = `run --local --period 2026-W45 ${flags} -o report.html`;

    const { exitCode, files } = await runCli(line);

    const html = files['report.html'] ?? '';
    expect(exitCode).toBe(0);
    expect(html).toContain(
      `<h1>${title}</h1>\n<p><span>2–8 November 2026</span> <span>Europe/Paris</span>`,
    );
    expect(html.match(/<figure /g)?.length ?? 0).toBe(charts);
  });
});

const dayOf = (i: number) => `2026-10-${String((i % 10) + 1).padStart(2, '0')}`;
const centsOf = (i: number) => (i * 31) % 5000;

/** A buyer's report whose rows contain dimensions that were not requested. */
function largeReport(
  count: number,
  campaign: (i: number) => string,
  bundle: (i: number) => string,
): string {
  const rows = Array.from(
    { length: count },
    (_, i) =>
      `{"date":"${dayOf(i)}","adId":null,"city":null,"campaignName":"${campaign(i)}","bundleId":"${bundle(i)}","displays":${(i * 17) % 9000},"clicks":${i % 200},"revenueEuro":${(centsOf(i) / 100).toFixed(2)}}`,
  );
  return `{"data":[${rows.join()}],"summary":${JSON.stringify(summary)}}`;
}
