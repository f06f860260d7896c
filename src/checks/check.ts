import type { CheckMessage, CheckResult, MessageKind } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/**
 * Observes the rows of a report on their way to the output, and adds messages after the last row.
 */
export interface Check {
  observe(batch: RowBatch): void;

  close(tail: ReportTail, messages: CheckMessages): void;
}

/** Warnings and notes on one report. */
export class CheckMessages implements CheckResult {
  readonly warnings: CheckMessage[] = [];
  readonly notes: CheckMessage[] = [];

  /** Adds a warning: evidence that the report does not match the request. */
  addWarning(
    kind: MessageKind,
    message: string,
    more: Pick<CheckMessage, 'about' | 'forReaders'> = {},
  ): void {
    this.warnings.push({ kind, message, ...more });
  }

  /** Adds a note: an observation that may be harmless. */
  addNote(kind: MessageKind, message: string): void {
    this.notes.push({ kind, message });
  }
}

/** Returns `3 rows (first: row 5)` or `row 5`. */
export function formatRows(count: number, firstRow: number): string {
  return count === 1 ? `row ${firstRow}` : `${count} rows (first: row ${firstRow})`;
}
