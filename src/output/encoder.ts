import type { Column } from '../contract/columns.ts';
import { briefNotesOf, type Judgement } from '../errors.ts';
import type { Comparison } from '../figures/figures.ts';
import type { ReportTail, RowBatch, RowBatches } from '../rows/row-batch.ts';
import type { Provenance } from './provenance.ts';

/** How CSV is written; the defaults together are the service's own layout. */
export interface CsvDialect {
  readonly delimiter?: string;

  /** The decimal mark of numbers, money strings included. Default: as the service sent them. */
  readonly decimal?: ',' | '.';
  readonly bom?: boolean;

  /** Put an apostrophe before text that a spreadsheet would run as a formula. */
  readonly escapeFormulas?: boolean;
  readonly header?: boolean;

  /** Whether a terminal shows it: control characters in texts are made visible. */
  readonly shown?: boolean;
}

/** How a terminal shows parts of a text. */
export interface TableStyle {
  bold(text: string): string;
  dim(text: string): string;

  /** Of headings, and of a line in a chart. */
  cyan(text: string): string;

  /** Of what has risen, and of what has fallen. */
  green(text: string): string;
  red(text: string): string;
}

/**
 * How a table for people is laid out. Default: as wide as the rows are, plain Unicode text, with a
 * line of totals.
 */
export interface TableLook {
  /** How many characters a line may have. Default: as many as the rows need. */
  readonly width?: number;
  readonly style?: TableStyle;
  readonly unicode?: boolean;
  readonly totals?: boolean;
}

/** Prints a page, and gives the bytes of a PDF. Throws `OutputError`. */
export type PagePrinter = (page: Uint8Array) => Promise<Buffer>;

/** How a report is written. What does not concern a format is passed over by it. */
export interface EncodeOptions {
  /** The columns that the request leads to, where it is known. */
  readonly columns?: readonly Column[];

  /**
   * The columns to write and their order (`--columns`). Default: those that the request leads to,
   * else all.
   */
  readonly selectedColumns?: readonly string[] | 'all';
  readonly normalize?: boolean;
  readonly csv?: CsvDialect;
  readonly table?: TableLook;

  /** The heading of a page and of a sheet's summary. Default: what the report is broken down by. */
  readonly title?: string;

  /** What the sender says to the readers of a page and of a sheet's summary. */
  readonly remark?: string | undefined;

  /** A picture for the head of a page, as a `data:` URI. */
  readonly logo?: string | undefined;

  /** What prints a PDF: its format needs one. */
  readonly printer?: PagePrinter | undefined;

  /** Where the report comes from: Parquet, sheets and pages keep it beside the rows. */
  readonly provenance?: Provenance;
  readonly comparison?: Comparison;

  /** Takes a sentence for the user that does not belong into the output. */
  readonly note?: (sentence: string) => void;
}

/** What a report is found to be, as readers of it are told. */
export interface ReportJudgement {
  readonly findings: readonly string[];
  readonly briefNotes: readonly string[];
}

/** Bytes to write, in order. They are good until the encoder's next call. */
export type Pieces = readonly Uint8Array[];

/**
 * Turns the rows of one or more reports into the bytes of one format. Its calls throw `UsageError`
 * where a selected column does not exist, and `OutputError` or `IncompleteDataError` for what the
 * format cannot hold.
 */
export interface Encoder {
  /** The bytes of a batch. Batches of several reports may follow each other. */
  encode(batch: RowBatch): Pieces;

  /** @param judgement what is said of the report: formats with a place for it keep it */
  end(tail: ReportTail, judgement?: ReportJudgement): Pieces | Promise<Pieces>;
}

/** Where bytes go: a file, stdout. */
export interface Sink {
  /**
   * Takes the bytes, which the caller may use again once this has returned, or its promise is
   * fulfilled.
   */
  write(bytes: Uint8Array): void | Promise<void>;
}

/** A report that has been written. */
export interface WrittenRows {
  readonly rowCount: number;

  /** How many bytes were given to the sink. */
  readonly sizeBytes: number;

  readonly tail: ReportTail;

  readonly judgement: Judgement;
}

/** What is said of a report at which nobody looks. */
const noJudgement: Judgement = { findings: [], notes: [] };

/** Looks at the rows of a report on their way. */
export interface RowWatcher {
  /** Sees every batch before it is written. */
  observe(batch: RowBatch): void;

  /** What the report is found to be; asked once, after the last row. */
  close(tail: ReportTail): Judgement;
}

/**
 * Writes a report from its first row to its end. On any error the batches are closed, so that the
 * download behind them stops; the sink is the caller's to finish or to abort.
 */
export async function writeRows(
  batches: RowBatches,
  encoder: Encoder,
  sink: Sink,
  watcher?: RowWatcher,
): Promise<WrittenRows> {
  let sizeBytes = 0;
  const write = async (pieces: Pieces): Promise<void> => {
    for (const piece of pieces) {
      sizeBytes += piece.length;
      if (piece.length > 0) await sink.write(piece);
    }
  };

  try {
    let next = await batches.next();
    while (!next.done) {
      watcher?.observe(next.value);
      await write(encoder.encode(next.value));
      next = await batches.next();
    }

    const tail = next.value;
    const judgement = watcher?.close(tail) ?? noJudgement;
    const findings = judgement.findings.map(({ message }) => message);
    const texts = { findings, briefNotes: briefNotesOf(judgement) };
    await write(await encoder.end(tail, texts));
    return { rowCount: tail.rowCount, sizeBytes, tail, judgement };
  } finally {
    await batches.return?.();
  }
}
