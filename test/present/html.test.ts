import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { hiddenCharacters } from '../../src/text/printable.ts';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf } from '../formats/encode.ts';
import { anyCharacter } from '../support/any-character.ts';
import { windows } from '../totals/compared-windows.ts';
import { barsOf, cardsOf, pageOf, slotsOf, tagsOf } from './html-page.ts';

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
    const { html } = await pageOf(reportOf(rows));

    expect(html).toContain('<title>Daily report by campaign, 1–31 October 2026</title>');
    expect(/<header>[\s\S]*<\/header>/.exec(html)?.[0]).toBe(
      '<header>\n<h1>Daily report by campaign</h1>\n<p><span>1–31 October 2026</span> <span>Europe/Paris</span></p>\n\n\n\n</header>',
    );
    expect(cardsOf(html)).toEqual({
      Displays: '6,000',
      Clicks: '30',
      'Revenue (€)': '€25.00',
      CTR: '0.50%',
      'eCPM (€)': '€4.17',
    });
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
    const { html, tables } = await pageOf(
      reportOf([
        { format: 'banner', displays: 4000, revenueEuro: '1234,50' },
        { format: null, displays: null, revenueEuro: '0,05' },
      ]),
    );

    expect(tables[0]?.rows).toEqual([
      'banner|1,234.50|4,000|308.63',
      '(unknown)|0.05|–|–',
      'Total|1,234.55|4,000|308.63',
    ]);
    expect(cardsOf(html)['Revenue (€)']).toBe('€1,234.55');
  });

  it('without rows is one sentence without metrics', async () => {
    const { html } = await pageOf(reportOf([]));

    expect(html).toContain('<p class="empty">Nothing ran in this period');
    expect(html).not.toMatch(/<dt>|<figure|<table /);
    expect((await pageOf('{"data":[]}')).html).toContain('<h1>Advertising report</h1>');
  });

  it('without --metrics shows the main metrics, and conversions that are not zero', async () => {
    const named = { requests: 9, displays: 1000, clicks: 10, downloads: 3, leads: 0, landings: 7 };
    const { metrics } = vocabularyOf('buyer');
    const all = metrics.map(({ name }) => [name, 4]);
    const row = { ...summer, ...Object.fromEntries(all), ...named };

    const { html, tables } = await pageOf(reportOf([row]));

    const main = ['Revenue (€)', 'Displays', 'Clicks', 'CTR', 'Downloads', 'Landings', 'eCPM (€)'];
    expect(Object.keys(cardsOf(html))).toEqual(main);
    expect(tables[0]?.heads.slice(2)).toEqual(main);
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
    const { tables } = await pageOf(JSON.stringify({ data, summary }));
    const { title, heads = [], rows = [] } = tables[0] ?? {};
    return { title, head: heads[0], firstCells: rows.map((row) => row.split('|')[0]) };
  }

  it('shows days, months and hours in readable form', async () => {
    const days = [{ date: '2026-10-25' }, { date: '2026-10-26' }];
    expect(await firstColumn('DAILY', days)).toEqual({
      title: 'All days',
      head: 'Date',
      firstCells: ['Sun 25 Oct 2026', 'Mon 26 Oct 2026', 'Total'],
    });

    const months = [{ date: '2026-01-01' }, { date: '2026-02-01' }];
    expect(await firstColumn('MONTHLY', months)).toEqual({
      title: 'All months',
      head: 'Month',
      firstCells: ['January 2026', 'February 2026', 'Total'],
    });

    const hours = ['01:00:00+0200', '02:00:00+0200', '02:00:00+0100'].map((hour) => {
      return { date: '2026-10-25', hour: `2026-10-25T${hour}` };
    });
    expect(await firstColumn('HOURLY', hours)).toEqual({
      title: 'All hours',
      head: 'Hour',
      firstCells: [
        'Sun 25 Oct 2026, 01:00',
        'Sun 25 Oct 2026, 02:00 (+0200)',
        'Sun 25 Oct 2026, 02:00 (+0100)',
        'Total',
      ],
    });
  });

  const campaigns = [
    { ...summer, displays: 1000, clicks: 10, revenueEuro: 4 },
    { ...winter, displays: 3000, clicks: 60, revenueEuro: 9 },
  ];

  it('has CTR and eCPM per row and in total; without time the largest rows come first', async () => {
    const { html, tables } = await pageOf(reportOf(campaigns));

    expect(tables).toEqual([
      {
        title: 'All campaigns',
        heads: [
          'Campaign ID',
          'Campaign name',
          'Revenue (€)',
          'Displays',
          'Clicks',
          'CTR',
          'eCPM (€)',
        ],
        rows: [
          '8|Hiver|9.00|3,000|60|2.00%|3.00',
          '7|Été|4.00|1,000|10|1.00%|4.00',
          '|Total|13.00|4,000|70|1.75%|3.25',
        ],
      },
    ]);
    expect(html).toContain('<th scope="col" class="n" aria-sort="descending">Revenue (€)');
  });

  it('has 300 campaigns and the sum of the others, but no list of more rows', async () => {
    const many = Array.from({ length: 400 }, (_, i) => {
      return { date: '2026-10-01', campaignId: `${i}`, campaignName: `C${i}`, revenueEuro: i };
    });

    const { tables } = await pageOf(reportOf(many));

    expect(tables.map(({ title }) => title)).toEqual(['All campaigns']);
    const { rows = [] } = tables[0] ?? {};
    expect(rows).toHaveLength(302);
    expect(rows[0]).toBe('399|C399|399.00');
    expect(rows.slice(-2)).toEqual(['|100 others|4,950.00', '|Total|79,800.00']);
  });

  it('breaks long names between their parts, and never cuts them', async () => {
    const names = ['iOS_V1', 'Android_V1'].map((end) => `ACME_2026-Q4_FR_Retargeting_${end}`);
    const data = names.map((campaignName, i) => ({ campaignName, revenueEuro: 9 - i }));

    const { html, tables } = await pageOf(reportOf(data));

    expect(tables[0]?.rows.map((row) => row.split('|')[0])).toEqual([...names, 'Total']);
    expect(html).toContain('ACME_<wbr>2026-<wbr>Q4_<wbr>FR_<wbr>Retargeting_<wbr>iOS_<wbr>V1');
    expect(html).not.toContain('…');
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
  const comparison = { sums: before, ...windows };

  it('draws the earlier period as a lighter line, with the day of each value', async () => {
    const { html } = await pageOf(reportOf(rows), { comparison });
    expect(html.match(/<path class="before" d="M[^"]+"/g)).toHaveLength(5);
    expect(slotsOf(html)[1]).toEqual([
      'Thu 1 Oct 2026\n€20.00\nTue 1 Sep 2026: €10.00',
      'Fri 2 Oct 2026\n–\nWed 2 Sep 2026: –',
      'Sat 3 Oct 2026\n€5.00\nThu 3 Sep 2026: €10.00',
    ]);
  });

  it('marks changes in the cards and the ranking; those of money have no color', async () => {
    const { html } = await pageOf(reportOf(rows), { comparison });
    expect(html).toContain(
      '<dd class="change"><b class="same">▲ 25.0%</b> <span>€20.00 before</span></dd>',
    );
    expect(html).toContain('<b class="up">▲ 33.3%</b> <span>4,500 before</span>');
    expect(barsOf(html)).toEqual(['Été 7 €17.50 70.0% ▼ 12.5%', 'Hiver 8 €7.50 30.0% new']);
  });

  it('has each change in the cell of its metric', async () => {
    const { html, tables } = await pageOf(reportOf(rows), { comparison });

    expect(tables[0]?.heads.join()).not.toContain('Change');
    expect(tables[0]?.rows).toEqual([
      '7|Été|17.50 ▼ 12.5%|3,000 ▼ 33.3%|30 = 0.0%|1.00% ▲ 50.0%|5.83 ▲ 31.3%',
      '8|Hiver|7.50 new|3,000 new|0 new|0.00% new|2.50 new',
      '|Total|25.00 ▲ 25.0%|6,000 ▲ 33.3%|30 = 0.0%|0.50% ▼ 25.0%|4.17 ▼ 6.3%',
    ]);
    expect(html).toContain('<td class="n">17.50<b class="same">▼ 12.5%</b>');
    expect(html).toContain('<td class="n">3,000<b class="down">▼ 33.3%</b>');
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

    const elsewhere = html.match(/https?:|src=|url\(|@import|\bon\w+=|style=|href="(?!data:,"|#)/g);

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
          const plain = (await pageOf(report((i) => `name ${i}`, 'zone'))).html;
          expect(tagsOf(nasty)).toEqual(tagsOf(plain));
          expect(nasty.replaceAll('\n', '')).not.toMatch(new RegExp(hiddenCharacters.source));
        },
      ),
      { numRuns: 12 },
    );
  });
});
