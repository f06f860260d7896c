import fc from 'fast-check';
import { test } from 'vitest';
import { answersOfBoth, questions } from '../support/same-answer.ts';

test('two hundred questions to folders, in every format: view writes what run writes', async () => {
  const property = fc.asyncProperty(questions({ isThorough: true }), answersOfBoth());
  await fc.assert(property, { numRuns: 200, endOnFailure: true });
}, 3_600_000);
