import { AdreportError, type Judgement } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/**
 * Judges rows on their way to the output: of one report, or of several that are merged into one.
 */
export interface Verdict {
  observe(batch: RowBatch): void;

  /**
   * What the rows are found to be, after the last of them. Throws `IncompleteDataError` for what is
   * no report.
   */
  close(tail: ReportTail): Judgement;
}

/**
 * What is said of the parts of a merged output, each of which is judged as the report that it is.
 */
export class MergedVerdict implements Verdict {
  readonly #findings: string[] = [];
  readonly #notes: string[] = [];
  readonly #briefNotes: string[] = [];

  /**
   * Closes the verdict on a part, whose sentences begin with its name from here on. Throws as
   * `close`, with the name.
   */
  add(label: string, verdict: Verdict, tail: ReportTail): void {
    const { findings, notes, briefNotes } = closeAs(label, verdict, tail);
    this.#findings.push(...findings.map((finding) => `${label}: ${finding}`));
    this.#notes.push(...notes.map((note) => `${label}: ${note}`));
    this.#briefNotes.push(...briefNotes.map((note) => `${label}: ${note}`));
  }

  observe(): void {}

  close(): Judgement {
    return { findings: this.#findings, notes: this.#notes, briefNotes: this.#briefNotes };
  }
}

function closeAs(label: string, verdict: Verdict, tail: ReportTail): Judgement {
  try {
    return verdict.close(tail);
  } catch (error) {
    if (error instanceof AdreportError) error.message = `${label}: ${error.message}`;
    throw error;
  }
}
