import { Unzip, UnzipInflate } from 'fflate';
import { fieldOfLabel, fieldTypeOf } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import { malformed } from './bytes.ts';

/** So much is unpacked at a time; what compresses a thousandfold is still no more than memory holds. */
const pieceBytes = 8 * 1024;

/** No row of a sheet is longer. */
const longestRow = 8_000_000;

const dayMs = 86_400_000;
const serialOf1970 = 25_569;

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
  let fields: (string | undefined)[] | undefined;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      unzip.push(chunk.subarray(at, at + pieceBytes));
      const end = xml.lastIndexOf('</row>');
      if (end < 0 && xml.length > longestRow) throw malformed('A row of the sheet is longer than 8 MB', longestRow);
      if (end < 0) continue;
      let lines = '';
      for (const [, row = ''] of xml.slice(0, end + 6).matchAll(/<row [^>]*>(.*?)<\/row>/gs)) {
        if (fields) lines += `${objectOf(row, fields)}\n`;
        else fields = fieldsOf(row);
      }
      xml = xml.slice(end + 6);
      if (lines !== '') yield Buffer.from(lines);
    }
  }
  if (!isWhole) throw malformed('It is a zip file without a whole sheet of adreport', 0);
}

/** The cells of a row: column, attributes, content. */
function cellsOf(row: string): [index: number, attributes: string, content: string][] {
  return [...row.matchAll(/<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(
    ([, letters = '', attributes = '', content = '']) => {
      const index = [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
      return [index, attributes, content];
    },
  );
}

function fieldsOf(row: string): (string | undefined)[] {
  const fields: (string | undefined)[] = [];
  for (const [index, attributes, content] of cellsOf(row)) {
    if (!attributes.includes('t="inlineStr"')) throw malformed('It is a sheet of another program', 0);
    const field = fieldOfLabel(textOf(content));
    fields[index] = derivedMetrics.some((metric) => metric.field === field) ? undefined : field;
  }
  return fields;
}

function objectOf(row: string, fields: readonly (string | undefined)[]): string {
  const values = new Map(cellsOf(row).map(([index, attributes, content]) => [index, [attributes, content] as const]));
  const members = fields.flatMap((field, index) => {
    if (field === undefined) return [];
    const [attributes = '', content = ''] = values.get(index) ?? [];
    return `${JSON.stringify(field)}:${jsonOf(field, attributes, content)}`;
  });
  return `{${members.join(',')}}`;
}

/** A cell as JSON. */
function jsonOf(field: string, attributes: string, content: string): string {
  if (content === '') return 'null';
  if (attributes.includes('t="inlineStr"')) return JSON.stringify(textOf(content));
  const number = /^<v>(-?[\d.]+(?:[eE][+-]?\d+)?)<\/v>$/.exec(content)?.[1];
  if (number === undefined) throw malformed('It is a sheet of another program', 0);
  const type = fieldTypeOf(field);
  if (type !== 'date' && type !== 'hour') return number;
  const time = new Date(Math.round((Number(number) - serialOf1970) * dayMs)).toISOString();
  return type === 'date' ? `"${time.slice(0, 10)}"` : `"${time.slice(0, 19)}+0000"`;
}

function textOf(content: string): string {
  const text = /^<is><t[^>]*>(.*)<\/t><\/is>$/s.exec(content)?.[1] ?? '';
  return text
    .replace(/&(amp|lt|gt|quot);/g, (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name])
    .replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
