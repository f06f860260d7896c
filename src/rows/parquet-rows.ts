import type { FileHandle } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type Compressors,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { codeOf } from '../errors.ts';

/** 256 MB: how large a page may become. */
const maxPageBytes = 256 * 1024 * 1024;

/** Codecs beyond those of hyparquet; Node has no Zstandard before 22.15. */
const compressors: Compressors = {
  GZIP: (input, sizeBytes) =>
    gunzipSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
  BROTLI: (input, sizeBytes) =>
    brotliDecompressSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
};

/**
 * The rows of a Parquet file as JSON objects, one a line, one row group in memory at a time. Dates become `2026-11-01`,
 * timestamps `2026-11-01T02:00:00+0000`; integers keep their digits, and decimals their places.
 * @param tell hears after each row group at which byte of the file that is, roughly
 * @throws an error of any kind, where the file is damaged, holds fewer rows than it says, or uses what cannot be read
 */
export async function* readParquetLines(
  file: FileHandle,
  sizeBytes: number,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const readPart = async (start: number, end: number) => {
    if (!(start >= 0 && start <= end && end <= sizeBytes))
      throw new Error('a part of it lies beyond its end');
    const bytes = new Uint8Array(new ArrayBuffer(end - start));
    await file.read(bytes, 0, end - start, start);
    return bytes.buffer;
  };
  const source = {
    byteLength: sizeBytes,
    slice(start: number, end = sizeBytes) {
      const part = readPart(start, end);
      // hyparquet asks for several at once, and leaves the later ones to nobody where the first fails.
      part.catch(() => {});
      // Of a damaged page hyparquet may never come to an end: a column has 20 s, and a second for each megabyte of it.
      return decodedInTime(part, 20_000 + Math.ceil((end - start) / 1000));
    },
  };
  const metadata = await parquetMetadataAsync(source);
  const columns = parquetSchema(metadata).children.map(({ element }) => element);
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowCount = Number(group.num_rows);
    const rowEnd = rowStart + rowCount;
    // A column at a time, so that a group's values are in memory once.
    const values: unknown[][] = [];
    for (const { name } of columns) {
      const own: unknown[] = [];
      const onChunk = ({ columnData }: { readonly columnData: Iterable<unknown> }): void => {
        for (const value of columnData) own.push(value);
      };
      await parquetRead({
        file: source,
        metadata,
        columns: [name],
        rowStart,
        rowEnd,
        compressors,
        onChunk,
      });
      if (own.length !== rowCount)
        throw new Error(`its column ${name} has ${own.length} of ${rowCount} rows`);
      values.push(own);
    }
    if (columns.length === 0 && rowCount > 0) throw new Error('it has rows and no columns');
    const rowsTogether = 1000;
    for (let from = 0; from < rowCount; from += rowsTogether) {
      let text = '';
      for (let row = from; row < Math.min(rowCount, from + rowsTogether); row++) {
        text += `{${columns.map((column, i) => keys[i] + jsonOf(values[i]?.[row], column)).join(',')}}\n`;
      }
      yield Buffer.from(text);
    }
    rowStart = rowEnd;
    tell(Math.round((sizeBytes * rowStart) / Math.max(1, Number(metadata.num_rows))));
  }
  if (rowStart !== Number(metadata.num_rows))
    throw new Error(`it has ${rowStart} of ${metadata.num_rows} rows`);
}

const room = createContext({ call: () => {} });

/** The same promise, but what `then` calls is ended with an error where it takes too long: hyparquet decodes there. */
function decodedInTime(part: Promise<ArrayBuffer>, timeoutMs: number): Promise<ArrayBuffer> {
  const inTime: typeof part.then = (decode, fail) => {
    const decodeInTime = (bytes: ArrayBuffer) => {
      room.call = () => decode?.(bytes);
      try {
        return runInContext('call()', room, { timeout: timeoutMs });
      } catch (error) {
        if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
          throw new Error('a column of it comes to no end');
        throw error;
      }
    };
    return Promise.prototype.then.call(part, decode && decodeInTime, fail) as Promise<never>;
  };
  return Object.assign(part, Object.fromEntries([['then', inTime]]));
}

function jsonOf(
  value: unknown,
  { name, converted_type, logical_type, scale = 0 }: SchemaElement,
): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return String(value);
  // A decimal comes as a product of floating-point numbers.
  if (typeof value === 'number' && converted_type === 'DECIMAL') return value.toFixed(scale);
  if (value instanceof Date) {
    const text = value.toISOString();
    const isDate = converted_type === 'DATE' || logical_type?.type === 'DATE';
    // Other programs have no dates, only their midnights.
    const isDay = isDate || (name === 'date' && text.endsWith('T00:00:00.000Z'));
    return isDay ? `"${text.slice(0, 10)}"` : `"${text.slice(0, 19)}+0000"`;
  }
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  );
}
