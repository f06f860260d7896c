import type { ReportMember } from './row-batch.ts';

/**
 * A text that adreport put into the key-value metadata of a file; its name is without `adreport.`.
 */
export interface ParquetNote {
  readonly name: string;
  readonly text: string;
}

/**
 * What the process that decodes a Parquet file tells the one that started it; the rows come on its
 * standard output.
 */
export type ParquetMessage =
  | {
      /** What adreport noted of the report in the file. */
      readonly kind: 'notes';
      readonly notes: readonly ParquetNote[];
    }
  | {
      /** It begins to decode a column, or a part of one, that takes so many bytes in the file. */
      readonly kind: 'column';
      readonly sizeBytes: number;
    }
  | {
      /** It has written the rows up to this byte of the file, roughly. */
      readonly kind: 'position';
      readonly bytes: number;
    }
  | {
      /** The file cannot be read; why is a text without a full stop. */
      readonly kind: 'failure';
      readonly reason: string;
    };

/** 640 MB: what the process takes at most, with two pages of 128 MB and what V8 keeps. */
export const mostProcessBytes = 640 * 1024 * 1024;

/** The descriptor under which the process finds the file. */
export const fileDescriptor = 4;

/** The notes that are JSON; of several with one name the last counts. */
export function membersFrom(notes: readonly ParquetNote[]): ReportMember[] {
  const members = new Map<string, Buffer>();
  for (const { name, text } of notes) {
    if (isJson(text)) members.set(name, Buffer.from(text));
  }
  return [...members].map(([name, json]) => ({ name, json }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
