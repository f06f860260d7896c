import { describe } from 'vitest';
import { faultKinds, testFaults } from '../support/fault-matrix.ts';

/** One kind of each sort; `test/long` has them all. */
const chosen = ['503', 'reset', 'truncate:bytes=20', 'html', 'unauthorized', 'failed', 'stuck', 'not-downloadable'];

describe('a fault leaves the old file or the whole new one, and says what happened', () => {
  testFaults(faultKinds.filter(({ kind }) => chosen.includes(kind)));
});
