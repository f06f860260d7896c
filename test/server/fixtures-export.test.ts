import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakdowns, metrics } from '../../src/contract/vocabulary.ts';
import { exportFixtures } from '../../src/server/fixtures/export.ts';
import { campaignsOf } from '../../src/server/fixtures/fixtures.ts';
import { loadFixtures } from '../../src/server/fixtures/load.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { accountOf, reportJson, seconds } from './reports.ts';

describe('exported data', () => {
  const builtIn = builtInFixtures({ seed: 5, scale: 1 });
  const window = { since: seconds('2026-10-24T22:00:00Z'), until: seconds('2026-10-26T22:59:59Z') };

  test('serve the same bytes as what they were exported from', async () => {
    const target = join(temporaryFolder(), 'a', 'b');
    const { files: written, facts } = await exportFixtures(target, { fixtures: builtIn, ...window });
    const names = ['facts.csv', 'accounts.json', 'campaigns.json', 'catalog.json'];
    expect(written).toEqual(names.map((name) => join(target, name)));
    expect(facts).toBeGreaterThan(1_000);
    const loaded = await loadFixtures(target);
    expect(loaded.accounts).toEqual(builtIn.accounts);
    for (const account of builtIn.accounts) expect(campaignsOf(loaded, account)).toEqual(campaignsOf(builtIn, account));
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(breakdowns.slice(4).map(({ name }) => name as string)),
        fc.constantFrom('buyer', 'admin', 'awkward'),
        async (by, name) => {
          const request = { ...window, metrics: metrics.map((metric) => metric.name), breakdowns: ['DAILY', ...by] };
          const moment = { nowMs: (window.until + 86_400) * 1_000, restateDays: 3 };
          const account = accountOf(builtIn, name);
          expect(await reportJson(loaded, account, request, moment)).toBe(
            await reportJson(builtIn, account, request, moment),
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  test.runIf(process.platform === 'linux')('are refused at once by a place where no folder can be made', async () => {
    await expect(exportFixtures('/proc/nowhere/x', { fixtures: builtIn, ...window })).rejects.toMatchObject({
      exitCode: 8,
      hint: 'Export to a folder that can be written to.',
    });
  });
});
