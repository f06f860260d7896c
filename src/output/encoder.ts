import type { CheckResult } from '../errors.ts';
import type { ColumnChoice } from '../query/column-plan.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import type { Comparison } from '../totals/comparison.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import type { Provenance } from './provenance.ts';

export interface TableStyle {
  bold(text: string): string;
  dim(text: string): string;

  /** Colours headings and chart lines. */
  cyan(text: string): string;

  /** Colours increases. */
  green(text: string): string;
  red(text: string): string;
}

/** Layout of a table. By default it is as wide as its rows, in plain text, with totals. */
export interface TableLook {
  /** Maximum line width in characters. Default: as wide as the rows need. */
  readonly width?: number;
  readonly style?: TableStyle;
  readonly totals?: boolean;
}

/** Prints a page to PDF and returns the bytes. Throws `OutputError`. */
export type PagePrinter = (page: Uint8Array) => Promise<Buffer>;

/** Options of an encoder. A format ignores the options that it cannot use. */
export interface EncodeOptions extends ColumnChoice {
  /** Writes CSV for spreadsheets in European locales. */
  readonly excel?: boolean | undefined;

  /** Makes the control characters in CSV visible. Set if the output goes to a terminal. */
  readonly isShown?: boolean;
  readonly table?: TableLook;

  /** Heading of pages and of a sheet's summary. Default: derived from the breakdowns. */
  readonly title?: string;

  /** Set if the user chose the order of the rows. */
  readonly keepsOrder?: boolean;

  /** Note from the sender to the readers of a page or of a sheet's summary. */
  readonly senderNote?: string | undefined;

  /** Prints PDFs. Only the format pdf requires it. */
  readonly printer?: PagePrinter | undefined;

  /** Origin of the report. Parquet files, sheets and pages store it. */
  readonly provenance?: Provenance;
  readonly comparison?: Comparison;

  /** Report by day or hour. A page uses it for the chart if its rows have no times. */
  readonly overTime?: GroupedTotals;
}

/** Warnings and notes in the wording for readers. */
export interface ReportMessages {
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** Returns warnings and notes in the wording for files. */
export function messagesForReaders({ warnings, notes }: CheckResult): ReportMessages {
  return {
    warnings: warnings.map(({ message, forReaders = message }) => forReaders),
    notes: notes.map(({ message }) => message),
  };
}

/** Bytes to write, in order. Valid until the next call to the encoder. */
export type Pieces = readonly Uint8Array[];

/**
 * Encodes the rows of one or more reports in one format. Calls throw `UsageError` if a selected
 * column does not exist. They throw `OutputError` or `IncompleteDataError` if the format cannot
 * represent the data.
 */
export interface Encoder {
  /** Rows that `end` has added for `--compare`. They occur only in the earlier report. */
  readonly endedRows?: number;

  /** Encodes a batch. Batches of several reports may follow each other. */
  encode(batch: RowBatch): Pieces;

  /** @param messages stored only by formats that have room for them */
  end(tail: ReportTail, messages?: ReportMessages): Pieces | Promise<Pieces>;
}

/** Destination for bytes, such as a file or stdout. */
export interface Sink {
  /**
   * Writes bytes. The caller may reuse them once the call has returned or its promise is fulfilled.
   */
  write(bytes: Uint8Array): void | Promise<void>;
}
