interface FormatInfo {
  /** Endings of file names, without the dot. */
  readonly extensions: readonly string[];

  /** Whether the format is unreadable on a terminal. */
  readonly isBinary?: true;

  /** Whether files may be compressed: `report.csv.gz`. */
  readonly isCompressible?: true;

  /** Whether files contain the service's response as received, without computed metrics. */
  readonly isServiceDocument?: true;
}

const table = {
  json: { extensions: ['json'], isCompressible: true, isServiceDocument: true },
  ndjson: { extensions: ['ndjson', 'jsonl'], isCompressible: true, isServiceDocument: true },
  csv: { extensions: ['csv'], isCompressible: true },
  table: { extensions: ['txt'] },
  parquet: { extensions: ['parquet'], isBinary: true },
  xlsx: { extensions: ['xlsx'], isBinary: true },
  html: { extensions: ['html', 'htm'] },
  pdf: { extensions: ['pdf'], isBinary: true },
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
    const { extensions, isCompressible = false } = formatInfo[name];
    return (
      extensions.includes(ending.toLowerCase()) && (isCompressible || compressed === undefined)
    );
  });
}
