import { describe, test } from 'vitest';
import { faultCases, faultKinds } from '../support/fault-matrix.ts';
import { checkFault } from '../support/fault-matrix-check.ts';

/** One kind of each sort; `test/long` has them all. */
const chosen = ['503', 'reset', 'truncate:bytes=20', 'html', 'unauthorized', 'failed', 'stuck', 'not-downloadable'];

describe('a fault leaves the old file or the whole new one, and says what happened', () => {
  const cases = faultCases(faultKinds.filter(({ kind }) => chosen.includes(kind)));

  test.each(cases.map((each) => ({ ...each, fault: each.kind.kind })))(
    '$fault at $step, $times: exit $exitCode',
    async (each) => {
      await checkFault(each);
    },
  );
});
