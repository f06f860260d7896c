import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf, documentOf, type EncodeCase, encode } from '../formats/encode.ts';
import { stringText } from '../rows/report-documents.ts';
import { windows } from '../totals/compared-windows.ts';
import { readSheet, unzip } from './xlsx-reader.ts';

async function xlsx(body: string, options: EncodeCase = {}) {
  const { bytes } = await encode(body, 'xlsx', options);
  return { rows: readSheet(bytes), parts: unzip(bytes) };
}

const sheetOf = ({ parts }: Awaited<ReturnType<typeof xlsx>>) =>
  parts.get('xl/worksheets/sheet1.xml');

const partIn = (bytes: Buffer, name: string) => unzip(bytes).get(name) ?? '';

/** The chart of a workbook: its title, and the cells that its ranges name. */
function chartIn(bytes: Buffer) {
  const xml = partIn(bytes, 'xl/charts/chart1.xml');
  const cells = readSheet(bytes, 2);
  const ranges = [...xml.matchAll(/<c:f>Summary!\$(\w)\$(\d+):\$\w\$(\d+)<\/c:f>/g)];
  const [categories = [], ...others] = ranges.map(([, column = '', first, last]) => {
    const rows = cells.slice(Number(first) - 1, Number(last));
    return rows.map((row) => row[column.charCodeAt(0) - 65] ?? null);
  });
  const title = /<a:t>(.*?)<\/a:t>/.exec(xml)?.[1];
  // Each series repeats the categories.
  return { title, categories, series: others.filter((_, i) => i % 2 === 0) };
}

describe('xlsx', () => {
  it('has a readable header, typed numbers, dates and hours, text instead of formulas, and print settings', async () => {
    const sheet = await xlsx(
      documentOf(
        '{"date":"2026-11-01","hour":"2026-11-01T06:00:00+0100","campaignId":"007","campaignName":"=1+1 <&>","displays":1200,"clicks":12,"revenueEuro":"1234,50","x":1.5}',
        '{"date":null,"hour":"soon","campaignId":7,"campaignName":" a_x0041_\\u001b\\n","displays":"34","clicks":1,"revenueEuro":0.125,"x":true}',
      ),
    );

    expect(
      sheetOf(sheet)?.replaceAll(/<(?:row|sheet|cols|auto|page)/g, '\n$&'),
    ).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
      <sheetPr>
      <pageSetUpPr fitToPage="1"/></sheetPr>
      <sheetViews>
      <sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
      <sheetFormatPr defaultRowHeight="15"/>
      <cols><col min="1" max="1" width="12" customWidth="1"/><col min="2" max="2" width="18" customWidth="1"/><col min="3" max="3" width="15" customWidth="1"/><col min="4" max="4" width="17" customWidth="1"/><col min="5" max="5" width="14" customWidth="1"/><col min="6" max="6" width="11" customWidth="1"/><col min="7" max="7" width="17" customWidth="1"/><col min="8" max="8" width="8" customWidth="1"/><col min="9" max="9" width="10" customWidth="1"/><col min="10" max="10" width="14" customWidth="1"/></cols>
      <sheetData>
      <row r="1" ht="18" customHeight="1"><c r="A1" s="19" t="inlineStr"><is><t>Date</t></is></c><c r="B1" s="19" t="inlineStr"><is><t>Hour</t></is></c><c r="C1" s="19" t="inlineStr"><is><t>Campaign ID</t></is></c><c r="D1" s="19" t="inlineStr"><is><t>Campaign name</t></is></c><c r="E1" s="20" t="inlineStr"><is><t>Displays</t></is></c><c r="F1" s="20" t="inlineStr"><is><t>Clicks</t></is></c><c r="G1" s="20" t="inlineStr"><is><t>Revenue (€)</t></is></c><c r="H1" s="19" t="inlineStr"><is><t>x</t></is></c><c r="I1" s="20" t="inlineStr"><is><t>CTR</t></is></c><c r="J1" s="20" t="inlineStr"><is><t>eCPM (€)</t></is></c></row>
      <row r="2"><c r="A2" s="3"><v>46327</v></c><c r="B2" s="4"><v>46327.25</v></c><c r="C2" s="0" t="inlineStr"><is><t>007</t></is></c><c r="D2" s="0" t="inlineStr"><is><t>=1+1 &lt;&amp;&gt;</t></is></c><c r="E2" s="6"><v>1200</v></c><c r="F2" s="6"><v>12</v></c><c r="G2" s="8"><v>1234.5</v></c><c r="H2" s="0"><v>1.5</v></c><c r="I2" s="10"><v>0.01</v></c><c r="J2" s="8"><v>1028.75</v></c></row>
      <row r="3" ht="30" customHeight="1"><c r="B3" s="0" t="inlineStr"><is><t>soon</t></is></c><c r="C3" s="0" t="inlineStr"><is><t>7</t></is></c><c r="D3" s="21" t="inlineStr"><is><t xml:space="preserve"> a_x005F_x0041__x001B_
      </t></is></c><c r="E3" s="6"><v>34</v></c><c r="F3" s="6"><v>1</v></c><c r="G3" s="8"><v>0.125</v></c><c r="H3" s="0" t="inlineStr"><is><t>true</t></is></c><c r="I3" s="10"><v>0.0294118</v></c><c r="J3" s="8"><v>3.67647</v></c></row></sheetData>
      <pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>
      <pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/><headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter><ignoredErrors><ignoredError sqref="A1:J3" numberStoredAsText="1"/></ignoredErrors><tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>"
    `);
    expect(sheet.parts.get('xl/workbook.xml')).toContain(
      '<definedName name="_xlnm.Print_Titles" localSheetId="0">Report!$1:$1</definedName>',
    );
  });

  it('is a table named Report with the names of the header', async () => {
    const body = documentOf('{"displays":1,"a<b\\n":"x","Displays":"y","":"z"}');

    const { parts, rows } = await xlsx(body);

    const table = parts.get('xl/tables/table1.xml') ?? '';
    expect(table).toContain('name="Report" displayName="Report" ref="A1:D2"');
    expect(
      [...table.matchAll(/<tableColumn id="\d" name="(.*?)"/g)].map(([, name]) => name),
    ).toEqual(['Displays', 'a&lt;b_x000A_', 'Displays (column 3)', ' (column 4)']);
    expect(rows[0]).toEqual(['Displays', 'a<b\n', 'Displays (column 3)', ' (column 4)']);
    expect(parts.get('xl/worksheets/_rels/sheet1.xml.rels')).toContain('../tables/table1.xml');
    expect(parts.get('[Content_Types].xml')).toContain('/xl/tables/table1.xml');
  });

  it('has the window, totals and the largest values of each breakdown on a second sheet', async () => {
    const values = { displays: 1000, revenueEuro: '0,10' };
    const rows = Array.from({ length: 12 }, (_, i) => {
      return {
        date: '2026-11-01',
        campaignId: String(i),
        campaignName: `Campaign ${i}`,
        clicks: i,
        ...values,
      };
    });
    const summary = {
      since: '2026-11-01T00:00:00+0100',
      until: '2026-11-02T23:59:59+0100',
      breakdowns: ['DAILY', 'CAMPAIGN'],
      timezone: 'europe/paris',
    };

    const { bytes } = await encode(JSON.stringify({ data: rows, summary }), 'xlsx', {
      provenance: {
        request: { profile: 'buyer', breakdowns: ['DAILY', 'CAMPAIGN'], metrics: ['clicks'] },
        account: 'acme',
        filters: ['Country: France, Germany', 'Campaign: Summer*'],
        key: ['date', 'campaignId'],
        reportId: '07bf',
        downloadedMs: Date.UTC(2026, 10, 3, 4, 5),
        version: '0.0.0',
      },
    });

    expect(
      readSheet(bytes, 2)
        .map((row) => row.join(' | '))
        .join('\n')
        .replace(/\n{3,}/, '\n\n'),
    ).toMatchInlineSnapshot(`
      "Daily report by campaign
      Period | 1–2 November 2026
      Time zone | Europe/Paris
      Filters | Country: France, Germany; Campaign: Summer*

      Totals | 1–2 November 2026
      Revenue (€) | 1.2
      Displays | 12000
      Clicks | 66
      CTR | 0.0055
      eCPM (€) | 0.1

      Top 10 campaigns by Revenue (€) | ID | Revenue (€) | Displays | Clicks | CTR | eCPM (€)
      Campaign 0 | 0 | 0.1 | 1000 | 0 | 0 | 0.1
      Campaign 1 | 1 | 0.1 | 1000 | 1 | 0.001 | 0.1
      Campaign 2 | 2 | 0.1 | 1000 | 2 | 0.002 | 0.1
      Campaign 3 | 3 | 0.1 | 1000 | 3 | 0.003 | 0.1
      Campaign 4 | 4 | 0.1 | 1000 | 4 | 0.004 | 0.1
      Campaign 5 | 5 | 0.1 | 1000 | 5 | 0.005 | 0.1
      Campaign 6 | 6 | 0.1 | 1000 | 6 | 0.006 | 0.1
      Campaign 7 | 7 | 0.1 | 1000 | 7 | 0.007 | 0.1
      Campaign 8 | 8 | 0.1 | 1000 | 8 | 0.008 | 0.1
      Campaign 9 | 9 | 0.1 | 1000 | 9 | 0.009 | 0.1
      2 others |  | 0.2 | 2000 | 21 | 0.0105 | 0.1

      About this report
      Account | acme
      Request | By day and campaign: Clicks
      Report ID | 07bf
      Downloaded | 3 Nov 2026, 04:05 UTC

      Revenue (€) by campaign | Revenue (€)
      Campaign 0 | 0.1
      Campaign 1 | 0.1
      Campaign 2 | 0.1
      Campaign 3 | 0.1
      Campaign 4 | 0.1
      Campaign 5 | 0.1
      Campaign 6 | 0.1
      Campaign 7 | 0.1
      Campaign 8 | 0.1
      Campaign 9 | 0.1"
    `);
  });

  it('has both windows and the changes against an earlier report there', async () => {
    const before = new ReportSums({ keepsRows: true });
    const earlier = [{ country: 'France', displays: 100 }];
    const columns = [{ field: 'country', numeric: false }];
    for await (const batch of batchesOf(earlier)) before.observe(batch, columns);
    const comparison = { sums: before, ...windows };
    const [now, then] = ['1–31 October 2026', '1–30 September 2026'];
    const body = documentOf(
      '{"country":"France","displays":112}',
      '{"country":"Spain","displays":3}',
    );

    const cells = readSheet((await encode(body, 'xlsx', { comparison })).bytes, 2);

    expect(cells.filter((row) => row.length > 1 || /^Change: /.test(String(row[0])))).toEqual([
      ['Compared with', then],
      [`Change: ${now} (31 days) compared with ${then} (30 days).`],
      ['Totals', now, then, 'Change'],
      ['Displays', 115, 100, 0.15],
      ['Top 2 countries by Displays', null, 'Displays', 'Before', 'Change'],
      ['France', null, 112, 100, 0.12],
      ['Spain', null, 3, '–', 'new'],
      // The chart's own cells.
      ['Displays by country', now, then],
      ['France', 112, 100],
      ['Spain', 3, null],
    ]);
  });

  it('has a chart of the leading metric over time, drawn from cells that are not printed', async () => {
    const body = documentOf(
      '{"date":"2026-11-01","campaignId":"1","displays":10,"revenueEuro":2}',
      '{"date":"2026-11-01","campaignId":"2","displays":10,"revenueEuro":3}',
      '{"date":"2026-11-03","campaignId":"1","displays":10,"revenueEuro":4}',
    );

    const { bytes } = await encode(body, 'xlsx');

    const { title, categories, series } = chartIn(bytes);
    expect(title).toBe('Revenue (€) per day');
    expect(categories).toEqual(['Sun 1 Nov', 'Mon 2 Nov', 'Tue 3 Nov']);
    expect(series).toEqual([[5, null, 4]]);
    const lastPrinted = /Summary!\$A\$1:\$\w\$(\d+)/.exec(partIn(bytes, 'xl/workbook.xml'))?.[1];
    expect(readSheet(bytes, 2).slice(Number(lastPrinted) + 1)[0]?.[0]).toBe('Revenue (€) per day');
  });

  it('lists the type of every part, opens on the summary, and has the rows as its first sheet', async () => {
    const body = documentOf('{"country":"A","displays":1}', '{"country":"B","displays":2}');
    const { parts } = await xlsx(body);

    const types = parts.get('[Content_Types].xml') ?? '';
    const listed = [...types.matchAll(/PartName="\/([^"]*)"/g)].map(([, name]) => name);
    const others = [...parts.keys()].filter((name) => !/\.rels$|^\[/.test(name));
    expect(listed.sort()).toEqual(others.sort());
    const workbook = parts.get('xl/workbook.xml') ?? '';
    expect(workbook).toContain('activeTab="1"');
    expect(workbook).toMatch(/<sheets><sheet name="Report".*<sheet name="Summary"/);
  });

  it('keeps strings with any characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(stringText), { minLength: 1 }), async (names) => {
        const { rows } = await xlsx(
          documentOf(...names.map((name) => `{"displays":1,"campaignName":${name}}`)),
        );
        const cells = names.map((name) => name && Buffer.from(JSON.parse(name)).toString());
        expect(rows.slice(1, 1 + cells.length).map(([, cell]) => cell || null)).toEqual(
          cells.map((cell) => cell || null),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('stores exact doubles as numbers, anything else as text, and notes values that are left out of sums', async () => {
    const cases = [
      { json: '1e3', cell: 1000 },
      { json: '"0,10"', cell: 0.1 },
      { json: '-0.30', cell: -0.3 },
      { json: '9007199254740993', cell: '9007199254740993' },
      { json: '12345678901234567890', cell: '12345678901234567890' },
      { json: '"n/a"', cell: 'n/a' },
      { json: '""', cell: null },
      { json: 'null', cell: undefined },
      { json: '[1]', cell: '[1]' },
    ];
    const body = cases.map(({ json }) => `{"campaignName":"a","revenueEuro":${json}}`);

    const { rows } = await xlsx(documentOf(...body));

    const cells = rows.slice(0, 1 + cases.length).map((row) => row[1]);
    expect(cells).toEqual(['Revenue (€)', ...cases.map(({ cell }) => cell)]);
  });

  it('computes CTR and eCPM per row, empty if displays are 0, and not if columns were selected', async () => {
    const body = documentOf(
      '{"displays":1000,"clicks":20,"revenueEuro":5}',
      '{"displays":0,"clicks":1,"revenueEuro":5}',
    );

    expect((await xlsx(body)).rows).toEqual([
      ['Displays', 'Clicks', 'Revenue (€)', 'CTR', 'eCPM (€)'],
      [1000, 20, 5, 0.02, 5],
      [0, 1, 5],
    ]);
    expect((await xlsx(body, { selectedColumns: ['clicks', 'displays'] })).rows[0]).toEqual([
      'Clicks',
      'Displays',
    ]);
  });

  it('has a header for an empty report', async () => {
    const columns = [{ field: 'valueDollar', type: 'money' }] as const;

    const sheet = await xlsx('{"data":[]}', { columns });
    expect(sheet.rows).toEqual([['Revenue ($)']]);
    expect(sheet.parts.get('xl/tables/table1.xml')).toContain('ref="A1:A2"');
  });

  it('refuses text that is too long for a cell', async () => {
    await expect(
      xlsx(documentOf('{"city":"a"}', `{"city":"${'x'.repeat(32_768)}"}`)),
    ).rejects.toMatchObject({
      exitCode: 8,
      message: 'Row 2: city has 32768 characters; an Excel cell can hold 32,767.',
    });
  });
});
