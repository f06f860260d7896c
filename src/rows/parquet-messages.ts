import { isJson } from '../text/json-object.ts';
import type { ReportMember } from './row-batch.ts';

/**
 * A note that adreport writes to the key-value metadata of a file. The name lacks the prefix
 * `adreport.`.
 */
export interface ParquetNote {
  readonly name: string;
  readonly text: string;
}

/**
 * Line after the rows of a file. It has adreport's metadata, or the reason why the file cannot be
 * read (without a full stop).
 */
export interface ParquetEnd {
  readonly notes?: readonly ParquetNote[];
  readonly failure?: string;
}

export interface ParquetRequest {
  readonly path: string;
}

/** Memory limit of 640 MB: two pages of 128 MB and V8's heap. */
export const maxProcessBytes = 640 * 1024 * 1024;

/** Byte after the rows of a file on standard output, and before its end. JSON never contains it. */
export const endOfRows = 0;

/** Returns the notes that are JSON. Of several with the same name, the last counts. */
export function toMembers(notes: readonly ParquetNote[]): ReportMember[] {
  const members = new Map<string, Buffer>();
  for (const { name, text } of notes) {
    if (isJson(text)) members.set(name, Buffer.from(text));
  }
  return [...members].map(([name, json]) => ({ name, json }));
}
