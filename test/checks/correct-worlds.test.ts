import { test } from 'vitest';
import { expectNoWarnings } from './correct-worlds.ts';

/** Set `CASES=20000` for more cases; the long tests run ten thousand. */
const numRuns = Number(process.env.CASES ?? 60);

test('correct reports have no warnings', async () => {
  await expectNoWarnings(numRuns);
}, 1_800_000);
