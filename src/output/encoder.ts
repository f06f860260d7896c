import type { Column } from '../contract/columns.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import type { Comparison } from '../view/comparison.ts';

/** How CSV is written; every member has a default, which together are the service's own layout. */
export interface CsvDialect {
  /** One ASCII character. Default: a comma. */
  readonly delimiter?: string;
  /** The decimal mark of numbers, money strings included. Default: as the service sent them. */
  readonly decimal?: ',' | '.';
  /** Begin with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom?: boolean;
  /** Put an apostrophe before text that a spreadsheet would run as a formula. */
  readonly escapeFormulas?: boolean;
  /** Default: true. */
  readonly header?: boolean;
}

/** How parts of a table look on a terminal; each returns its text, dressed. */
interface TableStyle {
  bold(text: string): string;
  dim(text: string): string;
}

/** How a table for people is laid out; every member has a default. */
export interface TableLook {
  /** Character cells to fit into; absent: as wide as the rows are. */
  readonly columns?: number;
  /** Default: plain text. */
  readonly style?: TableStyle;
  /** Whether the terminal shows more than ASCII. Default: true. */
  readonly unicode?: boolean;
  /** Whether a line of totals ends it. Default: true. */
  readonly totals?: boolean;
}

/** How a report is written. What does not concern a format is passed over by it. */
export interface EncodeOptions {
  /** The columns that the request leads to, where it is known: the header of an empty report. */
  readonly columns?: readonly Column[];
  /** The columns to write and their order (`--columns`). Default: all, in the order of the rows' keys. */
  readonly select?: readonly string[];
  /** Numbers for decimal commas, and metrics under their own name (`--normalize`). */
  readonly normalize?: boolean;
  readonly csv?: CsvDialect;
  readonly table?: TableLook;
  /** The heading of a page and of a sheet's summary. Default: what the report is broken down by. */
  readonly title?: string;
  /** When the report is written, in milliseconds since 1970: it stands on the summary of a sheet. */
  readonly madeMs?: number;
  /** An earlier report, whose figures stand beside those of this one. */
  readonly comparison?: Comparison;
  /** Takes a sentence for the user that does not belong into the output. */
  readonly note?: (sentence: string) => void;
}

/** Bytes to write, in order. They are good until the encoder's next call. */
export type Pieces = readonly Uint8Array[];

/**
 * Turns the rows of one or more reports into the bytes of one format. Its calls throw `UsageError` where a selected
 * column does not exist, and `OutputError` or `IncompleteDataError` for what the format cannot hold.
 */
export interface Encoder {
  /** The bytes of a batch. Batches of several reports may follow each other. */
  encode(batch: RowBatch): Pieces | Promise<Pieces>;
  /** The bytes after the last row. */
  end(tail: ReportTail): Pieces | Promise<Pieces>;
  /** Columns that appeared after the header was written. If there are any, what was written needs `widen`. */
  readonly lateColumns?: readonly string[];
  /** Everything that was written, once more with its late columns. */
  widen?(written: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** Where bytes go: a file, stdout. */
export interface Sink {
  /** Takes the bytes, which the caller may use again once this has returned, or its promise is fulfilled. */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Replaces what was written so far; absent where that cannot be. */
  rewrite?(change: (written: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): Promise<void>;
}
