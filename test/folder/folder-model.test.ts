import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectRepaired, stories } from '../support/folder-model.ts';

test('check reports exactly the damage to a folder, and one repair fixes it', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 5 }), expectRepaired), {
    numRuns: 3,
    endOnFailure: true,
  });
}, 300_000);
