import type { EncodeOptions, Encoder } from '../output/encoder.ts';
import type { TextColumn } from '../present/terminal/text-table.ts';
import type { FormatName } from '../query/format-names.ts';
import { buildBatches } from '../rows/build-batch.ts';
import { emptyTail } from '../rows/row-batch.ts';
import { CsvEncoder } from './csv.ts';
import { createJsonEncoder, createNdjsonEncoder } from './json.ts';
import { createTableEncoder } from './table.ts';

export interface Format {
  /** Whether an installed browser prints the format. */
  readonly needsBrowser?: boolean;

  /** Whether the format is for people. If so, groups beyond `--top` are shown as one row. */
  readonly isForReaders?: boolean;

  /** Starts a report. Loads the modules that the format needs. */
  createEncoder(options: EncodeOptions): Encoder | Promise<Encoder>;
}

/** To add a format, add a file, an entry here, and an entry in `query/format-names.ts`. */
export const formats: Readonly<Record<FormatName, Format>> = {
  json: {
    createEncoder: createJsonEncoder,
  },
  ndjson: {
    createEncoder: createNdjsonEncoder,
  },
  csv: {
    createEncoder: (options) => new CsvEncoder(options),
  },
  table: {
    isForReaders: true,
    createEncoder: createTableEncoder,
  },
  parquet: {
    async createEncoder(options) {
      const { ParquetEncoder } = await import('./parquet.ts');
      return new ParquetEncoder(options);
    },
  },
  xlsx: {
    isForReaders: true,
    async createEncoder(options) {
      const { SpreadsheetEncoder } = await import('./xlsx.ts');
      return new SpreadsheetEncoder(options);
    },
  },
  html: {
    isForReaders: true,
    async createEncoder(options) {
      const { PageEncoder } = await import('./html.ts');
      return new PageEncoder(options);
    },
  },
  pdf: {
    needsBrowser: true,
    isForReaders: true,
    async createEncoder(options) {
      const { PdfEncoder } = await import('./pdf.ts');
      return new PdfEncoder(options);
    },
  },
};

/** Encodes a small table, such as campaigns or groups, as a whole. */
export async function encodeTable<Row>(
  format: FormatName,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  options: EncodeOptions = {},
): Promise<Buffer> {
  const fields = columns.map(({ name }) => name);
  const types = columns.map(({ name, type = 'text' }) => ({ field: name, type }));
  const encoder = await formats[format].createEncoder({ ...options, columns: types });

  const batches = buildBatches(fields, rows, (row) => {
    return columns.map(({ value }) => JSON.stringify(value(row) ?? null));
  });
  const pieces: Buffer[] = [];
  for (const batch of batches) pieces.push(Buffer.concat(encoder.encode(batch)));
  const tail = { ...emptyTail, rowCount: rows.length, fields };
  pieces.push(Buffer.concat(await encoder.end(tail)));
  return Buffer.concat(pieces);
}
