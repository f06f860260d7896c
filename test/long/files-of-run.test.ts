import fc from 'fast-check';
import { test } from 'vitest';
import { expectAnswersOfRun, questions } from '../view/files-of-run.ts';

test('a file or folder that run wrote answers as the service', async () => {
  const property = fc.asyncProperty(questions(), expectAnswersOfRun());
  await fc.assert(property, { numRuns: 100 });
}, 600_000);
