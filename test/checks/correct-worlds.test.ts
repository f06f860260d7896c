import { test } from 'vitest';
import { expectNoFinding } from './correct-worlds.ts';

/** Set `CASES=20000` for more cases; the long tests run ten thousand. */
const numRuns = Number(process.env.CASES ?? 120);

test('correct reports have no findings', async () => {
  await expectNoFinding(numRuns);
}, 1_800_000);
