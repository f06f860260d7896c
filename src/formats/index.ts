import { type EncodeOptions, type Encoder, writeRows } from '../output/encoder.ts';
import type { TextColumn } from '../present/terminal/table-layout.ts';
import { readRows } from '../rows/read-rows.ts';
import { CsvEncoder } from './csv.ts';
import { createJsonEncoder, createNdjsonEncoder } from './json.ts';
import { createTableEncoder } from './table.ts';

/** What the program must know of a format before it writes it. */
export interface Format {
  /** The file endings that mean it, without the dot. */
  readonly endings: readonly string[];

  /** Whether its bytes are no text, and would upset a terminal. */
  readonly isBinary?: boolean;

  /** Whether its files may be packed: `report.csv.gz`. */
  readonly isPackable?: boolean;

  /** Whether a browser prints it, so that one must be installed. */
  readonly needsBrowser?: boolean;

  /** Whether it has a place for the change against another report (`--compare`). */
  readonly hasPlaceForChanges?: boolean;

  /**
   * Whether it holds the rows as the service sends them, so that metrics computed here have no
   * place in it.
   */
  readonly isServiceDocument?: boolean;

  /** Whether the flags that describe a CSV dialect (`--delimiter` and the like) concern it. */
  readonly usesCsvDialect?: boolean;

  /** Begins a report in it; what is heavy is loaded only now. */
  createEncoder(options: EncodeOptions): Encoder | Promise<Encoder>;
}

/** Every output format: a new one is its file and its entry here. */
const definitions = {
  json: {
    endings: ['json'],
    isPackable: true,
    isServiceDocument: true,
    createEncoder: createJsonEncoder,
  },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    isPackable: true,
    isServiceDocument: true,
    createEncoder: createNdjsonEncoder,
  },
  csv: {
    endings: ['csv'],
    isPackable: true,
    usesCsvDialect: true,
    createEncoder: (options) => new CsvEncoder(options),
  },
  table: {
    endings: ['txt'],
    hasPlaceForChanges: true,
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
    hasPlaceForChanges: true,
    async createEncoder(options) {
      const { WorkbookEncoder } = await import('./xlsx.ts');
      return new WorkbookEncoder(options);
    },
  },
  html: {
    endings: ['html', 'htm'],
    hasPlaceForChanges: true,
    async createEncoder(options) {
      const { PageEncoder } = await import('./html.ts');
      return new PageEncoder(options);
    },
  },
  pdf: {
    endings: ['pdf'],
    isBinary: true,
    needsBrowser: true,
    hasPlaceForChanges: true,
    async createEncoder(options) {
      const { PdfEncoder } = await import('./pdf.ts');
      return new PdfEncoder(options);
    },
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof definitions;

export const formatNames = Object.keys(definitions) as FormatName[];

/** The formats by their names. */
export const formats: Readonly<Record<FormatName, Format>> = definitions;

/** The format that a file's ending means; `undefined` for another ending, or none. */
export function formatOfFile(path: string): FormatName | undefined {
  const match = /\.([^./\\]+?)(\.gz)?$/i.exec(path);
  const ending = match?.[1]?.toLowerCase();
  const isPacked = match?.[2] !== undefined;
  if (ending === undefined) return undefined;

  return formatNames.find((name) => {
    const { endings, isPackable = false } = formats[name];
    return endings.includes(ending) && (isPackable || !isPacked);
  });
}

/**
 * A small table (campaigns, groups of rows) in a format that is made for reports; all of its bytes.
 */
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
