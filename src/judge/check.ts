import type { Column } from '../contract/columns.ts';
import type { ReportRequest } from '../contract/messages.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import type { Judgement } from '../errors.ts';
import type { Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly profile: Profile;

  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  readonly columns: readonly Column[];

  readonly filters?: ReportRequest['filters'];
}

/** Looks at a report's rows on their way to the output, and says at their end what it has found. */
export interface Check {
  observe(batch: RowBatch): void;

  close(tail: ReportTail, sayings: Sayings): void;
}

/** Takes what the checks say of one report. */
export class Sayings implements Judgement {
  readonly findings: string[] = [];
  readonly notes: string[] = [];
  readonly briefNotes: string[] = [];

  /** Takes a sentence on two statements that cannot both be true. */
  find(sentence: string): void {
    this.findings.push(sentence);
  }

  /**
   * Takes a sentence on what may be right.
   * @param brief what stderr has of it without `-v`; empty for nothing
   */
  note(sentence: string, brief = sentence): void {
    this.notes.push(sentence);
    if (brief !== '') this.briefNotes.push(brief);
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
