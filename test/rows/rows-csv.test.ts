import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTypeOf } from '../../src/contract/columns.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { readReport } from './read-rows.ts';

const csv = { contentType: 'text/csv; charset=utf-8; header=present' };

const columnName = fc.oneof(
  fc.constantFrom(
    'date',
    'campaignName',
    'displays',
    'revenueEuro',
    'clicks',
    'campaignId',
    'other',
  ),
  fc.constantFrom('a,b', 'say "hi"', 'deux\r\nlignes', 'é', ' x ', '__proto__'),
);
const cellText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '12',
    '0.10',
    '-3',
    '1234,50',
    '01',
    '1e5',
    '12345678901234567890',
    'NaN',
    '+1',
  ),
  fc.constantFrom(
    'a;b',
    'x\ty',
    '"',
    '""',
    'a\r\nb',
    'a\nb',
    'a\rb',
    '\u0000\u001f',
    '\\',
    '日本🦊',
    ' ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const table = fc.uniqueArray(columnName, { minLength: 1, maxLength: 5 }).chain((header) =>
  fc.record({
    header: fc.constant(header),
    rows: fc.array(fc.array(cellText, { minLength: header.length, maxLength: header.length }), {
      maxLength: 8,
    }),
    delimiter: fc.constantFrom(...(header.length > 1 ? [',', ';', '\t'] : [','])),
    lineEnd: fc.constantFrom('\r\n', '\n'),
    endsLastLine: fc.boolean(),
    byteOrderMark: fc.boolean(),
    quoteAll: fc.boolean(),
  }),
);

type Table = typeof table extends fc.Arbitrary<infer T> ? T : never;

function textOf({
  header,
  rows,
  delimiter,
  lineEnd,
  endsLastLine,
  byteOrderMark,
  quoteAll,
}: Table): string {
  const lines = [header, ...rows].map((cells) => {
    const line = cells.map((cell) =>
      quoteAll || /[",;\t\r\n]/.test(cell) || /^\s|\s$/.test(cell)
        ? `"${cell.replaceAll('"', '""')}"`
        : cell,
    );
    return line.length === 1 && line[0] === '' ? '""' : line.join(delimiter);
  });
  return (byteOrderMark ? '\ufeff' : '') + lines.join(lineEnd) + (endsLastLine ? lineEnd : '');
}

/** The JSON form of a cell (`readCsvLines`). */
function jsonOf(column: string, cell: string): string {
  if (cell === '') return 'null';
  const type = fieldTypeOf(column);
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell);
  return (type === 'integer' || type === 'money') && isNumber ? cell : JSON.stringify(cell);
}

describe('a CSV report', () => {
  it('is read as written, in any dialect and in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 200 }),
        async (written, chunkBytes, pieceBytes) => {
          fc.pre(written.header.some((name) => fieldTypeOf(name) !== undefined));
          const text = textOf(written);
          const { values, rows, tail } = await readReport(text, { ...csv, chunkBytes, pieceBytes });
          const expected = written.rows.map((cells) =>
            written.header.map((column, i) => [column, jsonOf(column, cells[i] ?? '')] as const),
          );
          expect(values.map((row) => [...row])).toEqual(expected);
          expect(rows).toEqual(
            expected.map(
              (row) => `{${row.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`,
            ),
          );
          expect(tail).toMatchObject({
            fields: written.header,
            rowCount: written.rows.length,
            members: [],
            summary: undefined,
          });
        },
      ),
      { numRuns: 80 },
    );
  });

  it('with only a header is an empty report', async () => {
    const { rows, tail } = await readReport('date,displays\r\n', csv);
    expect([rows, tail.rowCount, tail.fields]).toEqual([[], 0, ['date', 'displays']]);
  });

  it('is recognized by its header, whatever its Content-Type', async () => {
    expect((await readReport('date;displays\n2026-11-01;3\n')).rows).toEqual([
      '{"date":"2026-11-01","displays":3}',
    ]);
    expect(
      (await readReport('date,displays\n', { contentType: 'application/json' })).tail.fields,
    ).toEqual(['date', 'displays']);
  });

  it.each([',', ';'])('of a file may have %j as its delimiter', async (delimiter) => {
    const text = [
      '\ufeff"date"',
      'campaignName',
      'displays\r2026-11-01',
      '"a ""b"",\r\n;"',
      '7\r',
    ].join(delimiter);

    const { rows } = await readReport(text, { lines: 'allowed' });

    expect(rows).toEqual(['{"date":"2026-11-01","campaignName":"a \\"b\\",\\r\\n;","displays":7}']);
  });

  it('may have blank lines', async () => {
    const { tail } = await readReport('\ndate,displays\n2026-11-01,3\n\r\n2026-11-02,4\n\n', csv);
    expect(tail.rowCount).toBe(2);
  });

  it.each([
    {
      name: 'an error text',
      text: 'Error: no such report\n',
      message: 'neither JSON nor a CSV report: its first line, “Error: no such report”, has no',
    },
    {
      name: 'an open quote',
      text: 'date,city\n2026-11-01,"Par',
      message: 'a quotation mark is opened but never closed. It begins with “2026-11-01,"Par”.',
    },
    {
      name: 'a short row',
      text: 'date,city\n2026-11-01\n',
      message: 'Line 2 of the CSV cannot be read: it has 1 cell, but the header has 2.',
    },
    {
      name: 'a long row',
      text: 'date,city\n1,2\n1,2,3\n',
      message: 'Line 3 of the CSV cannot be read: it has 3 cells, but the header has 2.',
    },
    {
      name: 'text after a quote',
      text: 'date,city\n"a"b,c\n',
      message: 'Line 2 of the CSV cannot be read: a quotation mark inside a cell is not',
    },
    {
      name: 'a repeated column',
      text: 'date,date\n',
      message: 'The CSV header has the column "date" twice.',
    },
    { name: 'an open header', text: '"date', message: 'Line 1 of the CSV cannot be read' },
    {
      name: 'too many columns',
      text: `date,${Array.from({ length: 1_000 }, (_, i) => `c${i}`)}\n`,
      message: 'over 1000 columns',
    },
    {
      name: 'a long value',
      text: `date\n${'x'.repeat(1_100_000)}\n`,
      message: 'a value longer than 1 MB',
    },
    {
      name: 'UTF-16',
      text: Buffer.from('\ufeffdate,city\n1,x\n', 'utf16le'),
      message: 'of the CSV is not UTF-8: it begins',
    },
    {
      name: 'Latin-1',
      text: Buffer.from('date,city\n1,\xe9\n', 'latin1'),
      message: 'of the CSV is not UTF-8: it begins',
    },
    {
      name: 'a cut character',
      text: Buffer.from('date,city\n1,é').subarray(0, -1),
      message: 'of the CSV is not UTF-8: it begins',
    },
  ])('is refused: $name', async ({ text, message }) => {
    const refusal = { exitCode: 9, message: expect.stringContaining(message) };
    await expect(readReport(text, csv)).rejects.toMatchObject(refusal);
  });

  it('is refused if a line has no end', async () => {
    async function* endless() {
      yield Buffer.from('city\n');
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    }
    await expect(readRows(endless(), csv).next()).rejects.toThrow(
      'a line, or consecutive blank lines, of over 8 MB',
    );
  });
});
