import type { EncodeOptions, Encoder } from '../encoder.ts';

export interface Format {
  /** The file endings that mean it, without the dot. */
  readonly endings: readonly string[];
  readonly meaning: string;
  /** Loads what writes it, which only a command that writes it should pay for. */
  load(): Promise<{ createEncoder(options: EncodeOptions): Encoder | Promise<Encoder> }>;
}

/** Every output format: a new one is its file and its line here. */
const formats = {
  json: { endings: ['json'], meaning: "the service's document: data, then summary", load: () => import('./json.ts') },
  ndjson: { endings: ['ndjson', 'jsonl'], meaning: 'one row object a line', load: () => import('./ndjson.ts') },
  csv: { endings: ['csv'], meaning: 'a header, then one row a line', load: () => import('./csv.ts') },
  table: { endings: ['txt'], meaning: 'aligned columns and totals, for people', load: () => import('./table.ts') },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats) as FormatName[];

/** The format of that name, in any case. */
export function findFormat(name: string): FormatName | undefined {
  const lower = name.toLowerCase();
  return formatNames.find((known) => known === lower);
}

/** The format that a file's ending means. */
export function formatOfFile(path: string): FormatName | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  return formatNames.find((name) => (formats[name].endings as readonly string[]).includes(ending ?? ''));
}

/** An encoder for a format. Throws `UsageError` where the options do not fit it. */
export async function createEncoder(format: FormatName, options: EncodeOptions): Promise<Encoder> {
  const { createEncoder } = await formats[format].load();
  return createEncoder(options);
}
