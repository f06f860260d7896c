import type { ReportSummary } from '../contract/messages.ts';
import { letterN, quote } from './ascii.ts';

/**
 * A run of report rows as byte ranges into one buffer: nothing is decoded until somebody asks.
 *
 * `bytes` holds JSON that has been checked to be well-formed UTF-8 and well-formed JSON; between two rows of a batch
 * stand only a comma and blanks. The buffer and the arrays are used again for the next batch: whoever needs a value
 * longer than that copies it. The arrays may be longer than what they hold.
 */
export interface RowBatch {
  readonly bytes: Buffer;
  readonly rowCount: number;
  /** How many rows of the report came before this batch. */
  readonly firstRow: number;
  /** The keys of the rows so far, this batch included, in order of first appearance; a new array when it grows. */
  readonly fields: readonly string[];
  /** Where row `r` begins, at its `{`, and ends, after its `}`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;
  /**
   * Where the JSON value of field `f` in row `r` begins and ends, at `r * fields.length + f`; the start is -1 where
   * the row has no such key. Of a key that a row repeats the last value counts, as in `JSON.parse`.
   */
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
  /** Whether every row stands on one line. */
  readonly singleLine: boolean;
}

/** Whether a row of the batch has something in that field: neither nothing at all, nor null, nor an empty text. */
export function hasValue(batch: RowBatch, field: number): boolean {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = batch;
  for (let at = field; at < rowCount * fields.length; at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0 || bytes[start] === letterN) continue;
    if (bytes[start] !== quote || (valueEnds[at] as number) - start > 2) return true;
  }
  return false;
}

/** A member of the report document beside `data`, with its value as JSON. */
export interface ReportMember {
  readonly name: string;
  readonly json: Buffer;
}

/** What is known once the whole of a report has been read. */
export interface ReportTail {
  readonly rowCount: number;
  /** Size of the body as read, in bytes. */
  readonly sizeBytes: number;
  /** Every key of the rows; of an empty CSV report, its header. */
  readonly fields: readonly string[];
  /** The `summary` member, where it has the specified shape; a CSV body has none. */
  readonly summary: ReportSummary | undefined;
  /** The members of the document but `data`, in document order, `summary` included. */
  readonly members: readonly ReportMember[];
}

/** The batches of one report, and its tail as the generator's return value. */
export type RowBatches = AsyncGenerator<RowBatch, ReportTail, undefined>;
