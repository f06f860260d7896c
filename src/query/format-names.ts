interface FormatFacts {
  /** Endings of file names, without the dot. */
  readonly endings: readonly string[];

  /** Set if the format is not text. On a terminal it would be unreadable. */
  readonly isBinary?: true;

  /** Set if files may be compressed: `report.csv.gz`. */
  readonly isCompressible?: true;

  /**
   * Set if the file contains the service's rows as received. Computed metrics are then not
   * available.
   */
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

/** Formats by the name that flags and file names use. The code in `formats/` encodes them. */
export const formatFacts: Readonly<Record<FormatName, FormatFacts>> = table;

export const formatNames = Object.keys(table) as FormatName[];

/**
 * Finds the format of a file by the ending of its name. Returns `undefined` if the ending is
 * unknown or missing.
 */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', compressed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  return formatNames.find((name) => {
    const { endings, isCompressible = false } = formatFacts[name];
    return endings.includes(ending.toLowerCase()) && (isCompressible || compressed === undefined);
  });
}
