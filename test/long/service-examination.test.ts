import { expect, test } from 'vitest';
import { busy, oddServices } from '../contract/odd-services.ts';
import { differencesOf, literalDifferences } from '../support/examination.ts';

/** Runs `doctor --service` against every odd service. */
test.each(Object.entries(oddServices))('%s', async (_name, service) => {
  const { doctor, isLiteral } = service;

  const { ids, exitCode, isDescribed, text } = await differencesOf(service);

  const others = isLiteral ? await literalDifferences() : [];
  const wanted = typeof doctor === 'string' ? [] : doctor;
  expect(ids.filter((id) => !others.includes(id))).toEqual([...wanted].sort());
  const usualExitCode = isDescribed ? 9 : 0;
  expect(exitCode).toBe(doctor === busy ? 5 : usualExitCode);
  expect(text).not.toMatch(/[0-9a-f]{40}/);
});
