import type { Report, ReportCell } from './engine.ts';

/** Pieces of about 64 KB pass through compression and sockets fastest. */
const pieceLength = 65_536;

/** The report document `{"data":[…],"summary":{…}}`, in pieces (service specification, Report data). */
export async function* encodeJson({ columns, summary, rows }: Report): AsyncGenerator<string> {
  const leads = columns.map(({ field }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(field)}:`);
  const rowText = (row: readonly ReportCell[]): string =>
    `${row.map((cell, index) => leads[index] + JSON.stringify(cell)).join('')}}`;
  yield* inPieces('{"data":[', ',', rows(), rowText);
  yield `],"summary":${JSON.stringify(summary)}}`;
}

/** RFC 4180: a header row, then the rows, lines ended by CRLF, null as an empty field (`decisions.md` 4). */
export function encodeCsv({ columns, rows }: Report): AsyncGenerator<string> {
  const lineOf = (row: readonly ReportCell[]): string => `${row.map(csvField).join(',')}\r\n`;
  return inPieces(lineOf(columns.map(({ field }) => field)), '', rows(), lineOf);
}

/** A field in quotes where it needs them; an empty text needs them to be told from null. */
export function csvField(value: ReportCell): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* inPieces(
  before: string,
  between: string,
  batches: AsyncIterable<Iterable<readonly ReportCell[]>>,
  textOf: (row: readonly ReportCell[]) => string,
): AsyncGenerator<string> {
  let piece = before;
  let separator = '';
  for await (const batch of batches) {
    for (const row of batch) {
      piece += separator + textOf(row);
      separator = between;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
