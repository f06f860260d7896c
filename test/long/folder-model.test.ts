import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectHealed, stories } from '../support/folder-model.ts';

test('two hundred folders and whatever happens to them: check names what is wrong, and one repair heals it', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 12 }), expectHealed), { numRuns: 200 });
}, 3_600_000);
