import * as fc from 'fast-check';
import { test } from 'vitest';
import { folderStories, playFolder } from '../support/folder-model.ts';

/** Enough for a release; after a change of the folder: `FOLDER_HISTORIES=10000`. */
const numRuns = Number(process.env.FOLDER_HISTORIES ?? 2_000);

test('thousands of folders: check says what the contract says, and one update solves it', async () => {
  await fc.assert(fc.asyncProperty(folderStories, playFolder), { numRuns, endOnFailure: true });
}, 3_600_000);
