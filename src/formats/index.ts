import { type EncodeOptions, type Encoder, writeRows } from '../output/encoder.ts';
import type { TextColumn } from '../present/terminal/text-table.ts';
import { readRows } from '../rows/read-rows.ts';
import { CsvEncoder } from './csv.ts';
import { createJsonEncoder, createNdjsonEncoder } from './json.ts';
import { createTableEncoder } from './table.ts';

export interface Format {
  /** Without the dot. */
  readonly endings: readonly string[];

  /** Not text, so it would garble a terminal. */
  readonly isBinary?: boolean;

  /** Also as `report.csv.gz`. */
  readonly isCompressible?: boolean;

  /** Printed by a browser, which must be installed. */
  readonly needsBrowser?: boolean;

  /** Drawn for readers, with the groups beyond `--top` as one row. */
  readonly isForReaders?: boolean;

  /** Contains the service's rows as received, without computed metrics. */
  readonly isServiceDocument?: boolean;

  /** Starts a report; heavy modules are loaded only now. */
  createEncoder(options: EncodeOptions): Encoder | Promise<Encoder>;
}

/** A new format is one file and one entry here. */
const definitions = {
  json: {
    endings: ['json'],
    isCompressible: true,
    isServiceDocument: true,
    createEncoder: createJsonEncoder,
  },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    isCompressible: true,
    isServiceDocument: true,
    createEncoder: createNdjsonEncoder,
  },
  csv: {
    endings: ['csv'],
    isCompressible: true,
    createEncoder: (options) => new CsvEncoder(options),
  },
  table: {
    endings: ['txt'],
    isForReaders: true,
    createEncoder: createTableEncoder,
  },
  parquet: {
    endings: ['parquet'],
    isBinary: true,
    async createEncoder(options) {
      const { ParquetEncoder } = await import('./parquet.ts');
      return new ParquetEncoder(options);
    },
  },
  xlsx: {
    endings: ['xlsx'],
    isBinary: true,
    async createEncoder(options) {
      const { WorkbookEncoder } = await import('./xlsx.ts');
      return new WorkbookEncoder(options);
    },
  },
  html: {
    endings: ['html', 'htm'],
    isForReaders: true,
    async createEncoder(options) {
      const { PageEncoder } = await import('./html.ts');
      return new PageEncoder(options);
    },
  },
  pdf: {
    endings: ['pdf'],
    isBinary: true,
    needsBrowser: true,
    isForReaders: true,
    async createEncoder(options) {
      const { PdfEncoder } = await import('./pdf.ts');
      return new PdfEncoder(options);
    },
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof definitions;

export const formatNames = Object.keys(definitions) as FormatName[];

export const formats: Readonly<Record<FormatName, Format>> = definitions;

/** Returns `undefined` for an unknown or missing extension. */
export function formatOfFile(path: string): FormatName | undefined {
  const match = /\.([^./\\]+?)(\.gz)?$/i.exec(path);
  const ending = match?.[1]?.toLowerCase();
  const isPacked = match?.[2] !== undefined;
  if (ending === undefined) return undefined;

  return formatNames.find((name) => {
    const { endings, isCompressible = false } = formats[name];
    return endings.includes(ending) && (isCompressible || !isPacked);
  });
}

/** Encodes a small table (campaigns, groups of rows) and returns all of its bytes. */
export async function encodeTable<Row>(
  format: FormatName,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  options: EncodeOptions = {},
): Promise<Buffer> {
  const types = columns.map(({ name, type = 'text' }) => ({ field: name, type }));
  const encoder = await formats[format].createEncoder({ ...options, columns: types });
  const data = rows.map((row) =>
    Object.fromEntries(columns.map(({ name, value }) => [name, value(row) ?? null])),
  );
  const pieces: Buffer[] = [];
  await writeRows(readRows(bodyOf(data)), encoder, {
    write: (piece) => void pieces.push(Buffer.from(piece)),
  });
  return Buffer.concat(pieces);
}

async function* bodyOf(data: readonly object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify({ data }));
}
