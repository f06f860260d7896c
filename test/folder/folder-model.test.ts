import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectHealed, type Story, stories } from '../support/folder-model.ts';

/** A file without a line stands beside one that the next run would fetch again. */
const besideAwaited: Story = {
  profile: 'buyer',
  output: '{date}.csv',
  lookback: 2,
  windowDays: 3,
  restateDays: 0,
  firstDay: 0,
  nights: [{ kind: 'twice' }, { kind: 'outage', nights: 2 }, { kind: 'run' }],
  harms: [{ kind: 'unbooked', pick: 0 }],
  silentDays: 3,
};

test('whatever happens to a folder, check names what is wrong, and one repair makes it the truth', async () => {
  await fc.assert(fc.asyncProperty(stories({ most: 5 }), expectHealed), {
    numRuns: 7,
    examples: [[besideAwaited]],
  });
}, 300_000);
