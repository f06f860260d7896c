import type { Column } from '../contract/columns.ts';
import type { ReportRequest, WindowClock } from '../contract/messages.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import type { Judgement, Remark, RemarkKind } from '../errors.ts';
import type { Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly profile: Profile;

  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  readonly columns: readonly Column[];

  readonly filters?: ReportRequest['filters'];

  /** How the ends of the window were sent; as instants where absent. */
  readonly windowClock?: WindowClock;
}

/** Looks at a report's rows on their way to the output, and says at their end what it has found. */
export interface Check {
  observe(batch: RowBatch): void;

  close(tail: ReportTail, sayings: Sayings): void;
}

/** Takes what the checks say of one report. */
export class Sayings implements Judgement {
  readonly findings: Remark[] = [];
  readonly notes: Remark[] = [];

  /** Takes two statements that cannot both be true. */
  find(kind: RemarkKind, message: string, about?: string): void {
    this.findings.push({ kind, message, ...(about !== undefined && { about }) });
  }

  /** Takes what may be fine. */
  note(kind: RemarkKind, message: string, more: Pick<Remark, 'about' | 'brief'> = {}): void {
    this.notes.push({ kind, message, ...more });
  }
}

/** How many rows, and the first of them: `3 rows (the first is row 5)`, `row 5`. */
export function rowsText(count: number, firstRow: number): string {
  return count === 1 ? `row ${firstRow}` : `${count} rows (the first is row ${firstRow})`;
}

/**
 * Whether the name of a field is ours and not the service's (`decisions.md` 4): it proves nothing
 * that it is not there, or how it is written.
 */
export function isOurField(field: string, profile: Profile | undefined): boolean {
  if (field === 'date') return profile !== 'dsp';
  return field === 'hour' || field === 'publisherId' || field === 'format';
}
