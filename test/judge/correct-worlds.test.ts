import { test } from 'vitest';
import { expectNoFinding } from './correct-worlds.ts';

/**
 * `CASES=20000 npx vitest run test/judge/correct-worlds.test.ts` tries as many; the long tests have
 * ten thousand.
 */
const numRuns = Number(process.env.CASES ?? 300);

test('nothing is found in reports that are what was asked for', async () => {
  await expectNoFinding(numRuns);
}, 1_800_000);
