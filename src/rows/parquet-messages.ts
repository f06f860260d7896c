import { isJson } from '../text/json-object.ts';
import type { ReportMember } from './row-batch.ts';

/** An entry that adreport wrote to the metadata of a file. `name` lacks the prefix `adreport.`. */
export interface ParquetNote {
  readonly name: string;
  readonly text: string;
}

/** Line after the rows of a file. */
export interface ParquetEnd {
  readonly notes?: readonly ParquetNote[];

  /** Reason why the file cannot be read, without a full stop. */
  readonly failure?: string;
}

export interface ParquetRequest {
  readonly path: string;
}

/** Memory limit of 640 MB: two pages of 128 MB and V8's heap. */
export const maxProcessBytes = 640 * 1024 * 1024;

/** Byte between the rows and the last line of a file. JSON never contains it. */
export const endOfRows = 0;

/** Converts notes to members of a report. Notes that are not JSON are omitted. */
export function toMembers(notes: readonly ParquetNote[]): ReportMember[] {
  const members = new Map<string, Buffer>();
  for (const { name, text } of notes) {
    if (isJson(text)) members.set(name, Buffer.from(text));
  }
  return [...members].map(([name, json]) => ({ name, json }));
}
