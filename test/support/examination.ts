import type { Variant } from '../contract/service-variants.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { serveVariant } from './variant-service.ts';

/** The line that tries every statement, asks nothing, and prints JSON. */
export const examinationLine = 'doctor --service --yes --json';

/** One statement, as `--json` tells what came of it. */
export interface StatementResult {
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

/** The statements that differ in one examination, and in another one not, or otherwise. */
export function newDifferences(
  result: { readonly stdout: string },
  usual: { readonly stdout: string },
): string[] {
  const others = othersIn(usual);
  const ids: string[] = [];
  for (const [id, outcome] of Object.entries(othersIn(result))) {
    if (outcome.startsWith('differs') && outcome !== others[id]) ids.push(id);
  }
  return ids;
}

/** What comes of a service with some literal answers. */
export async function examineVariant(
  variant: Pick<Variant, 'answers'>,
  flags = '',
): Promise<CliResult> {
  const { env } = await serveVariant(variant);
  const signIn = { ADREPORT_EMAIL: 'me@example.com', ADREPORT_PASSWORD: 'correct horse' };
  return runCli(`${examinationLine} ${flags}`, { env: { ...env, ...signIn } });
}
