import { AdreportError, type Judgement, type Remark } from '../errors.ts';
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
  readonly #findings: Remark[] = [];
  readonly #notes: Remark[] = [];

  /**
   * Closes the verdict on a part, whose sentences begin with its name from here on. Throws as
   * `close`, with the name.
   */
  add(label: string, verdict: Verdict, tail: ReportTail): void {
    const { findings, notes } = closeAs(label, verdict, tail);
    this.#findings.push(...findings.map((finding) => labelled(label, finding)));
    this.#notes.push(...notes.map((note) => labelled(label, note)));
  }

  observe(): void {}

  close(): Judgement {
    return { findings: this.#findings, notes: this.#notes };
  }
}

/** A remark that begins with the name of what it is on. */
export function labelled(label: string, remark: Remark): Remark {
  const { message, brief } = remark;
  return {
    ...remark,
    message: `${label}: ${message}`,
    ...(brief && { brief: `${label}: ${brief}` }),
  };
}

function closeAs(label: string, verdict: Verdict, tail: ReportTail): Judgement {
  try {
    return verdict.close(tail);
  } catch (error) {
    if (error instanceof AdreportError) error.message = `${label}: ${error.message}`;
    throw error;
  }
}
