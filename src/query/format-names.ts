interface FormatFacts {
  /** Without the dot. */
  readonly endings: readonly string[];

  /** Not text, so it would garble a terminal. */
  readonly isBinary?: true;

  /** Also as `report.csv.gz`. */
  readonly isCompressible?: true;

  /** Contains the service's rows as received, without computed metrics. */
  readonly isServiceDocument?: true;
}

const table = {
  json: { endings: ['json'], isCompressible: true, isServiceDocument: true },
  ndjson: { endings: ['ndjson', 'jsonl'], isCompressible: true, isServiceDocument: true },
  csv: { endings: ['csv'], isCompressible: true },
  table: { endings: ['txt'] },
  parquet: { endings: ['parquet'], isBinary: true },
  xlsx: { endings: ['xlsx'], isBinary: true },
  html: { endings: ['html', 'htm'] },
  pdf: { endings: ['pdf'], isBinary: true },
} as const satisfies Readonly<Record<string, FormatFacts>>;

export type FormatName = keyof typeof table;

/** What flags and file names need to know of each format; `formats/` encodes them. */
export const formatFacts: Readonly<Record<FormatName, FormatFacts>> = table;

export const formatNames = Object.keys(table) as FormatName[];

/** Returns `undefined` for an unknown or missing extension. */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', compressed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  return formatNames.find((name) => {
    const { endings, isCompressible = false } = formatFacts[name];
    return endings.includes(ending.toLowerCase()) && (isCompressible || compressed === undefined);
  });
}
