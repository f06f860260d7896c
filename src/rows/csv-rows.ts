import { parse } from 'csv-parse';
import { fieldTypeOf } from '../contract/columns.ts';
import { printable } from '../text/printable.ts';
import { malformed, maxRowBytes } from './bytes.ts';
import { maxFields } from './row-ranges.ts';
import { maxValueBytes } from './row-scanner.ts';

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The rows of a CSV report as the JSON that the service would have sent, one object a line: null for an empty field, a
 * number where the field is a metric and the text a number, a string for the rest (a DSP's money too, whose decimal
 * comma makes it a string in JSON as well).
 * @param header takes the names of the columns, before the first row comes
 * @throws IncompleteDataError where it is not RFC 4180 in UTF-8, or is no report
 */
export async function* readCsvLines(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  header: string[],
): AsyncGenerator<Buffer> {
  let columns: readonly { readonly key: string; readonly isNumeric: boolean }[] = [];
  let bytesSinceRow = 0;
  let lines = '';
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
  });
  let failure: Error | undefined;
  parser.on('error', (error) => {
    failure = error;
  });
  const take = (): void => {
    for (let values = parser.read(); values !== null; values = parser.read()) {
      bytesSinceRow = 0;
      if (header.length === 0) {
        header.push(...checkHeader(values));
        columns = header.map((name) => {
          const isNumeric = ['integer', 'money'].includes(fieldTypeOf(name) ?? '');
          return { key: `${JSON.stringify(name)}:`, isNumeric };
        });
      } else {
        const members = columns.map(({ key, isNumeric }, i) => key + jsonOf(values[i], isNumeric));
        lines += `{${members.join(',')}}\n`;
      }
    }
    if (failure)
      throw malformed(`The CSV cannot be read: ${printable(failure.message).slice(0, 300)}`);
    if (bytesSinceRow > maxRowBytes)
      throw malformed('The CSV has a line, or blank lines in a row, of over 8 MB');
  };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw malformed('The CSV is not UTF-8');
    }
  };
  for await (const chunk of bytes) {
    check(chunk);
    bytesSinceRow += chunk.length;
    // The write is done when it returns.
    parser.write(chunk);
    take();
    if (lines.length < 64 * 1024) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  check();
  await new Promise<void>((done) => parser.end(() => done()));
  take();
  if (header.length === 0) checkHeader([]);
  yield Buffer.from(lines);
}

/** The names of a header, each once, at least one of them a field of a report. */
function checkHeader(names: readonly string[]): readonly string[] {
  if (names.length > maxFields) throw malformed(`The CSV header has over ${maxFields} columns`);
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined)
    throw malformed(`The CSV header names ${JSON.stringify(printable(repeated))} twice`);
  if (names.some((name) => fieldTypeOf(name) !== undefined)) return names;
  throw malformed(
    'This is neither JSON nor a CSV report: its first line names no field of a report',
  );
}

function jsonOf(value: string, isNumeric: boolean): string {
  if (value === '') return 'null';
  if (value.length > maxValueBytes) throw malformed('The CSV has a value longer than 1 MB');
  return isNumeric && numberForm.test(value) ? value : JSON.stringify(value);
}

/**
 * The delimiter of a CSV whose text begins so: the one of comma, semicolon and tab that its header has most of.
 * @param isAny whether a header without these may have another one, as files of `--delimiter` do
 */
export function delimiterOf(head: Buffer, isAny: boolean): string {
  const bare = head.toString('latin1').replace(/"[^"]*"/g, '');
  const [line = ''] = bare.replace(/^[\r\n]+/, '').split(/[\r\n]/, 1);
  const countOf = (delimiter: string): number => line.split(delimiter).length;
  const [usual = ','] = [',', ';', '\t'].sort((a, b) => countOf(b) - countOf(a));
  if (countOf(usual) > 1 || !isAny) return usual;
  const [other] = /[^\w\s\x80-\xff]/.exec(line) ?? / /.exec(line) ?? [usual];
  return other;
}
