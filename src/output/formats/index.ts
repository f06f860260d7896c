import type { EncodeOptions, Encoder } from '../encoder.ts';

/** What the program must know of a format before it writes it. */
export interface Format {
  /** The file endings that mean it, without the dot. */
  readonly endings: readonly string[];
  /** What help and completion say of it. */
  readonly meaning: string;
  /** Whether its bytes are no text, and would upset a terminal. */
  readonly binary?: true;
  /** Loads what writes it, which only a command that writes it should pay for. */
  load(): Promise<{ createEncoder(options: EncodeOptions): Encoder | Promise<Encoder> }>;
}

/** Every output format: a new one is its file and its line here. */
export const formats = {
  json: { endings: ['json'], meaning: "the service's document: data, then summary", load: () => import('./json.ts') },
  ndjson: { endings: ['ndjson', 'jsonl'], meaning: 'one row object a line', load: () => import('./ndjson.ts') },
  csv: { endings: ['csv'], meaning: 'a header, then one row a line', load: () => import('./csv.ts') },
  table: { endings: ['txt'], meaning: 'aligned columns and totals, for people', load: () => import('./table.ts') },
  parquet: {
    endings: ['parquet'],
    meaning: 'typed columns, for DuckDB, Spark, pandas',
    binary: true,
    load: () => import('./parquet.ts'),
  },
  xlsx: { endings: ['xlsx'], meaning: 'a sheet for Excel, with totals', binary: true, load: () => import('./xlsx.ts') },
  html: {
    endings: ['html', 'htm'],
    meaning: 'one page to mail: totals, charts, a table',
    load: () => import('./html.ts'),
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats) as FormatName[];

/** The format of that name, in any case; `undefined` where there is none. */
export function findFormat(name: string): FormatName | undefined {
  const lower = name.toLowerCase();
  return formatNames.find((known) => known === lower);
}

/** The format that a file's ending means; `undefined` for another ending, or none. */
export function formatOfFile(path: string): FormatName | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  return formatNames.find((name) => (formats[name].endings as readonly string[]).includes(ending ?? ''));
}

/** Whether a format's bytes are no text. */
export function isBinary(name: FormatName): boolean {
  const format: Format = formats[name];
  return format.binary === true;
}

/** An encoder for a format, whose code is loaded now. */
export async function createEncoder(format: FormatName, options: EncodeOptions): Promise<Encoder> {
  const { createEncoder } = await formats[format].load();
  return createEncoder(options);
}
