import { isJson } from '../text/json-object.ts';
import type { ReportMember } from './row-batch.ts';

/** Written by adreport to a file's key-value metadata; the name is without `adreport.`. */
export interface ParquetNote {
  readonly name: string;
  readonly text: string;
}

/** Sent by the process that decodes a Parquet file. The rows are written to its standard output. */
export type ParquetMessage =
  | {
      /** adreport's metadata in the file. */
      readonly kind: 'notes';
      readonly notes: readonly ParquetNote[];
    }
  | {
      /** Columns of lists, records and intervals, which are not read: no report has them. */
      readonly kind: 'skipped';
      readonly columns: readonly string[];
    }
  | {
      /** Decoding of a column, or part of one, has begun; `sizeBytes` is its size in the file. */
      readonly kind: 'column';
      readonly sizeBytes: number;
    }
  | {
      /** Rows up to about this byte of the file have been written. */
      readonly kind: 'position';
      readonly bytes: number;
    }
  | {
      /** Reading has ended; the reason for a failure has no full stop. */
      readonly kind: 'done';
      readonly failure?: string;
    };

export interface ParquetRequest {
  readonly path: string;
}

/** Memory limit of 640 MB: two pages of 128 MB and V8's heap. */
export const maxProcessBytes = 640 * 1024 * 1024;

/** Byte after the rows of a file on standard output. JSON never contains it. */
export const endOfFile = 0;

/** Returns the notes that are JSON. Of several with the same name, the last counts. */
export function membersFrom(notes: readonly ParquetNote[]): ReportMember[] {
  const members = new Map<string, Buffer>();
  for (const { name, text } of notes) {
    if (isJson(text)) members.set(name, Buffer.from(text));
  }
  return [...members].map(([name, json]) => ({ name, json }));
}
