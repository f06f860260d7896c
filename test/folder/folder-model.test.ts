import * as fc from 'fast-check';
import { test } from 'vitest';
import { folderStories, playFolder } from '../support/folder-model.ts';

test('fifty folders: check says what the contract says, and one update solves it', async () => {
  await fc.assert(fc.asyncProperty(folderStories, playFolder), { numRuns: 50 });
}, 300_000);
