import type { Profile } from '../contract/vocabulary.ts';
import type { Report, ReportCell, ReportRow } from './engine.ts';

/** In which form a report is delivered, and how its bytes are written (`decisions.md` 4). */

/** The members of an `Accept…` header in lower case, each with its quality from 0 to 1 (RFC 9110, 12). */
export function preferencesIn(header = ''): ReadonlyMap<string, number> {
  const members = header.split(',').map((member): [string, number] => {
    const [name = '', ...parameters] = member.toLowerCase().split(';');
    const [, q = '1'] =
      parameters.map((parameter) => parameter.split('=')).find(([key]) => key?.trim() === 'q') ??
      [];
    return [name.trim(), Math.min(1, Math.max(0, Number(q) || 0))];
  });
  return new Map(members.filter(([name]) => name !== ''));
}

/**
 * The form in which a report is delivered, or `undefined` where `Accept` allows neither. A DSP that does not name JSON
 * gets CSV (`curl` without `-H Accept` sends `*∕*`); a buyer gets JSON unless CSV is preferred.
 */
export function chooseDataFormat(
  accept: string | undefined,
  profile: Profile,
): 'json' | 'csv' | undefined {
  const given = preferencesIn(accept);
  if (given.size === 0) return profile === 'dsp' ? 'csv' : 'json';
  const qualityOf = (...names: readonly string[]): number | undefined =>
    names.map((name) => given.get(name)).find((quality) => quality !== undefined);
  // `application/vnd.api+json` and `*∕json` name JSON too, where nothing more exact does.
  const [, similar] = [...given].find(([name]) => /\/(json|[\w.-]+\+json)$/.test(name)) ?? [];
  const named = qualityOf('application/json', 'application/*') ?? similar;
  const json = named ?? qualityOf('*/*') ?? 0;
  const csv = qualityOf('text/csv', 'text/*', '*/*') ?? 0;
  if (json === 0 && csv === 0) return undefined;
  if (profile === 'dsp') return csv > 0 && (!named || csv > json) ? 'csv' : 'json';
  return csv > json ? 'csv' : 'json';
}

/** The report document `{"data":[…],"summary":{…}}`, in pieces (service specification, Report data). */
export async function* encodeJson({ summary, rows }: Report): AsyncGenerator<string> {
  yield* inPieces('{"data":[', ',', rows(), JSON.stringify);
  yield `],"summary":${JSON.stringify(summary)}}`;
}

/** RFC 4180: a header row, then the rows, lines ended by CRLF, null as an empty field. */
export function encodeCsv({ fields, rows }: Report): AsyncGenerator<string> {
  return inPieces(csvLine(fields), '', rows(), (row) => csvLine(Object.values(row)));
}

/** A line of CSV; a field is in quotes where it needs them, and an empty text needs them to be told from null. */
export function csvLine(cells: readonly ReportCell[]): string {
  const fields = cells.map((cell) => {
    const text = String(cell ?? '');
    return text === ''
      ? cell === null
        ? ''
        : '""'
      : /[",\r\n]/.test(text)
        ? `"${text.replaceAll('"', '""')}"`
        : text;
  });
  return `${fields.join(',')}\r\n`;
}

/** Pieces of about 64 KB pass through compression and sockets fastest. */
const pieceLength = 65_536;

async function* inPieces(
  before: string,
  between: string,
  rows: AsyncIterable<ReportRow>,
  textOf: (row: ReportRow) => string,
): AsyncGenerator<string> {
  let piece = before;
  let separator = '';
  for await (const row of rows) {
    piece += separator + textOf(row);
    separator = between;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
