import type { EncodeOptions, Encoder } from '../encoder.ts';
import { jsonRows } from './json.ts';

const lineEnd = Buffer.from('\n');

/** One row object a line, and nothing else: the summary has no place here. */
export function createEncoder(options: EncodeOptions): Encoder {
  const encodeRows = jsonRows(options, lineEnd);
  return { encode: (batch) => [encodeRows(batch), lineEnd], end: () => [] };
}
