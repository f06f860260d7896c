import { describe, expect, test } from 'vitest';
import { checkReport, type Scene } from '../support/checked-report.ts';
import { checkedPairs, poorAnswers, refusedAnswers } from './checked-answers.ts';

const sceneOf = (answer: string | Scene): Scene =>
  typeof answer === 'string' ? { body: answer } : answer;

test.each(checkedPairs)('$name', async ({ request, proof, says, correct }) => {
  const { warnings } = await checkReport({ ...request, ...sceneOf(proof) });

  expect(warnings).toEqual([expect.stringMatching(says)]);
  expect(await checkReport({ ...request, ...sceneOf(correct) })).toMatchObject({ warnings: [] });
});

describe('not a report', () => {
  test.each(Object.entries(refusedAnswers))('%s', async (_name, scene) => {
    await expect(checkReport(scene)).rejects.toThrow(/This is not a report/);
  });

  test.each(Object.entries(poorAnswers))('accepted as a report: %s', async (_name, scene) => {
    const { warnings, notes } = await checkReport(scene);

    expect(warnings).toEqual([]);
    expect(notes).not.toEqual([]);
  });
});
