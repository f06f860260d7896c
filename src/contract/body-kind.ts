import { fieldTypeOf } from './columns.ts';

/** Detects the format of a body from its first bytes or characters and its `Content-Type`. */

/** Formats that are recognized by their first bytes. */
type BinaryFormat = 'gzip' | 'zip' | 'zstd' | 'parquet';

const signatures: readonly { readonly format: BinaryFormat; readonly signature: string }[] = [
  { format: 'gzip', signature: '\x1f\x8b' },
  { format: 'zip', signature: 'PK\x03\x04' },
  { format: 'zip', signature: 'PK\x05\x06' },
  { format: 'zstd', signature: '\x28\xb5\x2f\xfd' },
  { format: 'parquet', signature: 'PAR1' },
];

/** Detects the format of a binary body, or returns `undefined` for text. */
export function detectBinaryFormat(head: Uint8Array): BinaryFormat | undefined {
  const start = String.fromCharCode(...head.subarray(0, 4));
  return signatures.find(({ signature }) => start.startsWith(signature))?.format;
}

/** Recognizes a web page, for example from a proxy or a captive portal. */
export function isPage(text: string, contentType = ''): boolean {
  return /html/i.test(contentType) || /^\s*</.test(text);
}

function isLabelledCsv(contentType = ''): boolean {
  return /\bcsv\b/i.test(contentType);
}

/** Recognizes a body that is labeled as CSV, or whose first line is not JSON. */
export function isCsv(text: string, contentType = ''): boolean {
  return isLabelledCsv(contentType) || /^\s*[^\s{["<][^\r\n]*[\r\n]/.test(text);
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Recognizes a list of rows. Anything that is not JSON counts too. */
export function looksLikeReport(text: string): boolean {
  return /^\s*(\{\s*"data"\s*:\s*\[|[^\s{[])/.test(text);
}

/** Returns the report ID if the body is nothing but an ID, whatever its media type. */
export function findBareId(text: string, contentType = ''): string | undefined {
  const id = /^\s*([\w-]{1,128})\s*$/.exec(text)?.[1];
  return id !== undefined && /\d/.test(id) && !isLabelledCsv(contentType) ? id : undefined;
}

/**
 * Detects the format of a report's text. The beginning of the text takes precedence over the
 * `Content-Type`.
 */
export function detectTextFormat(text: string, contentType = ''): 'page' | 'json' | 'csv' {
  if (isPage(text)) return 'page';
  if (looksLikeJson(text) || text.trim() === '') return 'json';

  const isLabelledJson = /^\s*application\/(?:.+\+)?json\b/i.test(contentType);
  return isLabelledJson && !startsWithHeader(text) ? 'json' : 'csv';
}

/** Recognizes the header of a CSV report by its column names. */
function startsWithHeader(text: string): boolean {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1);
  const names = line.split(/[,;\t]/);
  return names.some((name) => fieldTypeOf(name.replaceAll('"', '').trim()) !== undefined);
}

/** Recognizes text that starts with an NDJSON row instead of a report document. */
export function startsWithRow(text: string): boolean {
  const [first = '', second = ''] = text.trimStart().split('\n', 2);
  if (!first.startsWith('{')) return false;
  try {
    const row: object = JSON.parse(first);
    if ('data' in row) return false;
    return second.startsWith('{') || Object.keys(row).some((key) => fieldTypeOf(key) !== undefined);
  } catch {
    return false;
  }
}
