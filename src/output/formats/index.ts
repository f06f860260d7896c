import type { EncodeOptions, Encoder } from '../encoder.ts';
import { createEncoder as writeCsv } from './csv.ts';
import { createEncoder as writeJson } from './json.ts';
import { createEncoder as writeNdjson } from './ndjson.ts';
import { createEncoder as writeTable } from './table.ts';

interface Writer {
  createEncoder(options: EncodeOptions): Encoder | Promise<Encoder>;
}

/** What the program must know of a format before it writes it. */
export interface Format {
  /** The file endings that mean it, without the dot. */
  readonly endings: readonly string[];
  /** What help and completion say of it. */
  readonly meaning: string;
  /** Whether its bytes are no text, and would upset a terminal. */
  readonly binary?: true;
  /** What writes it; loaded where it is heavy. */
  load(): Writer | Promise<Writer>;
}

/** Every output format: a new one is its file and its line here. */
export const formats = {
  json: {
    endings: ['json'],
    meaning: "the service's document: data, then summary",
    load: () => ({ createEncoder: writeJson }),
  },
  ndjson: {
    endings: ['ndjson', 'jsonl'],
    meaning: 'one row object a line',
    load: () => ({ createEncoder: writeNdjson }),
  },
  csv: { endings: ['csv'], meaning: 'a header, then one row a line', load: () => ({ createEncoder: writeCsv }) },
  table: {
    endings: ['txt'],
    meaning: 'aligned columns and totals, for people',
    load: () => ({ createEncoder: writeTable }),
  },
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

/** Formats whose files may be packed: `report.csv.gz`. */
const packable: readonly FormatName[] = ['json', 'ndjson', 'csv'];

/** The format that a file's ending means; `undefined` for another ending, or none. */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', packed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  const found = formatNames.find((name) => (formats[name].endings as readonly string[]).includes(ending.toLowerCase()));
  return found && packed && !packable.includes(found) ? undefined : found;
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
