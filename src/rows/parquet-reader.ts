import { readSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet';
import { decompressLz4, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
import type { ParquetMessage, ParquetNote } from './parquet-messages.ts';

/** 128 MB: how large a page, and a column of a row group as it stands in the file, may be. */
const maxPageBytes = 128 * 1024 * 1024;

/** So many rows, values, and bytes of them before they were packed, are in memory at a time. */
const rowsTogether = 131_072;
const valuesTogether = 2_000_000;
const bytesTogether = 32 * 1024 * 1024;

/** Lines are handed out when they have so many characters. */
const piecesOfLines = 256 * 1024;

/** Codecs beyond those of hyparquet. Node has no Zstandard before 22.15, and no LZ4. */
const compressors: Compressors = {
  GZIP: (input, sizeBytes) =>
    gunzipSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
  BROTLI: (input, sizeBytes) =>
    brotliDecompressSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
  ZSTD: (input, sizeBytes) => decompressZstd(input, new Uint8Array(withinPage(sizeBytes))),
  LZ4: (input, sizeBytes) => decompressLz4(input, withinPage(sizeBytes)),
  LZ4_RAW: (input, sizeBytes) => decompressLz4Raw(input, withinPage(sizeBytes)),
};

function withinPage(sizeBytes: number): number {
  if (sizeBytes <= maxPageBytes) return sizeBytes;
  throw new Error('a page is larger than 128 MB');
}

/** A column with what its lines begin with. */
interface Column {
  readonly element: SchemaElement;

  /** Its name as JSON, and the colon. */
  readonly key: string;
}

/** Rows that are in memory together; numbers of rows count from the first of the file. */
interface Slice {
  readonly start: number;
  readonly end: number;

  /** Where the row group ends that the rows stand in. */
  readonly groupEnd: number;
}

const memberPrefix = 'adreport.';

/** The texts that adreport put into the key-value metadata of a file. */
function notesIn(metadata: FileMetaData): ParquetNote[] {
  const notes: ParquetNote[] = [];
  for (const { key, value } of metadata.key_value_metadata ?? []) {
    if (!key.startsWith(memberPrefix) || value === undefined) continue;
    notes.push({ name: key.slice(memberPrefix.length), text: value });
  }
  return notes;
}

/**
 * Reads a Parquet file a slice of a row group at a time. Dates become `2026-11-01`, timestamps
 * `2026-11-01T02:00:00+0000`; integers keep their digits, and decimals their places.
 */
export class ParquetReader {
  readonly #sizeBytes: number;
  readonly #tell: (message: ParquetMessage) => void;
  readonly #source: AsyncBuffer;

  /** @param tell hears what is begun, and how far it has come */
  constructor(descriptor: number, sizeBytes: number, tell: (message: ParquetMessage) => void) {
    this.#sizeBytes = sizeBytes;
    this.#tell = tell;
    this.#source = {
      byteLength: sizeBytes,
      slice: async (start, end = sizeBytes) => readBytes(descriptor, { start, end, sizeBytes }),
    };
  }

  /**
   * The rows as JSON objects, one a line. Throws an error of any kind, where the file is damaged,
   * has other rows than it says, or uses what cannot be read.
   */
  async *read(): AsyncGenerator<Uint8Array> {
    const metadata = await parquetMetadataAsync(this.#source);
    this.#tell({ kind: 'notes', notes: notesIn(metadata) });

    const columns: Column[] = [];
    for (const { element } of parquetSchema(metadata).children) {
      columns.push({ element, key: `${JSON.stringify(element.name)}:` });
    }

    const rowsInAll = Number(metadata.num_rows);
    let rowsBefore = 0;
    for (const group of metadata.row_groups) {
      const groupRows = Number(group.num_rows);
      if (columns.length === 0 && groupRows > 0) throw new Error('it has rows and no columns');

      const groupEnd = rowsBefore + groupRows;
      const sliceRows = rowsOfSlice(group, columns.length);
      for (let start = rowsBefore; start < groupEnd; start += sliceRows) {
        const slice = { start, end: Math.min(groupEnd, start + sliceRows), groupEnd };
        yield* this.#readSlice(metadata, group, columns, slice);
      }
      rowsBefore = groupEnd;
    }
    if (rowsBefore !== rowsInAll) throw new Error(`it has ${rowsBefore} of ${rowsInAll} rows`);
  }

  async *#readSlice(
    metadata: FileMetaData,
    group: RowGroup,
    columns: readonly Column[],
    slice: Slice,
  ): AsyncGenerator<Uint8Array> {
    const values: unknown[][] = [];
    for (const { element } of columns) {
      this.#tell({ kind: 'column', sizeBytes: columnBytes(group, element.name) });
      values.push(await this.#readColumn(metadata, element.name, slice));
    }

    const rowsInAll = Math.max(1, Number(metadata.num_rows));
    let lines = '';
    for (let row = 0; row < slice.end - slice.start; row++) {
      const members = columns.map(({ key, element }, i) => key + jsonOf(values[i]?.[row], element));
      lines += `{${members.join(',')}}\n`;
      const isLast = row === slice.end - slice.start - 1;
      if (lines.length < piecesOfLines && !isLast) continue;

      const part = (slice.start + row + 1) / rowsInAll;
      this.#tell({ kind: 'position', bytes: Math.round(this.#sizeBytes * part) });
      yield Buffer.from(lines);
      lines = '';
    }
  }

  /** The values of a column in the rows of a slice. */
  async #readColumn(metadata: FileMetaData, name: string, slice: Slice): Promise<unknown[]> {
    const rowCount = slice.end - slice.start;
    const values: unknown[] = [];
    let rowsRead = slice.start;
    await parquetRead({
      file: this.#source,
      metadata,
      columns: [name],
      rowStart: slice.start,
      rowEnd: slice.end,
      compressors,
      // Pages hold rows before and after the slice too.
      onChunk({ columnData, rowStart, rowEnd }) {
        const from = Math.max(0, slice.start - rowStart);
        const to = Math.min(columnData.length, slice.end - rowStart);
        for (let i = from; i < to; i++) values.push(columnData[i]);
        rowsRead = Math.max(rowsRead, rowEnd);
      },
    });

    const isWhole = values.length === rowCount && rowsRead <= slice.groupEnd;
    if (!isWhole) throw new Error(`its column ${name} has other rows than it says`);
    return values;
  }
}

/** A range of bytes within a file. */
interface ByteRange {
  readonly start: number;
  readonly end: number;

  /** How large the file is. */
  readonly sizeBytes: number;
}

function readBytes(descriptor: number, { start, end, sizeBytes }: ByteRange): ArrayBuffer {
  const isInside = start >= 0 && start <= end && end <= sizeBytes;
  if (!isInside) throw new Error('a part of it lies beyond its end');
  if (end - start > maxPageBytes) throw new Error('a column of a row group is over 128 MB');

  const bytes = new Uint8Array(new ArrayBuffer(end - start));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(descriptor, bytes, at, bytes.length - at, start + at);
    if (count === 0) throw new Error('it became shorter while it was read');
    at += count;
  }
  return bytes.buffer;
}

/** How many rows of a row group are in memory at a time. */
function rowsOfSlice(group: RowGroup, columnCount: number): number {
  const rowBytes = Number(group.total_byte_size) / Number(group.num_rows);
  const rowsByValues = Math.floor(valuesTogether / columnCount);
  const rowsByBytes = rowBytes > 1 ? Math.floor(bytesTogether / rowBytes) : rowsTogether;
  return Math.max(1, Math.min(rowsTogether, rowsByValues, rowsByBytes));
}

/** How many bytes of the file a column of a row group takes, as its table of contents says. */
function columnBytes(group: RowGroup, name: string): number {
  let sizeBytes = 0;
  for (const { meta_data } of group.columns) {
    if (meta_data?.path_in_schema[0] === name) sizeBytes += Number(meta_data.total_compressed_size);
  }
  return sizeBytes;
}

function jsonOf(value: unknown, element: SchemaElement): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return timeJson(value, element);

  // A decimal comes as a product of floating-point numbers.
  const isDecimal = typeof value === 'number' && element.converted_type === 'DECIMAL';
  if (isDecimal) return value.toFixed(element.scale ?? 0);

  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  );
}

function timeJson(value: Date, { name, converted_type, logical_type }: SchemaElement): string {
  const text = value.toISOString();
  const isDate = converted_type === 'DATE' || logical_type?.type === 'DATE';
  // Other programs have no dates, only their midnights.
  const isDay = isDate || (name === 'date' && text.endsWith('T00:00:00.000Z'));
  return isDay ? `"${text.slice(0, 10)}"` : `"${text.slice(0, 19)}+0000"`;
}
