import type { Report, ReportCell, ReportRow } from './engine.ts';

/** Report encodings (`decisions.md` 4). */

/** Size at which pieces are sent. About 64 KB is fastest to compress and send. */
const pieceLength = 65_536;

/**
 * Streams the report document `{"data":[…],"summary":{…}}` (service specification, Report data).
 */
export async function* encodeJson(report: Report): AsyncGenerator<string> {
  const rows = report.rows();
  yield* splitIntoPieces({ before: '{"data":[', between: ',', rows, formatRow: JSON.stringify });
  yield `],"summary":${JSON.stringify(report.summary)}}`;
}

/** Streams a report as CSV (RFC 4180) with a header row, CRLF, and empty fields for null. */
export function encodeCsv(report: Report): AsyncGenerator<string> {
  return splitIntoPieces({
    before: encodeCsvLine(report.fields),
    between: '',
    rows: report.rows(),
    formatRow: (row) => encodeCsvLine(Object.values(row)),
  });
}

/**
 * Encodes rows with all of their fields as columns. Without rows, writes only a header with
 * `fields`.
 */
export function encodeRowsAsCsv(rows: readonly ReportRow[], fields: readonly string[]): string {
  const names = rows.length > 0 ? [...new Set(rows.flatMap(Object.keys))] : fields;
  const lines = rows.map((row) => encodeCsvLine(names.map((name) => row[name] ?? null)));
  return encodeCsvLine(names) + lines.join('');
}

/** Encodes a line of CSV, including its CRLF. */
export function encodeCsvLine(cells: readonly ReportCell[]): string {
  return `${cells.map(encodeCsvField).join(',')}\r\n`;
}

/** Encodes a field of CSV. An empty string is quoted, to distinguish it from null. */
function encodeCsvField(cell: ReportCell): string {
  if (cell === null) return '';
  if (cell === '') return '""';

  const text = String(cell);
  if (!/[",\r\n]/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

async function* splitIntoPieces(document: {
  before: string;
  between: string;
  rows: AsyncIterable<ReportRow>;
  formatRow(row: ReportRow): string;
}): AsyncGenerator<string> {
  let piece = document.before;
  let separator = '';

  for await (const row of document.rows) {
    piece += separator + document.formatRow(row);
    separator = document.between;
    if (piece.length < pieceLength) continue;

    yield piece;
    piece = '';
  }

  yield piece;
}
