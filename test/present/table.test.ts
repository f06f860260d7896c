import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf, documentOf, type Encoded, encode } from '../formats/encode.ts';
import { stringText } from '../rows/report-documents.ts';
import { windows } from '../totals/compared-windows.ts';

/** The cells of a line; isolating characters take none. */
const cellsOf = (line: string): number => stringWidth(line.replaceAll(/[\u2068\u2069]/g, ''));

const rows = [
  '{"date":"2026-11-01","campaignId":"1001","campaignName":"Été à Paris™","city":null,"displays":123456,"revenueEuro":"1234,50"}',
  '{"date":"2026-11-02","campaignId":"1002","campaignName":"日本の広告キャンペーン、とても長い名前","city":null,"displays":7,"revenueEuro":"-0,05"}',
  '{"date":"2026-11-03","campaignId":"1003","campaignName":"\\u001b[31mred\\n🦊","city":null,"displays":null,"revenueEuro":"0,10"}',
];

function table(width: number | undefined, ...rows: string[]): Promise<Encoded> {
  return encode(documentOf(...rows), 'table', {
    table: width === undefined ? {} : { width },
    pieceBytes: 8000,
  });
}

describe('table', () => {
  it('aligns text and numbers, adds totals, and makes control characters visible', async () => {
    const { text } = await table(undefined, ...rows);

    expect(text).toMatchInlineSnapshot(`
      "Date        Campaign ID  Campaign name                           Displays  Revenue (€)  eCPM (€)
      ──────────  ───────────  ──────────────────────────────────────  ────────  ───────────  ────────
      2026-11-01  1001         Été à Paris™                             123,456     1,234.50     10.00
      2026-11-02  1002         日本の広告キャンペーン、とても長い名前         7        -0.05     -7.14
      2026-11-03  1003         ␛[31mred␊🦊                                    –         0.10         –
      ──────────  ───────────  ──────────────────────────────────────  ────────  ───────────  ────────
      total                                                             123,463     1,234.55     10.00
      "
    `);
  });

  it('fits the terminal: names are shortened, headings are wrapped', async () => {
    const { text } = await table(64, ...rows);

    expect(text).toMatchInlineSnapshot(`
      "            Campaign
      Date        ID        Campaign name                     Displays
      ──────────  ────────  ────────────────────────────────  ────────
      2026-11-01  1001      Été à Paris™                       123,456
      2026-11-02  1002      日本の広告キャ…、とても長い名前          7
      2026-11-03  1003      ␛[31mred␊🦊                              –
      ──────────  ────────  ────────────────────────────────  ────────
      total                                                    123,463
      Not shown: Revenue (€), eCPM (€). Choose columns with --columns
      or --metrics, or see all with --format csv.
      "
    `);
  });

  it('isolates right-to-left names on a terminal, so that numbers keep their place', async () => {
    const given = [
      '{"campaignName":"حملة الشتاء 2026","displays":5}',
      '{"campaignName":"冬のセール 🎄","displays":6}',
    ];

    expect((await table(40, ...given)).text.split('\n').slice(2, 4)).toEqual([
      '冬のセール 🎄            6',
      '\u2068حملة الشتاء 2026\u2069         5',
    ]);
    expect((await table(undefined, ...given)).text).not.toMatch(/[\u2068\u2069]/);
  });

  it('keeps ids that share a name, and does not shorten days and hours', async () => {
    const hours = ['02:00:00+0200', '02:00:00+0100', '03:00:00+0100'].map(
      (hour, i) =>
        `{"date":"2026-10-25","hour":"2026-10-25T${hour}","adId":"${i}","adName":"Rewarded, thirty seconds","displays":${i},"clicks":0}`,
    );

    expect((await table(60, ...hours)).text).toMatchInlineSnapshot(`
      "                                   Ad
      Date        Hour                   ID  Ad name      Displays
      ──────────  ─────────────────────  ──  ───────────  ────────
      2026-10-25  2026-10-25 02:00+0200  0   Rewar…conds         0
      2026-10-25  2026-10-25 02:00+0100  1   Rewar…conds         1
      2026-10-25  2026-10-25 03:00+0100  2   Rewar…conds         2
      ──────────  ─────────────────────  ──  ───────────  ────────
      total                                                      3
      Not shown: Clicks, CTR. Choose columns with --columns or
      --metrics, or see all with --format csv.
      "
    `);

    const ads = ['Rewarded', 'Rewarded', 'Native'].map(
      (name, i) => `{"adId":"${i}","adName":"${name}","displays":${i}}`,
    );

    expect((await table(30, ...ads)).text).toMatchInlineSnapshot(`
      "Ad ID  Ad name   Displays
      ─────  ────────  ────────
      2      Native           2
      1      Rewarded         1
      0      Rewarded         0
      ─────  ────────  ────────
      total                   3
      "
    `);
  });

  it('has derived metrics for each row and for the totals', async () => {
    const rows = [
      '{"campaignName":"Summer","displays":1000,"clicks":20,"revenueEuro":5}',
      '{"campaignName":null,"displays":0,"clicks":0,"revenueEuro":0.125}',
      '{"campaignName":"Winter","displays":3000,"clicks":null,"revenueEuro":1e1}',
    ];
    expect((await table(undefined, ...rows)).text).toMatchInlineSnapshot(`
      "Campaign name  Displays  Clicks  Revenue (€)    CTR  eCPM (€)
      ─────────────  ────────  ──────  ───────────  ─────  ────────
      Winter            3,000       –        10.00      –      3.33
      Summer            1,000      20         5.00  2.00%      5.00
      (unknown)             0       0         0.13      –         –
      ─────────────  ────────  ──────  ───────────  ─────  ────────
      total             4,000      20        15.13  2.00%      3.78
      "
    `);
  });

  it('fits the width for any rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(stringText, stringText, fc.integer()), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 24, max: 120 }),
        async (values, width) => {
          const rows = values.map(
            ([a, b, n]) => `{"campaignName":${a},"city":${b},"displays":${n}}`,
          );
          const { text } = await table(width, ...rows);
          for (const line of text.split('\n')) expect(cellsOf(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
          expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps 24 characters of names, and drops metrics from the right and names them', async () => {
    const name = fc
      .array(fc.constantFrom('Summer', 'é', '夏の広告', '🦊', '👩‍👩‍👧‍👦', 'صيف', '🇫🇷', 'x–y'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((words) => words.join(' '));
    const metrics = ['requests', 'displays', 'clicks', 'downloads', 'revenueEuro'];
    const labels = [
      'Requests',
      'Displays',
      'Clicks',
      'Downloads',
      'Revenue (€)',
      'CTR',
      'eCPM (€)',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 64, max: 120 }),
        fc.integer({ min: 2, max: 1e7 }),
        async (names, width, number) => {
          const rows = names.map((campaignName, i) => {
            const values = metrics.map((metric) => [metric, number + i]);
            const keys = { date: '2026-11-01', campaignId: String(10_000 + i), campaignName };
            return JSON.stringify({ ...keys, ...Object.fromEntries(values) });
          });
          const { text } = await table(width, ...rows);
          const lines = text.replaceAll(/[\u2068\u2069]/g, '').split('\n');

          for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(width);
          const rule = lines.findIndex((line) => line.startsWith('──'));
          const shownCount = (lines[rule]?.split('  ').length ?? 0) - 3;
          for (const i of names.keys()) {
            expect(lines[rule + 1 + i]).toMatch(new RegExp(`^2026-11-01 +${10_000 + i} `));
          }
          const hidden = /Not shown: ([^.]*)\./.exec(text.replaceAll('\n', ' '))?.[1];
          expect(hidden?.split(', ') ?? []).toEqual(labels.slice(shownCount));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('colors increases green, decreases red, and headings', async () => {
    const before = new ReportSums({ keepsRows: true });
    const columns = [{ field: 'campaignName', numeric: false }];
    const earlier = [{ campaignName: 'a', displays: 100, clicks: 100 }];
    for await (const batch of batchesOf(earlier)) before.observe(batch, columns);
    const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
    const style = {
      bold: (text: string) => text,
      dim: (text: string) => text,
      cyan: mark('heading'),
      green: mark('up'),
      red: mark('down'),
    };

    const { text } = await encode(
      documentOf('{"campaignName":"a","displays":150,"clicks":80}'),
      'table',
      {
        table: { style },
        comparison: { sums: before, ...windows },
      },
    );

    expect(text).toMatch(/^<heading>Campaign name +Displays +Change +Clicks +CTR<\/heading>$/m);
    expect(text).toContain('<up>▲ 50.0%</up>');
    expect(text).toContain('<down>▼ 20.0%</down>');
  });

  it('has the largest revenue first, unless there is time', async () => {
    const campaigns = [3, 1, 2].map(
      (n) => `{"campaignName":"${n}","displays":${-n},"revenueEuro":${n}}`,
    );
    const days = [3, 1, 2].map((n) => `{"date":"2026-11-0${n}","revenueEuro":${n}}`);
    const names = ({ text }: Encoded) =>
      text
        .split('\n')
        .slice(2, 5)
        .map((line) => line.split(' ')[0]);

    expect(names(await table(undefined, ...campaigns))).toEqual(['3', '2', '1']);
    expect(names(await table(undefined, ...days))).toEqual([
      '2026-11-03',
      '2026-11-01',
      '2026-11-02',
    ]);
  });

  it('styles its head and total', async () => {
    const style = {
      bold: (text: string) => `<b>${text}</b>`,
      dim: (text: string) => `<i>${text}</i>`,
      cyan: (text: string) => text,
      green: (text: string) => text,
      red: (text: string) => text,
    };

    const body = documentOf(
      '{"campaignName":"a name to be shortened","displays":1}',
      '{"campaignName":"b","displays":2}',
    );

    expect(
      (await encode(body, 'table', { table: { style, width: 26 } })).text,
    ).toMatchInlineSnapshot(`
      "<b>Campaign name     Displays</b>
      <i>────────────────  ────────</i>
      b                        2
      a name…shortened         1
      <i>────────────────  ────────</i>
      <b>total                    3</b>
      "
    `);
  });
});
