import { readRows } from '../../rows/read-rows.ts';
import { type EncodeOptions, type Encoder, writeRows } from '../encoder.ts';
import type { TextColumn } from '../table/table-layout.ts';
import { createEncoder as csv } from './csv.ts';
import { createNdjsonEncoder, createEncoder as json } from './json.ts';
import { createEncoder as table } from './table.ts';

interface Writer {
  createEncoder(options: EncodeOptions): Encoder;
}

/** What the program must know of a format before it writes it. */
export interface Format {
  /** The file endings that mean it, without the dot. */
  readonly endings: readonly string[];
  /** Whether its bytes are no text, and would upset a terminal. */
  readonly binary?: true;
  /** Whether its files may be packed: `report.csv.gz`. */
  readonly packable?: true;
  /** What writes it; loaded where it is heavy. */
  load(): Writer | Promise<Writer>;
}

/** Every output format: a new one is its file and its line here. */
const formats = {
  json: { endings: ['json'], packable: true, load: () => ({ createEncoder: json }) },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    packable: true,
    load: () => ({ createEncoder: createNdjsonEncoder }),
  },
  csv: { endings: ['csv'], packable: true, load: () => ({ createEncoder: csv }) },
  table: { endings: ['txt'], load: () => ({ createEncoder: table }) },
  parquet: { endings: ['parquet'], binary: true, load: () => import('./parquet.ts') },
  xlsx: { endings: ['xlsx'], binary: true, load: () => import('./xlsx.ts') },
  html: { endings: ['html', 'htm'], load: () => import('./html.ts') },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats) as FormatName[];

/** The format that a file's ending means; `undefined` for another ending, or none. */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', packed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  return formatNames.find((name) => {
    const { endings, packable }: Format = formats[name];
    return endings.includes(ending.toLowerCase()) && (!packed || packable);
  });
}

/** Whether a format's bytes are no text. */
export function isBinary(name: FormatName): boolean {
  const format: Format = formats[name];
  return format.binary === true;
}

/** An encoder for a format, whose code is loaded now. */
export async function createEncoder(format: FormatName, options: EncodeOptions): Promise<Encoder> {
  return (await formats[format].load()).createEncoder(options);
}

/** A small table (campaigns, groups of rows) in a format that is made for reports; all of its bytes. */
export async function encodeTable<Row>(
  format: FormatName,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  options: EncodeOptions = {},
): Promise<Buffer> {
  const types = columns.map(({ name, type = 'text' }) => ({ field: name, type }));
  const encoder = await createEncoder(format, { ...options, columns: types });
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
