import fc from 'fast-check';
import { test } from 'vitest';
import { expectAnswersOfRun, questions } from './files-of-run.ts';

test('a file or folder that run wrote answers as the service', async () => {
  const property = fc.asyncProperty(questions(), expectAnswersOfRun());
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
}, 60_000);
