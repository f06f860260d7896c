import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTypeOf } from '../../src/contract/columns.ts';
import { IncompleteDataError } from '../../src/errors.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { readReport } from './read-rows.ts';

const csv = { contentType: 'text/csv; charset=utf-8; header=present' };

const columnName = fc.oneof(
  fc.constantFrom('date', 'campaignName', 'displays', 'revenueEuro', 'clicks', 'campaignId', 'other'),
  fc.constantFrom('a,b', 'say "hi"', 'deux\r\nlignes', 'é', ' x ', '__proto__'),
);
const cellText = fc.oneof(
  fc.constantFrom('', '0', '12', '0.10', '-3', '1234,50', '01', '1e5', '12345678901234567890', 'NaN', '+1'),
  fc.constantFrom('a;b', 'x\ty', '"', '""', 'a\r\nb', 'a\nb', 'a\rb', '\u0000\u001f', '\\', '日本🦊', ' '),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const table = fc.uniqueArray(columnName, { minLength: 1, maxLength: 5 }).chain((header) =>
  fc.record({
    header: fc.constant(header),
    rows: fc.array(fc.array(cellText, { minLength: header.length, maxLength: header.length }), { maxLength: 8 }),
    delimiter: fc.constantFrom(...(header.length > 1 ? [',', ';', '\t'] : [','])),
    lineEnd: fc.constantFrom('\r\n', '\n'),
    endsLastLine: fc.boolean(),
    byteOrderMark: fc.boolean(),
    quoteAll: fc.boolean(),
  }),
);

type Table = typeof table extends fc.Arbitrary<infer T> ? T : never;

function textOf({ header, rows, delimiter, lineEnd, endsLastLine, byteOrderMark, quoteAll }: Table): string {
  const lines = [header, ...rows].map((cells) => {
    const line = cells.map((cell) =>
      quoteAll || /[",;\t\r\n]/.test(cell) || /^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
    );
    return line.length === 1 && line[0] === '' ? '""' : line.join(delimiter);
  });
  return (byteOrderMark ? '\ufeff' : '') + lines.join(lineEnd) + (endsLastLine ? lineEnd : '');
}

/** What the JSON form of a cell is (`CsvDocument`). */
function jsonOf(column: string, cell: string): string {
  if (cell === '') return 'null';
  const type = fieldTypeOf(column);
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(cell);
  return (type === 'integer' || type === 'money') && isNumber ? cell : JSON.stringify(cell);
}

describe('a CSV report', () => {
  it('that is an error text is no report', async () => {
    await expect(readReport('Error: no such report\n', csv)).rejects.toThrow('names no field of a report');
  });

  it('reads as what was written, in any dialect, however it is cut', async () => {
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
            expected.map((row) => `{${row.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
          );
          expect(tail).toMatchObject({
            fields: written.header,
            rowCount: written.rows.length,
            members: [],
            summary: undefined,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives the rows that the service would have sent as JSON', async () => {
    const { rows } = await readReport(
      'date,displays,revenueEuro,campaignId,city\r\n2026-11-01,12,"1234,50",77,\r\n2026-11-02,0,1.50,78,"a ""b"""\r\n',
      csv,
    );
    expect(rows).toEqual([
      '{"date":"2026-11-01","displays":12,"revenueEuro":"1234,50","campaignId":"77","city":null}',
      '{"date":"2026-11-02","displays":0,"revenueEuro":1.50,"campaignId":"78","city":"a \\"b\\""}',
    ]);
  });

  it('with a header alone is an empty report', async () => {
    expect(await readReport('date,displays\r\n', csv)).toMatchObject({
      rows: [],
      tail: { rowCount: 0, fields: ['date', 'displays'] },
    });
  });

  it('is recognised by its header when the service did not say what it sends', async () => {
    expect((await readReport('date;displays\n2026-11-01;3\n')).rows).toEqual(['{"date":"2026-11-01","displays":3}']);
    await expect(readReport('Service unavailable\n')).rejects.toThrow(
      'This is neither JSON nor a CSV report (byte 0).',
    );
    await expect(readReport('date,displays\n', { contentType: 'application/json' })).rejects.toThrow(
      'not well-formed JSON',
    );
  });

  it('may have blank lines at its end, and nowhere else', async () => {
    expect((await readReport('date,displays\n2026-11-01,3\n\r\n\n', csv)).tail.rowCount).toBe(1);
    await expect(readReport('date,displays\n\n2026-11-01,3\n', csv)).rejects.toThrow(
      'A blank line stands between the rows (byte 14).',
    );
    expect((await readReport('displays\n\n3\n', csv)).rows).toEqual(['{"displays":null}', '{"displays":3}']);
  });

  it.each([
    ['an open quote', 'date,city\n2026-11-01,"Par', 'The report ends in the middle of row 1 (byte 25).'],
    ['a short last row', 'date,city\n2026-11-01', 'The report ends in the middle of row 1 (byte 20).'],
    [
      'lines that end in a carriage return alone',
      'date,displays\r2026-11-01,1\r',
      'The CSV has a carriage return without a line feed in its header (byte 0).',
    ],
    ['a short row', 'date,city\n2026-11-01\n', 'The CSV has 1 field in row 1, where its header has 2 (byte 10).'],
    ['a long row', 'date,city\n1,2\n1,2,3\n', 'The CSV has 3 fields in row 2, where its header has 2 (byte 14).'],
    ['text after a quote', 'date,city\n"a"b,c\n', 'The CSV has text after a closing quote in row 1 (byte 13).'],
    ['a repeated column', 'date,date\n', 'The CSV header names "date" twice (byte 0).'],
    ['an open header', '"date', 'The report ends in the middle of the header (byte 5).'],
  ])('is refused: %s', async (_, text, message) => {
    const error = await readReport(text, csv).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(IncompleteDataError);
    expect(error).toHaveProperty('message', message);
  });

  it('is refused where it has no end of columns, or a line no end', async () => {
    const names = Array.from({ length: 1_001 }, (_, i) => `c${i}`).join(',');
    await expect(readReport(`${names}\n`, csv)).rejects.toThrow('The CSV header has over 1000 columns (byte 0).');
    async function* endless() {
      yield Buffer.from('city\n');
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    }
    await expect(readRows(endless(), csv).next()).rejects.toThrow(
      'One line of the report is longer than 8 MB (byte 5).',
    );
  });

  it('is refused where it is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('date,city\n1,'), Buffer.from([0xe9, 0x0a])]);
    await expect(readReport(bytes, csv)).rejects.toThrow('Row 1 is not UTF-8');
  });
});
