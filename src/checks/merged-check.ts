import { AdreportError, type CheckMessage, type CheckResult } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/** Checks the rows of one report, or of several merged into one, on their way to the output. */
export interface OutputCheck {
  observe(batch: RowBatch): void;

  /**
   * The result, once all rows have been observed. Throws `IncompleteDataError` if the data is
   * not a report.
   */
  close(tail: ReportTail): CheckResult;
}

/** Collects the warnings and notes of a merged output; each part has its own check. */
export class MergedCheck implements OutputCheck {
  readonly #warnings: CheckMessage[] = [];
  readonly #notes: CheckMessage[] = [];

  /**
   * Closes the check of a part and prefixes its messages with the part's label. Throws like
   * `close`, with the label.
   */
  add(label: string, check: OutputCheck, tail: ReportTail): void {
    const { warnings, notes } = closeAs(label, check, tail);
    this.#warnings.push(...warnings.map((warning) => labelled(label, warning)));
    this.#notes.push(...notes.map((note) => labelled(label, note)));
  }

  observe(): void {}

  close(): CheckResult {
    return { warnings: this.#warnings, notes: this.#notes };
  }
}

/** Adds a label in front of each form of a warning or note. */
export function labelled(label: string, warning: CheckMessage): CheckMessage {
  const { message, brief, forReaders } = warning;
  return {
    ...warning,
    message: `${label}: ${message}`,
    ...(brief && { brief: `${label}: ${brief}` }),
    ...(forReaders && { forReaders: `${label}: ${forReaders}` }),
  };
}

function closeAs(label: string, check: OutputCheck, tail: ReportTail): CheckResult {
  try {
    return check.close(tail);
  } catch (error) {
    if (error instanceof AdreportError) error.message = `${label}: ${error.message}`;
    throw error;
  }
}
