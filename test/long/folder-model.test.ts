import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectHealed, stories } from '../support/folder-model.ts';

test('two hundred folders, whatever happens to them: check reports exactly what is wrong, and one repair fixes it', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 12 }), expectHealed), {
    numRuns: 200,
    endOnFailure: true,
  });
}, 3_600_000);
