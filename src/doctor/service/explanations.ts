import type { StatementId } from '../../contract/statements.ts';
import type { TrialVerdict } from './trial.ts';

/** For a statement, the statements that make it differ if they do, because its trial needs them. */
const causes: { readonly [Id in StatementId]?: readonly StatementId[] } = {
  S08: ['S16'],
  S10: ['S09'],
  S19: ['S21', 'S17'],
  S20: ['S17'],
  S25: ['S03', 'S23', 'S24', 'S26', 'S27', 'S29'],
  S33: ['S13'],
};

/** Adds to each verdict that does not hold the statements that it follows from. */
export function addCauses(
  verdicts: ReadonlyMap<StatementId, TrialVerdict>,
): ReadonlyMap<StatementId, TrialVerdict> {
  const all = new Map(verdicts);

  for (const [id, verdict] of verdicts) {
    const failed = (causes[id] ?? []).filter((cause) => verdicts.get(cause)?.result === 'differs');
    if (verdict.result === 'holds' || failed.length === 0) continue;
    all.set(id, { ...verdict, said: `${verdict.said} (follows from ${failed.join(', ')})` });
  }
  return all;
}
