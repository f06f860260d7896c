import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncoder } from '../../src/output/formats/index.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { chunksOf, documentParts, textOf } from '../rows/report-documents.ts';
import { documentOf, type EncodeCase, encode } from './encode.ts';
import { readSheet, unzip } from './xlsx-reader.ts';

async function xlsx(body: string, options: EncodeCase = {}) {
  const { bytes, notes } = await encode(body, 'xlsx', options);
  return { rows: readSheet(bytes), parts: unzip(bytes), notes };
}

const sheetOf = ({ parts }: Awaited<ReturnType<typeof xlsx>>) => parts.get('xl/worksheets/sheet1.xml');

describe('xlsx', () => {
  it('has numbers, dates and hours as such, text that is no formula, a frozen header, widths and sums', async () => {
    const sheet = await xlsx(
      documentOf(
        '{"date":"2026-11-01","hour":"2026-11-01T06:00:00+0100","campaignId":"007","campaignName":"=1+1 <&>","displays":1200,"revenueEuro":"1234,50","x":1.5}',
        '{"date":null,"hour":"soon","campaignId":7,"campaignName":" a_x0041_\\u001b\\n","displays":"34","revenueEuro":0.125,"x":true}',
      ),
    );
    expect(sheetOf(sheet)?.replaceAll(/<(?:row|sheet|cols)/g, '\n$&')).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
      <sheetViews>
      <sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
      <cols><col min="1" max="1" width="12" customWidth="1"/><col min="2" max="2" width="18" customWidth="1"/><col min="3" max="3" width="12" customWidth="1"/><col min="4" max="4" width="14" customWidth="1"/><col min="5" max="5" width="10" customWidth="1"/><col min="6" max="6" width="13" customWidth="1"/><col min="7" max="7" width="8" customWidth="1"/></cols>
      <sheetData>
      <row r="1"><c r="A1" s="1" t="inlineStr"><is><t>date</t></is></c><c r="B1" s="1" t="inlineStr"><is><t>hour</t></is></c><c r="C1" s="1" t="inlineStr"><is><t>campaignId</t></is></c><c r="D1" s="1" t="inlineStr"><is><t>campaignName</t></is></c><c r="E1" s="2" t="inlineStr"><is><t>displays</t></is></c><c r="F1" s="2" t="inlineStr"><is><t>revenueEuro</t></is></c><c r="G1" s="1" t="inlineStr"><is><t>x</t></is></c></row>
      <row r="2"><c r="A2" s="3"><v>46327</v></c><c r="B2" s="4"><v>46327.25</v></c><c r="C2" t="inlineStr"><is><t>007</t></is></c><c r="D2" t="inlineStr"><is><t>=1+1 &lt;&amp;&gt;</t></is></c><c r="E2" s="6"><v>1200</v></c><c r="F2" s="7"><v>1234.50</v></c><c r="G2"><v>1.5</v></c></row>
      <row r="3"><c r="B3" t="inlineStr"><is><t>soon</t></is></c><c r="C3" t="inlineStr"><is><t>7</t></is></c><c r="D3" t="inlineStr"><is><t xml:space="preserve"> a_x005F_x0041__x001B_
      </t></is></c><c r="E3" s="6"><v>34</v></c><c r="F3" s="7"><v>0.125</v></c><c r="G3" t="inlineStr"><is><t>true</t></is></c></row>
      <row r="4"><c r="A4" s="8" t="inlineStr"><is><t>total</t></is></c><c r="B4" s="8"/><c r="C4" s="8"/><c r="D4" s="8"/><c r="E4" s="9"><f>SUM(E2:E3)</f><v>1234</v></c><c r="F4" s="10"><f>SUM(F2:F3)</f><v>1234.625</v></c><c r="G4" s="8"/></row></sheetData></worksheet>"
    `);
    expect([...sheet.parts.keys()]).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/workbook.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/worksheets/sheet1.xml',
      'docProps/core.xml',
    ]);
  });

  it('says whose hours they are', async () => {
    const summary =
      '"summary":{"since":"2026-11-01T00:00:00+0100","until":"2026-11-01T23:59:59+0100","breakdowns":["HOURLY"],"timezone":"a<b"}';
    const { notes, parts } = await xlsx(`{"data":[{"hour":"2026-11-01T06:00:00+0100","displays":1}],${summary}}`);
    expect(notes).toEqual(['Hours are the wall time of a<b: Excel has no time zones.']);
    expect(parts.get('docProps/core.xml')).toContain(
      '<dc:description>2026-11-01T00:00:00+0100 to 2026-11-01T23:59:59+0100. Hours are the wall time of a&lt;b: Excel has no time zones.</dc:description>',
    );
  });

  it('has well-formed properties, whatever the summary says', async () => {
    const { parts } = await xlsx(
      '{"data":[],"summary":{"since":"\\u0000\\u001b[31m","until":"\\uffff]]>","breakdowns":[],"timezone":""}}',
    );
    expect(parts.get('docProps/core.xml')).toContain('<dc:description>␀␛[31m to _xFFFF_]]&gt;.</dc:description>');
  });

  it('makes cells anew where a column has more values than are kept', async () => {
    const count = 20_000;
    const names = Array.from({ length: count }, (_, i) => `name ${i % 9000}`);
    const { rows } = await xlsx(documentOf(...names.map((name) => `{"campaignName":"${name}"}`)));
    expect(rows.slice(1).map(([name]) => name)).toEqual(names);
  });

  it('holds every text as CSV does, whatever characters are in it', async () => {
    const names = ['city', 'campaignName', 'Adnetwork'];
    await fc.assert(
      fc.asyncProperty(documentParts, async (parts) => {
        const texts = parts.rows.map((row) =>
          row.filter(([key, value]) => names.includes(JSON.parse(key) as string) && value.startsWith('"')),
        );
        const columns = [...new Set(texts.flatMap((row) => row.map(([key]) => JSON.parse(key) as string)))];
        const { rows } = await xlsx(textOf({ ...parts, rows: texts }));
        const expected = texts.map((row) => {
          const values = new Map(
            row.map(([key, value]) => [JSON.parse(key), Buffer.from(JSON.parse(value)).toString()]),
          );
          return columns.map((column) => values.get(column) || null);
        });
        const padded = (row: readonly unknown[] = []) => columns.map((_, i) => row[i] ?? null);
        expect(rows[0] ?? []).toEqual(columns);
        expect(texts.map((_, i) => padded(rows[i + 1]))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('holds what a double holds as a number, anything else as its text, and sums the numbers', async () => {
    const { rows } = await xlsx(
      documentOf(
        ...['1e3', '"0,10"', '-0.30', '9007199254740993', '12345678901234567890', '"n/a"', '""', 'null', '[1]'].map(
          (value) => `{"campaignName":"a","revenueEuro":${value}}`,
        ),
      ),
    );
    expect(rows.map((row) => row[1])).toEqual([
      'revenueEuro',
      1000,
      0.1,
      -0.3,
      '9007199254740993',
      '12345678901234567890',
      'n/a',
      null,
      undefined,
      '[1]',
      999.8,
    ]);
    expect(rows.at(-1)?.[0]).toBe('total');
  });

  it('sums values that repeat as often as they come', async () => {
    const { rows } = await xlsx(
      documentOf(...Array.from({ length: 3000 }, (_, i) => `{"displays":1e1,"clicks":${i % 2}}`)),
    );
    expect(rows.at(-1)).toEqual([30_000, 1500]);
    expect(rows.length).toBe(3002);
  });

  it('of an empty report has a header and no totals', async () => {
    const columns = [{ field: 'valueDollar', type: 'money' }] as const;
    expect((await xlsx('{"data":[]}', { columns })).rows).toEqual([['valueDollar']]);
    expect((await xlsx('{"data":[]}')).rows).toEqual([]);
  });

  it('holds as many rows as a sheet has, then has no room for totals, and refuses one more', async () => {
    const notes: string[] = [];
    const encoder = await createEncoder('xlsx', { note: (sentence) => notes.push(sentence) });
    const report = (rowCount: number) =>
      readRows(chunksOf(Buffer.from(`[{"clicks":1}${',{}'.repeat(rowCount - 1)}]`), 65_536));
    for await (const batch of report(1_048_575)) await encoder.encode(batch);
    for await (const batch of report(1)) {
      await expect(encoder.encode(batch)).rejects.toMatchObject({ exitCode: 8, code: 'TOO_LARGE' });
    }
    await encoder.end({ rowCount: 1_048_575, sizeBytes: 0, fields: ['clicks'], summary: undefined, members: [] });
    expect(notes).toEqual(['The sheet is full: there is no row left for the totals.']);
  });

  it('gives the same bytes each time', async () => {
    const body = documentOf('{"displays":1}');
    const [first, second] = [await encode(body, 'xlsx'), await encode(body, 'xlsx')];
    expect(first.bytes).toEqual(second.bytes);
  });

  it('refuses a text that no cell holds', async () => {
    await expect(xlsx(documentOf('{"city":"a"}', `{"city":"${'x'.repeat(32_768)}"}`))).rejects.toMatchObject({
      exitCode: 8,
      message: 'Row 2: city has 32768 characters, and a cell of Excel holds 32,767.',
    });
  });
});
