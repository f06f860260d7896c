interface FormatFacts {
  /** Endings of file names, without the dot. */
  readonly endings: readonly string[];

  /** Set for a format that is not text and would garble a terminal. */
  readonly isBinary?: true;

  /** Set if files may be compressed: `report.csv.gz`. */
  readonly isCompressible?: true;

  /** Set if the file contains the service's rows as received, without computed metrics. */
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

/** Formats as flags and file names know them; `formats/` encodes them. */
export const formatFacts: Readonly<Record<FormatName, FormatFacts>> = table;

export const formatNames = Object.keys(table) as FormatName[];

/** Finds the format of a file by its ending; `undefined` for an unknown or missing one. */
export function formatOfFile(path: string): FormatName | undefined {
  const [, ending = '', compressed] = /\.([^./\\]+?)(\.gz)?$/i.exec(path) ?? [];
  return formatNames.find((name) => {
    const { endings, isCompressible = false } = formatFacts[name];
    return endings.includes(ending.toLowerCase()) && (isCompressible || compressed === undefined);
  });
}
