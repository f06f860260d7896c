interface FormatInfo {
  /** Endings of file names, without the dot. */
  readonly endings: readonly string[];

  /** Whether the format is unreadable on a terminal. */
  readonly isBinary?: true;

  /** Whether files may be compressed: `report.csv.gz`. */
  readonly isCompressible?: true;

  /** Whether files contain the service's response as received, without computed metrics. */
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
} as const satisfies Readonly<Record<string, FormatInfo>>;

export type FormatName = keyof typeof table;

/** Formats by name. The code in `formats/` encodes them. */
export const formatInfo: Readonly<Record<FormatName, FormatInfo>> = table;

export const formatNames = Object.keys(table) as FormatName[];

/**
 * Finds the format for a file name, or returns `undefined` if the extension is unknown or missing.
 */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', compressed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  return formatNames.find((name) => {
    const { endings, isCompressible = false } = formatInfo[name];
    return endings.includes(ending.toLowerCase()) && (isCompressible || compressed === undefined);
  });
}
