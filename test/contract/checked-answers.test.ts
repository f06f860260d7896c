import { describe, expect, test } from 'vitest';
import { judge, type Scene } from '../support/checked-report.ts';
import { judgedPairs, poorAnswers, refusedAnswers } from './checked-answers.ts';

const sceneOf = (answer: string | Scene): Scene =>
  typeof answer === 'string' ? { body: answer } : answer;

test.each(judgedPairs)('$name', async ({ request, proof, says, correct }) => {
  const { findings } = await judge({ ...request, ...sceneOf(proof) });

  expect(findings).toEqual([expect.stringMatching(says)]);
  expect(await judge({ ...request, ...sceneOf(correct) })).toMatchObject({ findings: [] });
});

describe('not a report', () => {
  test.each(Object.entries(refusedAnswers))('%s', async (_name, scene) => {
    await expect(judge(scene)).rejects.toThrow(/This is not a report/);
  });

  test.each(Object.entries(poorAnswers))('accepted as a report: %s', async (_name, scene) => {
    const { findings, notes } = await judge(scene);

    expect(findings).toEqual([]);
    expect(notes).not.toEqual([]);
  });
});
