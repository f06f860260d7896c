import { test } from 'vitest';
import { expectNoWarnings } from '../checks/correct-worlds.ts';

test('ten thousand correct reports have no warnings', async () => {
  await expectNoWarnings(Number(process.env.CASES ?? 10_000));
}, 1_800_000);
