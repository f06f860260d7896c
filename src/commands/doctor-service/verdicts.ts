import { type StatementId, statements } from '../../contract/statements.ts';
import type { Profile } from '../../contract/vocabulary.ts';

/** What a trial of a statement came to. */
export type TrialResult = 'holds' | 'differs' | 'not tried';

/** A result, and what came instead, or why the statement was not tried. */
export interface TrialVerdict {
  readonly result: TrialResult;
  readonly said: string | null;
}

/** Why a trial could not be made; the statements that needed it are not tried. */
export class TrialStopped extends Error {}

/** What each statement came to. The last word on a statement counts. */
export class Verdicts {
  readonly #byId = new Map<StatementId, TrialVerdict>();

  get(id: StatementId): TrialVerdict | undefined {
    return this.#byId.get(id);
  }

  judge(id: StatementId, isHeld: boolean, came: string): void {
    if (isHeld) this.holds(id);
    else this.differs(id, came);
  }

  holds(id: StatementId): void {
    this.#byId.set(id, { result: 'holds', said: null });
  }

  differs(id: StatementId, said: string): void {
    this.#byId.set(id, { result: 'differs', said });
  }

  skip(id: StatementId, why: string): void {
    this.#byId.set(id, { result: 'not tried', said: why });
  }

  /** Makes a trial; where it cannot be made, the statements that it was for are not tried. */
  async attempt(ids: readonly StatementId[], trial: () => Promise<void>): Promise<void> {
    try {
      await trial();
    } catch (error) {
      if (!(error instanceof TrialStopped)) throw error;
      for (const id of ids) {
        if (!this.#byId.has(id)) this.skip(id, error.message);
      }
    }
  }

  /** The statements of a profile on which nothing was said are not tried. */
  skipOthers(profile: Profile, why: string): void {
    for (const { id, profiles } of statements) {
      const isOfProfile = profiles.some((name) => name === profile);
      if (isOfProfile && !this.#byId.has(id)) this.skip(id, why);
    }
  }
}
