import { describe, expect, it } from 'vitest';
import { type CsvFlags, csvDialectOf } from '../../src/formats/csv.ts';
import { documentOf, encode } from './encode.ts';

const csv = async (flags: CsvFlags, ...rows: string[]) =>
  (await encode(documentOf(...rows), 'csv', { csv: csvDialectOf(flags) })).text;

describe('csv', () => {
  it('quotes where necessary, leaves null empty, keeps digits, writes nested values as JSON', async () => {
    const row =
      '{"a":"x, y","b":"say \\"hi\\"","c":"1\\r\\n2","d":" ","e":null,"f":true,"g":false,"h":0.10,"i":[1, {"k":"a b"}],"j":"\\u00e9\\ud83d\\ude00\\/"}';
    expect(await csv({}, row)).toBe(
      'a,b,c,d,e,f,g,h,i,j\r\n"x, y","say ""hi""","1\r\n2", ,,true,false,0.10,"[1,{""k"":""a b""}]",é😀/\r\n',
    );
  });

  it('quotes a single empty cell, since most readers skip blank lines', async () => {
    expect(await csv({}, '{"city":null}', '{"city":""}', '{"city":"x"}')).toBe(
      'city\r\n""\r\n""\r\nx\r\n',
    );
  });

  it('supports other dialects', async () => {
    const row = '{"name":"a;b","displays":12,"ratio":0.5,"revenueEuro":"1234,50"}';

    expect(await csv({ delimiter: ';' }, row)).toBe(
      'name;displays;ratio;revenueEuro\r\n"a;b";12;0.5;1234,50\r\n',
    );
    expect(await csv({ delimiter: 'tab' }, row)).toBe(
      'name\tdisplays\tratio\trevenueEuro\r\na;b\t12\t0.5\t1234,50\r\n',
    );
    expect(await csv({ decimal: '.' }, row)).toBe(
      'name,displays,ratio,revenueEuro\r\na;b,12,0.5,1234.50\r\n',
    );
    expect(await csv({ excel: true }, row)).toBe(
      '\ufeffname;displays;ratio;revenueEuro\r\n"a;b";12;0,5;1234,50\r\n',
    );
    expect(await csv({ decimal: ',', delimiter: '|' }, row)).toBe(
      'name|displays|ratio|revenueEuro\r\na;b|12|0,5|1234,50\r\n',
    );
    expect(await csv({ header: false }, row)).toBe('a;b,12,0.5,"1234,50"\r\n');
  });

  it.each([
    ['after a line break', '"\\n=1+1"', `"'\n'=1+1"`],
    ['full-width sign', '"＝1+1"', "'＝1+1"],
    ['after a semicolon, where a European Excel splits', '"Sale;=1+1"', "Sale;'=1+1"],
    ['after a full-width semicolon', '"Sale；=1+1"', "Sale；'=1+1"],
    ['after a tab', '"Sale\\t@SUM(1)"', "Sale\t'@SUM(1)"],
    ['after a line break within a text', '"Sale\\n+1"', `"Sale\n'+1"`],
    ['after a quoted comma, where nothing is escaped', '"Sale,=1+1"', '"Sale,=1+1"'],
    ['within a word', '"a=b;c-d"', 'a=b;c-d'],
  ])('escapes formulas: %s', async (_, json, cell) => {
    expect(
      await csv({ escapeFormulas: true }, `{"date":"2026-11-01","campaignName":${json}}`),
    ).toBe(`date,campaignName\r\n2026-11-01,${cell}\r\n`);
  });

  it('escapes formulas in text and leaves numbers alone', async () => {
    const rows = ['=1+1', '+1', '-1', '@x', '\\tx', '\\rx', "'x", 'a=b', ''].map(
      (name) => `{"campaignName":"${name}","revenueEuro":"-1,50","displays":-3,"x":"\\u003dA1"}`,
    );

    expect(await csv({ escapeFormulas: true }, ...rows)).toBe(
      'campaignName,revenueEuro,displays,x\r\n' +
        ["'=1+1", "'+1", "'-1", "'@x", "'\tx", '"\'\rx"', "'x", 'a=b', '']
          .map((name) => `${name},"-1,50",-3,'=A1\r\n`)
          .join(''),
    );
    expect(await csv({ escapeFormulas: true }, '{"=cmd":1,"revenueEuro":"=1"}')).toBe(
      "'=cmd,revenueEuro\r\n1,'=1\r\n",
    );
  });

  it.each(['', '""', 'ab', 'x', '1', '.', '-', '"', "'", '\n', 'é'])(
    'refuses the delimiter %j',
    (delimiter) => {
      expect(() => csvDialectOf({ delimiter })).toThrow('--delimiter takes one character');
    },
  );

  it('refuses an invalid decimal mark', () => {
    expect(() => csvDialectOf({ decimal: ';' })).toThrow('--decimal takes "," or "."');
  });

  it('has a header without rows: from the body, from the request, or none', async () => {
    const columns = [
      { field: 'date', type: 'date' },
      { field: 'displays', type: 'integer' },
    ] as const;

    expect((await encode('{"data":[]}', 'csv', { columns })).text).toBe('date,displays\r\n');
    expect((await encode('displays\r\n', 'csv')).text).toBe('displays\r\n');
    expect(
      (await encode('{"data":[]}', 'csv', { columns, selectedColumns: ['displays'] })).text,
    ).toBe('displays\r\n');
    expect((await encode('{"data":[]}', 'csv')).text).toBe('');
  });
});

describe('a key that appears after the header was written', () => {
  const body = documentOf('{"a":1}', '{"a":"x\\r\\n\\"y\\"","b":2}', '{"c":3,"a":null}');
  const narrow = { pieceBytes: 20 };

  it.each([{}, { csv: { delimiter: ';' } }])(
    'ends the report: its rows would not fit %j',
    async (options) => {
      await expect(encode(body, 'csv', { ...narrow, ...options })).rejects.toMatchObject({
        exitCode: 9,
        message: 'After row 1, the column “b” has values, but the header was written without it.',
        hint: expect.stringContaining('--columns'),
      });
    },
  );

  it('is accepted if the columns were selected, and in formats without a header', async () => {
    expect((await encode(body, 'csv', { ...narrow, selectedColumns: ['a'] })).text).toBe(
      'a\r\n1\r\n"x\r\n""y"""\r\n""\r\n',
    );
    expect((await encode(body, 'ndjson', narrow)).text).toBe(
      '{"a":1}\n{"a":"x\\r\\n\\"y\\"","b":2}\n{"c":3,"a":null}\n',
    );
  });
});
