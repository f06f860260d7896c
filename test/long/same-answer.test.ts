import fc from 'fast-check';
import { test } from 'vitest';
import { compareViewWithRun, questions } from '../support/same-answer.ts';

const name = 'a hundred questions to folders, in every format: view writes what run writes';

// Questions are random. One that fails on a busy machine only is followed by a hundred others.
test(name, { retry: 2, timeout: 3_600_000 }, async () => {
  const property = fc.asyncProperty(questions({ isThorough: true }), compareViewWithRun());
  await fc.assert(property, { numRuns: 100, endOnFailure: true });
});
