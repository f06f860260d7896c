import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectRepaired, stories } from '../support/folder-model.ts';

test('two hundred folders with random damage: check reports exactly the damage, and one repair fixes it', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 12 }), expectRepaired), {
    numRuns: 200,
    endOnFailure: true,
  });
}, 3_600_000);
