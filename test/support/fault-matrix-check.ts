import { expect } from 'vitest';
import {
  expectedCreates,
  type FaultCase,
  type FaultResult,
  isUncertain,
  mayExist,
  playFault,
  wholeFile,
} from './fault-matrix.ts';

/** Plays one cell of the matrix, and expects of it all that the matrix says. */
export async function checkFault(each: FaultCase): Promise<FaultResult> {
  const { exitCode, kind } = each;
  const result = await playFault(each, await wholeFile(each.step));
  expect(result).toMatchObject({
    exitCode,
    stdout: '',
    file: exitCode === 0 ? 'new' : 'old',
    leftovers: [],
    creates: expectedCreates(each),
  });
  if (exitCode !== 0) expect(result.stderr).toMatch(kind.says);
  expect(mayExist.test(result.stderr)).toBe(isUncertain(each));
  // A token of the built-in accounts, or one that was issued; and the password of them all.
  expect(result.everything).not.toMatch(/[0-9a-f]{40}|\bdemo\b/);
  return result;
}
