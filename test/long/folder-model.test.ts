import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectKept, expectRepaired, longStories, stories } from '../support/folder-model.ts';

test('sixty folders with random damage: check reports exactly the damage, and one repair fixes it', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 8 }), expectRepaired), {
    numRuns: 60,
    endOnFailure: true,
  });
}, 600_000);

test('a folder of three hundred nights: after each repair, every file is what the service has for its day', async () => {
  await fc.assert(fc.asyncProperty(longStories(300), expectKept), {
    numRuns: 1,
    endOnFailure: true,
  });
}, 600_000);
