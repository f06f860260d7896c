import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import type { Encoder, Pieces, ReportMessages } from './encoder.ts';
import type { OutputFile } from './file/output-file.ts';

/** An open output, and the encoder of its rows. */
interface OpenedOutput {
  /** `undefined` for stdout. */
  readonly name: string | undefined;
  readonly encoder: Encoder;
  readonly output: OutputFile;
}

/**
 * A file of a report, or stdout. Calls throw `OutputError` or an error of the encoder. The caller
 * then discards all files of the report.
 */
export class WrittenFile {
  /** `undefined` for stdout. */
  readonly name: string | undefined;

  /** Number of rows in the complete file, including those that only the earlier report has. */
  rowCount = 0;

  /** Size of the complete file. */
  sizeBytes = 0;

  /** Hexadecimal hash. `undefined` if it was not computed. */
  sha256: string | undefined;

  readonly #encoder: Encoder;
  readonly #output: OutputFile;

  constructor({ name, encoder, output }: OpenedOutput) {
    this.name = name;
    this.#encoder = encoder;
    this.#output = output;
  }

  /** Whether the output is stdout, a pipe or a device, and cannot be undone. */
  get isStream(): boolean {
    return this.#output.isStream;
  }

  write(batch: RowBatch): Promise<void> {
    return this.#writePieces(this.#encoder.encode(batch));
  }

  /** Completes the file without putting it in place. */
  async end(tail: ReportTail, messages?: ReportMessages): Promise<void> {
    await this.#writePieces(await this.#encoder.end(tail, messages));
    const { sizeBytes, sha256 } = await this.#output.finish();
    this.rowCount = tail.rowCount + (this.#encoder.endedRowCount ?? 0);
    this.sizeBytes = sizeBytes;
    this.sha256 = sha256;
  }

  /** Puts the complete file in place, or writes it to the stream. */
  commit(): Promise<void> {
    return this.#output.place();
  }

  /** Removes the output, unless it is already in place. */
  discard(): Promise<void> {
    return this.#output.abort();
  }

  async #writePieces(pieces: Pieces): Promise<void> {
    for (const piece of pieces) {
      if (piece.length > 0) await this.#output.write(piece);
    }
  }
}
