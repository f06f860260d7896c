/** What a trial of a statement comes to: true where it holds, else what came instead. */
export type TrialOutcome = true | string;

/** Why a trial could not be made, without a full stop: its statement is not tried. */
export class TrialStopped extends Error {}

/** What became of a statement, and what came instead, or why it was not tried. */
export interface TrialVerdict {
  readonly result: 'holds' | 'differs' | 'not tried';
  readonly said: string | null;
}
