import { describe, expect, it } from 'vitest';
import { documentOf, encode } from './encode.ts';

const csv = async (options: { excel?: boolean }, ...rows: string[]) =>
  (await encode(documentOf(...rows), 'csv', options)).text;

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

  it('--excel: semicolons, decimal commas, a byte order mark', async () => {
    const row = '{"name":"a;b","displays":12,"ratio":0.5,"rate":1.125,"revenueEuro":"1234,50"}';

    expect(await csv({ excel: true }, row)).toBe(
      '\ufeffname;displays;ratio;rate;revenueEuro\r\n"a;b";12;0,5;1,1250;1234,50\r\n',
    );
  });

  it('--excel: a formula in a text is text, and numbers stay numbers', async () => {
    const names = ['=1+1', '+1', '-1', '@x', '\\tx', "'x", 'a=b', ''];
    const rows = names.map((name) => `{"campaignName":"${name}","revenueEuro":"-1,50","x":-3}`);

    expect(await csv({ excel: true }, '{"=cmd":1}')).toBe("\ufeff'=cmd\r\n1\r\n");
    expect(await csv({ excel: true }, ...rows)).toBe(
      '\ufeffcampaignName;revenueEuro;x\r\n' +
        ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'x", 'a=b', '']
          .map((name) => `${name};-1,50;-3\r\n`)
          .join(''),
    );
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

  it.each([{}, { excel: true }])('ends the report: its rows would not fit %j', async (options) => {
    await expect(encode(body, 'csv', { ...narrow, ...options })).rejects.toMatchObject({
      exitCode: 9,
      message: 'After row 1, the column “b” has values, but the header was written without it.',
      hint: expect.stringContaining('--columns'),
    });
  });

  it('is accepted if the columns were selected, and in formats without a header', async () => {
    expect((await encode(body, 'csv', { ...narrow, selectedColumns: ['a'] })).text).toBe(
      'a\r\n1\r\n"x\r\n""y"""\r\n""\r\n',
    );
    expect((await encode(body, 'ndjson', narrow)).text).toBe(
      '{"a":1}\n{"a":"x\\r\\n\\"y\\"","b":2}\n{"c":3,"a":null}\n',
    );
  });
});
