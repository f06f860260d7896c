import { AdreportError, type Judgement, type Remark } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/** Judges the rows of one report, or of several merged into one, on their way to the output. */
export interface Verdict {
  observe(batch: RowBatch): void;

  /**
   * The judgement, once all rows have been observed. Throws `IncompleteDataError` if the data is
   * not a report.
   */
  close(tail: ReportTail): Judgement;
}

/** Collects the findings and notes of a merged output; each part has its own verdict. */
export class MergedVerdict implements Verdict {
  readonly #findings: Remark[] = [];
  readonly #notes: Remark[] = [];

  /**
   * Closes the verdict on a part and prefixes its messages with the part's label. Throws like
   * `close`, with the label.
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

/** The remark with its messages prefixed by a label. */
export function labelled(label: string, remark: Remark): Remark {
  const { message, brief, forReaders } = remark;
  return {
    ...remark,
    message: `${label}: ${message}`,
    ...(brief && { brief: `${label}: ${brief}` }),
    ...(forReaders && { forReaders: `${label}: ${forReaders}` }),
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
