import type { Readable } from 'node:stream';
import { IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import type { HttpResponse } from './http.ts';

/** A whole body as text. Throws `IncompleteDataError` past the bound: no call that is read whole may fill the memory. */
export async function readText(body: AsyncIterable<Buffer>, bytesAtMost: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bytesAtMost) {
      throw new IncompleteDataError(`The answer is longer than ${bytesAtMost} bytes.`, { retryable: false });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The beginning of a body (`bytesAtLeast`, or all there is), whether that is all of it, and the whole from its first byte. */
export async function peek(
  body: Readable,
  bytesAtLeast: number,
): Promise<{ start: Buffer; isWhole: boolean; all: AsyncIterable<Buffer> }> {
  const rest = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (size < bytesAtLeast) {
    const next = await rest.next();
    if (next.done) {
      isWhole = true;
      break;
    }
    pieces.push(next.value);
    size += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* pieces;
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start: Buffer.concat(pieces), isWhole, all: all() };
}

/** An integer with more digits than a number holds, as a string: an id that is rounded is another report's. */
function exactIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
}

/** A body's JSON. Throws `IncompleteDataError` that says what came instead. */
export function parseJson(text: string, response: HttpResponse): unknown {
  try {
    return JSON.parse(exactIntegers(text.replace(/^\uFEFF/, '')));
  } catch (cause) {
    const isPage = /html/i.test(response.headers['content-type'] ?? '') || /^\s*</.test(text);
    const beginning = printable(text.trim().slice(0, 60));
    const came = isPage ? 'a web page' : beginning === '' ? 'an empty body' : `“${beginning}”`;
    throw new IncompleteDataError(`The service answered ${response.status} with ${came} instead of JSON.`, {
      cause,
      hint: isPage
        ? 'A proxy’s or a portal’s page? Check the base URL and HTTPS_PROXY.'
        : 'Is the base URL the reporting service’s? adreport whoami shows it.',
    });
  }
}
