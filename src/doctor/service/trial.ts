/** The outcome of a trial: true if the statement holds, otherwise how the service differs. */
export type TrialOutcome = true | string;

/** Thrown if a statement cannot be tried; the message is the reason, without a full stop. */
export class TrialSkipped extends Error {}

export interface TrialVerdict {
  readonly result: 'holds' | 'differs' | 'not tried';

  /** How the service differs, or why the statement was not tried; `null` if it holds. */
  readonly said: string | null;
}
