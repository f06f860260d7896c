import { describe, expect, test } from 'vitest';
import { judge, type Scene } from '../support/judged-report.ts';
import { judgedPairs, poorAnswers, refusedAnswers } from './judged-answers.ts';

const sceneOf = (answer: string | Scene): Scene =>
  typeof answer === 'string' ? { body: answer } : answer;

test.each(judgedPairs)('$name', async ({ asked, proof, says, none }) => {
  const { findings } = await judge({ ...asked, ...sceneOf(proof) });

  expect(findings).toEqual([expect.stringMatching(says)]);
  expect(await judge({ ...asked, ...sceneOf(none) })).toMatchObject({ findings: [] });
});

describe('no report', () => {
  test.each(Object.entries(refusedAnswers))('%s', async (_name, scene) => {
    await expect(judge(scene)).rejects.toThrow(/This is no report/);
  });

  test.each(Object.entries(poorAnswers))('but a report: %s', async (_name, scene) => {
    const { findings, notes } = await judge(scene);

    expect(findings).toEqual([]);
    expect(notes).not.toEqual([]);
  });
});
