import { type OddService, oddServices } from '../contract/odd-services.ts';
import { serveOdd } from './odd-service.ts';

/** The line that tries every statement, asks nothing, and prints JSON. */
export const examinationLine = 'doctor --service --yes --json';

/** One statement, as `--json` tells what came of it. */
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

/** The statements that did not hold, by their numbers, with what was said of each. */
export function othersIn(result: { readonly stdout: string }): Record<string, string> {
  const others: Record<string, string> = {};
  for (const { id, result: outcome, said } of resultsIn(result)) {
    if (outcome !== 'holds') others[id] = `${outcome}: ${said}`;
  }
  return others;
}

/** What comes of an examination: the statements that differ, and whether one is described. */
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

/** The statements that differ where every report is the same one of a single day. */
export async function literalDifferences(): Promise<readonly string[]> {
  const plain = oddServices['the same report: pretty-printed'];
  return plain ? (await differencesOf(plain)).ids : [];
}
