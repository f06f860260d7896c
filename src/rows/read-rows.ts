import { detectTextFormat, startsWithRow } from '../contract/body-kind.ts';
import { IncompleteDataError } from '../errors.ts';
import { ByteWindow, toBuffer, truncatedError } from './bytes.ts';
import type { CsvOptions } from './csv-rows.ts';
import { readDocument } from './json-document.ts';
import type { RowBatches } from './row-batch.ts';

export interface ReadOptions {
  /** `Content-Type` of the body. The content takes precedence. */
  readonly contentType?: string | undefined;

  /** Number of bytes to scan at a time. Affects the size of batches, but not the rows. */
  readonly pieceBytes?: number;

  /** Fields that every batch has, before those of the rows. */
  readonly fields?: readonly string[];

  /** Allows or expects one row per line (NDJSON), as in files. Default: neither. */
  readonly lines?: 'allowed' | 'expected';

  readonly csv?: Omit<CsvOptions, 'dialect'> | undefined;
}

/**
 * Pieces over 256 KB do not fit in the processor's cache. With 64 KB, the work per batch would take
 * 5 % of the time.
 */
const defaultPieceBytes = 256 * 1024;

/** Number of bytes by which the format of a body is recognized. */
const headBytes = 64 * 1024;

/**
 * Reads the rows of a report body, JSON or CSV, in constant memory. A batch is valid until the next
 * is requested.
 *
 * @throws IncompleteDataError if the body is malformed or incomplete
 * @throws RejectedError if the body is an error document
 */
export async function* readRows(
  body: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): RowBatches {
  const { lines, pieceBytes = defaultPieceBytes } = options;
  const source = body[Symbol.asyncIterator]();
  try {
    const start = await readHead(source);
    const head = dropByteOrderMark(start);
    const form = lines === 'expected' ? 'lines' : detectForm(head, options);
    if (form !== 'csv') {
      const window = new ByteWindow(head, source, pieceBytes);
      return yield* readDocument(window, form === 'lines', options.fields);
    }

    const { detectDelimiter, readCsvLines } = await import('./csv-rows.ts');
    const delimiter = detectDelimiter(head, lines !== undefined);
    const dialect = { delimiter, hasByteOrderMark: hasByteOrderMark(start) };
    const fields: string[] = [];
    const csvLines = readCsvLines(prepend(head, source), fields, { ...options.csv, dialect });
    const window = new ByteWindow(Buffer.alloc(0), csvLines, pieceBytes);
    const tail = yield* readDocument(window, true);
    return { ...tail, fields, isCsv: true };
  } finally {
    await source.return?.();
  }
}

function hasByteOrderMark(head: Buffer): boolean {
  return head.toString('latin1', 0, 3) === '\xef\xbb\xbf';
}

function dropByteOrderMark(head: Buffer): Buffer {
  return hasByteOrderMark(head) ? head.subarray(3) : head;
}

/** Reads the first bytes of a body. */
export async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await chunks.next();
    if (next.done) break;
    head = head.length === 0 ? toBuffer(next.value) : Buffer.concat([head, next.value]);
  }
  return head;
}

export async function* prepend(
  head: Buffer,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

/** Recognizes the format of a body by its first bytes, and then by its `Content-Type`. */
function detectForm(
  head: Buffer,
  { contentType, lines }: ReadOptions,
): 'document' | 'lines' | 'csv' {
  const text = head.toString('latin1');
  if (text.trim() === '' && head.length < headBytes) throw truncatedError(0, head.length);
  const form = detectTextFormat(text, contentType);
  if (form === 'page') {
    throw new IncompleteDataError('The service sent a web page instead of the report.', {
      code: 'NO_DATA',
      retryable: true,
      hint: 'Check the base URL, and whether a proxy responded instead.',
    });
  }
  if (lines === 'allowed' && startsWithRow(head.toString())) return 'lines';
  return form === 'json' ? 'document' : 'csv';
}
