import { isUtf8 } from 'node:buffer';

/**
 * Decodes UTF-8 and drops a byte order mark.
 *
 * @throws Error whose message follows the file name: `it is not UTF-8`
 */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf16(bytes))
    throw new Error('it is UTF-16, which PowerShell writes by default; save it as UTF-8');
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** Recognizes UTF-16 by its byte order mark, or by an ASCII character at the beginning. */
function isUtf16(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  const mark = bytes.subarray(0, 2).toString('hex');
  const isHalfZero = (first === 0) !== (second === 0);
  return mark === 'fffe' || mark === 'feff' || (bytes.length > 1 && isHalfZero);
}
