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

/** Layout of a table. Default: as wide as the rows need, plain text, with totals. */
export interface TableLook {
  /** Maximum line width in characters. Default: as wide as the rows need. */
  readonly width?: number;
  readonly style?: TableStyle;
  readonly totals?: boolean;
}

/** Prints a page to PDF and returns its bytes. Throws `OutputError`. */
export type PagePrinter = (page: Uint8Array) => Promise<Buffer>;

/** Options of an encoder. Each format ignores those that do not apply to it. */
export interface EncodeOptions extends ColumnChoice {
  /** Writes CSV for spreadsheets in European locales. */
  readonly excel?: boolean | undefined;

  /** Makes control characters of CSV visible, for output to a terminal. */
  readonly isShown?: boolean;
  readonly table?: TableLook;

  /** Heading of pages and of a sheet's summary. Default: derived from the breakdowns. */
  readonly title?: string;

  /** Set if the rows have the order that the user asked for. */
  readonly keepsOrder?: boolean;

  /** Sender's note to readers of a page or a sheet's summary. */
  readonly remark?: string | undefined;

  /** Prints PDFs; required by that format only. */
  readonly printer?: PagePrinter | undefined;

  /** Origin of the report, stored in Parquet files, sheets and pages. */
  readonly provenance?: Provenance;
  readonly comparison?: Comparison;

  /** Report by day or hour, for pages whose rows have no times. */
  readonly overTime?: GroupedTotals;
}

/** Warnings and notes as readers see them. */
export interface ReportMessages {
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** Returns warnings and notes as files show them. */
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
 * column does not exist, and `OutputError` or `IncompleteDataError` for data that the format cannot
 * represent.
 */
export interface Encoder {
  /** Rows that `end` has added for `--compare`, because only the earlier report has them. */
  readonly endedRows?: number;

  /** Encodes a batch. Batches of several reports may follow each other. */
  encode(batch: RowBatch): Pieces;

  /** @param messages stored by formats that have room for them */
  end(tail: ReportTail, messages?: ReportMessages): Pieces | Promise<Pieces>;
}

/** Destination for bytes: a file, stdout. */
export interface Sink {
  /** Writes bytes. The caller may reuse them once this has returned or its promise is fulfilled. */
  write(bytes: Uint8Array): void | Promise<void>;
}
