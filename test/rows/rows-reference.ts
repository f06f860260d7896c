import { expect } from 'vitest';
import { readReport } from './read-rows.ts';
import { type DocumentParts, textOf } from './report-documents.ts';

/** What a plain JSON.parse makes of a document. */
export function referenceOf(bytes: Uint8Array): { rows: object[] | 'refused'; members: Record<string, unknown> } {
  const refused = { rows: 'refused', members: {} } as const;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused;
  }
  if (Array.isArray(value)) return rowsOf(value, {});
  if (!isObject(value)) return refused;
  const { response, ...outer } = value;
  const { data, ...members }: Record<string, unknown> = isObject(response) ? { ...outer, ...response } : value;
  return Array.isArray(data) ? rowsOf(data, members) : refused;
}

function rowsOf(rows: unknown[], members: Record<string, unknown>) {
  return { rows: rows.every(isObject) ? rows : ('refused' as const), members };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a document in chunks and pieces of the given sizes, and compares all of it with the reference. */
export async function expectSameAsReference(
  parts: DocumentParts,
  chunkBytes: number,
  pieceBytes: number,
): Promise<void> {
  const bytes = Buffer.from(textOf(parts));
  const reference = referenceOf(bytes);
  const { rows, values, tail } = await readReport(bytes, { chunkBytes, pieceBytes });
  expect(rows.map((row) => JSON.parse(row))).toEqual(reference.rows);
  expect(values.map(parsedRow)).toEqual(reference.rows);
  expect(values).toEqual(parts.rows.map((row) => new Map(row.map(([key, value]) => [JSON.parse(key), value]))));
  expect(Object.fromEntries(tail.members.map(({ name, json }) => [name, JSON.parse(json.toString())]))).toEqual(
    reference.members,
  );
  expect(tail).toMatchObject({ rowCount: parts.rows.length });
  expect(tail.fields).toEqual([...new Set(parts.rows.flatMap((row) => row.map(([key]) => JSON.parse(key))))]);
}

function parsedRow(row: ReadonlyMap<string, string>): object {
  // As JSON.parse does: `__proto__` is a key like any other.
  return JSON.parse(`{${[...row].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);
}
