import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOfFile } from '../../src/query/format-names.ts';
import {
  type DocumentParts,
  documentParts,
  referenceOf,
  textOf,
} from '../rows/report-documents.ts';
import { documentOf, encode } from './encode.ts';

describe('every format', () => {
  it('contains exactly what JSON.parse reads, however the body was cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentParts,
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 300 }),
        expectAsReference,
      ),
      { numRuns: 50 },
    );
  });

  it('is recognized by file extension', () => {
    const packed = ['x.csv.gz', 'x.ndjson.GZ', 'x.json.gz', 'x.parquet.gz', 'x.gz'].map(
      formatOfFile,
    );

    expect(packed).toEqual(['csv', 'ndjson', 'json', undefined, undefined]);

    const others = ['a/b.CSV', 'x.jsonl', 'b.csv/x', 'csv', '.csv', 'a.tar.json'].map(formatOfFile);

    expect(others).toEqual(['csv', 'ndjson', undefined, undefined, 'csv', 'json']);
  });
});

describe('json', () => {
  it('has data first, then summary, then the rest, with one row per line', async () => {
    const body = '{"x":1,"summary":{"since": "a"},"y":[2],"data":[{"a":1}, {"a":2}]}';
    expect((await encode(body, 'json')).text).toBe(
      '{"data":[\n{"a":1},\n{"a":2}\n],"summary":{"since": "a"},"x":1,"y":[2]}\n',
    );
  });

  it('of an empty report, a CSV report, a bare array', async () => {
    expect((await encode('{"data":[]}', 'json')).text).toBe('{"data":[]}\n');
    expect((await encode('date,displays\r\n2026-11-01,1\r\n2026-11-02,2\r\n', 'json')).text).toBe(
      '{"data":[\n{"date":"2026-11-01","displays":1},\n{"date":"2026-11-02","displays":2}\n]}\n',
    );
    expect((await encode('{"data":[{"a":1}]}', 'json')).text).toBe('{"data":[\n{"a":1}\n]}\n');
  });
});

describe('ndjson', () => {
  it('writes pretty-printed rows on one line each', async () => {
    expect(
      (await encode('{"data":[\n  {\n    "a": [1,\n 2],\n "b": " x "\n  }\n]}', 'ndjson')).text,
    ).toBe('{"a":[1,2],"b":" x "}\n');
  });

  it('of an empty report is empty', async () => {
    expect((await encode('{"data":[]}', 'ndjson')).text).toBe('');
  });
});

describe('--columns and --normalize', () => {
  const body = documentOf(
    '{"date":"2026-11-01","displays":1,"revenueEuro":"1234,50","valueDollar":2.50,"campaignName":"1,5"}',
    '{"date":"2026-11-02","revenueEuro":"-0,05","displays":"7","valueDollar":null,"campaignName":"007,1"}',
  );

  it('select and order columns in every format, by field or metric name', async () => {
    const selectedColumns = ['revenueDollar', 'date', 'date'];

    expect((await encode(body, 'ndjson', { selectedColumns })).text).toBe(
      '{"valueDollar":2.50,"date":"2026-11-01"}\n{"valueDollar":null,"date":"2026-11-02"}\n',
    );
    expect((await encode(body, 'csv', { selectedColumns })).text).toBe(
      'valueDollar,date\r\n2.50,2026-11-01\r\n,2026-11-02\r\n',
    );
    expect((await encode(body, 'json', { selectedColumns: ['displays'] })).text).toBe(
      '{"data":[\n{"displays":1},\n{"displays":"7"}\n],"summary":{"since":"2026-11-01T00:00:00+0100"}}\n',
    );
  });

  it('omit keys that a row lacks, and join values that span several lines', async () => {
    const spread = documentOf(
      '{\n  "x": [1,\n 2],\n  "displays": 1\n}',
      '{"displays":2}',
      '{"x":{"a": " b "}}',
    );
    expect((await encode(spread, 'ndjson', { selectedColumns: ['displays', 'x'] })).text).toBe(
      '{"displays":1,"x":[1,2]}\n{"displays":2}\n{"x":{"a":" b "}}\n',
    );
  });

  it('convert only metrics to numbers, and give dollars one name', async () => {
    expect((await encode(body, 'ndjson', { normalize: true })).text).toBe(
      '{"date":"2026-11-01","displays":1,"revenueEuro":1234.50,"revenueDollar":2.50,"campaignName":"1,5"}\n' +
        '{"date":"2026-11-02","displays":7,"revenueEuro":-0.05,"revenueDollar":null,"campaignName":"007,1"}\n',
    );
    expect((await encode(body, 'csv', { normalize: true })).text).toBe(
      'date,displays,revenueEuro,revenueDollar,campaignName\r\n2026-11-01,1,1234.50,2.5,"1,5"\r\n2026-11-02,7,-0.05,,"007,1"\r\n',
    );
  });

  it('refuse a column that the report does not have', async () => {
    await expect(encode(body, 'csv', { selectedColumns: ['dispays'] })).rejects.toMatchObject({
      exitCode: 2,
      message: 'Unknown column “dispays” in --columns.',
      hint: 'Did you mean displays?',
    });
  });
});

/**
 * Writes a document in every format and compares each with the result of JSON.parse.
 */
async function expectAsReference(
  parts: DocumentParts,
  chunkBytes: number,
  pieceBytes: number,
): Promise<void> {
  const body = textOf(parts);
  const reference = referenceOf(Buffer.from(body));
  const options = { chunkBytes, pieceBytes };

  const json = (await encode(body, 'json', options)).text;
  expect(JSON.parse(json)).toEqual({ ...reference.members, data: reference.rows });
  expect(withoutBlanks(json)).toContain(withoutBlanks(`{"data":[${rowTexts(parts).join(',')}]`));

  const ndjson = (await encode(body, 'ndjson', options)).text;
  expect(ndjson.split('\n').slice(0, -1).map(withoutBlanks)).toEqual(
    rowTexts(parts).map(withoutBlanks),
  );

  const { text: csv, tail } = await encode(body, 'csv');
  expect(csv).toBe(csvOf(parts.rows));
  expect(tail.rowCount).toBe(parts.rows.length);
  // In a stream, columns may appear after the header was written.
  const selectedColumns = [
    ...new Set(parts.rows.flatMap((row) => row.map(([key]): string => JSON.parse(key)))),
  ];
  const columns = selectedColumns.map((field) => ({ field, type: 'text' as const }));
  if (selectedColumns.length > 0)
    expect((await encode(body, 'csv', { ...options, selectedColumns, columns })).text).toBe(csv);
}

function rowTexts(parts: DocumentParts): string[] {
  return parts.rows.map((row) => `{${row.map(([key, value]) => `${key}:${value}`).join(',')}}`);
}

function withoutBlanks(text: string): string {
  return text.replace(/[ \t\r\n]/g, '');
}

/** The CSV of a report, computed from the parsed document. */
function csvOf(rows: DocumentParts['rows']): string {
  const columns = [...new Set(rows.flatMap((row) => row.map(([key]): string => JSON.parse(key))))];
  const lines = rows.map((row) => {
    const values = new Map(row.map(([key, value]): [string, string] => [JSON.parse(key), value]));
    return columns.map((column) => cellOf(values.get(column)));
  });
  const text = (cells: string[]) => {
    const line = cells.map(quoted).join(',');
    return `${line === '' ? '""' : line}\r\n`;
  };
  return [...(columns.length > 0 ? [columns] : []), ...lines].map(text).join('');
}

function cellOf(json: string | undefined): string {
  if (json === undefined || json === 'null') return '';
  // Unpaired surrogates cannot be encoded as UTF-8.
  if (json.startsWith('"')) return Buffer.from(JSON.parse(json) as string).toString();
  return json.replace(/("(?:[^"\\]|\\.)*")|\s/g, '$1');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
