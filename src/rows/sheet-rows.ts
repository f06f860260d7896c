import { Unzip, UnzipInflate } from 'fflate';
import { fieldOfLabel, fieldTypeOf } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import { malformed, maxRowBytes } from './bytes.ts';

/** So much is unpacked at a time; what compresses a thousandfold is still no more than memory holds. */
const pieceBytes = 8 * 1024;

/**
 * The rows of a sheet that adreport wrote, as JSON objects, one a line: the header's words mean fields again, dates and
 * hours (the wall time of the report's zone) are texts again. What was computed from other columns is left out.
 * @throws IncompleteDataError where it is a sheet of another program, or none
 */
export async function* readSheetLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let xml = '';
  let isWhole = false;
  const decoder = new TextDecoder();
  const unzip = new Unzip((file) => {
    if (file.name !== 'xl/worksheets/sheet1.xml') return;
    file.ondata = (error, piece, isLast) => {
      if (error) throw error;
      xml += decoder.decode(piece, { stream: !isLast });
      isWhole ||= isLast;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  let fields: readonly (readonly [column: string, field: string])[] | undefined;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      unzip.push(chunk.subarray(at, at + pieceBytes));
      const end = xml.lastIndexOf('</row>');
      if (end < 0 && xml.length > maxRowBytes)
        throw malformed('A row of the sheet is longer than 8 MB', maxRowBytes);
      if (end < 0) continue;
      let lines = '';
      for (const [, row = ''] of xml.slice(0, end + 6).matchAll(/<row [^>]*>(.*?)<\/row>/gs)) {
        const cells = cellsOf(row);
        if (fields) lines += `${objectOf(cells, fields)}\n`;
        else fields = fieldsOf(cells);
      }
      xml = xml.slice(end + 6);
      if (lines !== '') yield Buffer.from(lines);
    }
  }
  if (!isWhole) throw malformed('It is a zip file without a whole sheet of adreport', 0);
}

interface Cell {
  readonly attributes: string;
  readonly content: string;
}

/** The cells of a row, by the letters of their columns. */
function cellsOf(row: string): Map<string, Cell> {
  const cells = row.matchAll(/<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs);
  return new Map(
    [...cells].map(([, column = '', attributes = '', content = '']) => [
      column,
      { attributes, content },
    ]),
  );
}

/** The columns that are no formulas, with their fields. */
function fieldsOf(header: ReadonlyMap<string, Cell>): [column: string, field: string][] {
  return [...header].flatMap(([column, { attributes, content }]): [string, string][] => {
    if (!attributes.includes('t="inlineStr"'))
      throw malformed('It is a sheet of another program', 0);
    const field = fieldOfLabel(textOf(content));
    return derivedMetrics.some((metric) => metric.field === field) ? [] : [[column, field]];
  });
}

function objectOf(
  cells: ReadonlyMap<string, Cell>,
  fields: readonly (readonly [string, string])[],
): string {
  return `{${fields.map(([column, field]) => `${JSON.stringify(field)}:${jsonOf(field, cells.get(column))}`).join(',')}}`;
}

function jsonOf(
  field: string,
  { attributes, content }: Cell = { attributes: '', content: '' },
): string {
  if (content === '') return 'null';
  if (attributes.includes('t="inlineStr"')) return JSON.stringify(textOf(content));
  const number = /^<v>(-?[\d.]+(?:[eE][+-]?\d+)?)<\/v>$/.exec(content)?.[1];
  if (number === undefined) throw malformed('It is a sheet of another program', 0);
  const type = fieldTypeOf(field);
  if (type !== 'date' && type !== 'hour') return number;
  // 25,569 is the first of January 1970.
  const time = new Date(Math.round((Number(number) - 25_569) * 86_400_000)).toISOString();
  return type === 'date' ? `"${time.slice(0, 10)}"` : `"${time.slice(0, 19)}+0000"`;
}

function textOf(content: string): string {
  const text = /^<is><t[^>]*>(.*)<\/t><\/is>$/s.exec(content)?.[1] ?? '';
  return text
    .replace(
      /&(amp|lt|gt|quot);/g,
      (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name],
    )
    .replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
