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
import type { ParquetNote } from './parquet-messages.ts';

/** Maximum size of a page, and of a column in a row group: 128 MB. */
const maxPageBytes = 128 * 1024 * 1024;

/** Limits for the rows, values and uncompressed bytes in memory. */
const maxSliceRows = 131_072;
const maxSliceValues = 2_000_000;
const maxSliceBytes = 32 * 1024 * 1024;

/** Lines are yielded in pieces of about this many characters. */
const pieceLength = 256 * 1024;

/** Codecs that hyparquet lacks. Node's own Zstandard is new in 22.15, and Node has no LZ4. */
const compressors: Compressors = {
  GZIP: (input, sizeBytes) =>
    gunzipSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
  BROTLI: (input, sizeBytes) =>
    brotliDecompressSync(input, { maxOutputLength: Math.min(sizeBytes, maxPageBytes) }),
  ZSTD: (input, sizeBytes) => decompressZstd(input, new Uint8Array(requirePageSize(sizeBytes))),
  LZ4: (input, sizeBytes) => decompressLz4(input, requirePageSize(sizeBytes)),
  LZ4_RAW: (input, sizeBytes) => decompressLz4Raw(input, requirePageSize(sizeBytes)),
};

function requirePageSize(sizeBytes: number): number {
  if (sizeBytes <= maxPageBytes) return sizeBytes;
  throw new Error('a page is larger than 128 MB');
}

interface Column {
  readonly element: SchemaElement;

  /** JSON key with its colon. */
  readonly key: string;
}

/** Rows in memory at a time. They are counted from the beginning of the file. */
interface Slice {
  readonly start: number;
  readonly end: number;

  readonly groupEnd: number;
}

const memberPrefix = 'adreport.';

/** Reads the entries that adreport wrote to the metadata of a file. */
function readNotes(metadata: FileMetaData): ParquetNote[] {
  const notes: ParquetNote[] = [];
  for (const { key, value } of metadata.key_value_metadata ?? []) {
    if (!key.startsWith(memberPrefix) || value === undefined) continue;
    notes.push({ name: key.slice(memberPrefix.length), text: value });
  }
  return notes;
}

/**
 * Reads a Parquet file in slices of its row groups. Dates become `2026-11-01`, and timestamps
 * `2026-11-01T02:00:00+0100`: in the report's zone if adreport wrote the file, otherwise in UTC.
 * Integers keep all digits, and decimals keep their scale.
 */
export class ParquetReader {
  /** Entries that adreport wrote to the metadata. Empty until rows are read. */
  notes: readonly ParquetNote[] = [];

  readonly #source: AsyncBuffer;

  /** Zone of the hours. */
  #zone = 'UTC';

  constructor(descriptor: number, sizeBytes: number) {
    this.#source = {
      byteLength: sizeBytes,
      slice: async (start, end = sizeBytes) => readBytes(descriptor, { start, end, sizeBytes }),
    };
  }

  /**
   * Yields the rows as JSON objects, one per line. Throws any kind of error if the file is damaged,
   * contradicts its metadata on the number of rows, or uses an unsupported feature.
   */
  async *read(): AsyncGenerator<Uint8Array> {
    const metadata = await parquetMetadataAsync(this.#source);
    this.notes = readNotes(metadata);
    this.#zone = parseZone(this.notes);

    // Lists, records and intervals are skipped, because no report has them.
    const columns: Column[] = [];
    for (const { element, children } of parquetSchema(metadata).children) {
      const isPlain = children.length === 0 && element.converted_type !== 'INTERVAL';
      if (isPlain) columns.push({ element, key: `${JSON.stringify(element.name)}:` });
    }

    const expectedRows = Number(metadata.num_rows);
    let rowsBefore = 0;
    for (const group of metadata.row_groups) {
      const groupRows = Number(group.num_rows);
      if (columns.length === 0 && groupRows > 0) throw new Error('it has rows but no columns');

      const groupEnd = rowsBefore + groupRows;
      const sliceRows = countSliceRows(group, columns.length);
      for (let start = rowsBefore; start < groupEnd; start += sliceRows) {
        const slice = { start, end: Math.min(groupEnd, start + sliceRows), groupEnd };
        yield* this.#readSlice(metadata, group, columns, slice);
      }
      rowsBefore = groupEnd;
    }
    if (rowsBefore !== expectedRows)
      throw new Error(`it has ${rowsBefore} of ${expectedRows} rows`);
  }

  async *#readSlice(
    metadata: FileMetaData,
    group: RowGroup,
    columns: readonly Column[],
    slice: Slice,
  ): AsyncGenerator<Uint8Array> {
    const names = columns.map(({ element }) => element.name);
    const isSmall = Number(group.total_byte_size) <= maxSliceBytes;
    const values = new Map<string, readonly unknown[]>();
    // All columns of a large row group would take too much memory.
    for (const columnNames of isSmall ? [names] : names.map((name) => [name])) {
      const read = await this.#parseColumns(metadata, columnNames, slice);
      for (const [name, column] of read) values.set(name, column);
    }

    let lines = '';
    for (let row = 0; row < slice.end - slice.start; row++) {
      const members = columns.map(({ key, element }) => {
        return key + toJson(values.get(element.name)?.[row], element, this.#zone);
      });
      lines += `{${members.join(',')}}\n`;
      const isLast = row === slice.end - slice.start - 1;
      if (lines.length < pieceLength && !isLast) continue;

      yield Buffer.from(lines);
      lines = '';
    }
  }

  async #parseColumns(
    metadata: FileMetaData,
    names: readonly string[],
    slice: Slice,
  ): Promise<Map<string, unknown[]>> {
    const columns = new Map(names.map((name) => [name, [] as unknown[]]));
    let rowsRead = slice.start;
    await parquetRead({
      file: this.#source,
      metadata,
      columns: [...names],
      rowStart: slice.start,
      rowEnd: slice.end,
      compressors,
      // Pages may have more rows before and after the slice.
      onChunk({ columnName, columnData, rowStart, rowEnd }) {
        const values = columns.get(columnName);
        const from = Math.max(0, slice.start - rowStart);
        const to = Math.min(columnData.length, slice.end - rowStart);
        for (let i = from; i < to; i++) values?.push(columnData[i]);
        rowsRead = Math.max(rowsRead, rowEnd);
      },
    });

    for (const [name, values] of columns) {
      const isWhole = values.length === slice.end - slice.start && rowsRead <= slice.groupEnd;
      if (!isWhole) throw new Error(`its column ${name} has a wrong number of rows`);
    }
    return columns;
  }
}

interface ByteRange {
  readonly start: number;
  readonly end: number;

  readonly sizeBytes: number;
}

function readBytes(descriptor: number, { start, end, sizeBytes }: ByteRange): ArrayBuffer {
  const isInside = start >= 0 && start <= end && end <= sizeBytes;
  if (!isInside) throw new Error('it refers to bytes beyond its end');
  if (end - start > maxPageBytes) throw new Error('a column of a row group is over 128 MB');

  const bytes = new Uint8Array(new ArrayBuffer(end - start));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(descriptor, bytes, at, bytes.length - at, start + at);
    if (count === 0) throw new Error('it became shorter while being read');
    at += count;
  }
  return bytes.buffer;
}

/** Computes the number of rows in memory at a time. */
function countSliceRows(group: RowGroup, columnCount: number): number {
  const rowBytes = Number(group.total_byte_size) / Number(group.num_rows);
  const rowsByValues = Math.floor(maxSliceValues / columnCount);
  const rowsByBytes = rowBytes > 1 ? Math.floor(maxSliceBytes / rowBytes) : maxSliceRows;
  return Math.max(1, Math.min(maxSliceRows, rowsByValues, rowsByBytes));
}

function toJson(value: unknown, element: SchemaElement, zone: string): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return formatTimeJson(value, element, zone);

  // hyparquet computes decimals in floating point.
  const isDecimal = typeof value === 'number' && element.converted_type === 'DECIMAL';
  if (isDecimal) return value.toFixed(element.scale ?? 0);

  // A large float does not have the digits of the number that was written.
  const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (isRounded) return value.toExponential();

  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  );
}

function formatTimeJson(value: Date, element: SchemaElement, zone: string): string {
  const { name, converted_type, logical_type } = element;
  const text = value.toISOString();
  const isDate = converted_type === 'DATE' || logical_type?.type === 'DATE';
  // Some programs write dates as timestamps at midnight.
  const isDay = isDate || (name === 'date' && text.endsWith('T00:00:00.000Z'));
  if (isDay) return `"${text.slice(0, 10)}"`;
  if (logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC) {
    return `"${formatLocalTime(value.getTime(), 'UTC')}"`;
  }
  return `"${formatLocalTime(value.getTime(), zone)}"`;
}

const quarterMs = 15 * 60_000;

/** Offsets in milliseconds, by zone and quarter of an hour. */
const offsets = new Map<string, number>();

/** Formats a time as `2026-10-25T02:00:00+0200`. */
function formatLocalTime(ms: number, zone: string): string {
  const key = `${zone} ${Math.floor(ms / quarterMs)}`;
  const offsetMs = offsets.get(key) ?? readOffset(ms, zone);
  offsets.set(key, offsetMs);
  const minutes = Math.abs(offsetMs) / 60_000;
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = String(minutes % 60).padStart(2, '0');
  const sign = offsetMs < 0 ? '-' : '+';
  return `${new Date(ms + offsetMs).toISOString().slice(0, 19)}${sign}${hours}${rest}`;
}

function readOffset(ms: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -offsetMs : offsetMs;
}

/** Returns the zone of the report, or UTC if the file or this system does not know the zone. */
function parseZone(notes: readonly ParquetNote[]): string {
  const summary = notes.find(({ name }) => name === 'summary')?.text ?? '{}';
  try {
    const { timezone } = JSON.parse(summary) as { readonly timezone?: unknown };
    const name = String(timezone);
    const zone =
      zones.get(name) ??
      new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    zones.set(name, zone);
    return zone;
  } catch {
    return 'UTC';
  }
}

/** Names of zones by the names in files. A look-up in `Intl` is slow. */
const zones = new Map<string, string>();
