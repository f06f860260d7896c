import type { Column } from '../contract/columns.ts';
import type { ReportRequest, WindowClock } from '../contract/messages.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import type { CheckMessage, CheckResult, MessageKind } from '../errors.ts';
import type { Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/** The report's content according to its request. */
export interface Expectation {
  readonly profile: Profile;

  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  readonly columns: readonly Column[];

  readonly filters?: ReportRequest['filters'];

  /** The window of the whole command by a clock that is ahead; absent if it was not typed. */
  readonly windowBy?: (aheadMs: number) => Window | undefined;

  /** How the ends of the window were sent; `instant` if absent. */
  readonly windowClock?: WindowClock;
}

/** Observes a report's rows on their way to the output and adds its messages after the last one. */
export interface Check {
  observe(batch: RowBatch): void;

  close(tail: ReportTail, messages: CheckMessages): void;
}

/** Collects the warnings and notes on one report. */
export class CheckMessages implements CheckResult {
  readonly warnings: CheckMessage[] = [];
  readonly notes: CheckMessage[] = [];

  /** Adds a warning: a proof that the report is not what was requested. */
  addWarning(
    kind: MessageKind,
    message: string,
    more: Pick<CheckMessage, 'about' | 'forReaders'> = {},
  ): void {
    this.warnings.push({ kind, message, ...more });
  }

  /** Adds a note: something that may be fine. */
  addNote(
    kind: MessageKind,
    message: string,
    more: Pick<CheckMessage, 'about' | 'brief' | 'isUrgent'> = {},
  ): void {
    this.notes.push({ kind, message, ...more });
  }
}

/** A row count with its first row: `3 rows (first: row 5)`, `row 5`. */
export function rowsText(count: number, firstRow: number): string {
  return count === 1 ? `row ${firstRow}` : `${count} rows (first: row ${firstRow})`;
}

/**
 * True if the field name is our own choice and not documented by the service (`decisions.md` 4).
 * The absence or form of such a field proves nothing.
 */
export function isOurField(field: string, profile: Profile | undefined): boolean {
  if (field === 'date') return profile !== 'dsp';
  return field === 'hour' || field === 'publisherId' || field === 'format';
}
