import { IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import type { HttpResponse } from './http.ts';

/** No body that is read whole is longer: only reports are, and those are read in pieces. */
const bytesAtMost = 16 * 1024 * 1024;

/** How much of an answer tells a record from a report of any size, which is streamed. */
const peekedBytes = 64 * 1024;

/**
 * A whole body as text, in the charset that it declares, else UTF-8. Throws `IncompleteDataError` for one that is longer
 * than 16 MB, and for bytes that are no text in that charset.
 */
export async function readText({ body, headers }: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > bytesAtMost) {
      throw new IncompleteDataError('The answer is longer than 16 MB, and is no report.', { retryable: false });
    }
    pieces.push(piece);
  }
  return decoderFor(charsetOf(headers['content-type']))(Buffer.concat(pieces), false);
}

/** The charset that a `Content-Type` declares, else UTF-8. */
export function charsetOf(contentType = ''): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

/** What makes text of the bytes in a charset, piece by piece. Both throw `IncompleteDataError`, where that cannot be. */
export function decoderFor(charset: string): (piece: Buffer, isMore: boolean) => string {
  const orRefuse = <T>(attempt: () => T): T => {
    try {
      return attempt();
    } catch {
      throw new IncompleteDataError(`The answer is no text in ${printable(charset)}.`, { retryable: false });
    }
  };
  const decoder = orRefuse(() => new TextDecoder(charset, { fatal: true }));
  return (piece, isMore) => orRefuse(() => decoder.decode(piece, { stream: isMore }));
}

/** The beginning of a body (64 KiB, all there is, or enough), whether that is all of it, and the whole from its first byte. */
export async function peek(
  body: AsyncIterable<Buffer>,
  isEnough: (beginning: string) => boolean = () => false,
): Promise<{ start: Buffer; isWhole: boolean; all: AsyncIterable<Buffer> }> {
  const rest = body[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (size < peekedBytes && !(pieces[0] && isEnough(pieces[0].toString('latin1', 0, 100)))) {
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

/** A body's JSON, its long integers as text: an id that is rounded is another report's. Throws `SyntaxError`. */
function parseExactJson(text: string): unknown {
  // Each open bracket takes forty times its byte while it is parsed.
  if (nestingOf(text) > 1_000) throw new SyntaxError('The brackets go too deep.');
  const stringOrLong = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])\d{16,}(?![\d.eE])/g;
  const quoteLong = (token: string) => (token.startsWith('"') ? token : `"${token}"`);
  return JSON.parse(/\d{16}/.test(text) ? text.replace(stringOrLong, quoteLong) : text);
}

/** How many brackets are open at once, at most. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      for (index += 1; index < text.length && text[index] !== '"'; index += 1) if (text[index] === '\\') index += 1;
    } else if (character === '[' || character === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
}

/** The JSON of a text; where it is none, what else there is. */
export function parsedOr(otherwise: () => unknown, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return otherwise();
  }
}

/** A body's JSON. Throws `IncompleteDataError` that quotes what came instead. */
export function parseJson(text: string, { status, headers }: HttpResponse): unknown {
  return parsedOr(() => {
    const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text);
    const came = isPage ? 'a web page' : text.trim() === '' ? 'an empty body' : quoteAnswer(text);
    // Its cause is not kept: it quotes the answer as well, and nothing is masked in it.
    throw new IncompleteDataError(`The service answered ${status} with ${came} instead of JSON.`, {
      retryable: false,
      hint: isPage
        ? 'A proxy’s or a portal’s page? Check the base URL and HTTPS_PROXY.'
        : 'Is the base URL the reporting service’s? adreport whoami shows it.',
    });
  }, text);
}

/** The first 150 characters of an answer, in quotation marks. */
export function quoteAnswer(text: string): string {
  return `“${printable(text.trim().slice(0, 150))}${text.trim().length > 150 ? '…' : ''}”`;
}

/**
 * A text of an answer to sign-in without what may be a token in an unknown place: a value whose name says so, and every
 * run of 16 characters or more, unless it is a word of capitals such as an error's.
 */
export function withoutTokens(text: string): string {
  return text
    .replace(/("[^"]*(?:token|key|secret|session|auth)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi, '$1"[hidden]"')
    .replace(/[\w.~+/=-]{16,}/g, (run) => (/^[A-Z]+(_[A-Z]+)+\.?$/.test(run) ? run : '[hidden]'));
}
