import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Compressors, parquetMetadataAsync, parquetRead, type SchemaElement } from 'hyparquet';

/** How many rows are handed on together. */
const rowsTogether = 1000;

/** Codecs beyond those of hyparquet; Node has no Zstandard before 22.15. */
const compressors: Compressors = {
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
};

/**
 * The rows of a Parquet file as JSON objects, one a line, one row group in memory at a time. Dates become `2026-11-01`,
 * timestamps `2026-11-01T02:00:00+0000`; integers keep their digits, and decimals their places.
 * @param tell hears after each row group at which byte of the file that is, roughly
 * @throws what hyparquet throws, where the file is damaged or uses what it cannot read
 */
export async function* readParquetLines(
  file: FileHandle,
  sizeBytes: number,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const source = {
    byteLength: sizeBytes,
    slice: async (start: number, end = sizeBytes) => {
      const buffer = new ArrayBuffer(end - start);
      await file.read(new Uint8Array(buffer), 0, end - start, start);
      return buffer;
    },
  };
  const metadata = await parquetMetadataAsync(source);
  const columns = metadata.schema.slice(1).filter((element) => element.num_children === undefined);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const values = new Map<string, unknown[]>();
    await parquetRead({
      file: source,
      metadata,
      rowStart,
      rowEnd,
      compressors,
      onChunk: ({ columnName, columnData, rowStart: at }) => {
        const column = values.get(columnName) ?? new Array<unknown>(rowEnd - rowStart);
        for (let i = 0; i < columnData.length; i++) column[at - rowStart + i] = columnData[i];
        values.set(columnName, column);
      },
    });
    yield* linesOf(columns, values, rowEnd - rowStart);
    rowStart = rowEnd;
    tell(Math.round((sizeBytes * rowEnd) / Math.max(1, Number(metadata.num_rows))));
  }
}

function* linesOf(
  columns: readonly SchemaElement[],
  values: ReadonlyMap<string, readonly unknown[]>,
  rowCount: number,
): Generator<Buffer> {
  const writers = columns.map((column) => {
    const key = `${JSON.stringify(column.name)}:`;
    const own = values.get(column.name) ?? [];
    return (row: number) => key + jsonOf(own[row], column);
  });
  for (let from = 0; from < rowCount; from += rowsTogether) {
    let text = '';
    for (let row = from; row < Math.min(rowCount, from + rowsTogether); row++) {
      text += `{${writers.map((write) => write(row)).join(',')}}\n`;
    }
    yield Buffer.from(text);
  }
}

function jsonOf(value: unknown, column: SchemaElement): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return String(value);
  // A decimal comes as a product of floating-point numbers.
  if (typeof value === 'number' && column.converted_type === 'DECIMAL') return value.toFixed(column.scale ?? 0);
  if (value instanceof Date) return `"${timeText(value, column)}"`;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner));
}

function timeText(time: Date, { name, converted_type, logical_type }: SchemaElement): string {
  const text = time.toISOString();
  const isDate = converted_type === 'DATE' || logical_type?.type === 'DATE';
  // Other programs have no dates, only their midnights.
  if (isDate || (name === 'date' && text.endsWith('T00:00:00.000Z'))) return text.slice(0, 10);
  return `${text.slice(0, 19)}+0000`;
}
