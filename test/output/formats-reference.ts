import { expect } from 'vitest';
import { type DocumentParts, referenceOf, textOf } from '../rows/report-documents.ts';
import { encode } from './encode.ts';

/** Writes a document in every format and compares each with what plain parsing makes of the whole. */
export async function expectFormatsAsReference(
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
  expect(ndjson.split('\n').slice(0, -1).map(withoutBlanks)).toEqual(rowTexts(parts).map(withoutBlanks));

  const { text: csv, result } = await encode(body, 'csv');
  expect(csv).toBe(csvOf(parts.rows));
  expect(result).toMatchObject({ rowCount: parts.rows.length, sizeBytes: Buffer.byteLength(csv) });
  // Read piece by piece, columns may appear after the header was written.
  const select = [...new Set(parts.rows.flatMap((row) => row.map(([key]): string => JSON.parse(key))))];
  const columns = select.map((field) => ({ field, type: 'text' as const }));
  if (select.length > 0) expect((await encode(body, 'csv', { ...options, select, columns })).text).toBe(csv);
}

function rowTexts(parts: DocumentParts): string[] {
  return parts.rows.map((row) => `{${row.map(([key, value]) => `${key}:${value}`).join(',')}}`);
}

function withoutBlanks(text: string): string {
  return text.replace(/[ \t\r\n]/g, '');
}

/** The CSV of a report, made the plain way: everything parsed, everything in memory. */
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
  // Surrogates that stand alone cannot be written as UTF-8.
  if (json.startsWith('"')) return Buffer.from(JSON.parse(json) as string).toString();
  return json.replace(/("(?:[^"\\]|\\.)*")|\s/g, '$1');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
