import type { EncodeOptions, Encoder } from '../encoder.ts';
import { lineEnd, RowObjects, separators } from '../row-objects.ts';

/** One row object a line, and nothing else: the summary has no place here. */
export function createEncoder(options: EncodeOptions): Encoder {
  const rows = new RowObjects(options, separators.ndjson);
  return {
    encode: (batch) => [rows.encode(batch), lineEnd],
    end: () => [],
  };
}
