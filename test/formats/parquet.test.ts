import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTypeOf } from '../../src/contract/columns.ts';
import { stringText } from '../rows/report-documents.ts';
import { documentOf, type EncodeCase, encode } from './encode.ts';
import { readParquet } from './parquet-reader.ts';

async function parquet(body: string, options: EncodeCase = {}) {
  const { bytes } = await encode(body, 'parquet', options);
  return readParquet(bytes);
}

describe('parquet', () => {
  it('is typed: days, instants, integers, money as doubles, ids and unknown fields as text', async () => {
    const { rows, types, metadata } = await parquet(
      documentOf(
        '{"date":"2026-10-25","hour":"2026-10-25T02:00:00+0200","campaignId":"007","displays":12,"revenueEuro":"1234,50","valueDollar":0.10,"os":"\\u00e9\\ud83d\\ude00\\n","x":[1, {"a":"b c"}],"y":true}',
        '{"date":"1969-12-31","hour":"2026-10-25T02:00:00+01:00","campaignId":7,"displays":"-9223372036854775808","revenueEuro":-0.125,"valueDollar":1e-7,"os":"","x":1.50,"y":null}',
        '{"date":null,"displays":9223372036854775807,"revenueEuro":"","valueDollar":123456789012345.6,"os":"a\\\\b"}',
      ),
    );

    expect(Object.entries(types).join(' ')).toBe(
      'date,DATE hour,TIMESTAMP_MICROS campaignId,UTF8 displays,INT64 revenueEuro,DOUBLE valueDollar,DOUBLE os,UTF8 x,UTF8 y,UTF8',
    );

    expect(rows).toEqual([
      {
        date: new Date('2026-10-25'),
        hour: new Date('2026-10-25T00:00:00Z'),
        campaignId: '007',
        displays: 12n,
        revenueEuro: 1234.5,
        valueDollar: 0.1,
        os: 'é😀\n',
        x: '[1,{"a":"b c"}]',
        y: 'true',
      },
      {
        date: new Date('1969-12-31'),
        hour: new Date('2026-10-25T01:00:00Z'),
        campaignId: '7',
        displays: -9223372036854775808n,
        revenueEuro: -0.125,
        valueDollar: 1e-7,
        os: '',
        x: '1.5',
        y: null,
      },
      {
        date: null,
        hour: null,
        campaignId: null,
        displays: 9223372036854775807n,
        revenueEuro: null,
        valueDollar: 123456789012345.6,
        os: 'a\\b',
        x: null,
        y: null,
      },
    ]);
    expect(metadata.key_value_metadata).toEqual([
      { key: 'adreport.summary', value: '{"since":"2026-11-01T00:00:00+0100"}' },
    ]);

    const bounds = metadata.row_groups[0]?.columns.map(({ meta_data }) => meta_data?.statistics);

    expect(bounds?.[0]).toMatchObject({
      min_value: new Date('1969-12-31'),
      max_value: new Date('2026-10-25'),
      null_count: 1n,
    });
    expect(bounds?.[3]).toMatchObject({
      min_value: -9223372036854775808n,
      max_value: 9223372036854775807n,
    });
  });

  it('contains strings and numbers exactly, however the body was cut', async () => {
    const money = fc.oneof(
      fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((cents) => (cents / 100).toFixed(2)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom('0', '0.10', '-0.005', '1e5', 'null', '"0,30"', '"12.5"'),
    );
    const integer = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      fc.constantFrom('1e3', '7.0', '"12"', 'null'),
    );

    const row = fc.tuple(fc.option(stringText), money, integer);

    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1 }),
        fc.integer({ min: 1, max: 64 }),
        async (rows, pieceBytes) => {
          const body = documentOf(
            ...rows.map(
              ([name, m, i]) => `{"campaignName":${name},"revenueEuro":${m},"displays":${i}}`,
            ),
          );
          expect((await parquet(body, { pieceBytes })).rows).toEqual(
            rows.map(([name, m, i]) => ({
              campaignName: name && Buffer.from(JSON.parse(name)).toString(),
              revenueEuro: numberOf(m),
              displays: bigIntOf(i),
            })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has several row groups, with columns missing in the first, and numbers in other forms', async () => {
    const rowOf = (i: number) => ({
      displays: i === 20_000 ? null : i,
      revenueEuro: i % 30_000 === 29_999 ? String(i / 8) : i / 100,
      adName: `unit ${i}`,
      ...(i >= 40_000 ? { late: 'x' } : {}),
    });

    const { rows, groupRows } = await parquet(
      JSON.stringify({ data: Array.from({ length: 50_000 }, (_, i) => rowOf(i)) }),
      {
        columns: ['displays', 'revenueEuro', 'adName', 'late'].map((field) => ({
          field,
          type: fieldTypeOf(field) ?? 'text',
        })),
      },
    );

    expect(groupRows.length).toBeGreaterThan(2);

    const isRight = (row: Record<string, unknown>, i: number) =>
      (i === 20_000 ? row.displays === null : Number(row.displays) === i) &&
      row.revenueEuro === (i % 30_000 === 29_999 ? i / 8 : i / 100) &&
      row.adName === `unit ${i}` &&
      row.late === (i >= 40_000 ? 'x' : null);

    expect(rows.length).toBe(50_000);
    expect(rows.findIndex((row, i) => !isRight(row, i))).toBe(-1);
  });

  it('has columns and no rows for an empty report', async () => {
    const columns = [
      { field: 'date', type: 'date' },
      { field: 'valueDollar', type: 'money' },
    ] as const;

    const { rows, types } = await parquet('{"data":[]}', { columns });

    expect({ rows, types }).toEqual({ rows: [], types: { date: 'DATE', valueDollar: 'DOUBLE' } });
    expect((await parquet('date,displays\r\n')).types).toEqual({ date: 'DATE', displays: 'INT64' });
    expect((await parquet('{"data":[]}')).rows).toEqual([]);
  });

  it('writes a time in another format as text', async () => {
    const { rows, types } = await parquet(
      documentOf('{"date":"01/11/2026","displays":1}', '{"date":"2026-11-02","displays":2}'),
    );

    expect(types.date).toBe('UTF8');
    expect(rows.map(({ date }) => date)).toEqual(['01/11/2026', '2026-11-02']);
  });

  it('reads N/A and the like as null, and numbers with surrounding blanks', async () => {
    const { rows } = await parquet(
      documentOf('{"displays":" 7 ","revenueEuro":"N/A"}', '{"displays":"-","revenueEuro":".5"}'),
    );

    expect(rows).toEqual([
      { displays: 7n, revenueEuro: null },
      { displays: null, revenueEuro: 0.5 },
    ]);
  });

  const [integer, money] = ['64-bit integer', 'number that Parquet can represent exactly'];
  it.each([
    { field: 'displays', json: '1.5', shown: '1.5', wanted: integer },
    {
      field: 'displays',
      json: '9223372036854775808',
      shown: '"9223372036854775808"',
      wanted: integer,
    },
    { field: 'displays', json: '"\\u001b[31m"', shown: '"\\u001b[31m"', wanted: integer },
    { field: 'revenueEuro', json: '"1.234,50"', shown: '"1.234,50"', wanted: money },
    {
      field: 'revenueEuro',
      json: '12345678901234567.89',
      shown: '"12345678901234567.89"',
      wanted: money,
    },
  ])('refuses as $field $json', async ({ field, json, shown, wanted }) => {
    const body = documentOf('{"displays":1,"revenueEuro":1}', `{"${field}":${json}}`);
    const message = `Row 2: ${field} is ${shown}, which is not a ${wanted}.`;

    await expect(encode(body, 'parquet')).rejects.toMatchObject({ exitCode: 9, message });
  });
});

function numberOf(json: string): number | null {
  return json === 'null' ? null : Number(json.replaceAll('"', '').replace(',', '.'));
}

function bigIntOf(json: string): bigint | null {
  if (json === 'null') return null;
  const text = json.replaceAll('"', '');
  return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(Number(text));
}
