import { IncompleteDataError } from '../errors.ts';
import { ByteWindow, endsEarly, less, malformed, openBrace, openBracket } from './bytes.ts';
import { CsvDocument } from './csv-document.ts';
import { areRows, JsonDocument } from './json-document.ts';
import { skipBlanks } from './json-scan.ts';
import type { ReportTail, RowBatch, RowBatches } from './row-batch.ts';

/** How a body is to be read. */
export interface ReadOptions {
  /** The body's `Content-Type`; what the body looks like decides first. */
  readonly contentType?: string | undefined;
  /** How many bytes to look at together; the rows do not depend on it, the batches do. */
  readonly pieceBytes?: number;
  /** Whether rows may also, or must, stand alone, one a line (NDJSON). Default: neither. */
  readonly lines?: 'allowed' | 'expected';
}

/** 64 KB: larger pieces fall out of the processor's cache and cost 15 to 40 %. */
const defaultPieceBytes = 64 * 1024;

/** How many blanks may come one after the other, in bytes. What stands beside the rows counts too. */
const maxBlankBytes = 10 * 1024 * 1024;

/** What a body is read as, once its first bytes have told. */
interface Document {
  /** Reads what has arrived; `atEnd` when nothing more will. Throws `IncompleteDataError` where it is malformed. */
  read(atEnd: boolean): Generator<RowBatch, void, undefined>;
  /** What is known once all has been read. Throws where the document is not whole, or is no report. */
  finish(): ReportTail;
}

/**
 * The rows of a report body, JSON or CSV, in constant memory: bytes that have been checked, and where in them the
 * values stand. A batch is good until the next one is asked for.
 *
 * The batches depend on the body alone, never on how the network cut it.
 *
 * @throws IncompleteDataError where the body is malformed, or not proved to be whole
 * @throws RejectedError where it is an error document
 */
export async function* readRows(body: AsyncIterable<Uint8Array>, options: ReadOptions = {}): RowBatches {
  const window = new ByteWindow(options.pieceBytes ?? defaultPieceBytes);
  let document: Document | undefined;
  /** The position in the body up to which there were rows. */
  let lastRowAt = 0;
  for await (const chunk of body) {
    for (let taken = 0; taken < chunk.length; ) {
      taken += window.fill(chunk, taken);
      if (!window.isFull) continue;
      document ??= recognise(window, options);
      for (const batch of document?.read(false) ?? []) {
        yield batch;
        lastRowAt = window.positionOf(window.start);
      }
      if (window.positionOf(window.start) - lastRowAt > maxBlankBytes) {
        throw malformed('Over 10 MB of blanks or blank lines stand in a row', lastRowAt);
      }
      window.settle();
    }
  }
  document ??= recognise(window, options);
  if (!document) throw endsEarly('before it begins', window.receivedBytes);
  for (const batch of document.read(true)) yield batch;
  return document.finish();
}

/** What the body begins like; `undefined` while only blanks have come. */
function recognise(window: ByteWindow, { contentType = '', lines }: ReadOptions): Document | undefined {
  if (window.positionOf(window.start) === 0 && window.bytes[0] === 0xef) {
    if (window.end < 3) return undefined;
    if (window.bytes[1] === 0xbb && window.bytes[2] === 0xbf) window.start = 3;
  }
  const at = skipBlanks(window.bytes, window.start);
  if (lines === 'expected') return new JsonDocument(window, { lines: true });
  if (at >= window.end) {
    window.start = at;
    return undefined;
  }
  const first = window.bytes[at];
  if (lines === 'allowed' && first === openBrace && areRows(window.bytes, at, window.end)) {
    return new JsonDocument(window, { lines: true });
  }
  if (first === openBrace || first === openBracket) return new JsonDocument(window);
  if (first === less) {
    throw new IncompleteDataError('The service sent a web page instead of the report.', {
      code: 'NO_DATA',
      hint: 'Check the base URL, and whether a proxy stands between.',
    });
  }
  if (/^application\/(.+\+)?json\b/i.test(contentType.trim())) return new JsonDocument(window);
  return new CsvDocument(window, { trusted: /^text\/csv\b/i.test(contentType.trim()) });
}
