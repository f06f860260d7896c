import { describe, expect, test } from 'vitest';
import { serviceDamages } from '../contract/service-damages.ts';
import {
  campaignVariants,
  runVariants,
  signInVariants,
  token,
} from '../contract/service-variants.ts';
import { serveDamaged } from '../support/damaged-service.ts';
import {
  examinationLine,
  examineVariant,
  newDifferences,
  resultsIn,
} from '../support/examination.ts';
import type { CliResult } from '../support/run-cli.ts';

/**
 * What `doctor --service` says of every service that is known to differ, and which of them it
 * cannot tell.
 */

describe('literal variants', () => {
  const variants = [...runVariants, ...signInVariants, ...campaignVariants];
  let usual: CliResult;

  test.each(variants)('$name', async (variant) => {
    usual ??= await examineVariant({ answers: {} });

    const result = await examineVariant(variant);

    const named = newDifferences(result, usual);
    if (typeof variant.doctor === 'object') expect(named).toEqual([]);
    else expect(named).toContain(variant.doctor);
    expect(result.stdout + result.stderr).not.toContain(token);
  });
});

describe('one thing otherwise than the local server', () => {
  test.each(serviceDamages)('$name: $differs', async (damage) => {
    const run = await serveDamaged(damage);

    const result = await run(examinationLine);

    const differing = resultsIn(result).filter((each) => each.result === 'differs');
    expect(differing.map(({ id }) => id)).toEqual([...damage.differs].sort());
    const isDescribed = differing.some(({ kind }) => kind === 'described');
    expect(result.exitCode).toBe(isDescribed ? 9 : 0);
  });
});
