import type { CheckResult } from '../errors.ts';
import type { ColumnChoice } from '../query/column-plan.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import type { Comparison } from '../totals/comparison.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import type { Provenance } from './provenance.ts';

export interface TableStyle {
  bold(text: string): string;
  dim(text: string): string;

  /** Colors headings and chart lines. */
  cyan(text: string): string;

  /** Colors increases. */
  green(text: string): string;

  /** Colors decreases. */
  red(text: string): string;
}

/** Layout of a table on a terminal or in a pipe. */
export interface TableLook {
  /** Maximum line width in characters. Default: as wide as the rows need. */
  readonly width?: number;

  /** Default: plain text. */
  readonly style?: TableStyle;
}

/** Prints a page and returns the bytes of the PDF. Throws `OutputError`. */
export type PagePrinter = (page: Uint8Array) => Promise<Buffer>;

/** Options of all formats. A format ignores those that it cannot use. */
export interface EncodeOptions extends ColumnChoice {
  /** Writes CSV for spreadsheets in European locales. */
  readonly excel?: boolean | undefined;

  /** Whether CSV goes to a terminal. If so, control characters are made visible. */
  readonly isForTerminal?: boolean;
  readonly table?: TableLook;

  /** Heading of a page or a summary. Default: derived from the breakdowns. */
  readonly title?: string;

  /** Whether the user chose the order of the rows. */
  readonly keepsOrder?: boolean;

  /** Message from the sender to the readers of a page or a summary. */
  readonly senderNote?: string | undefined;

  /** Prints PDFs. Required by the format pdf only. */
  readonly printer?: PagePrinter | undefined;

  /** Origin of the report, for pages, summaries and the metadata of Parquet. */
  readonly provenance?: Provenance;
  readonly comparison?: Comparison;

  /** Groups by day or hour, for the chart of a page whose rows have no times. */
  readonly overTime?: GroupedTotals;
}

/** Warnings and notes, reworded for report readers. */
export interface ReportMessages {
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** Rewords the results of the checks without flags and commands. */
export function toReaderMessages({ warnings, notes }: CheckResult): ReportMessages {
  return {
    warnings: warnings.map(({ message, forReaders = message }) => forReaders),
    notes: notes.map(({ message }) => message),
  };
}

/** Bytes to write, in order. They are valid until the next call to the encoder. */
export type Pieces = readonly Uint8Array[];

/**
 * Encodes a report in one format. Calls throw `UsageError` if a selected column does not exist, and
 * `OutputError` or `IncompleteDataError` if the format cannot represent the data.
 */
export interface Encoder {
  /** Number of rows that `end` has added, because only the earlier report has them. */
  readonly endedRowCount?: number;

  encode(batch: RowBatch): Pieces;

  /** @param messages ignored by formats that have no place for them */
  end(tail: ReportTail, messages?: ReportMessages): Pieces | Promise<Pieces>;
}

/** Destination of bytes, such as a file or stdout. */
export interface Sink {
  /**
   * Writes bytes. The caller may reuse the buffer once the call has returned or its promise is
   * fulfilled.
   */
  write(bytes: Uint8Array): void | Promise<void>;
}
