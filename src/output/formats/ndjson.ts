import { lineEnd, RowObjects, separators } from '../bytes/row-objects.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

/** One row object a line, and nothing else: the summary has no place here. */
export function createEncoder(options: EncodeOptions): Encoder {
  const rows = new RowObjects(options, separators.ndjson);
  return {
    encode: (batch) => [rows.encode(batch), lineEnd],
    end: () => [],
  };
}
