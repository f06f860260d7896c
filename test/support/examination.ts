import { type OddService, oddServices } from '../contract/odd-services.ts';
import { serveOdd } from './odd-service.ts';

/** Tries every statement without asking, and prints JSON. */
export const examinationLine = 'doctor --service --yes --json';

/** The result of one statement in `--json`. */
interface StatementResult {
  readonly id: string;
  readonly kind: string;
  readonly sentence: string;
  readonly result: string;
  readonly said: string | null;
}

export function resultsIn({ stdout }: { readonly stdout: string }): readonly StatementResult[] {
  return JSON.parse(stdout).statements;
}

/** The statements that do not hold: result and explanation by id. */
export function othersIn(result: { readonly stdout: string }): Record<string, string> {
  const others: Record<string, string> = {};
  for (const { id, result: outcome, said } of resultsIn(result)) {
    if (outcome !== 'holds') others[id] = `${outcome}: ${said}`;
  }
  return others;
}

/** Examines a service; `isDescribed` is true if a described statement differs. */
export async function differencesOf(service: OddService) {
  const { run } = await serveOdd(service);
  const result = await run(examinationLine);

  const differing = resultsIn(result).filter((each) => each.result === 'differs');
  return {
    exitCode: result.exitCode,
    ids: differing.map(({ id }) => id),
    isDescribed: differing.some(({ kind }) => kind === 'described'),
    text: result.stdout + result.stderr,
  };
}

/** Ids of the statements that differ if every report is the same report of a single day. */
export async function literalDifferences(): Promise<readonly string[]> {
  const plain = oddServices['the same report: pretty-printed'];
  return plain ? (await differencesOf(plain)).ids : [];
}
