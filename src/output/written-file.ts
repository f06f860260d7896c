import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import type { Encoder, Pieces, ReportMessages } from './encoder.ts';
import type { OutputFile } from './file/output-file.ts';

/** An open output of a report, and what turns rows into its bytes. */
interface OpenedOutput {
  /** File name as typed; `undefined` for stdout. */
  readonly name: string | undefined;
  readonly encoder: Encoder;
  readonly output: OutputFile;
}

/**
 * One file of a report, or what goes to stdout. Calls throw `OutputError`, and what the encoder
 * throws; the caller then discards all files of the report.
 */
export class WrittenFile {
  /** File name as typed; `undefined` for stdout. */
  readonly name: string | undefined;

  /** Rows of the file, once it is complete: those that only the earlier report has count too. */
  rowCount = 0;

  /** Size of the complete file. */
  sizeBytes = 0;

  /** Hexadecimal hash; absent if it was not computed. */
  sha256: string | undefined;

  readonly #encoder: Encoder;
  readonly #output: OutputFile;

  constructor({ name, encoder, output }: OpenedOutput) {
    this.name = name;
    this.#encoder = encoder;
    this.#output = output;
  }

  /** True for stdout, pipes and devices, where nothing can be taken back. */
  get isStream(): boolean {
    return this.#output.isStream;
  }

  write(batch: RowBatch): Promise<void> {
    return this.#writePieces(this.#encoder.encode(batch));
  }

  /** Completes the file, but does not put it in place. */
  async end(tail: ReportTail, messages?: ReportMessages): Promise<void> {
    await this.#writePieces(await this.#encoder.end(tail, messages));
    const { sizeBytes, sha256 } = await this.#output.finish();
    this.rowCount = tail.rowCount + (this.#encoder.endedRows ?? 0);
    this.sizeBytes = sizeBytes;
    this.sha256 = sha256;
  }

  /** Puts the complete file in place, or prints it. */
  commit(): Promise<void> {
    return this.#output.place();
  }

  /** Removes what was written, unless it is in place. */
  discard(): Promise<void> {
    return this.#output.abort();
  }

  async #writePieces(pieces: Pieces): Promise<void> {
    for (const piece of pieces) {
      if (piece.length > 0) await this.#output.write(piece);
    }
  }
}
