import * as fc from 'fast-check';
import { test } from 'vitest';
import { expectSameRange, runsOfFolder } from '../support/range-model.ts';

test('the days that a folder should hold follow the rule, after a hundred random histories of runs', () => {
  fc.assert(
    fc.property(runsOfFolder, ({ runs, silentDays }) => expectSameRange(runs, silentDays)),
    { numRuns: 100 },
  );
});
