import type { Report, ReportCell, ReportRow } from './engine.ts';

/** How a report is written as bytes (`decisions.md` 4). */

/** Pieces of about 64 KB pass through compression and sockets fastest. */
const pieceLength = 65_536;

/**
 * The report document `{"data":[…],"summary":{…}}`, in pieces (service specification, Report data).
 */
export async function* encodeJson(report: Report): AsyncGenerator<string> {
  const rows = report.rows();
  yield* inPieces({ before: '{"data":[', between: ',', rows, textOf: JSON.stringify });
  yield `],"summary":${JSON.stringify(report.summary)}}`;
}

/** RFC 4180: a header row, then the rows, lines ended by CRLF, null as an empty field. */
export function encodeCsv(report: Report): AsyncGenerator<string> {
  return inPieces({
    before: csvLine(report.fields),
    between: '',
    rows: report.rows(),
    textOf: (row) => csvLine(Object.values(row)),
  });
}

/**
 * Rows of any kind as CSV: the columns are the fields of the rows, or where there is no row, those
 * that are given.
 */
export function encodeRowsAsCsv(rows: readonly object[], fields: readonly string[]): string {
  const names = new Set(rows.flatMap(Object.keys));
  const columns = rows.length > 0 ? [...names] : fields;

  const lines = [csvLine(columns)];
  for (const row of rows) {
    const values = new Map(Object.entries(row));
    lines.push(csvLine(columns.map((name) => cellOf(values.get(name)))));
  }
  return lines.join('');
}

/** Any value of JSON as a cell: a list or an object is its JSON. */
function cellOf(value: unknown): ReportCell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}

/** A line of CSV with its end. */
export function csvLine(cells: readonly ReportCell[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

/** A field of CSV, in quotes where it needs them; an empty text needs them to be told from null. */
function csvField(cell: ReportCell): string {
  if (cell === null) return '';
  if (cell === '') return '""';

  const text = String(cell);
  if (!/[",\r\n]/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Rows as text: what stands before the first of them, and between them. */
interface RowText {
  readonly before: string;
  readonly between: string;
  readonly rows: AsyncIterable<ReportRow>;
  textOf(row: ReportRow): string;
}

async function* inPieces(text: RowText): AsyncGenerator<string> {
  let piece = text.before;
  let separator = '';

  for await (const row of text.rows) {
    piece += separator + text.textOf(row);
    separator = text.between;
    if (piece.length < pieceLength) continue;

    yield piece;
    piece = '';
  }

  yield piece;
}
