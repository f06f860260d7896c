import { RowObjects } from '../bytes/row-objects.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

const lineEnd = Buffer.from('\n');

/** One row object a line, and nothing else: the summary has no place here. */
export function createEncoder(options: EncodeOptions): Encoder {
  const rows = new RowObjects(options, lineEnd);
  return {
    encode: (batch) => [rows.encode(batch), lineEnd],
    end: () => [],
  };
}
